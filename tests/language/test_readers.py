"""Whatever reads an attribute for a program gives nothing of the host's that a plain read does not.

A read that takes a class for an instance, or an instance for a class, finds what is another's: the
real `type.__new__`, say. So every way to read is tried, on every kind of object, with every name.
"""

import gc
import sys
import types
import weakref
from typing import Any

import harness
import pytest

from sandbox.language.compile.compiler import compile_program
from sandbox.language.guards.attributes.sealing import seal
from sandbox.language.guards.classes import class_origin
from sandbox.language.guest import collector, world

# Objects of each kind, and ways to read; compiled as a program's code.
_PROGRAM = """
import abc, asyncio, collections, dataclasses, decimal, enum, fractions, functools, inspect, io
import itertools, math, operator, random, re, statistics, string, types, typing, weakref

class Plain:
    x = 1
    def method(self): return self
    @classmethod
    def of_class(cls): return cls
    @staticmethod
    def of_nobody(): return 1
    @property
    def told(self): return 1
    def up(self): return super()
class Slotted: __slots__ = ("x", "__weakref__")
class Heir(Plain): pass
class Meta(type):
    def of_meta(cls): return cls
    def up(cls): return super()
class OfMeta(metaclass=Meta): pass
class Abstract(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class Color(enum.Enum): RED = 1
class Flags(enum.IntFlag): A = 1
@dataclasses.dataclass
class Data: x: int = 1
@dataclasses.dataclass(frozen=True, slots=True)
class Frozen: x: int = 1
Pair = collections.namedtuple("Pair", "a b")
class Typed(typing.NamedTuple): a: int = 1
class Protocol(typing.Protocol): pass
class Generic(typing.Generic[typing.TypeVar("T")]): pass
class Words(str): pass
class Table(dict): pass
class Count(collections.Counter): pass
class Wrong(ValueError): pass
class Group(ExceptionGroup): pass
class Up(super): pass
def function(a, *, b=1): return a
async def coroutine(): pass
def generator(): yield 1
async def stream(): yield 1
@functools.lru_cache
def cached(a): return a
@functools.singledispatch
def dispatched(a): return a
try: raise Wrong("x")
except Wrong as e: caught = e
plain, waiting, run = Plain(), coroutine(), generator()
coroutine_warning = waiting.close()
objects = {
    "Plain": Plain, "Heir": Heir, "Slotted": Slotted, "Meta": Meta, "OfMeta": OfMeta, "Up": Up,
    "Abstract": Abstract, "Color": Color, "Flags": Flags, "Data": Data, "Frozen": Frozen,
    "Pair": Pair, "Typed": Typed, "Protocol": Protocol, "Generic": Generic, "Words": Words,
    "Table": Table, "Count": Count, "Wrong": Wrong, "Group": Group,
    "plain": plain, "heir": Heir(), "slotted": Slotted(), "red": Color.RED, "flag": Flags.A,
    "data": Data(), "frozen": Frozen(), "pair": Pair(1, 2), "typed": Typed(), "words": Words("a"),
    "table": Table(), "count": Count("a"), "caught": caught, "group": Group("", [caught]),
    "function": function, "method": plain.method, "of class": Plain.of_class, "lambda": lambda: 1,
    "property": Plain.told, "generator": run,
    "coroutine": waiting, "stream": stream(), "cached": cached, "dispatched": dispatched,
    "partial": functools.partial(function, 1), "cached method": cached.__get__(plain),
    "super": plain.up(), "super of a class": OfMeta.up(), "own super": Up(Heir, Heir()),
    "proxy": weakref.proxy(plain), "proxy of a class": weakref.proxy(Plain),
    "reference": weakref.ref(plain), "alias": list[int], "own alias": Generic[int],
    "union": int | str, "module": math, "other module": collections,
    "namespace": types.SimpleNamespace(a=1),
    "type": type, "object": object, "int": int, "number": 1, "text": "a", "list": [1], "dict": {},
    "Counter": collections.Counter, "counter": collections.Counter(), "deque": collections.deque(),
    "Fraction": fractions.Fraction, "fraction": fractions.Fraction(1, 2),
    "Decimal": decimal.Decimal,
    "decimal": decimal.Decimal(1), "pattern": re.compile("a"), "match": re.match("a", "a"),
    "EnumMeta": enum.EnumMeta, "ABCMeta": abc.ABCMeta, "Enum": enum.Enum, "print": print,
    "slot": str.join, "len": len, "iterator": iter([1]), "zip": zip([1]), "range": range(3),
    "stream of text": io.StringIO(), "random": random.Random(1), "Template": string.Template,
    "normal": statistics.NormalDist(), "chain": itertools.chain([1]),
    "chained": collections.ChainMap(), "user list": collections.UserList([1]),
    "stop": StopIteration(plain), "signature": inspect.signature(function),
    "parameter": inspect.signature(function).parameters["a"], "method of a builtin": [].append,
}
def static(o, name):
    return inspect.getattr_static(o, name)
def by_own(kind):
    class Reads(kind):
        def __getattribute__(self, name): return super().__getattribute__(name)
    return Reads
class ReadsLikeAClass:
    def __getattribute__(self, name): return type.__getattribute__(self, name)
class Answers:
    def __getattr__(self, name): return object.__getattribute__(Answers, name)
objects |= {
    "reads like a class": ReadsLikeAClass(), "answers": Answers(), "reads Plain": by_own(Plain)(),
}
classes = [o for o in objects.values() if issubclass(type(o), type)]
lines = [cls.__mro__ for cls in [*classes, *map(type, objects.values())]]
known = {id(o) for o in objects.values()}
bases = {id(cls): cls for line in lines for cls in line if id(cls) not in known}
objects |= {f"{cls.__module__}.{cls.__qualname__}": cls for cls in bases.values()}
readers = {
    "getattr": getattr,
    "object": lambda o, name: object.__getattribute__(o, name),
    "type": lambda o, name: type.__getattribute__(o, name),
    "super of": lambda o, name: super(type(o), o).__getattribute__(name),
    "own": lambda o, name: o.__getattribute__(name),
    "of the type": lambda o, name: type(o).__getattribute__(o, name),
    "metaclass": lambda o, name: Meta.__getattribute__(o, name),
    "super": lambda o, name: getattr(super(type(o), o), name),
    "super of itself": lambda o, name: getattr(super(o, o), name),
    "unbound super": lambda o, name: getattr(super(type(o)).__get__(o), name),
    "own super": lambda o, name: getattr(Up(type(o), o), name),
    "super by object": lambda o, name: object.__getattribute__(super(type(o), o), name),
    "attrgetter": lambda o, name: operator.attrgetter(name)(o),
    "methodcaller": lambda o, name: operator.methodcaller("__getattribute__", name)(o),
    "static": static,
    "of the namespace": lambda o, name: vars(o)[name],
    "of the class's namespace": lambda o, name: vars(type(o))[name],
    "bound by hand": lambda o, name: getattr(type(o), name).__get__(o),
    "bound to a class": lambda o, name: getattr(type(o), name).__get__(None, type(o)),
    "of a proxy": lambda o, name: getattr(weakref.proxy(o), name),
    "of a proxy by object": lambda o, name: object.__getattribute__(weakref.proxy(o), name),
    "of an alias": lambda o, name: getattr(types.GenericAlias(o, ()), name),
    "of an alias by object": lambda o, name: object.__getattribute__(list[o], name),
    "members": lambda o, name: dict(inspect.getmembers(o))[name],
}
"""
_CALLABLES = (types.FunctionType, types.BuiltinFunctionType, types.MethodWrapperType)
_OF_CLASSES = (types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType)
_OF_CLASSES += (types.ClassMethodDescriptorType,)
_LEAVES = (str, bytes, int, float, complex, bool, type(None), type(NotImplemented), type(...))


