"""Iterators that may be exhausted, and then let go of what they iterate over, while they run.

Each of them is marked as running for as long as it runs, and refuses to be entered again, as a
generator does. Programs get most of those in `itertools` as generators, which costs them less, see
`stdlib.data.itertools`; here are the classes themselves, to which `type(x)` leads. That of `count`
takes plain numbers only.
"""

import itertools
from collections.abc import Iterator
from typing import Any

from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.natives.calls.generators import each
from sandbox.language.natives.demand import written_on_demand
from sandbox.language.natives.patching import (
    Method,
    original,
    put,
    put_beside_slot,
    replace,
    replace_on_demand,
)

_running: set[int] = set()


def harden() -> None:
    """Replace `__next__` of each; a `chain` is made over what cannot be freed while it runs."""
    for kind in _kinds():
        replace(kind, _once_at_a_time, "__next__")
    written_on_demand("__getitem__", replace_on_demand(reversed, _once_at_a_time, "__next__"))
    _harden_chain()
    _harden_count()
    put(type(*itertools.tee("", 1)), "__setstate__", _no_place)


def _no_place(self: Any, /, place: Any) -> None:
    """CPython believes the place that a `tee` is given, and reads what stands in memory there.

    It is left out for good, as it is of use for pickles alone: copies are made without it.
    """
    raise denied_class(f"setting the place of this {type(self).__name__!r} object")


class _Sequence:
    def __getitem__(self, position: int) -> int:
        raise IndexError


def _kinds() -> list[type]:
    names = ("accumulate", "batched", "cycle", "groupby", "islice", "pairwise", "zip_longest")
    granted = [getattr(itertools, name) for name in names if hasattr(itertools, name)]
    group = type(next(itertools.groupby("a"))[1])
    made: list[Any] = [iter(_Sequence()), iter(int, 0)]
    return [*granted, group, *map(type, made)]


def _once_at_a_time(own: Method) -> Method:
    def __next__(self: Any, /) -> Any:
        key = id(self)
        if key in _running:
            raise ValueError(f"{type(self).__name__} already executing")
        _running.add(key)
        try:
            return own(self)
        finally:
            _running.discard(key)

    return __next__


# No code of a guest's runs while one of these is iterated over.
_INERT = frozenset((str, bytes, bytearray, list, tuple, range, dict, set, frozenset))


def _each_of_each(iterables: Iterator[Any]) -> Iterator[Any]:
    for iterable in iterables:
        for item in iterable:  # noqa: UP028  see `generators`
            yield item


def _safe(iterable: Any) -> Any:
    """Return `iterable`, or a generator over it if code of a guest's may run while it is walked.

    Anything else that may be entered again may be freed while it runs.
    """
    return iterable if type(iterable) in _INERT else each(iterable)


def _harden_chain() -> None:
    make = original(itertools.chain, "from_iterable")
    original(itertools.chain, "__new__")

    def __new__(cls: type, *iterables: Any) -> Any:
        return make.__get__(None, cls)(map(_safe, iterables))

    def from_iterable(cls: type, iterable: Any, /) -> Any:
        if type(iterable) in _INERT:
            return make.__get__(None, cls)(map(_safe, iterable))
        return make.__get__(None, cls)((_each_of_each(iter(iterable)),))

    put(itertools.chain, "__new__", staticmethod(__new__))
    put_beside_slot(itertools.chain, "from_iterable", classmethod(from_iterable))


# Numbers that are added without code of a program's, which would run as the count goes on.
EXACT = (int, float, bool, complex)


def _harden_count() -> None:
    make = original(itertools.count, "__new__")

    def __new__(cls: type, /, start: Any = 0, step: Any = 1) -> Any:
        __init__(None, start, step)
        return make(cls, start, step)

    def __init__(self: Any, /, start: Any = 0, step: Any = 1) -> None:
        for number in (start, step):
            if type(number) not in EXACT:
                raise denied_class(f"a count of {type(number).__name__!r} by its class")

    put(itertools.count, "__init__", __init__)
    # The call of the class goes by the slot, and on to `__init__`.
    put_beside_slot(itertools.count, "__new__", staticmethod(__new__))
