"""`functools.partial`: what its text is made of is held by nobody."""

import functools
import sys
from typing import Any

from sandbox.language.guards.kinship import name_of
from sandbox.language.natives.patching import Method, replace

_partial = functools.partial
_PARTS = [_partial.__dict__[name].__get__ for name in ("func", "args", "keywords")]
_qualified: Any = type.__dict__["__qualname__"].__get__
_running: set[int] = set()


def harden() -> None:
    """Replace the text of a `partial`."""
    replace(_partial, _repr, "__repr__")


def _repr(own: Method) -> Method:
    """CPython's lends the keys and the values of a dict that a program may change."""

    def __repr__(self: Any, /) -> str:
        if not issubclass(type(self), _partial):
            return own(self)  # type: ignore[no-any-return]
        if id(self) in _running:
            return "..."
        _running.add(id(self))
        try:
            func, args, keywords = [read(self) for read in _PARTS]
            texts = [repr(func), *map(repr, args)]
            texts += [f"{key!s}={value!r}" for key, value in list(dict.items(keywords))]
        finally:
            _running.discard(id(self))
        return f"{_name(type(self))}({', '.join(texts)})"

    return __repr__


def _name(cls: type) -> str:
    if cls is _partial:
        return "functools.partial"
    if sys.version_info < (3, 13):
        return name_of(cls)
    return f"{type.__dict__['__module__'].__get__(cls)}.{_qualified(cls)}"
