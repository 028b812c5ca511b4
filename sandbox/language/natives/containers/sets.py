"""`set` before CPython 3.13.12: one place in its table is filled twice (gh-141805).

`add` remembers a place that a removed element has left, and asks elements of the same hash whether
they are equal. An element that their code puts there meanwhile is overwritten and counted all the
same. From 3.13 on `list` makes as long a list as the set says: its last item is whatever stood in
memory; before, what makes the set anew writes past it.

So a set is changed by one at a time. Only what is of a kind that is compared without code of a
program's (a number, a text) goes straight in: no class of the host's, whatever it asks its
instances for, runs any when it meets one of these, and a class of the program's only if it has a
comparison, which is noticed.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from sandbox.language.natives.demand import ASKED_FOR_EQUALITY, on_demand
from sandbox.language.natives.patching import Method, before, original, replace

_ADDING = ("update", "__ior__")
_OTHERS = (
    *("symmetric_difference_update", "intersection_update", "difference_update"),
    *("__ixor__", "__iand__", "__isub__", "__init__"),
)
_CHANGED = "Set changed size during iteration"
_PLAIN = frozenset((int, str, bytes, float, complex, bool, type(None), type(...)))
# What C code walks over without calling anything.
_WALKED = frozenset((set, frozenset, dict, list, tuple, str, range))
# The innermost last. Not by `id`, which is an event: the audit's own hook fills sets.
_running: list[Any] = []
_feared = False
_watched = False  # one is running, or a comparison is feared
_start, _stop = _running.append, _running.pop


def harden() -> None:
    """Replace what changes a set where it is needed."""
    if before(3, 13, 12):
        for name in ASKED_FOR_EQUALITY:
            on_demand(name, _fear)
        replace(set, _adding, "add")
        for name in _ADDING:
            replace(set, partial(_updating, name), name)
        replace(set, _changing, *_OTHERS)
        replace(set, _clearing, "clear")


def _fear() -> None:
    global _feared, _watched
    _feared = _watched = True


def _adding(own: Method) -> Method:
    def add(self: Any, item: Any, /) -> None:
        global _watched
        if _watched:
            _alone(self, own, self, item)
        elif type(item) in _PLAIN:
            own(self, item)
        else:  # as `_alone` does it
            _start(self)
            _watched = True
            try:
                own(self, item)
            finally:
                _stop()
                _watched = _feared

    return add


def _alone(self: Any, own: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    global _watched
    for running in _running:
        if running is self:
            raise RuntimeError(_CHANGED)
    _start(self)
    _watched = True
    try:
        return own(*arguments, **named)
    finally:
        _stop()
        if not _running:
            _watched = _feared


def _updating(name: str, own: Method) -> Method:
    """Make a method that adds one by one.

    What gives the elements may well change the set, as it runs between them.
    """
    add = original(set, "add")
    put = _adding(add)

    def update(self: Any, /, *others: Any) -> Any:
        if not issubclass(type(self), set) or _is_wrong(name, others):
            return own(self, *others)
        for other in others:
            if type(other) in _WALKED:
                _alone(self, own, self, other)
                continue
            for item in other:
                if _watched or type(item) not in _PLAIN:
                    put(self, item)
                else:
                    add(self, item)
        return self if name == "__ior__" else None

    return update


def _is_wrong(name: str, others: tuple[Any, ...]) -> bool:
    return name == "__ior__" and (
        len(others) != 1 or not issubclass(type(others[0]), (set, frozenset))
    )


def _changing(own: Method) -> Method:
    def change(self: Any, /, *arguments: Any, **named: Any) -> Any:
        return _alone(self, own, self, *map(_held, arguments), **named)

    return change


def _clearing(own: Method) -> Method:
    """Make a `clear` that compares nothing, but does not come while another change does."""

    def clear(self: Any, /, *arguments: Any) -> Any:
        return _alone(self, own, self, *arguments) if _running else own(self, *arguments)

    return clear


def _held(argument: Any) -> Any:
    """Ask `argument` for its elements before the set is changed. CPython raises what is wrong."""
    kind = type(argument)
    if kind in _WALKED or not hasattr(kind, "__iter__"):
        return argument
    return argument if issubclass(kind, (set, frozenset)) else list(argument)
