"""`functools.partial`, whose text lends what C code does not hold, and the type of functions.

A function runs any code object, with any globals, and no guard is in a code that the compiler of
ours has not seen: a program makes functions by `def` and `lambda` alone.
"""

import functools
import sys
import types
from typing import Any

from sandbox.language.guards.classes.class_origin import name_of
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.guest.state import on_behalf_of_guest
from sandbox.language.natives.demand import PROGRAM, written_on_demand
from sandbox.language.natives.patching import Method, original, put_beside_slot, replace
from sandbox.language.natives.types import type_slots

_partial = functools.partial
_PARTS = [_partial.__dict__[name].__get__ for name in ("func", "args", "keywords")]
_qualified: Any = type.__dict__["__qualname__"].__get__
_running: set[int] = set()


def harden() -> None:
    """Replace the text of a `partial`, and what makes a function of a code object."""
    replace(_partial, _repr, "__repr__")
    own = original(types.FunctionType, "__new__")
    put_beside_slot(types.FunctionType, "__new__", _new(own))
    written_on_demand(PROGRAM, type_slots.never_make(types.FunctionType))


def _new(own: Method) -> Method:
    def __new__(cls: type, /, *args: Any, **named: Any) -> Any:
        if on_behalf_of_guest():
            raise denied_class("making a function of a code object")
        return own(cls, *args, **named)

    return staticmethod(__new__)


def _repr(own: Method) -> Method:
    """Make a `__repr__` of a `partial` that lends nothing.

    CPython's lends the keys and the values of a dict that a program may change.
    """

    def __repr__(self: Any, /) -> str:
        if not issubclass(type(self), _partial):
            return own(self)  # type: ignore[no-any-return]
        if id(self) in _running:
            return "..."
        _running.add(id(self))
        try:
            func, args, keywords = [read(self) for read in _PARTS]
            texts = [repr(func), *map(repr, args)]
            texts += [f"{key!s}={value!r}" for key, value in list(dict.items(keywords))]
        finally:
            _running.discard(id(self))
        return f"{_name(type(self))}({', '.join(texts)})"

    return __repr__


def _name(cls: type) -> str:
    if cls is _partial:
        return "functools.partial"
    if sys.version_info < (3, 13):
        return name_of(cls)
    return f"{type.__dict__['__module__'].__get__(cls)}.{_qualified(cls)}"
