"""`set` before CPython 3.13.12 and 3.14.3: one place in its table is filled twice (gh-141805).

`add` remembers a place that a removed element has left, and asks elements of the same hash whether
they are equal. An element that their code puts there meanwhile is overwritten and counted all the
same. From 3.13 on `list` makes as long a list as the set says: its last item is whatever stood in
memory; before, what makes the set anew writes past it.

So a set is changed by one at a time, whatever is put in: to ask the host's own elements may run
code of a program's too (a class that is registered with `numbers.Rational`, a finalizer). Who is
at it is noted, which costs no more than to look for whom it would not be needed.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from sandbox.language.guards.classes.class_origin import has_method
from sandbox.language.natives.patching import Method, lacks, original, replace

_ADDING = ("update", "__ior__")
_OTHERS = (
    *("symmetric_difference_update", "intersection_update", "difference_update"),
    *("__ixor__", "__iand__", "__isub__", "__init__"),
)
_CHANGED = "Set changed size during iteration"
# What C code walks over without calling anything.
_WALKED = frozenset((set, frozenset, dict, list, tuple, str, range))
# The set that is being changed, and those whose change waits for that: the innermost last. Not by
# `id`, which is an event: the audit's own hook fills sets.
_innermost: Any = None
_outer: list[Any] = []


def harden() -> None:
    """Replace what changes a set where it is needed."""
    if lacks((3, 13, 12), (3, 14, 3)):
        replace(set, _adding, "add")
        for name in _ADDING:
            replace(set, partial(_updating, name), name)
        replace(set, _changing, *_OTHERS)
        replace(set, _clearing, "clear")


def _adding(own: Method) -> Method:
    def add(self: Any, item: Any, /) -> None:
        global _innermost
        if _innermost is None:
            _innermost = self
            try:
                own(self, item)
            finally:
                _innermost = None
        else:
            _alone(self, own, self, item)

    return add


def _alone(self: Any, own: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    global _innermost
    waiting = _innermost
    if waiting is not None:
        _outer.append(waiting)
    try:
        for running in _outer:
            if running is self:
                raise RuntimeError(_CHANGED)
        _innermost = self
        return own(*arguments, **named)
    finally:
        _innermost = waiting
        if waiting is not None:
            _outer.pop()


def _updating(name: str, own: Method) -> Method:
    """Make a method that adds one by one.

    What gives the elements may well change the set, as it runs between them.
    """
    put = _adding(original(set, "add"))

    def update(self: Any, /, *others: Any) -> Any:
        if not issubclass(type(self), set) or _is_wrong(name, others):
            return own(self, *others)
        for other in others:
            if type(other) in _WALKED:
                _alone(self, own, self, other)
                continue
            for item in other:
                put(self, item)
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
        waiting = _innermost is not None
        return _alone(self, own, self, *arguments) if waiting else own(self, *arguments)

    return clear


def _held(argument: Any) -> Any:
    """Ask `argument` for its elements before the set is changed. CPython raises what is wrong."""
    kind = type(argument)
    if kind in _WALKED or not has_method(kind, "__iter__"):
        return argument
    return argument if issubclass(kind, (set, frozenset)) else list(argument)
