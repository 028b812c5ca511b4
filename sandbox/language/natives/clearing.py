"""Objects that the collector empties before it frees them, and that cannot bear to be used then.

A finalizer that it runs first may make a weak reference to one, by which another program part comes
to it while it is half empty (gh-136189). So it is left whole: what it refers to is freed when the
rest of the cycle, its dicts, lists, cells and frames, has been emptied. A cycle of nothing but such
objects and tuples is not freed at all, until the process ends.

Readers and writers of `csv` stay as they are: they ask for the same slot when they are freed.
"""

import collections
import functools
import itertools
import operator
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

from sandbox.language.guards.kinship import HEAP, all_classes, flags_of
from sandbox.language.natives import type_slots

# By module, as much of it as is loaded.
_NAMED = {
    "_contextvars": ("Context",),
    "_io": ("StringIO",),
    "_struct": ("Struct",),
    "_typing": ("TypeAliasType",),
    "typing": ("TypeAliasType",),
}


def harden() -> None:
    """Let the collector empty no instance of these classes."""
    for kind in _kinds():
        type_slots.never_clear(kind)


def _kinds() -> Iterator[type]:
    for cls in all_classes():
        if issubclass(cls, BaseException) and not flags_of(cls) & HEAP:
            yield cls
    yield from (types.FunctionType, types.SimpleNamespace, staticmethod)
    yield from (functools.partial, operator.attrgetter, operator.itemgetter, operator.methodcaller)
    yield from (re.Pattern, re.Match)
    made: list[Any] = [
        functools.lru_cache(len),
        functools.cmp_to_key(max),
        itertools.tee("")[0],
        iter(collections.deque()),
        getattr(re.compile(""), "scanner")(""),  # noqa: B009
    ]
    yield from map(type, made)
    for module, names in _NAMED.items():
        for name in names:
            kind = getattr(sys.modules.get(module), name, None)
            if kind is not None:
                yield kind
