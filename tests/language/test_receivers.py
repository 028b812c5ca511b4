"""A method of the host's takes what its own class made, whatever a program calls it with."""

import sys
import types

import pytest

from sandbox.language.guards.attributes import receivers
from sandbox.language.guards.classes.class_origin import dict_of

IMPORTS = """
import abc, asyncio, calendar, collections, contextlib, dataclasses, enum, fractions, functools
import json, math, queue, random, re, statistics, string, sys, threading, typing, weakref
class Own: pass
class Abstract(abc.ABCMeta): pass
class Counted(metaclass=type("Meta", (type,), {})): x = 2
class Color(enum.Enum): RED = 1
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
    "abc.ABCMeta.__instancecheck__(Own, int)",
    "Abstract.__instancecheck__(Own(), Own)",
    "Abstract.__subclasscheck__(Own, Own)",
    "Abstract.register(Own(), str)",
    "Abstract._dump_registry(Own)",
    "type(enum.Enum).__call__(Own, 1)",
    "type(typing.Protocol).__instancecheck__(Own, 1)",
    "enum.Enum.__new__(Own, 1)",
    "enum.Enum.__new__(Own(), 1)",
    "fractions.Fraction.__new__(Own, 1)",
    "enum.Enum.__repr__(Own())",
    "threading.local.__init__(math)",
    "threading.local.__init__(Own())",
    "threading.Thread.start(Own())",
    "queue.Queue.put(Own(), 1)",
    "asyncio.Future.set_exception(Own(), ValueError())",
    "collections.OrderedDict.copy(Own)",
    "collections.OrderedDict.__or__(Own, {})",
    "weakref.WeakValueDictionary.get(Own(), 1)",
    "json.JSONDecoder.__init__(Own)",
    "typing.Any.__class__.__instancecheck__(Own, 1)",
    "Frozen.__init__(re.I, 5)",
    "Frozen.__init__(math, 5)",
    "Frozen.__init__(json.dumps, 5)",
    "Frozen.__init__(sys.stdout, 5)",
    "Frozen.__init__(dataclasses.field(), 5)",
    "Frozen.__init__(collections.Counter, 5)",
    "type(int.__dict__).__init__(math, Own)",
    "type(int.__dict__).__len__(Own)",
    "type(sys.stdout).__mro__[1].__init__(math, sys.stdout, 'planted', 1)",
    "type(sys.stdout).__init__(math, sys.stdout, 'planted', 1)",
    "type(sys.stdout.buffer).__init__(json.dumps, sys.stdout, 'planted', 1)",
    "object.__setattr__(Own, 'x', 1)",
    "object.__setattr__(Counted, 'x', 1)",
    "type.__setattr__(int, 'x', 1)",
    "type.__setattr__(type, 'x', 1)",
    "type.__setattr__(collections.Counter, 'x', 1)",
    "type.__setattr__(Own(), 'x', 1)",
    "type.__setattr__(Own, '__class__', Counted)",
    "type.__setattr__(Own, '__bases__', (Counted,))",
    "type.__setattr__(Color, 'RED', 1)",
    "type.__delattr__(Color, 'RED')",
    "type.__getattribute__(Own(), '__dict__')",
    "type.__getattribute__(type, 'mro')",
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
    "type(Color).__call__(Color, 1)": "Color.RED",
    "Abstract.__instancecheck__(Abstract('A', (), {}), 1)": "False",
    "Abstract.__instancecheck__(collections.abc.Sized, [])": "True",
    "enum.Enum.__repr__(Color.RED)": "<Color.RED: 1>",
    "fractions.Fraction.__new__(fractions.Fraction, 1, 2)": "1/2",
    "collections.OrderedDict.copy(collections.OrderedDict(a=1)) == {'a': 1}": "True",
    "threading.local.__init__(threading.local())": "None",
    "(type.__setattr__(Own, 'x', 1), Own.x)": "(None, 1)",
    "(type.__setattr__(Counted, 'x', 1), Counted.x)": "(None, 1)",
    "(type.__delattr__(Counted, 'x'), hasattr(Counted, 'x'))": "(None, False)",
    "type.__getattribute__(type('C', (Counted,), {}), 'x')": "2",
    # What does nothing that a program could not do itself takes any object, as in CPython.
    "collections.abc.Mapping.get({1: 2}, 1)": "2",
    "collections.abc.MutableMapping.setdefault({1: 2}, 3, 4)": "4",
    "collections.abc.Sequence.count('aba', 'a')": "2",
    "collections.Counter.most_common({'a': 1})": "[('a', 1)]",
    "Frozen(2)": "Frozen(x=2)",
    "Frozen.__init__(type('C', (Frozen,), {})(), 3)": "None",
    "Frozen.__init__(Own(), 3)": "None",
    "dataclasses.replace(Frozen(2), x=3)": "Frozen(x=3)",
}


@pytest.mark.parametrize("call", RIGHT)
def test_its_own_are_taken_as_in_cpython(run, call):
    ran = run(f"{IMPORTS}attempt(lambda: {call})")
    assert ran.output == f"got {RIGHT[call]}\n", ran


def test_a_metaclass_stores_by_the_name_of_type(run):
    ran = run(
        """
