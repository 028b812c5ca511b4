"""Host objects that refuse a guest's stores by themselves, so that no store needs a guard.

`seal` is called once, when the world is finished, and is never undone.

* Every class of the host becomes immutable, as the types written in C are.
* An instance of a *closed* class, one that a guest cannot inherit from, is written by the methods
  of that class alone, and by none at all if it was there before the guest was. An instance of an
  open class is no more to the host than one of a class that a guest derives from it, whose
  attributes are the guest's own: nothing of the host's trusts what is in it. See `EXEMPT`.
* A module facade takes no attribute, and is not initialised again.
* A property of the host's is not initialised again.
* Lists and dicts that classes and modules of the host show are frozen, or copies.

A function of the host's takes attributes, as CPython's functions do and no Python code can prevent.
Nothing reads them: the host's functions are called, and what decides about them is their identity.
"""

import functools
import gc
import itertools
import sys
import types
from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING, Any

from sandbox.errors import SandboxError
from sandbox.interpreter.vault.asking import writing_code
from sandbox.language.guards.attributes.reach import EXEMPT, is_in_reach, key_of, module_of
from sandbox.language.guards.classes.class_origin import HEAP, IMMUTABLE, dict_of, mro_of
from sandbox.language.guards.classes.codes import codes_of
from sandbox.language.guest.ends.denials import denied_store
from sandbox.language.natives.patching import put
from sandbox.language.natives.types import type_slots

if TYPE_CHECKING:
    from sandbox.language.guest.world import World

Store = Callable[..., None]
_flags = type.__dict__["__flags__"].__get__
_name: Callable[[type], str] = type.__dict__["__name__"].__get__
_dictoffset = type.__dict__["__dictoffset__"].__get__
_BASE = 1 << 10  # Py_TPFLAGS_BASETYPE
_STORES = ("__setattr__", "__delattr__")
# The other writers to instances of a closed class: functions and classes of the same module.
WRITERS = {
    ("dataclasses", "Field"): ("_get_field",),
    ("enum", "EnumDict"): ("EnumType",),
    ("enum", "_EnumDict"): ("EnumType",),
    ("enum", "property"): ("EnumType", "_proto_member"),
    ("graphlib", "_NodeInfo"): ("TopologicalSorter",),
    ("weakref", "_Info"): ("finalize",),
}


def seal(world: "World") -> None:
    """Make what the host has refuse a guest's stores. Raises SandboxError where that cannot be."""
    if not world.plan.language:
        return
    type_slots.verify()
    collecting = gc.isenabled()
    gc.disable()  # all this makes many objects and no garbage
    try:
        _seal(world)
    finally:
        if collecting:
            gc.enable()


def _seal(world: "World") -> None:
    host, open_ = world.kin.host, world.classes.open
    closed = [cls for cls in host if _is_sealed(cls, open_)]
    _close_instances(closed, world.kin.unseen)
    _close_facades(world)
    _close_properties(host)
    _freeze_slots(host)
    _freeze_data(world)
    world.sealed = _make_immutable(host)


def _freeze_slots(host: Iterable[type]) -> None:
    """Freeze `__slots__`, whose names copying goes by: it may be a dict or a list that is shown."""
    for cls in host:
        slots = dict_of(cls).get("__slots__")
        if isinstance(slots, (dict, list)) and not _flags(cls) & IMMUTABLE:
            type.__setattr__(cls, "__slots__", tuple(slots))


def _freeze_data(world: "World") -> None:
    """Keep a program from writing to the data that the host's classes and modules show.

    Host code reads those of its class (`textwrap.TextWrapper`, `calendar.HTMLCalendar`), and those
    of its own module, of which a facade has a copy.
    """
    for cls in world.kin.host:
        if is_in_reach(module_of(cls)) and not _flags(cls) & IMMUTABLE:
            for name, value in [*dict_of(cls).items()]:
                if type(value) in _FROZEN and name[:1] != "_":
                    type.__setattr__(cls, name, _FROZEN[type(value)](value))
                elif name == "_field_defaults":
                    # Of named tuples, for people: none of ours has one, and a proxy of the dict
                    # would show it to whatever it is compared with.
                    type.__delattr__(cls, name)
    for facade in world.importer.all_facades():
        living = vars(facade)["__name__"] in _LIVING
        for name, value in [*vars(facade).items()]:
            if type(value) in _FROZEN and not living and name[:2] != "__":
                vars(facade)[name] = value.copy()


_FROZEN: dict[type, Callable[[Any], Any]] = {
    list: tuple,
    set: frozenset,
    dict: types.MappingProxyType,
}
_LIVING = ("os", "sys")  # stand-ins of ours, whose containers are the program's own


