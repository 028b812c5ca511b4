"""Deferred annotations (CPython 3.14, PEP 649): a function of the program's, which the host calls.

CPython's `annotationlib` makes another function of the code of such a function, in which each name
that is missing stands for an object of the host's that takes every operation. For a program it does
not: the function is called as it is, and again with a `ForwardRef` under each name that was
missing, for as long as it runs. It is asked for values alone, so that it is handed no object of the
host's. A reference is not evaluated: it would look its name up in the real builtins.
"""

from collections.abc import Callable
from importlib import import_module
from types import CellType, FunctionType
from typing import Any

from sandbox.language.compile import names
from sandbox.language.guards.classes.class_origin import is_class, is_guest_function
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.guest.state import on_behalf_of_guest

try:
    _module: Any = import_module("annotationlib")
except ImportError:  # before 3.14
    _module = None
VALUE, FORWARD = 1, 3  # annotationlib.Format
_NAME = "__annotate__"
_MOST_MISSING = 1000
_name_of = NameError.__dict__["name"].__get__
Undo = Callable[[], None]


def guard_annotations() -> None:
    """Put the looks into `annotationlib`, where this Python has it."""
    if _module is None or hasattr(_module.call_annotate_function, "guarded"):
        return
    call = _module.call_annotate_function

    def call_annotate_function(
        annotate: Any, format: Any, *, owner: Any = None, _is_evaluate: bool = False
    ) -> Any:
        if not on_behalf_of_guest():
            return call(annotate, format, owner=owner, _is_evaluate=_is_evaluate)
        number = int.__index__(format)
        if type(annotate) is not FunctionType or number not in (VALUE, FORWARD):
            raise denied_class("annotations in this form")
        if not is_annotate(annotate):  # one of `typing` or `dataclasses`, which ask here
            return annotate(number)
        return values(annotate, owner)[0] if number == FORWARD else annotate(VALUE)

    call_annotate_function.guarded = True  # type: ignore[attr-defined]
    _module.call_annotate_function = call_annotate_function
    kind = _module.ForwardRef
    for name in ("evaluate", "_evaluate"):
        setattr(kind, name, _refusing(getattr(kind, name)))


def _refusing(method: Any) -> Any:
    def evaluate(self: Any, /, *args: Any, **named: Any) -> Any:
        if on_behalf_of_guest():
            raise denied_class("evaluating a forward reference")
        return method(self, *args, **named)

    return evaluate


def is_annotate(o: Any) -> bool:
    """Return True for a function that the compiler made for annotations of a program's.

    What it gives is a plain dict. No program binds its name, and so none makes another.
    """
    return is_guest_function(o) and o.__code__.co_name == _NAME


def values(annotate: FunctionType, owner: Any) -> tuple[Any, bool]:
    """Call a program's `annotate`, with a reference for each name that has no value yet.

    Returns what it gave, and whether a name was missing.
    """
    undone: dict[str, Undo] = {}
    try:
        while True:
            try:
                return annotate(VALUE), bool(undone)
            except NameError as error:
                name = _name_of(error)
                if type(name) is not str or name in undone or len(undone) == _MOST_MISSING:
                    raise
                reference = _module.ForwardRef(name, owner=owner, is_class=is_class(owner))
                undo = _lend(annotate, name, reference)
                if undo is None:
                    raise
                undone[name] = undo
    finally:
        for undo in undone.values():
            undo()


def _lend(annotate: FunctionType, name: str, reference: Any) -> Undo | None:
    """Bind the missing `name` to `reference` where `annotate` looks; return what ends that."""
    if ":" in name or names.is_dunder(name):
        return None
    cells = dict(zip(annotate.__code__.co_freevars, annotate.__closure__ or (), strict=True))
    if name in cells:
        return _in_cell(cells[name], reference)
    return _in_globals(annotate.__globals__, name, reference)


def _in_cell(cell: CellType, reference: Any) -> Undo | None:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        cell.cell_contents = reference
    else:
        return None

    def undo() -> None:
        if cell.cell_contents is reference:
            del cell.cell_contents

    return undo


def _in_globals(space: dict[str, Any], name: str, reference: Any) -> Undo | None:
    if name in space:
        return None
    space[name] = reference

    def undo() -> None:
        if space.get(name) is reference:
            del space[name]

    return undo
