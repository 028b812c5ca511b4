"""The streams that `open` gives: binary ones of ours, and CPython's own `TextIOWrapper` over them.

A program holds them, so each has one slot that no name leads to, and is filled once. None of their
methods calls code of a program's while it works on content: arguments become plain numbers and
bytes first. CPython's own buffers are not used, as they lend their memory to what is below.
"""

import io
from collections.abc import Callable
from operator import index
from typing import Any, NoReturn

from sandbox.language.guest.files.handles import Buffer

_NOTHING = object()
_CLOSED = "I/O operation on closed file"


class _Binary(io.BufferedIOBase):
    """The common part of binary streams. Only `made` makes one."""

    __slots__ = ("_kept",)

    def __new__(cls, /, *_: Any, **__: Any) -> "_Binary":
        raise TypeError(f"cannot create {cls.__name__!r} instances: open() does")

    def __init__(self, /, *_: Any, **__: Any) -> None:
        raise TypeError("a stream is initialised once")

    def __repr__(self) -> str:
        return f"<_io.{type(self).__name__} name={_buffer(self).name!r}>"

    @property
    def name(self) -> Any:
        """The path or the number that `open` was given."""
        return _buffer(self).name

    @property
    def mode(self) -> str:
        """How it was opened."""
        return _buffer(self).mode

    @property
    def closed(self) -> bool:
        """True once it is closed."""
        return _buffer(self).closed

    @property
    def raw(self) -> Any:
        """The unbuffered stream below."""
        kept = _buffer(self)
        kept.flush()
        below = Buffer(kept.descriptors, kept.handle, kept.name, kept.mode, 0)
        below.closes, below.closed = False, kept.closed
        return made(FileIO, below)

    def readable(self) -> bool:
        """Say whether it can be read."""
        return _open(self).handle.readable

    def writable(self) -> bool:
        """Say whether it can be written."""
        return _open(self).handle.writable

    def seekable(self) -> bool:
        """Return True: content in memory is."""
        return _open(self) is not None

    def isatty(self) -> bool:
        """Return False: never a terminal."""
        return _open(self) is None

    def fileno(self) -> int:
        """Return its descriptor, which means something to our `os` alone."""
        return _open(self).handle.number

    def close(self) -> None:
        """Write what is pending and close it."""
        _buffer(self).close()

    def flush(self) -> None:
        """Write what is pending."""
        kept = _buffer(self)
        if kept.closed:
            writes = isinstance(self, (BufferedWriter, BufferedRandom))
            raise ValueError("flush of closed file" if writes else f"{_CLOSED}.")
        kept.flush()

    def tell(self) -> int:
        """Return the position."""
        return _open(self).tell()

    def seek(self, target: Any, whence: Any = 0, /) -> int:
        """Move to another position."""
        kept = _usable(self, "seek")
        whence, target = index(whence), index(target)
        if whence not in (0, 1, 2):
            raise ValueError(f"whence value {whence} unsupported")
        kept.flush()
        return kept.handle.seek(target, whence)

    def truncate(self, pos: Any = None, /) -> int:
        """Cut it at `pos`, or where it stands."""
        kept = _usable(self, "truncate")
        if not kept.handle.writable:
            _cannot(self, "truncate")
        kept.flush()
        size = kept.tell() if pos is None else index(pos)
        kept.handle.truncate(size)
        return size

    def read(self, size: Any = -1, /) -> bytes:
        """Read `size` bytes, or all that are left."""
        size = _size(size)
        if size < -1 and not isinstance(self, FileIO):
            raise ValueError("read length must be non-negative or -1")
        return _reading(self, "read").handle.read(size)

    def read1(self, size: Any = -1, /) -> bytes:
        """Read up to `size` bytes; without one, a buffer full."""
        size = index(size)
        return _reading(self, "read", "read1").handle.read(size if size >= 0 else _CHUNK_BYTES)

    def peek(self, size: Any = 0, /) -> bytes:
        """Return some of what comes next, without taking it."""
        handle = _reading(self, "peek").handle
        data = handle.read(_CHUNK_BYTES)
        handle.position -= len(data)
        return data

    def readinto(self, buffer: Any, /) -> int:
        """Read into `buffer`."""
        return _into(self, "readinto", buffer)

    def readinto1(self, buffer: Any, /) -> int:
        """Read into `buffer`, once."""
        return _into(self, "readinto", buffer)

    def readline(self, size: Any = -1, /) -> bytes:
        """Read to the end of the line, or `size` bytes of it."""
        most = _size(size)
        handle = _reading(self, "readline").handle
        begin, parts = handle.position, []
        while most:
            data = handle.read(_LINE_BYTES if most < 0 else min(most, _LINE_BYTES))
            cut = data.find(b"\n") + 1
            parts.append(data[:cut] if cut else data)
            if cut or not data:
                break
            most = most - len(data) if most > 0 else most
        line = b"".join(parts)
        handle.position = begin + len(line)
        return line

    def write(self, data: Any, /) -> int:
        """Write bytes; return how many."""
        kept = _usable(self, "write", "write to closed file")
        if not kept.handle.writable:
            _cannot(self, "write")
        if isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        try:
            copy = bytes(memoryview(data))
        except TypeError:
            kind = type(data).__name__
            raise TypeError(f"a bytes-like object is required, not {kind!r}") from None
        kept = _usable(self, "write", "write to closed file")
        kept.write(copy)
        return len(copy)


