"""`weakref.proxy` before CPython 3.13: comparing lets what it stands for be freed meanwhile."""

import operator
import weakref
from typing import Any

from sandbox.language.guest import state as entered
from sandbox.language.natives.patching import Method, before, replace

_COMPARISONS = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")


def harden() -> None:
    """Replace the comparisons of proxies by those of what they stand for, which is held."""
    if before(3, 13):
        for kind in weakref.ProxyTypes:
            for name in _COMPARISONS:
                replace(kind, _comparing(name), name)


def _comparing(name: str) -> Any:
    def make(own: Method) -> Method:
        def compare(self: Any, other: Any, /) -> Any:
            held = _held(self)
            return own(self, other) if held is self else ask(held, _held(other))

        return compare

    ask = getattr(operator, name)
    return make


def _held(o: Any) -> Any:
    """Return what a proxy of a program's stands for: it is not asked. `o` if that is gone."""
    if type(o) not in weakref.ProxyTypes:
        return o
    target = entered.guards().lookup.target_of(o)
    return o if target is None else target
