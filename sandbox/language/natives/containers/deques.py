"""`deque.index`, `deque.remove` before CPython 3.11.9 and 3.12.3: C does not hold what it compares.

An `__eq__` that clears the deque frees the element whose items are being compared (gh-115243).
"""

from collections import deque
from operator import index as as_index
from typing import Any

from sandbox.language.guards.classes.class_origin import has_method
from sandbox.language.natives.patching import Method, before, replace

# What is compared with one another without a question to a program.
_PLAIN = frozenset((int, float, complex, str, bytes, bool, type(None)))
_iterate: Any = deque.__iter__
_delete: Any = deque.__delitem__


def harden() -> None:
    """Replace both where they are needed."""
    if before(3, 11, 9) or (not before(3, 12) and before(3, 12, 3)):
        replace(deque, _index, "index")
        replace(deque, _remove, "remove")


def _are_plain(items: Any, value: Any) -> bool:
    return type(value) in _PLAIN and _PLAIN.issuperset(map(type, _iterate(items)))


def _index(own: Method) -> Method:
    def index(self: Any, /, *args: Any) -> Any:
        value, *limits = args or (None,)
        wrong = not args or len(limits) > 2 or not issubclass(type(self), deque)
        wrong = wrong or not all(has_method(type(limit), "__index__") for limit in limits)
        if wrong or _are_plain(self, value):  # CPython says what is wrong
            return own(self, *args)
        given = [as_index(limit) for limit in limits] or [0]
        start, stop, _ = slice(given[0], *(given[1:] or (None,))).indices(_length(self))
        for at, item in enumerate(_iterate(self)):
            if at >= stop:
                break
            if at >= start and (item is value or item == value):
                return at
        raise ValueError(f"{value!r} is not in deque")

    return index


def _remove(own: Method) -> Method:
    def remove(self: Any, /, *args: Any) -> None:
        wrong = len(args) != 1 or not issubclass(type(self), deque)
        if wrong or _are_plain(self, args[0]):
            own(self, *args)
            return
        (value,) = args
        at, items = 0, _iterate(self)
        while (item := _next(items)) is not _END:
            if item is value or item == value:
                _next(items)
                _delete(self, at)
                return
            at += 1
        raise ValueError(f"{value!r} is not in deque")

    return remove


_length: Any = deque.__len__
_END = object()


def _next(items: Any) -> Any:
    """Return the next item; raise IndexError if the deque has been changed since the one before."""
    try:
        return next(items, _END)
    except RuntimeError as error:
        raise IndexError(*error.args) from None
