"""Turns what a program gives as a path into the plain text CPython would hand the kernel."""

import errno
import os
import sys
from typing import Any, NoReturn

LONGEST_PATH, LONGEST_PART = 4096, 255  # bytes: PATH_MAX and NAME_MAX of Linux
_fspath, _strerror = os.fspath, os.strerror


def fail(number: int, *paths: Any) -> NoReturn:
    """Raise the OSError that the kernel's `number` is, about `paths` as they were given."""
    first, *second = paths or (None,)
    if first is None:
        raise OSError(number, _strerror(number))
    if second:
        raise OSError(number, _strerror(number), first, None, second[0])
    raise OSError(number, _strerror(number), first)


def plain(path: Any) -> Any:
    """Return the exact str or bytes that `path` stands for; its `__fspath__` is called once."""
    given = _fspath(path)
    return str.__str__(given) if isinstance(given, str) else bytes.__add__(given, b"")


def decoded(path: Any) -> str:
    """Return `path` as exact text. Raises TypeError for what is no path."""
    given = plain(path)
    return given if isinstance(given, str) else given.decode("utf-8", "surrogateescape")


def encoded(text: str, like: Any) -> Any:
    """Return `text` as bytes if the path that it comes of was given as bytes."""
    return text.encode("utf-8", "surrogateescape") if isinstance(like, bytes) else text


def checked(path: Any, call: str = "", argument: str = "path", also: str = "") -> Any:
    """Return `path` as the exact str or bytes that a call takes, or raise as CPython does.

    `call` is the function, and `argument` its argument, as an error names them; `also` is what else
    it would take.
    """
    if not isinstance(path, (str, bytes)) and not hasattr(type(path), "__fspath__"):
        kind = type(path).__name__
        if not call:
            raise TypeError(f"expected str, bytes or os.PathLike object, not {kind}")
        kinds = f"string, bytes, os.PathLike{also}" if also else "string, bytes or os.PathLike"
        raise TypeError(f"{call}: {argument} should be {kinds}, not {kind}")
    given = plain(path)
    if ("\0" if isinstance(given, str) else b"\0") in given:
        named = call and sys.version_info >= (3, 13)
        raise ValueError(
            f"{call}: embedded null character in path" if named else "embedded null byte"
        )
    size = len(given)
    if isinstance(given, str) and not given.isascii():
        size = len(given.encode("utf-8", "surrogateescape"))  # raises for what has no bytes
    if size >= LONGEST_PATH:
        fail(errno.ENAMETOOLONG, given)
    return given
