"""`set` before CPython 3.13.12: one place in its table is filled twice (gh-141805).

`add` remembers a place that a removed element has left, and asks elements of the same hash whether
they are equal. Who puts an element into that place meanwhile is overwritten and counted all the
same. From 3.13 on `list` makes as long a list as the set says: its last item is whatever stood in
memory; before, what makes the set anew writes past it. So once a program has a comparison of its
own, a set is changed by one at a time.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from sandbox.language.natives.demand import ASKED_FOR_EQUALITY, on_demand
from sandbox.language.natives.patching import Method, before, replace

_ADDING = ("update", "__ior__")
_OTHERS = (
    *("symmetric_difference_update", "intersection_update", "difference_update", "clear"),
    *("__ixor__", "__iand__", "__isub__", "__init__"),
)
_CHANGED = "Set changed size during iteration"
# The innermost last. Not by `id`, which is an event: the audit's own hook fills sets.
_running: list[Any] = []
_feared = False
_add = set.add
_start, _stop = _running.append, _running.pop


def harden() -> None:
    """Replace what changes a set where it is needed; it is CPython's own until there is a fear."""
    if before(3, 13, 12):
        for name in ASKED_FOR_EQUALITY:
            on_demand(name, _fear)
        replace(set, _adding, "add")
        for name in _ADDING:
            replace(set, partial(_updating, name), name)
        replace(set, _changing, *_OTHERS)


def _fear() -> None:
    global _feared
    _feared = True


def _adding(own: Method) -> Method:
    def add(self: Any, item: Any, /) -> None:
        if not _feared:
            own(self, item)
            return
        _alone(self, own, (self, item))

    return add


def _alone(self: Any, own: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    for running in _running:
        if running is self:
            raise RuntimeError(_CHANGED)
    _start(self)
    try:
        return own(*arguments)
    finally:
        _stop()


def _updating(name: str, own: Method) -> Method:
    """One by one: what gives the elements may well change the set, as it runs between them."""

    def update(self: Any, /, *others: Any) -> Any:
        if not _feared or not issubclass(type(self), set) or _is_wrong(name, others):
            return own(self, *others)
        for other in others:
            for item in other:
                _alone(self, _add, (self, item))
        return self if name == "__ior__" else None

    return update


def _is_wrong(name: str, others: tuple[Any, ...]) -> bool:
    return name == "__ior__" and (
        len(others) != 1 or not issubclass(type(others[0]), (set, frozenset))
    )


def _changing(own: Method) -> Method:
    def change(self: Any, /, *arguments: Any, **named: Any) -> Any:
        if not _feared:
            return own(self, *arguments, **named)
        held = tuple([_held(argument) for argument in arguments])
        return _alone(self, partial(own, **named), (self, *held))

    return change


def _held(argument: Any) -> Any:
    """Ask `argument` for its elements before the set is changed. CPython raises what is wrong."""
    kind = type(argument)
    if kind in (set, frozenset, dict, list, tuple, str, range) or not hasattr(kind, "__iter__"):
        return argument
    return argument if issubclass(kind, (set, frozenset)) else list(argument)
