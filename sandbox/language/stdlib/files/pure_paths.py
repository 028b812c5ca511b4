"""Stand-ins for the pure paths of `pathlib`: texts with parts, that never change.

CPython's module holds `os` and `io`. It is never imported.
"""

import sys
from collections.abc import Callable
from typing import Any

from sandbox.language.guest.files.paths import plain
from sandbox.language.stdlib.files.wildcards import matches, tokens

_NEW = sys.version_info >= (3, 12)
_NO_URI = "relative path can't be expressed as a file URI"
if sys.version_info >= (3, 14):
    _NO_URI = "relative paths can't be expressed as file URIs"


class PurePath:
    """A path as text. What it is made of is in a slot that no name leads to, and is filled once."""

    __module__ = "pathlib"
    __slots__ = ("__weakref__", "_kept")

    def __new__(cls, /, *args: Any, **_: Any) -> Any:
        return of(PurePosixPath if cls is PurePath else cls, *parsed(args))

    def __init__(self, /, *_: Any, **__: Any) -> None:
        return

    def __str__(self) -> str:
        root, parts = _read(self)
        return root + "/".join(parts) or "."

    def __fspath__(self) -> str:
        return PurePath.__str__(self)

    def __bytes__(self) -> bytes:
        return PurePath.__str__(self).encode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({PurePath.__str__(self)!r})"

    def __hash__(self) -> int:
        return hash(_read(self))

    def __eq__(self, other: Any) -> Any:
        return _read(self) == _read(other) if isinstance(other, PurePath) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return _key(self) < _key(other) if isinstance(other, PurePath) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return _key(self) <= _key(other) if isinstance(other, PurePath) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return _key(self) > _key(other) if isinstance(other, PurePath) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return _key(self) >= _key(other) if isinstance(other, PurePath) else NotImplemented

    def __truediv__(self, key: Any) -> Any:
        try:
            return joined(self, (key,))
        except TypeError:
            return NotImplemented

    def __rtruediv__(self, key: Any) -> Any:
        try:
            return of(type(self), *parsed((key, self)))
        except TypeError:
            return NotImplemented

    def as_posix(self) -> str:
        """Return it as text."""
        return PurePath.__str__(self)

    def as_uri(self) -> str:
        """Return it as a URI."""
        if not _read(self)[0]:
            raise ValueError(_NO_URI)
        octets = PurePath.__bytes__(self)
        return "file://" + "".join(chr(o) if o in _IN_URIS else f"%{o:02X}" for o in octets)

    @property
    def parts(self) -> tuple[str, ...]:
        """Its root, if it has one, and its names."""
        root, parts = _read(self)
        return (root, *parts) if root else parts

    @property
    def drive(self) -> str:
        """None here: empty."""
        return _read(self)[0][:0]

    @property
    def root(self) -> str:
        """The slashes that it begins with."""
        return _read(self)[0]

    @property
    def anchor(self) -> str:
        """Drive and root together."""
        return _read(self)[0]

    @property
    def name(self) -> str:
        """Its last part."""
        return "".join(_read(self)[1][-1:])

    @property
    def suffix(self) -> str:
        """Its last extension, with the dot."""
        return _suffix(self.name)

    @property
    def suffixes(self) -> list[str]:
        """All its extensions."""
        name = self.name
        if name.endswith("."):
            return []
        return [f".{each}" for each in name.lstrip(".").split(".")[1:]]

    @property
    def stem(self) -> str:
        """Its last part without the last extension."""
        name = self.name
        return name[: len(name) - len(_suffix(name))]

    @property
    def parent(self) -> Any:
        """The path above."""
        root, parts = _read(self)
        return of(type(self), root, parts[:-1]) if parts else self

    @property
    def parents(self) -> Any:
        """All paths above."""
        root, parts = _read(self)
        above = range(len(parts) - 1, -1, -1)
        return tuple(of(type(self), root, parts[:count]) for count in above)

    def joinpath(self, *args: Any) -> Any:
        """Return it with more parts."""
        return joined(self, args)

    def with_segments(self, *args: Any) -> Any:
        """Make another of the same class."""
        return type(self)(*args)

    def with_name(self, name: Any) -> Any:
        """Return it with another last part."""
        root, parts = _read(self)
        if not parts:
            raise ValueError(f"{self!r} has an empty name")
        text = plain(name)
        if not text or "/" in text or text == ".":
            raise ValueError(f"Invalid name {text!r}")
        return of(type(self), root, (*parts[:-1], text))

    def with_stem(self, stem: Any) -> Any:
        """Return it with another last part, and the same extension."""
        return self.with_name(plain(stem) + self.suffix)

    def with_suffix(self, suffix: Any) -> Any:
        """Return it with another extension."""
        text = plain(suffix)
        if "/" in text or (text and not text.startswith(".")) or text == ".":
            raise ValueError(f"Invalid suffix {text!r}")
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        return self.with_name(self.stem + text)

    def relative_to(self, other: Any, /, *more: Any, walk_up: Any = False) -> Any:
        """Return the way from `other` to it."""
        (root, parts), (base, names) = _read(self), parsed((other, *more))
        count = len(names)
        if root == base and parts[:count] == names:
            return of(type(self), "", parts[count:])
        shown = base + "/".join(names) or "."
        if not walk_up or root != base or ".." in names:
            kind = "one path is relative and the other is absolute"
            if _NEW:
                if walk_up and root != base:
                    raise ValueError(f"{str(self)!r} and {shown!r} have different anchors")
                if walk_up:
                    raise ValueError(f"'..' segment in {shown!r} cannot be walked")
                raise ValueError(f"{str(self)!r} is not in the subpath of {shown!r}")
            raise ValueError(f"{str(self)!r} is not in the subpath of {shown!r} OR {kind}.")
        while parts[:count] != names[:count]:
            count -= 1
        return of(type(self), "", (*[".."] * (len(names) - count), *parts[count:]))

    def is_relative_to(self, other: Any, /, *more: Any) -> bool:
        """Say whether it is `other` or below it."""
        (root, parts), (base, names) = _read(self), parsed((other, *more))
        return root == base and parts[: len(names)] == names

    def is_absolute(self) -> bool:
        """Say whether it begins with a slash."""
        return bool(_read(self)[0])

    def is_reserved(self) -> bool:
        """Return False: no name is."""
        return _read(self) is None

    def match(self, path_pattern: Any, *, case_sensitive: Any = None) -> bool:
        """Say whether it ends as the pattern says; all of it, if that begins with a slash."""
        root, wanted = parsed((path_pattern,))
        if not root and not wanted:
            raise ValueError("empty pattern")
        own_root, parts = _read(self)
        if root and (root != own_root or len(wanted) != len(parts)):
            return False
        if len(wanted) > len(parts):
            return False
        last = parts[len(parts) - len(wanted) :]
        return all(matches(name, tokens(each)) for name, each in zip(last, wanted, strict=True))


