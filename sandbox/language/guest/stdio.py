"""Standard input and output of a guest, as objects that lead nowhere."""

import contextlib
import io
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from sandbox.language.guest.collector import Collector, Complaints

_set = object.__setattr__  # a store to a sealed object asks first which code makes it


class _Out:
    """The common part of text and binary output streams. No attribute leads anywhere."""

    __slots__ = ("closed", "flush", "mode", "name", "number")
    flush: Callable[[], None]
    number: int

    def __init__(self, sink: Collector | Complaints, name: str, number: int) -> None:
        if hasattr(self, "number"):
            raise TypeError("a standard stream is initialised once")
        _set(self, "flush", sink.flush)
        _set(self, "name", name)
        _set(self, "mode", "w")
        _set(self, "closed", False)
        _set(self, "number", number)

    def fileno(self) -> int:
        """Return the number that the stream would have."""
        return self.number

    def isatty(self) -> bool:
        """Return False: never a terminal."""
        return False

    def readable(self) -> bool:
        """Return False: write-only."""
        return False

    def writable(self) -> bool:
        """Return True: write-only."""
        return True

    def seekable(self) -> bool:
        """Return False: a stream."""
        return False

    def close(self) -> None:
        """Flush only, on close of a standard stream: the program may end with output pending."""
        self.flush()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class BinaryOut(_Out):
    """`sys.stdout.buffer`."""

    __slots__ = ("write",)
    write: Callable[[bytes], int]

    def __init__(self, sink: Collector | Complaints, name: str, number: int) -> None:
        super().__init__(sink, name, number)

        def write(data: bytes, /) -> int:
            if isinstance(data, str):
                raise TypeError("a bytes-like object is required, not 'str'")
            copy = bytes(memoryview(data))
            sink.write_bytes(copy)
            return len(copy)

        _set(self, "write", write)

    def writelines(self, lines: Iterable[bytes]) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)


class TextOut(_Out):
    """`sys.stdout` and `sys.stderr`."""

    __slots__ = ("buffer", "encoding", "errors", "line_buffering", "newlines", "write")
    write: Callable[[str], int]

    def __init__(self, sink: Collector | Complaints, name: str, number: int) -> None:
        super().__init__(sink, name, number)
        _set(self, "write", sink.write)
        _set(self, "buffer", BinaryOut(sink, name, number))
        _set(self, "encoding", "utf-8")
        _set(self, "errors", "strict" if isinstance(sink, Collector) else "backslashreplace")
        _set(self, "newlines", None)
        _set(self, "line_buffering", False)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    def reconfigure(self, **options: object) -> None:
        """Encoding and buffering are ours."""


class BytesIn(io.BytesIO):
    """`sys.stdin.buffer`.

    No `io.BufferedReader`: that lends its memory to `readinto` of whatever raw stream it is given,
    and a guest's could keep the view when the memory is freed.
    """

    name = "<stdin>"
    mode = "rb"

    @property
    def raw(self) -> "BytesIn":
        """There is nothing below."""
        return self

    def peek(self, size: int = 0, /) -> bytes:
        """Return some of what comes next, without taking it."""
        start = self.tell()
        return bytes(self.getbuffer()[start : start + max(size, io.DEFAULT_BUFFER_SIZE)])

    def fileno(self) -> int:
        """Return the number that the stream would have."""
        return 0

    def writable(self) -> bool:
        """Return False: read-only."""
        return False

    def write(self, data: Any, /) -> NoReturn:
        """Raise UnsupportedOperation: read-only."""
        raise io.UnsupportedOperation("write")

    def writelines(self, lines: Any, /) -> NoReturn:
        """Raise UnsupportedOperation: read-only."""
        raise io.UnsupportedOperation("write")


class TextIn(io.TextIOWrapper):
    """`sys.stdin`, in every reading style, over what the job gave."""

    name = "<stdin>"
    mode = "r"

    def __init__(self, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        super().__init__(BytesIn(data), "utf-8", "surrogatepass", "\n")

    def fileno(self) -> int:
        """Return the number that the stream would have."""
        return 0


class NativeIn(TextIn):
    """`sys.stdin` of a guest without the language layer: `input()` itself asks for its number."""

    def fileno(self) -> int:
        """Raise: there is no descriptor, and asking the kernel about one ends the child."""
        raise io.UnsupportedOperation("fileno")


def opened(stream: TextIn, encoding: Any, errors: Any, newline: Any) -> TextIn:
    """Return `stream` as `open` gives it.

    If `newline` is None it takes any newline, unlike `sys.stdin`. A stream that has been read from
    stays as it is.
    """
    for option in (encoding, errors, newline):
        if option is not None and type(option) is not str:
            kind = type(option).__name__
            raise TypeError(f"open() argument must be str or None, not {kind}")
    with contextlib.suppress(io.UnsupportedOperation):
        if not stream.closed:
            options = {"encoding": encoding, "errors": errors} if encoding or errors else {}
            stream.reconfigure(newline=newline, **options)
    return stream


def read_line(stream: Any) -> str:
    """Read one line without its newline, as `input()` returns it; EOFError at the end."""
    line = stream.readline()
    if not isinstance(line, str):
        raise TypeError("object.readline() returned non-string")
    if not line:
        raise EOFError("EOF when reading a line")
    return line[:-1] if line.endswith("\n") else line
