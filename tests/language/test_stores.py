"""Stores to attributes: the object that is stored to refuses, whatever the variable held before.

Every program stores to an attribute of its own object, rebinds the variable in some way to a class
of the host's, and stores again. The second store must be refused.
"""

import sys
from pathlib import Path

import pytest

from sandbox.language.compile import names
from sandbox.language.natives import demand

OWN = "import collections\nHost = collections.Counter\nclass Own: pass\n"


def programs(name: str) -> dict[str, str]:
    parts = Path(__file__).with_name(name).read_text().split("### ")[1:]
    return dict(part.split("\n", 1) for part in parts)


REBINDING = programs("rebinding.txt")
BY_OTHERS = programs("rebinding_by_others.txt")


@pytest.mark.parametrize("how", REBINDING)
@pytest.mark.parametrize("where", ["function", "async", "generator", "method", "module"])
def test_a_variable_that_was_rebound_is_asked_again(run, how, where):
    body = REBINDING[how]
    indented = "\n".join("  " + line for line in body.splitlines())
    source = {
        "module": body,
        "function": f"def f():\n{indented}\nf()",
        "async": f"import asyncio\nasync def f():\n{indented}\nasyncio.run(f())",
        "generator": f"def f():\n{indented}\n  yield\nlist(f())",
        "method": f"class C:\n def f(self):\n{indented}\nC().f()",
    }[where]
    ran = run(OWN + source)
    assert ran.status in ("DENIED", "ERROR"), ran
    assert ran.error, ran


@pytest.mark.parametrize("how", BY_OTHERS)
def test_a_variable_that_others_rebind_is_asked_again(run, how):
    ran = run(OWN + BY_OTHERS[how])
    assert ran.status in ("DENIED", "ERROR"), ran
    assert ran.error, ran


def test_what_is_compiled_later_rebinds_for_every_store(run):
    source = """
class Own: pass
first, a = (Own() for _ in range(2))
a, b = first, a
a.x = 0
a.y = exec("a = b")
a.z = 1
a.z += 1
del a.z
a.w = 3
exec("def swap():\\n  global a\\n  a = first")
a.v = swap()
a.u = 4
exec("del a")
try: a.t = 1
except NameError as error: print(error)
print(sorted(vars(first)), sorted(vars(b)))
"""
    plain: dict[str, object] = {}
    expected: list[str] = []
    exec(source, {**plain, "print": lambda *a: expected.append(" ".join(map(str, a)) + "\n")})
    ran = run(source)
    assert (ran.status, ran.output) == ("OK", "".join(expected)), ran


def test_a_docstring_stays_one(run):
    source = "def f(a, b):\n  'text'\n  for _ in b: b.x = 1\nprint(f.__doc__)"
    assert run(source).output == "text\n"


def test_no_object_lives_longer_where_the_program_would_notice(run):
    source = """
class Loud:
    def __del__(self): print("gone")
def f(a):
    a.x = 1
    a.y = 2
    del a
    print("deleted")
f(Loud())
b = Loud()
b.x = 1
b.y = 2
b = None
print("end")
"""
    assert run(source).output == "gone\ndeleted\ngone\nend\n"


def test_a_host_object_as_self_is_asked_at_each_store(run):
    source = """
import collections
def f(self):
    print(type(self).__name__)
    self.x = 1
    self.y = 2
def count(function):
    function.calls = 0
    for _ in range(3): function.calls += 1
    del function.calls
    function.total = 3
def own(): pass
count(own)
print(own.total, hasattr(own, "calls"))
for o in (collections.Counter, collections, len, 1, [], 'text'.join, type):
    try: f(o)
    except Exception as error: print(type(error).__name__)
def g(self):
    self.x = 1
    self.y = 2
    return dict(locals()), dir()
class Own: pass
print(*g(Own())[1])
"""
    ran = run(source)
    assert ran.status == "OK", ran
    first, *others, last = ran.output.splitlines()
    assert first == "3 False"
    assert last == "self"
    assert len(others) == 2 * 7


INNER_SCOPES = {
    "comprehension": "[a for a in range(3)]",
    "generator expression": "list(a for a in range(3))",
    "lambda": "(lambda a: a)(1)",
    "function": "def h(a=0):\n  a = 5",
    "function's definition": "def h():\n  def a(): pass",
    "class": "class H:\n  a = 5",
    "class's import": "class H:\n  import math as a",
}


@pytest.mark.parametrize("inner", INNER_SCOPES)
def test_a_name_of_an_inner_scope_makes_no_variable_of_the_function(run, inner):
    body = "\n ".join(INNER_SCOPES[inner].split("\n"))
    ran = run(f"""
class Own: pass
a = first = Own()
def rebind():
 global a
 a = Own()
def f():
 {body}
 a.x = 1
 rebind()
 a.y = 2
f()
print(vars(first), vars(a))
""")
    assert ran.output == "{'x': 1} {'y': 2}\n", ran


def test_what_is_feared_of_a_class_can_be_stored_in_none_unseen():
    for name in demand._HARMLESS:
        assert names.store_kind(name) != names.PLAIN or name in names.NOTICED_STORES, name


@pytest.mark.parametrize(
    "store",
    [
        "C.throw = 1",
        "C.throw: int = 1",
        "for C.throw in [1]: pass",
        "[C.throw, x] = 1, 2",
        "x = C.throw = 1",
        "try: C.throw += 1\nexcept TypeError: pass",
        "del C.throw",
        "setattr(C, 'thr' + 'ow', 1)",
        "delattr(C, 'thr' + 'ow')",
        "type.__setattr__(C, 'throw', 1)",
        "import weakref; weakref.proxy(C).throw = 1",
        "C.\uff54hrow = 1",
    ],
)
def test_a_store_of_what_is_feared_is_noticed_in_every_form(run, store):
    ran = run(f"class C:\n  def throw(self): pass\n{_WAITS}\n{store}\n{_THROWS}")
    assert ran.output == ("refused\n" if sys.version_info < (3, 12) else "1\n"), ran


_WAITS = """
class A:
    def __await__(self): return self
    def __iter__(self): return self
    def __next__(self): return 1
async def stream():
    await A()
    yield 1
step = stream().asend(None)
step.send(None)"""
_THROWS = """
try: step.throw(ValueError("x"))
except TypeError: print("refused")
except ValueError: print(1)
"""


def test_a_name_that_is_noticed_is_stored_as_any_other(run):
    source = """
from dataclasses import dataclass
@dataclass
class Dice:
    throw: int = 1
    def again(self):
        self.throw += 2
        return self
@dataclass(frozen=True)
class Thrown:
    throw: int = 1
class Bag: pass
Bag.__iter__ = lambda self: iter([1, 2])
dice = Dice(3).again()
print(dice, Thrown(4), [*Bag()], Dice.throw)
del dice.throw
print(dice.throw)
for dice.throw in [7, 8]: pass
print(dice)
"""
    assert run(source).output == ("Dice(throw=5) Thrown(throw=4) [1, 2] 1\n1\nDice(throw=8)\n")
