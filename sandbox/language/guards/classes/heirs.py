"""Classes of a program's are no garbage before it ends; with heirs among them, not even then.

A class knows its heirs by weak references, and tells them when it changes: what CPython remembers
of a class (its cache of attributes, specialized instructions) lends what stands there. The
collector takes those references away before it runs finalizers (gh-135552). A finalizer that
changes the class, or the collector that empties it, would free what an heir goes on to lend.
"""

from typing import Any

from sandbox.language.guards.classes.class_origin import IMMUTABLE, bases_of, flags_of, is_class

_kept: list[Any] = []


def keep(cls: Any) -> None:
    """Keep `cls`, which has just been made for a program."""
    if is_class(cls):
        _kept.append(cls)


def are_there() -> bool:
    """Return True if a class of the program's inherits from another one of its classes."""
    # Every class of the host's is immutable, and no program can change the bases of one of its own.
    return any(not flags_of(base) & IMMUTABLE for cls in _kept for base in bases_of(cls))


def let_go() -> None:
    """Keep none any more."""
    _kept.clear()
