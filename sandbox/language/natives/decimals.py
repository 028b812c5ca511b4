"""`decimal`: the flags and the traps of a context point into it, and do not hold it."""

import decimal
import sys
from typing import Any

from sandbox.language.natives.patching import Method, replace

_Signals: Any = type(decimal.Context().flags)
_held: dict[int, tuple[Any, Any]] = {}
_FEW = 256
_ONLY_OURS = 3  # references: the context's, that of the pair, and the argument of getrefcount


def harden() -> None:
    """Replace how an attribute is read: what was given out holds its context."""
    replace(decimal.Context, _getattribute, "__getattribute__")


def _getattribute(own: Method) -> Method:
    limit = _FEW

    def __getattribute__(self: Any, name: str, /) -> Any:
        nonlocal limit
        value = own(self, name)
        if type(value) is _Signals and id(value) not in _held:
            _held[id(value)] = value, self
            if len(_held) > limit:
                _release()
                limit = max(_FEW, 2 * len(_held))
        return value

    return __getattribute__


def _release() -> None:
    """Let go of those that nobody but their context has."""
    for key in [key for key, pair in _held.items() if sys.getrefcount(pair[0]) <= _ONLY_OURS]:
        del _held[key]
