"""The attributes of an object, in its namespace and in slots, for the copy of it."""

import dataclasses
import types
from collections.abc import Callable, Iterator
from typing import Any

from sandbox.language.guards.classes.class_origin import (
    Kinship,
    dict_of,
    instance_dict,
    mro_of,
    name_of,
)
from sandbox.language.guest.ends.denials import denied_class

Deep = Callable[[Any, Any], Any]
_NONE: Any = object()
# A frozen dataclass refuses the stores by which its slots would be set.
_FROZEN = getattr(dataclasses, "_dataclass_setstate", None)


def give_namespace(x: Any, made: Any, deep: Deep, run: Any) -> None:
    """Give `made` what the namespace of `x` holds, each of it copied by `deep`.

    Only another of the same class is given it: a program's `__new__` may return whatever it likes.
    """
    own = instance_dict(x)
    if not own:
        return
    state = {}
    for name, value in list(dict.items(own)):  # in this frame: graphs of objects are deep
        kind = type(value)
        state[name if type(name) is str else deep(name, run)] = (
            value if kind is int or kind is str else deep(value, run)
        )
    _check(made, type(x))
    target = instance_dict(made)
    if target is not None:
        dict.update(target, state)


def give_slots(
    x: Any, made: Any, deep: Deep, run: Any, *, kin: Kinship, store: Callable[..., None]
) -> None:
    """Give `made` what is in those slots of `x` that classes of the program's declare."""
    kind = type(x)
    slots = None
    for cls in mro_of(kind):
        if "__slots__" in dict_of(cls) and cls not in kin.host:
            slots = [*(slots or ()), *_slots(x, cls)]
    if not slots:
        return
    values = [(member, deep(value, run)) for member, value in slots]
    _check(made, kind)
    is_frozen = any(dict_of(cls).get("__setstate__", _NONE) is _FROZEN for cls in mro_of(kind))
    for member, value in values:
        if is_frozen:
            member.__set__(made, value)
        else:
            store(made, member.__name__, value)


def _slots(x: Any, cls: type) -> Iterator[tuple[Any, Any]]:
    for member in list(dict_of(cls).values()):
        if type(member) is types.MemberDescriptorType and member.__objclass__ is cls:
            try:
                value = member.__get__(x)
            except AttributeError:
                continue
            yield member, value


def _check(made: Any, kind: type) -> None:
    if type(made) is not kind:
        raise denied_class(f"copying this {name_of(kind)!r} object into another kind")