@pytest.fixture(scope="module")
def read() -> "dict[str, list[list[str]]]":
    """Return what each reader gave that no plain read gives: object, name and what it is."""
    made = harness.world()
    return harness.in_a_child(lambda: _read(made), cpu_seconds=100)  # type: ignore[no-any-return]


def _read(made: world.World) -> dict[str, Any]:
    seal(made)
    quiet = collector.Collector(list.clear, 1 << 30, lambda: None)  # type: ignore[arg-type]
    scope = world.enter(made, stdin="", output=quiet, plan=made.plan, source=_PROGRAM)
    exec(compile_program(_PROGRAM, made.plan), scope)
    objects, readers = scope["objects"], scope["readers"]
    names = {title: _names(o) for title, o in objects.items()}
    hosts = {id(vars(module)) for module in list(sys.modules.values())}
    hosts |= {id(dict_) for cls in made.kin.host for dict_ in gc.get_referents(vars(cls))}
    known: set[Any] = set()
    counts: dict[str, int] = {}
    found: dict[str, list[list[str]]] = {}
    for way, reader in readers.items():  # the plain one is the first
        for title, o in objects.items():
            for name in names[title]:
                try:
                    value = reader(o, name)
                except Exception:
                    continue
                counts[way] = counts.get(way, 0) + 1
                cores = _cores(value, made, hosts)
                if way == "getattr":
                    known.update(cores)
                elif cores and known.isdisjoint(cores):
                    found.setdefault(way, []).append([title, name, _told(value)])
    return {"counts": counts, "found": found, "names": sum(map(len, names.values()))}


