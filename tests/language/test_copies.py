"""What `copy` makes of an object is said by a table, whichever module asks for the copy."""

import harness
import pytest

from sandbox.language.stdlib.copying.table import ATOMIC, adds_fields

ASKS = {
    "dataclasses": """
from dataclasses import asdict, dataclass
class A: pass
@dataclass
class D:
    x: object
a = A()
a.__dict__["__reduce_ex__"] = lambda protocol: (print, ("asked",))
print(type(asdict(D(a))["x"]) is A)
""",
    "collections": """
from collections import UserDict
class U(UserDict):
    __copy__ = None
u = U({"k": 1})
u.__dict__["__reduce_ex__"] = lambda protocol: (print, ("asked",))
print(type(u.copy()) is U)
""",
}


@pytest.mark.parametrize("module", ASKS)
def test_a_library_that_copies_goes_by_the_table_where_copy_is_not_granted(module):
    modules = harness.supported()[1]
    world = harness.world(modules={module: modules[module]})
    ran = harness.run(world, ASKS[module])
    assert (ran.output, ran.status) == ("True\n", "OK"), ran


@pytest.mark.parametrize("make", ["copy.copy", "copy.deepcopy"])
@pytest.mark.parametrize(
    "held",
    [
        "itertools.permutations('ab')",
        "itertools.chain([1], [2])",
        "type('P', (itertools.product,), {})('ab')",
        "sys.stdout",
        "threading.current_thread()",
        "queue.Queue()",
        "type('S', (struct.Struct,), {})('i')",
        "type('S', (collections.abc.Sized, struct.Struct), {'__len__': id})('i')",
    ],
)
def test_what_is_not_in_the_table_is_refused(run, make, held):
    names = "copy, itertools, sys, threading, queue, collections.abc, struct"
    ran = run(f"import {names}\nx = {held}\n{make}(x)")
    assert ran.status in ("DENIED", "ERROR")
    assert ran.error.startswith(("copying this", "TypeError: cannot pickle")), ran


def test_a_memo_must_be_a_dict(run):
    ran = run("import copy, collections\ncopy.deepcopy([[]], collections.UserDict())")
    assert ran.error.startswith("TypeError: the memo of a copy must be a dict"), ran


def test_fields_are_told_from_a_namespace():
    class Plain(list):
        pass

    class Slotted(list):
        __slots__ = ("x",)

    class Bare(int):
        __slots__ = ()

    assert not adds_fields(Plain)
    assert not adds_fields(Bare)
    assert adds_fields(Slotted)
    assert adds_fields(list)
    assert not adds_fields(object)


def test_classes_that_are_looked_up_by_hash_have_no_metaclass():
    assert {type(cls) for cls in ATOMIC} == {type}
