"""Classes of a program's are no garbage before it ends; with heirs among them, not even then.

A class knows its heirs by weak references, and tells them when it changes: what CPython remembers
of a class (its cache of attributes, specialized instructions) lends what stands there. The
collector takes those references away before it runs finalizers (gh-135552). A finalizer that
changes the class, or the collector that empties it, would free what an heir goes on to lend.

A name that a class has had is kept, too: C code borrows its characters while it asks what is to be
written beside them.
"""

from collections.abc import Callable, Iterable
from typing import Any

from sandbox.language.guards.classes.class_origin import (
    IMMUTABLE,
    bases_of,
    flags_of,
)

# A chain of pairs, class and rest: a class is put into a pair that is there, which takes no memory.
_kept: list[Any] = [None]
_spare = [bytes(2 << 20)]  # address space alone, as no page of it is written
_names: dict[int, str] = {}  # by identity: an equal text is another object
_read_name = type.__dict__["__name__"].__get__


def kept(make: Callable[[], Any], bases: Iterable[Any]) -> Any:
    """Return what `make` makes, a class of a program's with these `bases`, and keep it.

    Also where `make` raises: code of the program's may have met the class by then.
    """
    place = _kept[0] = [None, _kept[0]]
    try:
        made = place[0] = make()
    except BaseException:
        # No call of Python code: the stack may be full. For want of memory it is tried on, with
        # what is spared for it, and then until the program's time is over.
        while True:
            try:
                known, rest = set(), _kept[0]
                while rest:
                    known.add(id(rest[0]))
                    rest = rest[1]
                for base in bases or (object,):
                    if issubclass(type(base), type):
                        for cls in type.__subclasses__(base):
                            if not flags_of(cls) & IMMUTABLE and id(cls) not in known:
                                _kept[0] = [cls, _kept[0]]
                break
            except MemoryError:
                _spare.clear()
        raise
    return made


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
    rest = _kept[0]
    while rest:
        cls, rest = rest
        bases = bases_of(cls) if issubclass(type(cls), type) else ()
        if any(not flags_of(base) & IMMUTABLE for base in bases):
            return True
    return False


def let_go() -> None:
    """Keep none any more."""
    _kept[0] = None
