"""`bytearray.extend`: CPython's makes room for as many bytes as `__length_hint__` says.

If that is none, it writes into memory that all empty ones share (gh-143003).
"""

from typing import Any

from sandbox.language.natives.patching import Method, replace

_EXACT = frozenset((bytes, bytearray, memoryview, str, list, tuple, range, int))


def harden() -> None:
    """Replace `extend`: it is given what has the length that it says it has."""
    replace(bytearray, _extend, "extend")


def _extend(own: Method) -> Method:
    def extend(self: Any, items: Any, /) -> None:
        kind = type(items)
        iterable = hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")
        if kind in _EXACT or not iterable or not isinstance(self, bytearray):
            own(self, items)
            return
        try:
            view = memoryview(items)
        except TypeError:
            own(self, list(items))
        else:
            with view:
                own(self, view)

    return extend
