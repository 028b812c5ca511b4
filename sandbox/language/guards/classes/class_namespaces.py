"""The parts that a guest's class may have: the names in its namespace, and the values of a few."""

import sys
import types
from typing import Any

from sandbox.language.compile import names
from sandbox.language.compile.rewriting import OURS
from sandbox.language.guards.classes.annotations import is_annotate
from sandbox.language.guards.classes.class_hooks import ShownHook
from sandbox.language.guards.classes.class_origin import is_guest_function
from sandbox.language.guards.classes.match_args import check_match_args
from sandbox.language.guest.ends.denials import denied_class


def take_out_ours(namespace: Any, is_for_metaclass: bool) -> None:
    """Take out what compiled code of ours has bound in the body of a class statement.

    A metaclass of the program's is handed the namespace, with stand-ins for classes of patterns,
    and with a cell, for which it gets a stand-in. So is anything else that is called in the place
    of one, and may keep what it is given; not a metaclass of the host's (`is_for_metaclass`).
    """
    for name in [name for name in namespace if name.startswith(OURS)]:
        dict.pop(namespace, name)
    if not is_for_metaclass and _CLASS_CELL in namespace:
        stand_in = ClassCell()
        _cells[id(stand_in)] = stand_in, dict.pop(namespace, _CLASS_CELL)
        namespace[_CLASS_CELL] = stand_in


class ClassCell:
    """Stands in a namespace, where a metaclass of a program's sees it, for the cell of `super()`.

    A program that holds a cell compares it with others, and C code holds not what is in them.
    """

    __slots__ = ()


_cells: dict[int, tuple[ClassCell, Any]] = {}


def forget() -> None:
    """Let go of the cells of a program that is over."""
    _cells.clear()


def _show_cell(namespace: dict[str, Any]) -> None:
    if _CLASS_CELL in namespace:
        given = namespace[_CLASS_CELL]
        if type(given) is types.CellType:
            return  # a metaclass of the host's was given it: no program holds one
        if type(given) is not ClassCell:
            raise TypeError(f"{_CLASS_CELL} must be a nonlocal cell, not {type(given)!r}")
        namespace[_CLASS_CELL] = _cells[id(given)][1]


def check_names(namespace: Any) -> None:
    """Look at what the body of a class statement has bound: the compiler has seen its names.

    Its slots are taken from what lists them, now: CPython would run code of the program's while it
    makes the class, when all looks are over.
    """
    if "__slots__" in namespace:
        namespace["__slots__"] = _slots(namespace["__slots__"])
    for name in _TEXTS:
        if name in namespace and type(namespace[name]) is not str:
            raise denied_class(f"{name!r} that is no str")
    if "__match_args__" in namespace:
        check_match_args(namespace["__match_args__"])
    if _LENDS and "__get__" in namespace and not is_guest_function(namespace["__get__"]):
        raise denied_class("defining '__get__' as anything but a function")


# Before CPython 3.13 the interpreter holds no reference to an object that is a special method while
# its `__get__` runs, so a guest could free it. Where `__get__` is a function, its frame holds one.
_LENDS = sys.version_info < (3, 13)


def checked(namespace: Any) -> dict[str, Any]:
    """Return a copy of what a class is to be made of, or raise TypeError."""
    copy = dict(namespace)
    for name, value in copy.items():
        if type(name) is not str:
            raise TypeError("type() argument 3 must have exact strings for keys")
        if _GUARD in name:
            raise denied_class(f"defining {name!r}")
        if name == "__match_args__":
            check_match_args(value)
        elif names.is_dunder(name) and not _may_define(name, value):
            raise denied_class(f"defining {name!r}")
    _show_cell(copy)
    copy.setdefault("__module__", "__main__")  # CPython would take it from our frame
    check_names(copy)
    empty_cell(copy)
    for name in _ANNOTATIONS:
        if name in copy:
            if type(copy[name]) is not dict:
                raise denied_class(f"{name!r} that are no plain dict")
            copy[name] = dict(copy[name])  # the guest may hold the original
    for name in _DEFERRED:
        if copy.get(name) is not None and not is_annotate(copy[name]):
            raise denied_class(f"{name!r} that no class statement has made")
    return copy


def _slots(given: Any) -> Any:
    """Return the names of the slots, in a container that CPython takes as it took what was given.

    A slot is a descriptor of C code, whose name no compiler has seen: none takes the place of a
    method that is looked for.
    """
    kind = type(given)
    if kind is dict:
        slots: Any = dict(given)
    else:
        slots = (given,) if issubclass(kind, str) else tuple(given)
    if not all(type(name) is str for name in slots):
        raise TypeError("__slots__ items must be strings")
    for name in slots:
        if names.is_dunder(name) and name not in _SLOTS:
            raise denied_class(f"a slot {name!r}")
    if kind is str:
        return given
    return list(slots) if kind is list else slots


def empty_cell(namespace: dict[str, Any]) -> None:
    """Keep the real namespace of a class out of a cell that the guest may hold.

    CPython would put it there for annotations and type parameters: a copy serves them as well.
    """
    if _CELL in namespace:
        cell = dict.pop(namespace, _CELL)
        if type(cell) is not types.CellType:
            raise denied_class(f"{_CELL!r} that is no cell")
        cell.cell_contents = dict(namespace)


def _may_define(name: str, value: Any) -> bool:
    if name in names.SHOWN:
        return issubclass(type(value), ShownHook)
    return names.may_bind(name) or name in names.COMPILER_MADE


_GUARD = "guard:"  # in the names of our own, some of which are in classes
_SLOTS = names.DATA | {"__dict__", "__weakref__"}
# Host code chooses by them what a class belongs to: a property of a metaclass would answer instead.
_TEXTS = ("__module__", "__qualname__")
_ANNOTATIONS = ("__annotations__", "__annotations_cache__")
_DEFERRED = ("__annotate__", "__annotate_func__")  # which C code calls, from CPython 3.14 on
_CELL, _CLASS_CELL = "__classdictcell__", "__classcell__"
