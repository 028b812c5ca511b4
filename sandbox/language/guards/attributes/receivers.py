"""A method of the host takes for its `self` what its own class made, and nothing else.

A method that a guest calls through the class gets whatever it likes for `self`, and no guard looks
at what host code reads: `ChainMap.copy(C)` would call `C.__class__`, which is the real `type`, a
metaclass that looks at no namespace; `UserDict.__copy__(o)` would read the namespace of `o`. So a
method first looks at its receiver, and one of a metaclass takes a class of that metaclass.

Without a look goes a method that does nothing which a guest could not do by itself, see `looks`.
`UNCHECKED` has the others, with the reason.
"""

import functools
import types
from collections.abc import Callable, Iterable
from typing import Any

from sandbox.interpreter.disarming.identity import by_identity, identity
from sandbox.language.compile.words import words
from sandbox.language.guards.attributes.looks import (
    Reading,
    is_of_the_guards,
    looks,
    needs_look,
    private_names,
)
from sandbox.language.guards.attributes.reach import is_ours_in_reach
from sandbox.language.guards.classes.class_origin import (
    all_classes,
    dict_of,
    is_class,
    mro_of,
)
from sandbox.language.guest.ends.denials import denied_class

_fits = type.__dict__["__subclasscheck__"].__get__  # by the MRO alone, whatever a class says
# Names of what is called with a class, for the most part to make an instance of it.
_MAKING = words("__new__ _new_member_ __new_member__ _class_getitem_inner")
# Looked up by CPython with a class in hand: nothing else can be passed by way of the name.
_OF_CLASSES = words("__init_subclass__ __class_getitem__ __subclasshook__ _generate_next_value_")
_FRAMES = "it asks for the module of its caller, which a look would be"
_COPIES = "called for every object of a copy, which a look would make deeper; no program holds one"
_COPY = "sandbox.language.stdlib.copying"
# By module, class and name, methods that would look, and do not.
UNCHECKED = {
    ("enum", "Enum", "__new__"): "called at every lookup; what it reads of a class a program may",
    ("enum", "Enum", "_new_member_"): "the same",
    ("enum", "EnumType", "__call__"): f"no program calls it unbound; {_FRAMES}",
    ("enum", "EnumType", "_create_"): f"no program calls it unbound; {_FRAMES}",
    ("typing", "_ProtocolMeta", "__instancecheck__"): f"no program calls it unbound; {_FRAMES}",
    ("typing", "_ProtocolMeta", "__subclasscheck__"): f"no program calls it unbound; {_FRAMES}",
    ("typing", "NewType", "__init__"): f"it stores names that a program may; {_FRAMES}",
    ("typing", "ParamSpec", "__init__"): f"it stores names that a program may; {_FRAMES}",
    ("typing", "TypeVar", "__init__"): f"it stores names that a program may; {_FRAMES}",
    ("typing", "TypeVarTuple", "__init__"): f"it stores names that a program may; {_FRAMES}",
    ("contextlib", "_GeneratorContextManagerBase", "__init__"): (
        "called at every `with`; it asks for the docstring of a function"
    ),
    ("functools", "cached_property", "__get__"): (
        "called at every read; it asks for the type of an instance, and nothing of its receiver"
    ),
    **{
        (f"{_COPY}.copy", "_Copier", name): _COPIES
        for name in ("copy", "deepcopy", "_copied", "_deep", "_rebuilt")
    },
    **{(f"{_COPY}.table", "Rows", name): _COPIES for name in ("row", "_inherited")},
    ("abc", "ABCMeta", "__instancecheck__"): "`natives/types/abstract` looks, which it calls",
    ("abc", "ABCMeta", "__subclasscheck__"): "it looks itself, see `natives/types/abstract`",
}


def check_receivers(granted: Iterable[object]) -> None:
    """Put the look into every class of the host that `granted` objects lead to.

    That is their classes, what these inherit from, and all others of the same modules: a granted
    function may return an instance of one that has no granted name. Of this package it is every
    class that a program may come to hold, by a guard's answer too.
    """
    classes = reached_classes(granted)
    private = private_names(classes)
    readings: dict[int, Reading] = {}
    looking: dict[tuple[int, bool], Any] = {}
    for (of_class, _), (function, owners) in _methods(classes).items():
        if function.__globals__ is globals():  # it looks: of another world in this process
            continue
        if [owner for owner in owners if needs_look(function, owner, private, readings)]:
            looking[identity(function), of_class] = _checked(function, owners, of_class)
    for cls in classes:
        for name, member in list(dict_of(cls).items()):
            if type(member) not in _WITH_PARTS:
                continue
            replacement = _replaced(member, name in _MAKING, looking)
            if replacement is not member:
                type.__setattr__(cls, name, replacement)


