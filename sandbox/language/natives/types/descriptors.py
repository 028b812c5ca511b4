"""`property`, `classmethod` and `staticmethod`: what they were made of they keep."""

import types
from typing import Any

from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.guest.state import on_behalf_of_guest
from sandbox.language.natives.patching import Method, before, original, put_beside_slot, replace

_ACCESSORS = [property.__dict__[name].__get__ for name in ("fget", "fset", "fdel")]


def harden() -> None:
    """Replace `__init__`: called again, it frees what is being called."""
    replace(property, _once(_ACCESSORS), "__init__")
    for kind in (classmethod, staticmethod):
        replace(kind, _once([kind.__dict__["__func__"].__get__]), "__init__")
    if before(3, 11, 9):
        replace(property, _with, "getter", "setter", "deleter")
    _harden_super()


def _with(own: Method) -> Method:
    """CPython's takes away a reference to None that nobody gave it (gh-115618).

    To replace nothing makes a copy. So does each of the three with what stands there already.
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
    """`super(...)` itself goes by the slot: it reads the frame that calls it."""
    make = original(super, "__new__")

    def __new__(cls: type, /, *args: Any, **named: Any) -> Any:
        if cls is super and on_behalf_of_guest():
            raise denied_class("making a 'super' object of no class")
        return make(cls, *args, **named)

    put_beside_slot(super, "__new__", staticmethod(__new__))
    read = [super.__dict__["__thisclass__"].__get__]
    put_beside_slot(super, "__init__", _once(read)(original(super, "__init__")))


# Before CPython 3.13, nobody holds a property that is a special method while it is called. The
# frame of a function holds that; other getters we hold for good.
_LENT = before(3, 13)
_held: list[Any] = []


def _is_lent(part: Any) -> bool:
    return part is not None and type(part) is not types.FunctionType


def _once(parts: list[Any]) -> Any:
    def make(own: Method) -> Method:
        def __init__(self: Any, /, *args: Any, **named: Any) -> None:
            if any(read(self) is not None for read in parts) and on_behalf_of_guest():
                raise denied_class(f"initialising this {type(self).__name__!r} object again")
            own(self, *args, **named)
            if _LENT:
                _held.extend([part for read in parts if _is_lent(part := read(self))])

        return __init__

    return make