# What a URI has as it is (RFC 3986, section 2.3), and slashes.
_IN_URIS = frozenset(b"/_.-~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_slot: Any = PurePath.__dict__["_kept"]
_fill = _slot.__set__
_read: Callable[[Any], tuple[str, tuple[str, ...]]] = _slot.__get__
del PurePath._kept  # type: ignore[attr-defined]


class PurePosixPath(PurePath):
    """A path with slashes."""

    __module__ = "pathlib"
    __slots__ = ()


def of(cls: Any, root: str, parts: tuple[str, ...]) -> Any:
    """Make a path of `cls`."""
    made = object.__new__(cls)
    _fill(made, (root, parts))
    return made


def read(path: Any) -> tuple[str, tuple[str, ...]]:
    """Return the root and the parts of a path of ours."""
    return _read(path)


def parsed(args: tuple[Any, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the root and the parts of all `args` together."""
    root: str = ""
    parts: list[str] = []
    for arg in args:
        begin, more = _read(arg) if isinstance(arg, PurePath) else _cut(arg)
        if begin:
            root, parts = begin, []
        parts += more
    return root, tuple(parts)


def _cut(arg: Any) -> tuple[str, tuple[str, ...]]:
    try:
        text = plain(arg)
    except TypeError:
        text = None
    if not isinstance(text, str):
        kind = type(arg).__name__
        raise TypeError(_WRONG + (repr(kind) if _NEW else kind))
    slashes = len(text) - len(text.lstrip("/"))
    root = "/" * (2 if slashes == 2 else bool(slashes))
    return root, tuple(part for part in text.split("/") if part not in ("", "."))


_WRONG = (
    "argument should be a str or an os.PathLike object where __fspath__ returns a str, not "
    if _NEW
    else "expected str, bytes or os.PathLike object, not "
)


def joined(path: Any, args: tuple[Any, ...]) -> Any:
    """Return `path` with more parts."""
    return of(type(path), *parsed((path, *args)))


def _key(path: Any) -> list[str]:
    return PurePath.__str__(path).split("/")


def _suffix(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:] if 0 < dot < len(name) - 1 else ""
