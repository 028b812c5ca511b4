"""`property`, `classmethod` and `staticmethod`: what they were made of they keep.

C copies the annotations of a function into the namespace of the `classmethod` or `staticmethod`
that is made of it, by the `__setattr__` of that. An heir of the program's shows both, and those of
a host's function have real types among them. So an heir is made of a program's own function, or of
what has none.
"""

import types
from typing import Any

from sandbox.language.guards.classes.class_origin import (
    HEAP,
    IMMUTABLE,
    exact_names,
    flags_of,
    is_class,
    is_guest_method,
    name_of,
)
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.guest.state import on_behalf_of_guest
from sandbox.language.natives.patching import Method, before, original, put_beside_slot, replace

_ACCESSORS = [property.__dict__[name].__get__ for name in ("fget", "fset", "fdel")]


def harden() -> None:
    """Replace `__init__`: called again, it frees what is being called."""
    replace(property, _once(_ACCESSORS), "__init__")
    for kind in (classmethod, staticmethod):
        replace(kind, _wrapping([kind.__dict__["__func__"].__get__]), "__init__")
    if before(3, 11, 9):
        replace(property, _with, "getter", "setter", "deleter")
    _harden_super()


def _with(own: Method) -> Method:
    """Make a `getter`, `setter` or `deleter` of a property that never hands None to CPython's.

    CPython's takes away a reference to None that it was not given (gh-115618). To replace nothing
    makes a copy. So does each of the three with what stands there already.
    """

    def method(self: Any, accessor: Any, /) -> Any:
        if accessor is not None or not issubclass(type(self), property):
            return own(self, accessor)
        for read, copy in zip(_ACCESSORS, _COPYING, strict=True):
            there = read(self)
            if there is not None:
                return copy(self, there)
        return type(self)(None, None, None, self.__doc__)

    return method


_COPYING: Any = (property.getter, property.setter, property.deleter)


def _harden_super() -> None:
    """Replace `__new__` and `__init__` of `super` beside their slots.

    `super(...)` itself goes by the slot: it reads the frame that calls it.
    """
    make = original(super, "__new__")

    def __new__(cls: type, /, *args: Any, **named: Any) -> Any:
        if cls is super and on_behalf_of_guest():
            raise denied_class("making a 'super' object of no class")
        return make(cls, *args, **named)

    put_beside_slot(super, "__new__", staticmethod(__new__))
    read = [super.__dict__["__thisclass__"].__get__]
    put_beside_slot(super, "__init__", _once(read)(original(super, "__init__")))


# Before CPython 3.13 the interpreter holds no reference to a property that is a special method
# while it calls the getter, so a guest could free both. A getter that is a function is held by its
# frame; any other we hold for good.
_LENT = before(3, 13)
_held: list[Any] = []
_NOT_LENT = (types.NoneType, types.FunctionType, str)  # a text is what `property` says of itself


def _is_lent(part: Any) -> bool:
    return type(part) not in _NOT_LENT


def _once(parts: list[Any]) -> Any:
    def make(own: Method) -> Method:
        def __init__(self: Any, /, *args: Any, **named: Any) -> None:
            if any(read(self) is not None for read in parts) and on_behalf_of_guest():
                raise denied_class(f"initialising this {type(self).__name__!r} object again")
            named = exact_names(named)
            # Held before: C stores them, and may then come to code of the program's that raises.
            if _LENT:
                _held.extend(filter(_is_lent, (*args, *named.values())))
            own(self, *args, **named)

        return __init__

    return make


def _wrapping(parts: list[Any]) -> Any:
    make = _once(parts)

    def made(own: Method) -> Method:
        begin = make(own)

        def __init__(self: Any, /, *args: Any, **named: Any) -> None:
            if not flags_of(type(self)) & IMMUTABLE and on_behalf_of_guest():
                for function in args:
                    if not _shows_no_hosts_annotations(function):
                        kind = name_of(type(function))
                        raise denied_class(f"a {name_of(type(self))!r} of this {kind!r} object")
            begin(self, *args, **named)

        return __init__

    return made


def _shows_no_hosts_annotations(o: Any) -> bool:
    """Return True if `o` shows no host's annotations, by what cannot change until C asks.

    An object may come to be of another class.
    """
    if is_class(o):  # by those of its own a program's class may be made anew, once looked at
        return not flags_of(o) & HEAP
    return type(o) in _BARE or is_guest_method(o)


_BARE = (
    type(None),
    types.BuiltinFunctionType,
    types.ClassMethodDescriptorType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
)
