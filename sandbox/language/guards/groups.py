"""The guard before each match of `except*`.

The interpreter asks an exception group for its `split` and takes what comes back for a pair without
a look at it (fixed in 3.12.9 and 3.13.2; CVE-2025-22153 is what that meant for RestrictedPython).
So nothing but CPython's own `split` may answer, and nothing of a guest's may run between our look
and its call. The guard is called with the evaluated type: the match is the next instruction. While
it looks the collector is off, and once it is on again nothing is allocated until `split` is found.

Of several handlers the later ones are given what the first left over. That is new and out of reach
of a guest, if CPython made it: so with several handlers no code of a guest's may take part in
splitting at all, as `derive` of a class of its own would.
"""

import gc
import sys
from typing import Any

from sandbox.language.guards.classes.class_origin import Kinship, dict_of, instance_dict, mro_of
from sandbox.language.guest.ends.denials import denied_group

_PLAIN_NOTES = (list, tuple, str)
_parts = BaseExceptionGroup.__dict__["exceptions"].__get__


def star_guard(kin: Kinship) -> Any:
    """Make the guard. It is given what `except*` names, and whether that is the only handler."""

    def star(kind: Any, alone: bool, /) -> Any:
        collecting = _collecting()
        _stop()
        try:
            current = sys.exception()
            if current is not None and issubclass(type(current), BaseExceptionGroup):
                safe = _splits_as_cpython(current, kin) if alone else _is_plain(current, kin)
                if not safe:
                    raise denied_group()
        finally:
            if collecting:
                _go_on()
        return kind

    return star


_collecting, _stop, _go_on = gc.isenabled, gc.disable, gc.enable


def _splits_as_cpython(group: BaseException, kin: Kinship) -> bool:
    """Return True if `group.split` is CPython's, whatever code of a guest's it comes to call."""
    return _has_none(type(group), kin, _FINDS) and _keeps(group, ("split",))


_FINDS = {"split", "__getattribute__"}
_TAKES_PART = _FINDS | {"derive", "__getattr__", "__notes__"}  # or is asked for by what does


def _is_plain(group: BaseException, kin: Kinship) -> bool:
    """Return True if splitting `group` runs no code of a guest's at any depth.

    A class of a guest's that leaves `split` and what that calls alone is as good as its base.
    """
    stack: list[Any] = [group]
    while stack:
        item = stack.pop()
        if not issubclass(type(item), BaseExceptionGroup):
            continue
        if not _has_none(type(item), kin, _TAKES_PART) or not _keeps(item, ("split", "derive")):
            return False
        if type(dict.get(instance_dict(item) or {}, "__notes__", "")) not in _PLAIN_NOTES:
            return False
        stack += _parts(item)
    return True


def _has_none(kind: type, kin: Kinship, wrong: set[str]) -> bool:
    """Return True if no class of a guest's that `kind` is made of has one of the `wrong` names."""
    for cls in mro_of(kind):
        if cls in kin.host:
            continue
        names = dict_of(cls)
        # A key of another kind may equal "split" when C looks, and not when we do.
        if any(type(name) is not str for name in names) or not wrong.isdisjoint(names):
            return False
    return True


def _keeps(group: BaseException, names: tuple[str, ...]) -> bool:
    """Return True if the namespace of `group` itself has none of `names`, by whatever key."""
    own = list(dict.keys(instance_dict(group) or {}))  # it may be a dict of the guest's own kind
    return all(type(name) is str for name in own) and not any(name in own for name in names)
