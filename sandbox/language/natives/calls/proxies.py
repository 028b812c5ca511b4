"""`weakref.proxy` before CPython 3.13: comparing lets what it stands for be freed meanwhile."""

import types
import weakref
from typing import Any

from sandbox.language.natives.patching import Method, before, replace

_COMPARISONS = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")
_BOUND = (types.MethodType, types.MethodWrapperType, types.BuiltinMethodType)


def harden() -> None:
    """Replace the comparisons of proxies by the methods of what is compared, which hold it."""
    if before(3, 13):
        for kind in weakref.ProxyTypes:
            for name in _COMPARISONS:
                replace(kind, _comparing(name), name)


def _comparing(name: str) -> Any:
    def make(own: Method) -> Method:
        def compare(self: Any, other: Any, /) -> Any:
            if type(self) not in weakref.ProxyTypes:
                return own(self, other)
            method = getattr(self, name, None)
            return NotImplemented if method is None else method(_held(other))

        return compare

    return make


def _held(o: Any) -> Any:
    """Return what a proxy stands for, as the owner of one of its methods."""
    if type(o) not in weakref.ProxyTypes:
        return o
    method: Any = getattr(o, "__eq__", None)
    return method.__self__ if type(method) in _BOUND else o
