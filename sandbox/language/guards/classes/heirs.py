"""Classes of a program's are no garbage before it ends; with heirs among them, not even then.

A class knows its heirs by weak references, and tells them when it changes: what CPython remembers
of a class (its cache of attributes, specialized instructions) lends what stands there. The
collector takes those references away before it runs finalizers (gh-135552). A finalizer that
changes the class, or the collector that empties it, would free what an heir goes on to lend.

A name that a class has had is kept, too: C code borrows its characters while it asks what is to be
written beside them.
"""

from collections.abc import Iterable
from typing import Any

from sandbox.language.guards.classes.class_origin import (
    IMMUTABLE,
    bases_of,
    flags_of,
    is_class,
)

_kept: list[Any] = []
_names: dict[int, str] = {}  # by identity: an equal text is another object
_read_name = type.__dict__["__name__"].__get__


def keep(cls: Any) -> None:
    """Keep `cls`, which has just been made for a program."""
    if is_class(cls):
        _kept.append(cls)


def may_be_named(values: Iterable[Any]) -> bool:
    """Return False for a text of the program's own kind, which a look at the name would ask."""
    return all(type(value) is str or not issubclass(type(value), str) for value in values)


def keep_name(cls: type) -> None:
    """Keep the name of `cls`, which is about to get another one."""
    name = _read_name(cls)
    _names[id(name)] = name


def are_there() -> bool:
    """Return True if a class of the program's inherits from another one of its classes."""
    # Every class of the host's is immutable, and no program can change the bases of one of its own.
    return any(not flags_of(base) & IMMUTABLE for cls in _kept for base in bases_of(cls))


def let_go() -> None:
    """Keep none any more."""
    _kept.clear()
