"""Namespaces of objects: the one that an object had is not freed while C code writes to it.

A store to an attribute borrows the namespace, and may run code of the program's: a key's `__eq__`,
or the finalizer of the value that was there. What `o.__dict__ = d` takes away we keep for as long
as the object lives, and empty it if the program has no reference to it.

From CPython 3.13 on values stand in the object itself. Where `d` is the namespace of another one,
the collector counts them twice, and empties what is in use (gh-130327).
"""

import sys
import weakref
from collections.abc import Callable
from typing import Any

from sandbox.language.guards.classes.class_origin import instance_dict
from sandbox.language.natives.patching import ARGUMENT

_kept: dict[int, tuple[Any, list[Any]]] = {}
_ONLY_OURS = 2 + ARGUMENT  # references: the variable, and the list of what is kept


def replace_namespace(o: Any, carry_out: Callable[[], None], *given: Any) -> None:
    """Have `carry_out` give the object another namespace, the one that is `given`, or none."""
    old = instance_dict(o)
    for namespace in given:
        if _STAND_IN_OBJECTS and type(namespace) is dict and namespace is not old:
            _take_out(namespace)
    if old is not None:  # before: memory may not suffice for it
        _keep(o, old)
    carry_out()
    if old is None or instance_dict(o) is old:
        return
    if sys.getrefcount(old) <= _ONLY_OURS:
        old.clear()


_STAND_IN_OBJECTS = sys.version_info >= (3, 13)


def _take_out(namespace: dict[Any, Any]) -> None:
    """Have the values of `namespace` in a table of its own: no other has a key that is no text."""
    namespace[_NO_TEXT] = None
    del namespace[_NO_TEXT]


_NO_TEXT = object()


def _keep(o: Any, old: Any) -> None:
    key = id(o)
    if key not in _kept:
        try:
            _kept[key] = weakref.ref(o, lambda _: _kept.pop(key, None)), []
        except TypeError:
            _kept[key] = o, []
    _kept[key][1].append(old)