_WITH_PARTS = (types.FunctionType, property, staticmethod)


def reached_classes(granted: Iterable[object]) -> list[type]:
    """List the classes of the host whose methods a guest may call, by whatever way."""
    objects = [*granted]
    kinds = by_identity(map(type, objects))
    named = [o for o in objects if is_class(o)]
    heirs = [*named, *kinds.values(), *map(type, kinds.values())]
    reached = by_identity([base for cls in heirs for base in mro_of(cls)])
    modules = {_module(cls) for cls in reached.values()}
    return [
        cls
        for cls in all_classes()
        if (_module(cls) in modules or identity(cls) in reached or is_ours_in_reach(cls))
        and not is_of_the_guards(_module(cls))
    ]


def _module(cls: type) -> Any:
    return dict_of(cls).get("__module__", "builtins")


def _methods(
    classes: Iterable[type],
) -> dict[tuple[bool, int], tuple[types.FunctionType, list[type]]]:
    """Find all functions called with an instance, or to make one, and the classes they are in."""
    found: dict[tuple[bool, int], tuple[types.FunctionType, list[type]]] = {}
    unchecked: set[int] = set()  # in whatever class
    for cls in classes:
        for name, member in dict_of(cls).items():
            functions = [] if name in _OF_CLASSES else parts_of(member, name)
            if functions and (_module(cls), cls.__name__, name) in UNCHECKED:
                unchecked.update(map(identity, functions))
            for function in functions:
                key = name in _MAKING, identity(function)
                found.setdefault(key, (function, []))[1].append(cls)
    return {key: method for key, method in found.items() if key[1] not in unchecked}


def parts_of(member: Any, name: str) -> list[types.FunctionType]:
    """List a class member's functions that are called with a receiver of a guest's choice."""
    if type(member) is property:
        parts = [member.fget, member.fset, member.fdel]
    elif type(member) is staticmethod and name in _MAKING:
        parts = [member.__func__]
    else:
        parts = [member]
    return [part for part in parts if type(part) is types.FunctionType and _is_passed_one(part)]


def _is_passed_one(function: types.FunctionType) -> bool:
    code = function.__code__
    return bool(code.co_argcount or code.co_flags & _VARIABLE) and not looks(function)


_VARIABLE = 4  # CO_VARARGS


def _replaced(member: Any, of_class: bool, looking: dict[tuple[int, bool], Any]) -> Any:
    """Return `member` itself, unless it or a part of it looks at its receiver from now on."""
    if type(member) is property:
        old = (member.fget, member.fset, member.fdel)
        new = [looking.get((identity(function), False), function) for function in old]
        return property(new[0], new[1], new[2], member.__doc__) if new != [*old] else member
    if type(member) is staticmethod and of_class:
        made = looking.get((identity(member.__func__), True))
        return member if made is None else staticmethod(made)
    return looking.get((identity(member), of_class), member)


def _checked(method: Any, owners: list[type], of_class: bool) -> Any:
    highest = [o for o in owners if not any(o is not base and base in mro_of(o) for base in owners)]
    first, *others = [_fits(owner) for owner in highest]

    @functools.wraps(method)
    def checked_method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        kind = type(self)
        if first(kind) or any(fits(kind) for fits in others):
            return method(self, *args, **kwargs)
        raise _refusal(method, self)

    @functools.wraps(method)
    def checked_maker(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
        if issubclass(type(cls), type) and (first(cls) or any(fits(cls) for fits in others)):
            return method(cls, *args, **kwargs)
        raise _refusal(method, cls)

    made = checked_maker if of_class else checked_method
    del made.__dict__["__wrapped__"]  # a guest could read it
    return made


def _refusal(method: Callable[..., Any], o: object) -> BaseException:
    what = "a class for its instance" if is_class(o) else "an object of another class"
    return denied_class(f"calling {method.__name__!r} with {what}")
