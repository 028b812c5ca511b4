"""A generator that runs is asked nothing when what delegates to it goes, and is driven as ever."""

import sys

import pytest
from listed import assert_as_in_cpython

# By what delegates to `inner`: how it is made, by a text that delegates to nothing itself but for
# the first two. With each turn a counter of the interpreter's stands behind the instruction where
# `inner` runs; before CPython 3.13 that is taken for another instruction at times.
MAKERS = {
    "a generator": "def make(): yield from inner",
    "a coroutine": "async def make(): await Waited()",
    "chain": "import itertools\ndef make(): return itertools.chain(inner)",
    "chain of one": "import itertools\nmake = lambda: itertools.chain.from_iterable(iter([inner]))",
    "merge": "import heapq\ndef make(): return heapq.merge(inner)",
    "reader": "import csv\ndef make(): return csv.reader(inner)",
    "keys": "import collections.abc\ndef make(): return iter(collections.abc.KeysView(inner))",
    "flags": """
import enum
class Kinds(enum.Flag):
    A = 1
    @classmethod
    def _iter_member_(cls, value): return inner
def make(): return iter(Kinds.A)
""",
    "order": """
import graphlib
class Order(graphlib.TopologicalSorter):
    def prepare(self): pass
    def is_active(self): return True
    def get_ready(self): return inner
def make(): return Order().static_order()
""",
    "references": """
import weakref
class Values:
    def values(self): return inner
    def copy(self): return self  # from 3.14 on it is asked for one
def make():
    made = weakref.WeakValueDictionary()
    made.data = Values()
    return made.itervaluerefs()
""",
    "context": """
import contextlib
class Closes:
    def aclose(self): return Waited()
def make(): return contextlib.aclosing(Closes()).__aexit__(None, None, None)
""",
    "steps": """
import collections.abc
class Steps(collections.abc.AsyncGenerator):
    def asend(self, value): return Waited()
    def athrow(self, *error): pass
def make(): return Steps().__anext__()
""",
}
_GOES = """
class Asked:
    def __add__(self, other):
        global outer
        if direct: outer = None
        return 1
def running():
    asked = Asked()
    while True:
        asked + 1
        yield "inner"
inner = running()
class Waited:
    def __await__(self): return inner
{}
for _ in range(3000):
    direct = False
    outer = make()
    for _ in (1, 2): outer.send(None) if hasattr(outer, "send") else next(outer)
    direct = True
    if next(inner) != "inner": print("CHANGED")
print("over")
"""


@pytest.mark.parametrize("name", MAKERS)
def test_what_delegates_to_a_generator_may_go_while_that_runs(run, name):
    assert run(_GOES.format(MAKERS[name])).output == "over\n"


DRIVEN = """
class Waited:
    def __init__(self, value): self.value = value
    def __await__(self):
        try: return (yield self.value)
        except KeyError as error: return f"caught {error}"
        finally: print("waited", self.value)
async def steps():
    try:
        got = yield 1
        print("got", got, await Waited(2))
        yield 3
    except ValueError as error: yield f"thrown {error}"
    finally: print("closed")
def ask(made, *sent):
    for value in sent or (None,):
        try: print(made.send(value))
        except StopIteration as end: print("end", end.value)
        except (StopAsyncIteration, RuntimeError) as error: print(type(error).__name__, error)
g = steps()
ask(g.asend(None))
ask(g.asend("x"), None, "y")
ask(g.athrow(ValueError("z")))
ask(g.__anext__())
g = steps()
ask(anext(g)); ask(anext(g, 5), None, 7); ask(g.aclose()); ask(anext(g, "default"))
g = steps()
ask(g.__anext__())
step = g.asend(4)
print(step.send(None))
try: step.throw(KeyError("k"))
except StopIteration as end: print("end", end.value)
busy = g.asend(1)
other = steps(); ask(other.asend(None)); held = other.asend(2); held.send(None)
ask(other.asend(3)); ask(other.aclose())
async def uses(): return [value async for value in steps()], await anext(steps())
made = uses()
print(made.send(None))
try: made.send(9)
except StopIteration as end: print(end.value)
async def waits(): return await Waited("w")
print(*waits().__await__())
c = waits(); c.send(None); c.close(); c.close()
def left():
    try: yield from (x for x in (1, 2))
    finally: print("left")
l = left(); print(next(l)); del l
def wraps(g): yield from g
inner = left(); outer = wraps(inner); print(next(outer)); outer.close(); print(list(inner))
inner = left(); outer = wraps(inner); print(next(outer)); del outer; print(list(inner))
"""


def test_generators_are_driven_as_in_cpython(run):
    assert_as_in_cpython(DRIVEN, run(DRIVEN))


SHARED = """
import itertools
def numbers(): yield from range(5)
held = numbers()
first = next(itertools.chain(held, [9]))
print(first, *held)
"""


def test_a_chain_leaves_what_it_iterates_over_open(run):
    assert_as_in_cpython(SHARED, run(SHARED))


def test_on_later_releases_nothing_is_in_the_place_of_an_end(run):
    ran = run("def g(): yield\nprint(type(g().__del__).__name__)")
    assert ran.output == ("method\n" if sys.version_info < (3, 13) else "method-wrapper\n")
