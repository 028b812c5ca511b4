"""`struct.Struct`: what it was made with it keeps, and it is never half made.

A Pascal string's first byte is its length, for which a field of no width (`0p`) has no place:
CPython writes it past the end, and reads it there (gh-124248, of which releases since write too).
`0s` takes as many arguments and no more space, and gives the same.
"""

import _struct
import re
from operator import index
from typing import Any

from sandbox.language.guards.classes.class_origin import has_method
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.natives.patching import Method, original, put_beside_slot, replace

_Struct: Any = _struct.Struct


def harden() -> None:
    """Replace how one is made: `pack` reads the format while it asks arguments for their value."""
    initialise = original(_Struct, "__init__")
    replace(_Struct, _init, "__init__")
    replace(_Struct, _pack_into, "pack_into")
    make = original(_Struct, "__new__")

    def __new__(cls: type, /, *args: Any, **named: Any) -> Any:
        made = make(cls)
        initialise(made, "")
        return made

    # `Struct(...)` itself goes by the slot, and on to `__init__`.
    put_beside_slot(_Struct, "__new__", staticmethod(__new__))


def _init(own: Method) -> Method:
    def __init__(self: Any, format: Any) -> None:
        if issubclass(type(self), _Struct) and _size(self) > 0:
            raise denied_class("giving a Struct another format")
        own(self, _without_empty_pascal(format))

    return __init__


_EMPTY_PASCAL = re.compile(r"(?<![0-9])(0+)p")
_EMPTY_PASCAL_BYTES = re.compile(_EMPTY_PASCAL.pattern.encode())


def _without_empty_pascal(format: Any) -> Any:
    """Return `format`, exactly the text or bytes that it is, with `0s` in place of each `0p`."""
    if issubclass(type(format), str):
        return _EMPTY_PASCAL.sub(r"\1s", str.__str__(format))
    if issubclass(type(format), bytes):
        return _EMPTY_PASCAL_BYTES.sub(rb"\1s", bytes.__bytes__(format))
    return format


_size: Any = _Struct.__dict__["size"].__get__  # -1 before the first, 0 for an empty format


def _pack_into(own: Method) -> Method:
    def pack_into(self: Any, /, *args: Any) -> Any:
        if len(args) > 1 and type(args[1]) is not int and has_method(type(args[1]), "__index__"):
            args = (args[0], index(args[1]), *args[2:])
        return own(self, *args)

    return pack_into
