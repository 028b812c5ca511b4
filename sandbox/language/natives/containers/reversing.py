"""Reverse iterators of `dict` and of its views, which may go on in a table that is too small.

One remembers a place in the table and how many keys there were, and CPython looks at the number
alone: with as many keys in a smaller table, it takes for a key and a value what lies behind that
(gh-154709). A dict has a smaller table later only if it is larger now than its keys need, as after
deletions. Then ours looks at the size of the table before each step; any other is left to CPython.

No code of a program's, nor the collector, may run between a look and the step. So both are done by
one call of `zip`, which enters no Python code and allocates nothing that is collected; for a view,
whose dict no Python code is to hold, with the collector off.
"""

import gc
from collections.abc import Iterator
from functools import partial
from itertools import repeat, takewhile
from operator import le
from typing import Any

from sandbox.errors import SandboxError
from sandbox.interpreter.vault import asking
from sandbox.language.natives.patching import Method, replace

_collecting, _stop, _go_on = gc.isenabled, gc.disable, gc.enable
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
    """Return the bytes of a table of 2 ** `log` places, with indices as wide as they need be."""
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
        sizes, basic = map(_size, repeat(self)), _basic(type(self))
        steps, size = next(zip(map(own, repeat(self)), sizes, strict=False))
        if _stays_large(steps, size - basic):
            return steps
        return _guarded(steps, sizes, size)

    return __reversed__


def _guarded(steps: Any, sizes: Iterator[int], size: int) -> Iterator[Any]:
    fitting = takewhile(partial(le, size), sizes)
    for _, item in zip(fitting, steps, strict=False):
        yield item
    if next(sizes) < size:
        raise RuntimeError(_CHANGED)


def _of_view(own: Method) -> Method:
    mapping: Any = own.__objclass__.__dict__["mapping"].__get__  # type: ignore[attr-defined]

    def __reversed__(self: Any, /) -> Any:
        if type(self) not in _VIEWS:
            return own(self)
        proxy = mapping(self)
        collecting = _collecting()
        _stop()
        try:
            steps, size = own(self), asking.table_bytes(proxy)
        finally:
            if collecting:
                _go_on()
        if _stays_large(steps, size):
            return steps
        return _guarded_view(steps, proxy, size)

    return __reversed__


def _guarded_view(steps: Any, proxy: Any, size: int) -> Iterator[Any]:
    """Yield the items of a view, and look at the size of the table before each.

    The vault tells the size; the dict itself, which may be a class's, stays there. A finalizer is
    all of a program's that could run between the look and the step.
    """
    while True:
        collecting = _collecting()
        _stop()
        try:
            if asking.table_bytes(proxy) < size:
                raise RuntimeError(_CHANGED)
            item = next(steps)
        except StopIteration:
            return
        finally:
            if collecting:
                _go_on()
        yield item


def _stays_large(steps: Any, table_bytes: int) -> bool:
    """Return True if no smaller table has room for as many keys as `steps` has to go through."""
    fewest = _FEWEST.get(table_bytes)
    return fewest is not None and bool(steps.__length_hint__() >= fewest)
