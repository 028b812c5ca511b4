"""A method of the host's takes what its own class made, whatever a program calls it with."""

import pytest

IMPORTS = """
import calendar, collections, contextlib, dataclasses, enum, fractions, functools, json, math
import random, re, string, sys, typing, weakref
class Own: pass
@dataclasses.dataclass(frozen=True)
class Frozen: x: int = 1
def attempt(call):
    try: print("got", call())
    except (AttributeError, TypeError) as error: print("refused", error)
"""
WRONG = [
    "collections.ChainMap.copy(Own)",
    "collections.ChainMap.copy(collections.Counter)",
    "collections.ChainMap.copy(collections.Counter())",
    "collections.ChainMap.parents.fget(Own)",
    "collections.UserDict.copy(Own())",
    "collections.UserDict.__copy__(math)",
    "collections.UserDict.__copy__(json.dumps)",
    "collections.UserList.__copy__(Own())",
    "collections.UserString.upper(Own)",
    "collections.Counter.copy(collections.OrderedDict())",
    "enum.Enum.__dir__(Own)",
    "enum.Enum.__dir__(re.compile('x'))",
    "type(typing.List[int]).__hash__(Own())",
    "type(typing.List[int]).__repr__(Own())",
    "fractions.Fraction.__copy__(Own)",
    "Frozen.__init__(re.I, 5)",
    "Frozen.__init__(math, 5)",
    "Frozen.__init__(json.dumps, 5)",
    "Frozen.__init__(sys.stdout, 5)",
    "Frozen.__init__(dataclasses.field(), 5)",
    "Frozen.__init__(collections.Counter, 5)",
]


@pytest.mark.parametrize("call", WRONG)
def test_another_object_is_refused(run, call):
    assert run(f"{IMPORTS}attempt(lambda: {call})").output.startswith("refused"), call


RIGHT = {
    "collections.ChainMap.copy(collections.ChainMap({1: 2}))": "ChainMap({1: 2})",
    "collections.ChainMap.copy(type('C', (collections.ChainMap,), {})({1: 2})).maps": "[{1: 2}]",
    "collections.UserDict.copy(collections.UserDict({1: 2}))": "{1: 2}",
    "collections.Counter.copy(collections.Counter('aa'))": "Counter({'a': 2})",
    "collections.UserString.upper(collections.UserString('a'))": "A",
    "type(typing.List[int]).__repr__(typing.List[int])": "typing.List[int]",
    "Frozen(2)": "Frozen(x=2)",
    "Frozen.__init__(type('C', (Frozen,), {})(), 3)": "None",
    "Frozen.__init__(Own(), 3)": "None",
    "dataclasses.replace(Frozen(2), x=3)": "Frozen(x=3)",
}


@pytest.mark.parametrize("call", RIGHT)
def test_its_own_are_taken_as_in_cpython(run, call):
    ran = run(f"{IMPORTS}attempt(lambda: {call})")
    assert ran.output == f"got {RIGHT[call]}\n", ran


def test_a_frozen_class_writes_every_kind_of_field(run):
    ran = run(
        """
from dataclasses import InitVar, dataclass, field
@dataclass(frozen=True, order=True, slots=True)
class A:
    x: int
    y: list = field(default_factory=list)
    z: InitVar[int] = 3
    def __post_init__(self, z): print(z)
    w: int = field(default=4, kw_only=True)
@dataclass(frozen=True)
class B(A):
    more: str = "m"
print(A(1), B(1, w=2), A(1) < A(2))
"""
    )
    shown = "A(x=1, y=[], w=4) B(x=1, y=[], w=2, more='m') True\n"
    assert ran.output == "3\n" * 4 + shown, ran
