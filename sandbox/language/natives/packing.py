"""`struct.Struct`: what it was made with it keeps, and it is never half made."""

import _struct
from operator import index
from typing import Any

from sandbox.language.guest.denied import denied_class
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
        own(self, format)

    return __init__


_size: Any = _Struct.__dict__["size"].__get__  # -1 before the first, 0 for an empty format


def _pack_into(own: Method) -> Method:
    def pack_into(self: Any, /, *args: Any) -> Any:
        if len(args) > 1 and type(args[1]) is not int and hasattr(type(args[1]), "__index__"):
            args = (args[0], index(args[1]), *args[2:])
        return own(self, *args)

    return pack_into