_CHUNK_BYTES = io.DEFAULT_BUFFER_SIZE
_LINE_BYTES = 512
_slot: Any = _Binary.__dict__["_kept"]
_read_slot, _fill_slot = _slot.__get__, _slot.__set__
# A descriptor that a program held would give what is in there, and take something else.
del _Binary._kept  # type: ignore[attr-defined]
_new = io.BufferedIOBase.__new__


def _buffer(stream: Any) -> Buffer:
    kept: Buffer = _read_slot(stream)
    return kept


def _open(stream: Any) -> Buffer:
    kept: Buffer = _read_slot(stream)
    if kept.closed:
        raise ValueError(_CLOSED)
    return kept


class BufferedReader(_Binary):
    """A file that is only read."""

    __slots__ = ()

    def writable(self) -> bool:
        """Return False, also once it is closed, as CPython's does."""
        return False


class BufferedWriter(_Binary):
    """A file that is only written."""

    __slots__ = ()

    def readable(self) -> bool:
        """Return False, also once it is closed, as CPython's does."""
        return False


class BufferedRandom(_Binary):
    """A file that is read and written."""

    __slots__ = ()


class FileIO(_Binary):
    """A file without a buffer."""

    __slots__ = ()
    closefd = True

    def __repr__(self) -> str:
        kept = _buffer(self)
        if kept.closed:
            return "<_io.FileIO [closed]>"
        return f"<_io.FileIO name={kept.name!r} mode={kept.mode!r} closefd={kept.closes!r}>"

    def readall(self) -> bytes:
        """Read all that is left."""
        return self.read(-1)


STREAMS = (BufferedReader, BufferedWriter, BufferedRandom, FileIO)


def made(kind: type[_Binary], kept: Buffer) -> Any:
    """Make the stream of `kept`; the slot of one that is there already is never filled again."""
    stream = _new(kind)
    _fill_slot(stream, kept)
    return stream


def close_with(stream: Any, function: Callable[[], None]) -> None:
    """Have `function`, one of ours, called when a stream that `open` gave is closed."""
    _buffer(stream if isinstance(stream, _Binary) else stream.buffer).on_close = function


def _size(size: Any) -> int:
    if size is None:
        return -1
    try:
        return index(size)
    except TypeError:
        kind = type(size).__name__
        raise TypeError(f"argument should be integer or None, not {kind!r}") from None


def _usable(stream: Any, call: str, words: str = "") -> Buffer:
    kept = _buffer(stream)
    if kept.closed:
        raise ValueError(
            _CLOSED if isinstance(stream, FileIO) else words or f"{call} of closed file"
        )
    return kept


def _reading(stream: Any, call: str, name: str = "read") -> Buffer:
    if isinstance(stream, FileIO):
        _usable(stream, call)
    if not _buffer(stream).handle.readable:
        _cannot(stream, name)
    kept = _usable(stream, call)
    kept.flush()
    return kept


def _cannot(stream: Any, call: str) -> NoReturn:
    if isinstance(stream, FileIO):
        doing = "reading" if call.startswith("read") else "writing"
        raise io.UnsupportedOperation(f"File not open for {doing}")
    raise io.UnsupportedOperation(call)


def _into(stream: Any, call: str, buffer: Any) -> int:
    with memoryview(buffer) as view, view.cast("B") as octets:
        if octets.readonly:
            kind = type(buffer).__name__
            raise TypeError(f"{call}() argument must be read-write bytes-like object, not {kind}")
        data = _reading(stream, call).handle.read(len(octets))
        octets[: len(data)] = data
    return len(data)
