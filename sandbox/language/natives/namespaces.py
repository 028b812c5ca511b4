"""Namespaces of objects: the one that an object had is not freed while C code writes to it.

A store to an attribute borrows the namespace, and may run code of the program's: a key's `__eq__`,
or the finalizer of the value that was there. What `o.__dict__ = d` takes away we keep for as long
as the object lives, empty where nobody else has it.
"""

import sys
import weakref
from collections.abc import Callable
from typing import Any

from sandbox.language.guards.kinship import instance_dict

_kept: dict[int, tuple[Any, list[Any]]] = {}
_ONLY_OURS = 2  # references: the variable, and the argument of getrefcount


def replace_namespace(o: Any, carry_out: Callable[[], None]) -> None:
    """Have `carry_out` give the object another namespace, or none."""
    old = instance_dict(o)
    carry_out()
    if old is None:
        return
    _keep(o, old)
    if sys.getrefcount(old) <= _ONLY_OURS + 1:
        old.clear()


def _keep(o: Any, old: Any) -> None:
    key = id(o)
    if key not in _kept:
        try:
            _kept[key] = weakref.ref(o, lambda _: _kept.pop(key, None)), []
        except TypeError:
            _kept[key] = o, []
    _kept[key][1].append(old)
