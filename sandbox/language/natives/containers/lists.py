"""`list` before CPython 3.12.5: C code does not hold what it compares and takes out.

`a < b` frees elements that guest code lets go of while it is asked to compare them, and
`a[::2] = b` looks at its own length before it iterates over `b` (gh-120298, gh-120384).
"""

import operator
from typing import Any

from sandbox.language.guards.classes.class_origin import has_method
from sandbox.language.natives.patching import Method, before, replace

_MENDED = (3, 12, 5)


def harden() -> None:
    """Replace both where they are needed: a Python wrapper costs every comparison of lists."""
    if before(*_MENDED):
        replace(list, _ordering, "__lt__", "__le__", "__gt__", "__ge__")
        replace(list, _setitem, "__setitem__")


def _ordering(own: Method) -> Method:
    """Make a comparison that copies the lists unless their first elements answer.

    The answer is that of the first elements, if they are plain and differ: no copy is made.
    """
    copy, plain = list.copy, _PLAIN
    ask = getattr(operator, own.__name__)

    def compare(self: Any, other: Any, /) -> Any:
        if type(self) is list and type(other) is list:
            if self and other:
                first, second = self[0], other[0]
                if type(first) in plain and type(first) is type(second) and first != second:
                    return ask(first, second)
        elif not issubclass(type(other), list):
            return NotImplemented
        return own(copy(self), copy(other))

    return compare


_PLAIN = frozenset((int, str))


def _setitem(own: Method) -> Method:
    def __setitem__(self: Any, key: Any, value: Any, /) -> None:
        if type(key) is slice and type(value) not in (list, tuple):  # an heir's `__iter__` is run
            kind = type(value)
            if has_method(kind, "__iter__") or has_method(kind, "__getitem__"):
                value = list(value)
        own(self, key, value)

    return __setitem__
