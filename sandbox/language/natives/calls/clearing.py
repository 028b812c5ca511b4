"""Objects that the collector empties before it frees them, and that cannot bear to be used then.

A finalizer that it runs first may make a weak reference to one, by which another program part comes
to it while it is half empty (gh-136189). So an object of C code is left whole, unless its kind can
be empty at any time: what it refers to is freed when the rest of the cycle, its dicts, lists, cells
and frames, has been emptied. A cycle without any of those is freed when the process ends.

Readers and writers of `csv`, and what waits in `_asyncio`, stay as they are: they ask for the same
slot when they are freed.
"""

import collections
import types

from sandbox.language.guards.classes.class_origin import Identities, all_classes, dict_of
from sandbox.language.natives.types import type_slots

# What is as good empty as full, or goes with a class that was made at run time.
_CONTAINERS: tuple[type, ...] = (
    *(dict, list, set, frozenset, collections.deque, collections.defaultdict),
    *(collections.OrderedDict, types.CellType, types.FrameType, type),
)
_ASK_WHEN_FREED = ("_csv", "_asyncio")


def harden() -> None:
    """Let the collector empty no instance of any other class of C's."""
    kept = Identities(_CONTAINERS)
    for cls in all_classes():
        if cls not in kept and dict_of(cls).get("__module__") not in _ASK_WHEN_FREED:
            type_slots.never_clear(cls)
