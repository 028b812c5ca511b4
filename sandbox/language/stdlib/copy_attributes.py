"""What an object has of its own, in its namespace and in slots, for the copy of it."""

import dataclasses
import types
from collections.abc import Callable, Iterator
from typing import Any

from sandbox.language.guards.kinship import (
    Kinship,
    dict_of,
    instance_dict,
    mro_of,
    name_of,
)
from sandbox.language.guest.denied import denied_class

Deep = Callable[[Any, Any], Any]
# A frozen dataclass refuses the stores by which its slots would be set.
_FROZEN = getattr(dataclasses, "_dataclass_setstate", None)


def transfer(
    x: Any,
    made: Any,
    deep: Deep,
    memo: Any,
    *,
    kin: Kinship,
    store: Callable[..., None],
    is_open: bool,
) -> None:
    """Give `made` the attributes of `x`, each of them copied by `deep`.

    Of an object of the host's they are taken only if they are the program's own (`is_open`: of its
    class they always are), and only another of the same class is given them: a program's `__new__`
    may return whatever it likes.
    """
    if not (is_open or kin.holds_own(x)):
        return
    kind = type(x)
    own = instance_dict(x)
    if own:
        state = {}
        for name, value in list(dict.items(own)):  # in this frame: graphs of objects are deep
            state[deep(name, memo)] = deep(value, memo)
        _check(made, kind)
        target = instance_dict(made)
        if target is not None:
            dict.update(target, state)
    if kind in kin.host:
        return
    slots = list(_slots(x, kind, kin))
    if not slots:
        return
    values = [(member, deep(value, memo)) for member, value in slots]
    _check(made, kind)
    is_frozen = any(dict_of(cls).get("__setstate__") is _FROZEN for cls in mro_of(kind))
    for member, value in values:
        if is_frozen and _FROZEN is not None:
            member.__set__(made, value)
        else:
            store(made, member.__name__, value)


def _slots(x: Any, kind: type, kin: Kinship) -> Iterator[tuple[Any, Any]]:
    """The members that classes of the program's declare, and what `x` has in them."""
    for cls in mro_of(kind):
        if cls in kin.host or "__slots__" not in dict_of(cls):
            continue
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
