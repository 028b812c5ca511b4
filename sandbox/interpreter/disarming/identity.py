"""Objects by identity without an event: each `id` calls the vault's hook, once that is there.

A look at all objects of a process asks for hundreds of thousands of identities, and the event costs
several times what the look does. The hash that CPython gives every object is its address, turned by
four bits: no two objects have the same, and nothing is announced.
"""

from collections.abc import Callable, Iterable
from itertools import compress
from typing import Any, Final

# CPython's own, also after `object` has got another one (`natives/values/identities`).
identity: Final[Callable[[object], int]] = object.__dict__["__hash__"]
_WORD = (1 << 64) - 1
_FEW = 4  # to compare with each takes no longer than to look the identity up


def by_identity(objects: Iterable[Any]) -> dict[int, Any]:
    """Return `objects`, each once, by their identities."""
    kept = [*objects]
    return dict(zip(map(identity, kept), kept, strict=True))


def address(o: object) -> int:
    """Return what `id` says of `o`."""
    turned: int = identity(o) & _WORD
    return (turned << 4 | turned >> 60) & _WORD


def identity_at(address: int) -> int:
    """Return the identity of the object of which `id` says `address`."""
    turned = (address >> 4 | address << 60) & _WORD
    return turned - _WORD - 1 if turned >> 63 else turned


def instances(objects: list[Any], kinds: Iterable[type]) -> list[Any]:
    """Return those of `objects` whose class is one of `kinds` itself, whatever a class says of it.

    A class is not hashed: a metaclass may be one whose classes have no hash.
    """
    wanted = by_identity(kinds)
    if len(wanted) <= _FEW:
        return [o for kind in wanted.values() for o in objects if type(o) is kind]
    return [*compress(objects, map(wanted.__contains__, map(identity, map(type, objects))))]
