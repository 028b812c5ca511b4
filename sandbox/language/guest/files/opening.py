"""`open`: what is asked for is checked as CPython does, and a stream over the tree is made.

Paths of the standard streams and their numbers give these. Nothing else but the tree can be named.
"""

import errno
import io
import weakref
from collections.abc import Callable
from operator import index
from typing import Any

from sandbox.language.guest.ends.denials import denied_file
from sandbox.language.guest.files.content import BUFFER_BYTES, size_of
from sandbox.language.guest.files.handles import FIRST_NUMBER, Buffer, Descriptors, Handle
from sandbox.language.guest.files.paths import checked, fail
from sandbox.language.guest.files.streams import (
    BufferedRandom,
    BufferedReader,
    BufferedWriter,
    FileIO,
    close_with,
    made,
)
from sandbox.language.guest.files.tree import Tree

_MODES = frozenset("axrwb+t")
_KINDS = ("create", "read", "write", "append")
_LOOK_AT = 64  # streams that are noted, before a look at which of them there still are
STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
Standard = Callable[[int, str, Any, Any, Any], Any]  # number, modes, encoding, errors, newline


class FileSystem:
    """The tree of one program, its descriptors, and which of its streams are open."""

    __slots__ = ("_most", "descriptors", "opened", "tree")

    def __init__(self) -> None:
        self.tree = Tree()
        self.descriptors = Descriptors()
        self.opened: list[Any] = []
        self._most = _LOOK_AT

    def note(self, stream: Any) -> None:
        """Remember a stream, without keeping it, for the end of the program."""
        if len(self.opened) > self._most:
            self.opened[:] = [each for each in self.opened if each() is not None]
            self._most = max(2 * len(self.opened), _LOOK_AT)
        self.opened.append(weakref.ref(stream))

    def on_close(self, stream: Any, function: Callable[[], None]) -> None:
        """Have `function`, one of ours, called when `stream` is closed."""
        close_with(stream, function)

    def flush(self) -> str:
        """Write what open streams hold back, as CPython does when it ends.

        Returns what went wrong where there was no memory for it.
        """
        for reference in self.opened:
            stream = reference()
            try:
                if stream is not None and not stream.closed:
                    stream.flush()
            except (OSError, ValueError):  # what cannot be encoded is lost there, too
                continue
            except MemoryError:
                return "MemoryError when open files were written at the end"
        return ""

    def open(
        self,
        standard: Standard,
        file: Any,
        mode: Any = "r",
        buffering: Any = -1,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
        closefd: Any = True,
        opener: Any = None,
    ) -> Any:
        """Open as `io.open` does; `standard` gives a standard stream by its number."""
        file = file if isinstance(file, int) else checked(file)
        mode = _text("mode", mode)
        buffering = index(buffering)
        encoding, errors = _option("encoding", encoding), _option("errors", errors)
        newline = _option("newline", newline)
        binary, kind, modes = _read_mode(mode)
        if binary:
            _check_options(encoding, errors, newline)
        number = index(file) if isinstance(file, int) else STANDARD.get(_shown(file), FIRST_NUMBER)
        if number < 0:
            raise ValueError("negative file descriptor")
        if opener is not None:
            raise denied_file(file)
        if number < FIRST_NUMBER:
            return standard(number, kind + "b" * binary, encoding, errors, newline)
        if isinstance(file, int):
            handle = self.descriptors.get(number)
        elif not closefd:
            raise ValueError("Cannot use closefd=False with file name")
        else:
            handle = self._opened_handle(file, kind, modes)
        size = 0 if buffering == 0 else buffering if buffering > 1 else BUFFER_BYTES
        kept = Buffer(self.descriptors, handle, file, _shown_mode(kind, modes), size)
        kept.closes = bool(closefd)
        stream = made(_class_of(modes, size), kept)
        if not binary:
            _check_texts(stream, buffering, newline)
            stream = _texts(stream, mode, buffering, encoding, errors, newline)
        self.note(stream)
        return stream

    def _opened_handle(self, path: Any, kind: str, modes: str) -> Handle:
        node = self.tree.open_node(
            path, create=kind != "r", exclusive=kind == "x", truncate=kind == "w"
        )
        handle = Handle(self.tree, node, modes)
        if kind == "a":
            handle.position = size_of(node)
        self.descriptors.add(handle)
        return handle

    def open_descriptor(self, path: Any, flags: int) -> int:
        """Open as open(2) and return the number. Flags without a meaning here are passed over."""
        access = flags & _ACCESS
        if access == _ACCESS:
            fail(errno.EINVAL)
        create = bool(flags & _CREATE)
        found = self.tree.get(path)
        if found is not None and found.children is not None and not access and not create:
            raise denied_file(path)  # a directory's descriptor leads nowhere here
        truncate = bool(flags & _TRUNCATE) and access != 0
        exclusive = create and bool(flags & _EXCLUSIVE)
        node = self.tree.open_node(path, create=create, exclusive=exclusive, truncate=truncate)
        modes = ("r", "w", "w+")[access].replace("w", "a" if flags & _APPEND else "w")
        return self.descriptors.add(Handle(self.tree, node, modes))


