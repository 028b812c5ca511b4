"""The functions of `os.path` that need texts alone, after CPython's `Lib/posixpath.py`.

Paths are exact str or bytes before anything is done with them; bytes are worked on as the text that
they stand for, and given back as bytes.
"""

from collections.abc import Callable, Iterable
from typing import Any

from sandbox.language.guest.files.paths import checked, encoded


def text_of(path: Any) -> tuple[str, Any]:
    """Return the text of `path`, and what says whether it was given as bytes."""
    given = checked(path)
    text = given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else given
    return text, given


def join(a: Any, /, *p: Any) -> Any:
    """Put a slash between parts; an absolute one drops what is before it."""
    whole, like = text_of(a)
    for part in p:
        try:
            text, other = text_of(part)
        except TypeError:
            kind = type(part).__name__
            kinds = "must be str, bytes, or os.PathLike object"
            raise TypeError(f"join() argument {kinds}, not {kind!r}") from None
        if isinstance(other, bytes) != isinstance(like, bytes):
            raise TypeError("Can't mix strings and bytes in path components")
        between = "" if not whole or whole.endswith("/") else "/"
        whole = text if text.startswith("/") else whole + between + text
    return encoded(whole, like)


def split(p: Any) -> Any:
    """Return what is before the last slash, and what is behind it."""
    text, like = text_of(p)
    cut = text.rfind("/") + 1
    head, tail = text[:cut], text[cut:]
    return encoded(head.rstrip("/") or head, like), encoded(tail, like)


def basename(p: Any) -> Any:
    """Return what is behind the last slash."""
    return split(p)[1]


def dirname(p: Any) -> Any:
    """Return what is before the last slash."""
    return split(p)[0]


def splitext(p: Any) -> Any:
    """Return a path without its extension, and that; dots that a name begins with begin none."""
    text, like = text_of(p)
    name = text[text.rfind("/") + 1 :]
    dot = name.rfind(".")
    if not name[: max(dot, 0)].strip("."):
        return encoded(text, like), encoded("", like)
    cut = len(text) - len(name) + dot
    return encoded(text[:cut], like), encoded(text[cut:], like)


def splitdrive(p: Any) -> Any:
    """Return no drive, and the path."""
    text, like = text_of(p)
    return encoded("", like), encoded(text, like)


def splitroot(p: Any) -> Any:
    """Return no drive, the slashes that it begins with, and the rest."""
    text, like = text_of(p)
    root = _root(text)
    return encoded("", like), encoded(root, like), encoded(text[len(root) :], like)


def isabs(s: Any) -> bool:
    """Say whether it begins with a slash."""
    return text_of(s)[0].startswith("/")


def _root(text: str) -> str:
    slashes = len(text) - len(text.lstrip("/"))
    return "/" * slashes if slashes in (0, 2) else "/"  # two have a meaning of their own (POSIX)


def normpath(path: Any) -> Any:
    """Return a path without what leads nowhere."""
    text, like = text_of(path)
    root = _root(text)
    parts: list[str] = []
    for part in text.split("/"):
        if part == ".." and (parts or root) and parts[-1:] != [".."]:
            parts[-1:] = []
        elif part not in ("", "."):
            parts.append(part)
    return encoded(root + "/".join(parts) or ".", like)


def normcase(s: Any) -> Any:
    """Return the path as it is."""
    text, like = text_of(s)
    return encoded(text, like)


def expandvars(path: Any) -> Any:
    """Return the path as it is: there are no variables."""
    return normcase(path)


def commonprefix(m: Any) -> Any:
    """Return the longest beginning that all have."""
    listed = [*m]
    if not listed:
        return ""
    if not isinstance(listed[0], (list, tuple)):
        listed = [checked(each) for each in listed]
    first, last = min(listed), max(listed)
    for place, item in enumerate(first):
        if item != last[place]:
            return first[:place]
    return first


def commonpath(paths: Any) -> Any:
    """Return the longest path that all are below."""
    texts = [text_of(path) for path in paths]
    if not texts:
        raise ValueError("commonpath() arg is an empty sequence")
    like = texts[0][1]
    if len({text.startswith("/") for text, _ in texts}) > 1:
        raise ValueError("Can't mix absolute and relative paths")
    listed = [[part for part in text.split("/") if part not in ("", ".")] for text, _ in texts]
    common = _common(listed)
    return encoded("/" * texts[0][0].startswith("/") + "/".join(common), like)


def _common(listed: Iterable[list[str]]) -> list[str]:
    first, last = min(listed), max(listed)
    for place, part in enumerate(first):
        if place >= len(last) or part != last[place]:
            return first[:place]
    return first


def relative(path: str, start: str) -> str:
    """Return the way from `start` to `path`, both absolute."""
    begin = [part for part in start.split("/") if part]
    end = [part for part in path.split("/") if part]
    common = len(_common([begin, end]))
    return "/".join([".."] * (len(begin) - common) + end[common:]) or "."


OF_TEXTS: tuple[Callable[..., Any], ...] = (
    *(basename, commonpath, commonprefix, dirname, expandvars, isabs, join, normcase),
    *(normpath, split, splitdrive, splitext, splitroot),
)