def _make_immutable(host: Iterable[type]) -> frozenset[str]:
    """Make classes immutable and return the names of the classes that were mutable.

    A name that an immutable one had, too, is left out.

    The compiler turns nodes of a tree into others, which takes a mutable class. No guest has one.
    """
    node = sys.modules["_ast"].AST
    mutable = [cls for cls in host if not _flags(cls) & IMMUTABLE and not issubclass(cls, node)]
    before = {_name(cls) for cls in host if _flags(cls) & IMMUTABLE}
    for cls in mutable:
        type_slots.make_immutable(cls)
    for cls in mutable:
        _prove(cls)
    return frozenset(map(_name, mutable)) - before


def _prove(cls: type) -> None:
    try:
        type.__setattr__(cls, "__doc__", "")
    except TypeError:
        if _flags(cls) & IMMUTABLE:
            return
    raise SandboxError(f"{_name(cls)} still takes attributes")


def _is_sealed(cls: type, open_: Container[Any]) -> bool:
    if issubclass(cls, (type, BaseException)) or not _flags(cls) & HEAP:
        return False
    if cls in open_ and _may_have_heirs(cls):
        return False
    return is_in_reach(module_of(cls)) and key_of(cls) not in EXEMPT and _takes_attributes(cls)


def _may_have_heirs(cls: type) -> bool:
    """Return False for an enum with members, and for what is final in C or in `typing`."""
    final = getattr(sys.modules.get("typing"), "_Final", None)
    is_final = final is not None and issubclass(cls, final)
    return bool(_flags(cls) & _BASE) and not dict_of(cls).get("_member_map_") and not is_final


def _takes_attributes(cls: type) -> bool:
    """Say whether instances have a namespace, or a slot, field or property that may be set."""
    if _dictoffset(cls):
        return True
    kinds = (types.MemberDescriptorType, types.GetSetDescriptorType, property)
    return any(type(member) in kinds for base in mro_of(cls) for member in dict_of(base).values())


# -- instances of closed classes


def _close_instances(closed: list[type], unseen: frozenset[int]) -> None:
    kinds = frozenset(closed)
    # With the objects, or another could come to have the id of one that is gone.
    objects = gc.get_objects()
    found = itertools.compress(objects, map(kinds.__contains__, map(type, objects)))
    frozen = {id(o): o for o in found if id(o) not in unseen}
    inherited = {cls: [_found(cls, name) for name in _STORES] for cls in closed}
    codes = functools.cache(codes_of)
    for cls in closed:
        writers = frozenset[int]().union(*map(codes, (*mro_of(cls), *_others(cls))))
        for name, store in zip(_STORES, inherited[cls], strict=True):
            put(cls, name, _refusing(cls, store, writers, frozen, name))


def _found(cls: type, name: str) -> Any:
    return next(dict_of(base)[name] for base in mro_of(cls) if name in dict_of(base))


def _refusing(
    cls: type,
    store: Store,
    writers: frozenset[int],
    frozen: dict[int, object],
    name: str,
) -> Store:
    """Make a `store` for its writers: by identity alone, as nothing else is the host's to say."""

    def refusing(self: Any, /, *rest: Any) -> None:
        if type(self) is cls and (writing_code() not in writers or id(self) in frozen):
            raise denied_store(cls)
        store(self, *rest)

    refusing.__name__ = refusing.__qualname__ = name
    return refusing


def _others(cls: type) -> list[Any]:
    known = vars(sys.modules.get(module_of(cls), types))
    return [known[name] for name in WRITERS.get(key_of(cls), ()) if name in known]


# -- objects of static types


def _close_facades(world: "World") -> None:
    facades = {id(facade): facade for facade in world.importer.all_facades()}
    proxies = world.guards.write_proxies
    stores = {name: dict_of(types.ModuleType).get(name, dict_of(object)[name]) for name in _STORES}
    init = dict_of(types.ModuleType)["__init__"]

    def __setattr__(self: Any, name: str, value: object) -> None:
        if id(self) not in facades:
            stores["__setattr__"](self, name, value)
        elif id(self) in proxies:
            setattr(proxies[id(self)], name, value)
        else:
            raise denied_store(type(self))

    def __delattr__(self: Any, name: str) -> None:
        if id(self) in facades:
            raise denied_store(type(self))
        stores["__delattr__"](self, name)

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
        if id(self) in facades:
            raise denied_store(type(self))
        init(self, *args, **kwargs)

    for method in (__setattr__, __delattr__, __init__):
        put(types.ModuleType, method.__name__, method)


def _close_properties(host: Iterable[type]) -> None:
    kinds = frozenset(cls for cls in host if issubclass(cls, property))
    members = (member for cls in host for member in dict_of(cls).values())
    own = {id(member): member for member in members if type(member) in kinds}
    init = dict_of(property)["__init__"]

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
        if id(self) in own:
            raise denied_store(type(self))
        init(self, *args, **kwargs)

    put(property, "__init__", __init__)
