"""Stand-ins for the functions of `struct`, which are given formats that are plain texts or bytes.

C code looks for a format in a dict that it clears when it is full, and that lasts as long as the
process. A format of a program's own class would be asked there whether it is another, or be found
in the place of another.
"""

from typing import Any

from sandbox.language.guest.context import Context

_FUNCTIONS = ("calcsize", "iter_unpack", "pack", "pack_into", "unpack", "unpack_from")


def struct(context: Context) -> dict[str, Any]:
    """By name."""
    import struct as real

    return {name: _by_plain_format(getattr(real, name)) for name in _FUNCTIONS}


def _by_plain_format(own: Any) -> Any:
    exact = (str, bytes)

    def function(format: Any, /, *args: Any, **named: Any) -> Any:
        kind = type(format)
        if kind not in exact:
            if issubclass(kind, str):
                format = str.__str__(format)
            elif issubclass(kind, bytes):
                format = bytes.__bytes__(format)
        return own(format, *args, **named)

    function.__name__ = function.__qualname__ = own.__name__
    function.__doc__, function.__module__ = own.__doc__, "struct"
    return function
