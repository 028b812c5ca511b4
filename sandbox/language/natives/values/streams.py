"""`io`: buffers are not lent, and text is wrapped around streams of ours only.

Nor is a stream lent to `print`: that of CPython holds no reference to `sys.stdout` while it calls
it (gh-130163), and whose `write` sets another one frees what `print` goes on with. Programs have
one of ours; host code prints for them, as `calendar` does.
"""

import builtins
import io
import sys
from operator import index
from types import BuiltinFunctionType
from typing import Any

from sandbox.language.guest.ends.denials import denied_class, denied_store
from sandbox.language.guest.files.streams import STREAMS
from sandbox.language.guest.state import on_behalf_of_guest
from sandbox.language.guest.stdio import BinaryOut, BytesIn
from sandbox.language.natives.patching import Method, put, replace

_RawIOBase: Any = io.RawIOBase.__base__
_OWN = (BytesIn, BinaryOut, io.BytesIO, *STREAMS)


def harden() -> None:
    """Replace `read` of a raw stream, and what makes a text stream."""
    replace(_RawIOBase, _read, "read")
    replace(io.TextIOWrapper, _init, "__init__")
    for kind in (io.BytesIO, io.StringIO, io.TextIOWrapper):
        put(kind, "__setattr__", _setattr)
    names = vars(builtins)
    if type(names["print"]) is BuiltinFunctionType:  # another world may have been built
        names["print"] = _print(names["print"])


def _setattr(self: Any, name: str, value: Any, /) -> None:
    """A `read1` or `flush` of the program's own would be called as if it were the class's."""
    if type(self) in (io.BytesIO, io.StringIO, io.TextIOWrapper) and on_behalf_of_guest():
        raise denied_store(type(self))
    object.__setattr__(self, name, value)


def _read(own: Method) -> Method:
    """Make a `read` that looks at the number that `readinto` gives; CPython's believes it."""

    def read(self: Any, size: Any = -1, /) -> Any:
        size = -1 if size is None else index(size)
        if size < 0:
            return self.readall()
        buffer = bytearray(size)
        given = self.readinto(buffer)
        if given is None:
            return None
        given = index(given)
        if not 0 <= given <= len(buffer):
            raise ValueError(f"readinto returned {given} outside of 0 to {len(buffer)}")
        return bytes(buffer[:given])

    return read


def _init(own: Method) -> Method:
    """Make an `__init__` of a text stream that takes a buffer of ours only.

    CPython's holds no state of its own over a call of a method of the buffer's.
    """

    def __init__(self: Any, /, buffer: Any, *rest: Any, **named: Any) -> None:
        if on_behalf_of_guest() and type(buffer) not in _OWN:
            raise denied_class(f"a TextIOWrapper over this {type(buffer).__name__!r} object")
        own(self, buffer, *rest, **named)

    return __init__


def _print(own: Method) -> Method:
    def print(
        *objects: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: Any = False
    ) -> None:
        """Hold the stream until all is printed."""
        stream = vars(sys).get("stdout") if file is None else file
        own(*objects, sep=sep, end=end, file=stream, flush=flush)

    print.__module__, print.__qualname__ = "builtins", "print"
    return print