def _names(o: Any) -> list[str]:
    """List the names on the ways from `o`, and what objects have that stand before others."""
    kinds = [type(o), type(type(o)), type, super, weakref.ProxyType, types.GenericAlias]
    kinds += [o] if issubclass(type(o), type) else []
    line = (cls for kind in kinds for cls in class_origin.mro_of(kind))
    return sorted({str(name) for cls in line for name in class_origin.dict_of(cls)})


def _told(value: Any) -> str:
    kind = type(value)
    named = (*_CALLABLES, type) if issubclass(kind, type) else _CALLABLES
    return f"{kind.__name__} {value.__qualname__ if issubclass(kind, named) else ''}"


def _cores(value: Any, made: world.World, hosts: set[int]) -> list[Any]:
    """List what of the host's a value can come from; nothing for what is the program's own."""
    kind = type(value)
    if kind in (types.MethodType, classmethod, staticmethod):
        return _cores(value.__func__, made, hosts)
    if kind is types.BuiltinFunctionType:
        return _of_builtin(value)
    if kind in _OF_CLASSES:
        return [("method", value.__name__, id(value.__objclass__))]
    if kind is types.FunctionType:
        if value.__code__.co_filename == "<program>":
            return []
        if "<locals>" in value.__qualname__ and str(value.__module__).startswith("sandbox."):
            return [("guard", value.__code__)]  # made for the read
        return [("function", id(value))]
    if kind is types.MappingProxyType:
        (value,) = gc.get_referents(value)
    if type(value) is dict:
        return [("dict", id(value))] if id(value) in hosts else []
    if kind in (*_LEAVES, list, tuple, set, frozenset):
        return []
    sort, o = ("class", value) if issubclass(kind, type) else ("object", kind)
    return [(sort, id(o))] if o in made.kin.host else []


def _of_builtin(value: Any) -> list[Any]:
    owner, name = value.__self__, value.__name__
    of_module = issubclass(type(owner), types.ModuleType) and name not in vars(types.ModuleType)
    if of_module or name == "__new__":
        return [("builtin", name, id(owner))]
    kinds = [type(owner)] + ([owner] if issubclass(type(owner), type) else [])
    lines = [cls for kind in kinds for cls in class_origin.mro_of(kind)]
    return [("method", name, id(cls)) for cls in lines if name in class_origin.dict_of(cls)]


def test_no_reader_gives_what_a_plain_read_does_not(read: "dict[str, Any]") -> None:
    assert read["found"] == {}


def test_all_readers_read(read: "dict[str, Any]") -> None:
    assert read["names"] > 10_000
    assert all(count > 100 for count in read["counts"].values()), read["counts"]
