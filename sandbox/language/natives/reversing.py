"""Reverse iterators of `dict` and of its views, which may go on in a table that is too small.

One remembers a place in the table and how many keys there were, and CPython looks at the number
alone: with as many keys in a smaller table, it takes for a key and a value what lies behind that
(gh-154709). A dict has a smaller table later only if it is larger now than its keys need, as after
deletions. Then ours looks at the size of the table before each step; any other is left to CPython.

No code of a program's, nor the collector, may run between a look and the step. So both are done by
one call of `zip`, which enters no Python code and allocates nothing that is collected.
"""

from collections.abc import Iterator
from functools import partial
from itertools import repeat, takewhile
from operator import le
from typing import Any

from sandbox.errors import SandboxError
from sandbox.interpreter import asking
from sandbox.language.natives.patching import Method, replace

_size: Any = dict.__sizeof__
_basic: Any = type.__dict__["__basicsize__"].__get__
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_CHANGED = "dictionary changed size during iteration"
# Of a table in CPython's Objects/dictobject.c and Include/internal/pycore_dict.h: the bytes of its
# head, of an entry with a hash and without one (keys that are all `str`), and the binary logarithm
# of the least number of places.
_HEAD, _ENTRIES, _LEAST_LOG = 32, (16, 24), 3
_MOST_LOG = 40


def _usable(log: int) -> int:
    return (2 << log) // 3


def _table_size(log: int, entry: int) -> int:
    """Bytes of a table with 2 ** `log` places, whose indices are as wide as they need be."""
    width = 1 if log < 8 else 2 if log < 16 else 4 if log < 32 else 8
    return _HEAD + (width << log) + _usable(log) * entry


# By the bytes of a table, the fewest keys that have no room in a smaller one.
_FEWEST = {0: 0} | {
    _table_size(log, entry): _usable(log - 1) + 1 if log > _LEAST_LOG else 1
    for log in range(_LEAST_LOG, _MOST_LOG)
    for entry in _ENTRIES
}


def harden() -> None:
    """Replace `__reversed__`; SandboxError where tables are not laid out as this module says."""
    _verify()
    replace(dict, _of_dict, "__reversed__")
    for kind in _VIEWS:
        replace(kind, _of_view, "__reversed__")


def _verify() -> None:
    for made in (int, str):
        keys: dict[Any, None] = {}
        before = 0
        for number in range(1000):
            keys[made(number)] = None
            size = _size(keys) - _basic(dict)
            if size != before and _FEWEST.get(size) != len(keys):
                raise SandboxError("this Python's dicts have a layout that is not known")
            before = size


def _of_dict(own: Method) -> Method:
    def __reversed__(self: Any, /) -> Any:
        if not issubclass(type(self), dict):
            return own(self)
        return _reversed(own, self, map(_size, repeat(self)), _basic(type(self)))

    return __reversed__


def _of_view(own: Method) -> Method:
    mapping: Any = own.__objclass__.__dict__["mapping"].__get__  # type: ignore[attr-defined]

    def __reversed__(self: Any, /) -> Any:
        if type(self) not in _VIEWS:
            return own(self)
        # An heir's is larger than `dict` says: its table is taken for one that needs more keys.
        return _reversed(own, self, asking.table_sizes(mapping(self)), _basic(dict))

    return __reversed__


def _reversed(own: Any, o: Any, sizes: Iterator[int], basic: int) -> Any:
    steps, size = next(zip(map(own, repeat(o)), sizes, strict=False))
    fewest = _FEWEST.get(size - basic)
    if fewest is not None and steps.__length_hint__() >= fewest:
        return steps
    return _guarded(steps, sizes, size)


def _guarded(steps: Any, sizes: Iterator[int], size: int) -> Iterator[Any]:
    fitting = takewhile(partial(le, size), sizes)
    for _, item in zip(fitting, steps, strict=False):
        yield item
    if next(sizes) < size:
        raise RuntimeError(_CHANGED)
