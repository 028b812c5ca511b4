"""Iterators that may be exhausted, and then let go of what they iterate over, while they run.

Each of them is marked as running for as long as it runs, and refuses to be entered again, as a
generator does. Programs get most of those in `itertools` as generators, which costs them less, see
`stdlib.itertools`; here are the classes themselves, to which `type(x)` leads.
"""

import itertools
import sys
from typing import Any

from sandbox.language.natives.patching import Method, replace

_running: set[int] = set()


def harden() -> None:
    """Replace `__next__` of each."""
    for kind in _kinds():
        replace(kind, _once_at_a_time, "__next__")


class _Sequence:
    def __getitem__(self, position: int) -> int:
        raise IndexError


def _kinds() -> list[type]:
    names = ("accumulate", "batched", "chain", "count", "cycle", "groupby", "islice", "zip_longest")
    granted = [getattr(itertools, name) for name in names if hasattr(itertools, name)]
    group = type(next(itertools.groupby("a"))[1])
    made: list[Any] = [iter(_Sequence()), iter(int, 0)]
    if "_csv" in sys.modules:
        made.append(sys.modules["_csv"].reader(()))
    return [*granted, itertools.pairwise, group, *map(type, made)]


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
