"""Replacement by methods of ours in classes that are written in C and refuse every store.

What is called by name is looked up in the class's own dict. What an operator or the interpreter
calls is a pointer in the class's struct: CPython sets it for a class that it made at run time, and
for one that is compiled in we copy the pointer that a class of ours has under the same name, also
into classes that have inherited CPython's own.
"""

import gc
import sys
from collections.abc import Callable
from typing import Any

from sandbox.errors import SandboxError
from sandbox.interpreter.disarming.hiding import classes_below
from sandbox.language.guards.classes.class_origin import (
    HEAP,
    IMMUTABLE,
    dict_of,
    flags_of,
    name_of,
)
from sandbox.language.natives.types import type_slots

Method = Callable[..., Any]
_originals: dict[tuple[type, str], Any] = {}
_makers: dict[tuple[type, str], str] = {}  # by method, the module that replaced it


def original(cls: type, name: str) -> Any:
    """Return CPython's own `cls.name`, also after it was replaced."""
    if (cls, name) not in _originals:
        _originals[cls, name] = dict_of(cls)[name]
    return _originals[cls, name]


def replace(cls: type, make: Callable[[Method], Method], *names: str) -> None:
    """Replace each of `names` in `cls` by what `make` makes of CPython's own.

    A name that this Python's class lacks is passed over. Raises SandboxError where the class cannot
    be changed, and where another module has replaced the same method: it would be undone.
    """
    maker = getattr(make, "func", make).__module__
    for name in names:
        if name in dict_of(cls):
            if _makers.setdefault((cls, name), maker) != maker:
                raise SandboxError(f"two modules replace {name_of(cls)}.{name}")
            own = original(cls, name)
            put(cls, name, _named(make(own), own, name))


def _named(method: Any, own: Any, name: str) -> Any:
    method.__name__ = name
    method.__qualname__ = getattr(own, "__qualname__", name)
    method.__doc__ = getattr(own, "__doc__", None)
    return method


def put(cls: type, name: str, value: Any) -> None:
    """Store `cls.name = value`, also where CPython forbids it.

    Raises SandboxError where it cannot be stored.
    """
    flags = flags_of(cls)
    if flags & HEAP:
        _put_into_heap_type(cls, name, value, bool(flags & IMMUTABLE))
    else:
        # First: it raises for what it does not know.
        type_slots.let_heirs_call(cls, name, classes_below([cls]))
        put_beside_slot(cls, name, value)
    if name == "__new__":
        type_slots.never_make_bare(cls)
    if dict_of(cls).get(name) is not value:
        raise SandboxError(f"cannot replace {name_of(cls)}.{name}")


def _put_into_heap_type(cls: type, name: str, value: Any, immutable: bool) -> None:
    if immutable:
        type_slots.make_mutable(cls)
    try:
        type.__setattr__(cls, name, value)
    finally:
        if immutable:
            type_slots.make_immutable(cls)


def put_beside_slot(cls: type, name: str, value: Any) -> None:
    """Store `cls.name = value` for what looks the name up.

    What goes by the slot finds CPython's own.
    """
    (namespace,) = gc.get_referents(dict_of(cls))
    if type(namespace) is not dict:
        raise SandboxError("this Python's classes have a layout that is not known")
    namespace[name] = value
    type_slots.forget_lookups(cls)


def replace_on_demand(cls: type, make: Callable[[Method], Method], name: str) -> type_slots.Word:
    """Replace one method as `replace` does, but leave its operator fast until the word is written.

    What goes by the name finds the new method at once, and so do classes that inherit it.
    """
    own = original(cls, name)
    word = type_slots.switch(cls, name)
    put_beside_slot(cls, name, _named(make(own), own, name))
    return word


def finish() -> None:
    """Forget CPython's own methods, some of which show a class's real dict: no more is replaced."""
    _originals.clear()


def before(*release: int) -> bool:
    """Return True if this Python is older than `release`, of its minor version or an earlier."""
    return sys.version_info < release


def lacks(*releases: tuple[int, int, int]) -> bool:
    """Return True if this Python lacks what came with `releases`, the first of each minor version.

    Later minor versions have had it from the start.
    """
    own = sys.version_info[:3]
    return any(own < release for release in releases if own[:2] == release[:2]) or own < releases[0]


def _of_argument() -> int:
    own = object()
    return sys.getrefcount(own) - 1


# The references that `sys.getrefcount(variable)` counts beside those that there are: its argument,
# which CPython borrows from 3.14 on.
ARGUMENT = _of_argument()
