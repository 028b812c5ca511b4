"""Attacks by what host code asks of a guest's objects: hooks, bases, fields, reductions."""

from pathlib import Path

import pytest

_TEXT = (Path(__file__).parent / "attacks_through_hooks.txt").read_text()
ATTACKS = dict(part.split("\n", 1) for part in _TEXT.split("### ")[1:])

HONEST = {
    "a subclass hook": """
from abc import ABC
class Quacks(ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return hasattr(other, "quack") or NotImplemented
class Duck:
    def quack(self): pass
print(issubclass(Duck, Quacks), isinstance(Duck(), Quacks), isinstance(1, Quacks))
class Loud(Quacks):
    @classmethod
    def __subclasshook__(cls, other): return super().__subclasshook__(other)
print(issubclass(Duck, Loud))
""",
    "a metaclass with a subclass check": """
class Even(type):
    def __instancecheck__(cls, o): return o % 2 == 0
    def __subclasscheck__(cls, other): return other.__name__.startswith("E")
class E(metaclass=Even): pass
print(isinstance(2, E), isinstance(3, E), issubclass(E, E), issubclass(int, E))
""",
    "a metaclass that is a function": """
def upper(name, bases, namespace, **options):
    print(name, bases, sorted(options))
    return type(name.upper(), bases, {k: v for k, v in namespace.items() if k != "x"})
class a(dict, metaclass=upper, option=1):
    x = 1
    y = 2
print(a.__name__, a().y, hasattr(a, "x"), a.__bases__)
""",
    "a partial method": """
from functools import partialmethod
class Cell:
    alive = False
    def set(self, state, *more): self.alive = state; return more
    on = partialmethod(set, True)
    off = partialmethod(set, state=False)
    make = partialmethod(classmethod(lambda cls, n: (cls.__name__, n)), 3)
    built = partialmethod(max, 7)
c = Cell()
print(c.on(1, 2), c.alive, c.off(), c.alive, Cell.make(), Cell.on(c, 5), c.alive)
""",
    "what is wrapped": """
from contextlib import contextmanager
from functools import cache, lru_cache, partial
@cache
class Point:
    LIMIT = 3
    def __init__(self, x): self.x = x
print(Point(1) is Point(1), Point.LIMIT, Point.__name__, Point.__wrapped__.__name__)
@lru_cache(maxsize=None)
def fib(n: int) -> int:
    "text"
    return n if n < 2 else fib(n - 1) + fib(n - 2)
fib.note = 1
print(fib(30), fib.__name__, fib.__doc__, fib.cache_info(), fib.note)
print(lru_cache(partial(pow, 2))(10), lru_cache(abs)(-1), lru_cache(abs).__name__)
def tagged(): yield 1
tagged.note = 2
print(contextmanager(tagged).note, classmethod(tagged).__get__(None, int).__name__)
""",
    "a weak proxy of an instance": """
import weakref
class A: pass
a = A(); p = weakref.proxy(a)
p.x = 1; p.x += 1
print(a.x)
""",
    "dataclasses": """
from dataclasses import asdict, astuple, dataclass, field, fields, replace
@dataclass(order=True)
class Point:
    x: int
    y: int = 2
    tags: list = field(default_factory=list, compare=False)
p = Point(1)
print(p, replace(p, y=5), asdict(p), astuple(p), [f.name for f in fields(p)], p < Point(2))
print(Point.__doc__)
try: fields(1)
except TypeError as e: print(e)
""",
    "copies of exceptions and methods": """
import copy
class E(Exception):
    def __init__(self, x): super().__init__(x); self.x = [x]
    def show(self): return self.x
e = E(1); f = copy.deepcopy(e); m = copy.deepcopy(e.show)
e.x.append(2)
print(f.x, m(), e.show(), copy.deepcopy([].append)(1))
""",
}


@pytest.mark.parametrize("title", ATTACKS)
def test_an_attack_gets_nothing_and_the_child_survives(run, title):
    ran = run(ATTACKS[title])
    assert "ESCAPED" not in ran.output, ran
    assert ran.status != "CRASHED", ran


@pytest.mark.parametrize("title", HONEST)
def test_what_programs_do_with_them_is_as_in_cpython(run, title, capsys):
    ran = run(HONEST[title])
    exec(compile(HONEST[title], "<program>", "exec"), {"__name__": "__main__"})
    assert (ran.status, ran.output) == ("OK", capsys.readouterr().out), ran