class M(type):
    def __setattr__(cls, name, value):
        type.__setattr__(cls, name, ("set", value))
    def __delattr__(cls, name):
        print("deletes", name)
        type.__delattr__(cls, name)
class A(metaclass=M): pass
A.x = 4
print(A.x)
del A.x
print(hasattr(A, "x"))
"""
    )
    assert ran.output == "('set', 4)\ndeletes x\nFalse\n", ran


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


MADE = """
import abc, dataclasses, enum, functools, typing
@dataclasses.dataclass(order=True)
class D: x: int = 1
@dataclasses.dataclass(frozen=True, slots=True)
class S: x: int = 1
class N(typing.NamedTuple): x: int
class E(enum.Enum): A = 1
class F(enum.Flag): A = 1
class P(typing.Protocol):
    def run(self): ...
class G(typing.Generic[typing.TypeVar("T")]): pass
class TD(typing.TypedDict): x: int
class A(abc.ABC): pass
@functools.total_ordering
class T:
    def __lt__(self, o): return True
"""
# What host code puts into a class of a program's without a look at receivers, and what it does.
PUT = {
    "_lt_from_ge _lt_from_gt _lt_from_le": "asks the type of its receiver to compare",
    "_gt_from_ge _gt_from_le _gt_from_lt": "the same",
    "_le_from_ge _le_from_gt _le_from_lt": "the same",
    "_ge_from_gt _ge_from_le _ge_from_lt": "the same",
    "__init__ __eq__ __repr__ __hash__ __lt__ __le__ __gt__ __ge__ __setattr__ __delattr__": (
        "written by `dataclasses`, from a text that is looked at"
    ),
    "wrapper": "such a `__repr__`",
    "_dataclass_getstate _dataclass_setstate": "no program has a name for them",
    "_replace _asdict _make __getnewargs__ __new__ <lambda>": "makes a named tuple of its items",
    "_generate_next_value_ __format__ __str__ __copy__ __deepcopy__ __or__ __and__ __xor__": (
        "of an enum, which looks or asks nothing"
    ),
    "annotate __annotate__": "of a class of `typing`: it asks `guards/classes/annotations`",
    "_no_init_or_replace_init _proto_hook": "asks the protocols of its own class",
    "checked_method checked_maker": "looks",
}


def test_what_host_code_puts_into_a_programs_class_is_known(widest):
    names = {"__name__": "__main__"}
    exec(compile(MADE, "<program>", "exec"), names)
    known = {name for line in PUT for name in line.split()}
    for cls in (value for value in names.values() if isinstance(value, type)):
        for member in vars(cls).values():
            function = getattr(member, "__func__", member)
            if isinstance(function, types.FunctionType):
                code = function.__code__
                assert code.co_filename == "<program>" or code.co_name in known, (cls, code)


def test_each_reason_to_go_without_a_look_is_for_a_method_that_there_is(widest):
    for module, cls, name in receivers.UNCHECKED:
        assert hasattr(getattr(sys.modules[module], cls), name)


# Functions that are attributes of functions that a program can hold: it holds them, too.
LEADING_ON = {
    ("typing", "Generic.__class_getitem__", "__wrapped__"),
    *(("typing", name, "__mro_entries__") for name in ("NamedTuple", "TypedDict")),
    *(
        ("urllib.parse", "urlsplit", name)
        for name in ("__wrapped__", "cache_clear", "cache_info", "cache_parameters")
    ),
}


def test_no_attribute_of_a_function_leads_on_to_one_without_a_look(widest):
    facades = widest.importer.facades.values()
    shown = [value for facade in facades for value in vars(facade).values()]
    members = (m for cls in receivers.reached_classes(shown) for m in dict_of(cls).values())
    found = [*shown, *(part for m in members for part in (m, getattr(m, "__func__", None)))]
    functions = (o for o in found if type(o) is types.FunctionType)
    leading = {
        (function.__module__, function.__qualname__, name)
        for function in functions
        for name, value in vars(function).items()
        if callable(value)
    }
    assert leading <= LEADING_ON