_ACCESS, _CREATE, _EXCLUSIVE, _TRUNCATE, _APPEND = 3, 0o100, 0o200, 0o1000, 0o2000


def _text(name: str, value: Any, more: str = "") -> str:
    if not isinstance(value, str):
        kind = type(value).__name__
        raise TypeError(f"open() argument {name!r} must be str{more}, not {kind}")
    return str.__str__(value)


def _option(name: str, value: Any) -> Any:
    return None if value is None else _text(name, value, " or None")


def _shown(file: Any) -> Any:
    return file.decode("utf-8", "surrogateescape") if isinstance(file, bytes) else file


def _read_mode(mode: str) -> tuple[bool, str, str]:
    """Return whether it is binary, which of `rwxa` it is, and that with its plus."""
    if set(mode) - _MODES or len(mode) > len(set(mode)):
        raise ValueError(f"invalid mode: {mode!r}")
    kinds = [char for char in "xrwa" if char in mode]
    binary = "b" in mode
    if binary and "t" in mode:
        raise ValueError("can't have text and binary mode at once")
    if len(kinds) > 1:
        raise ValueError(f"must have exactly one of {'/'.join(_KINDS)} mode")
    if not kinds:
        words = "/".join(_KINDS)
        raise ValueError(f"Must have exactly one of {words} mode and at most one plus")
    return binary, kinds[0], kinds[0] + "+" * ("+" in mode)


def _check_options(encoding: Any, errors: Any, newline: Any) -> None:
    for name, value in (("an encoding", encoding), ("an errors", errors), ("a newline", newline)):
        if value is not None:
            raise ValueError(f"binary mode doesn't take {name} argument")


def _check_texts(stream: Any, buffering: int, newline: Any) -> None:
    """Look at what CPython looks at once the file is open, and made."""
    problem = ""
    if buffering == 0:
        problem = "can't have unbuffered text I/O"
    elif newline not in (None, "", "\n", "\r", "\r\n"):
        problem = f"illegal newline value: {newline}"
    if problem:
        stream.close()
        raise ValueError(problem)


def _shown_mode(kind: str, modes: str) -> str:
    if modes == kind:
        return f"{kind}b"
    return {"w": "rb+", "r": "rb+", "a": "ab+", "x": "xb+"}[kind]


def _class_of(modes: str, size: int) -> Any:
    if not size:
        return FileIO
    if "+" in modes:
        return BufferedRandom
    return BufferedReader if modes == "r" else BufferedWriter


def _texts(stream: Any, mode: str, buffering: int, encoding: Any, errors: Any, newline: Any) -> Any:
    """Wrap a binary stream, which closes with its wrapper, and where there is none."""
    try:
        chosen = "UTF-8" if encoding in (None, "locale") else encoding
        wrapper = io.TextIOWrapper(stream, chosen, errors, newline, buffering == 1)
    except BaseException:
        stream.close()
        raise
    object.__setattr__(wrapper, "mode", mode)
    return wrapper
