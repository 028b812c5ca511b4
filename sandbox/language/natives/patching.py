"""Puts a method of ours into a class that is written in C and refuses every store.

What is called by name is looked up in the class's own dict. What an operator or the interpreter
calls is a pointer in the class's struct: CPython sets it for a class that it made at run time, and
for one that is compiled in we copy the pointer that a class of ours has under the same name.
"""

from __future__ import annotations  # a type that is named in one would be found there

import ctypes
import sys
from collections.abc import Callable
from typing import Any

from sandbox.errors import SandboxError
from sandbox.language.guards.kinship import HEAP, IMMUTABLE, dict_of

Method = Callable[..., Any]
_FLAGS = 168  # bytes into a PyTypeObject: tp_flags
_NUMBER, _SEQUENCE, _MAPPING = 96, 104, 112  # pointers to tables of further slots
# Where a method's slot is: in the class itself, or in the table that a pointer of it leads to.
_SLOTS: dict[str, tuple[int | None, int]] = {
    "__repr__": (None, 88),
    "__hash__": (None, 120),
    "__str__": (None, 136),
    "__setattr__": (None, 152),
    "__lt__": (None, 200),
    "__next__": (None, 224),
    "__init__": (None, 296),
    "__new__": (None, 312),
    "__mod__": (_NUMBER, 24),
    "__contains__": (_SEQUENCE, 56),
    "__getitem__": (_MAPPING, 8),
    "__setitem__": (_MAPPING, 16),
    **{f"__{name}__": (None, 200) for name in ("le", "eq", "ne", "gt", "ge")},
}
_originals: dict[tuple[type, str], Any] = {}


def original(cls: type, name: str) -> Any:
    """CPython's own `cls.name`, also after it was replaced."""
    if (cls, name) not in _originals:
        _originals[cls, name] = dict_of(cls)[name]
    return _originals[cls, name]


def replace(cls: type, make: Callable[[Method], Method], *names: str) -> None:
    """Replace each of `names` in `cls` by what `make` makes of CPython's own.

    A name that this Python's class lacks is passed over. Raises SandboxError where the class cannot
    be changed.
    """
    for name in names:
        if name in dict_of(cls):
            own = original(cls, name)
            put(cls, name, _named(make(own), own, name))


def _named(method: Any, own: Any, name: str) -> Any:
    method.__name__ = name
    method.__qualname__ = getattr(own, "__qualname__", name)
    method.__doc__ = getattr(own, "__doc__", None)
    return method


def put(cls: type, name: str, value: Any) -> None:
    """`cls.name = value`, also where CPython forbids it."""
    if not cls.__flags__ & IMMUTABLE:
        setattr(cls, name, value)
    elif cls.__flags__ & HEAP:
        _put_into_heap_type(cls, name, value)
    else:
        _put_into_static_type(cls, name, value)
    if dict_of(cls).get(name) is not value:
        raise SandboxError(f"cannot replace {cls.__name__}.{name}")


def _word(address: int) -> Any:
    return ctypes.c_size_t.from_address(address)


def _put_into_heap_type(cls: type, name: str, value: Any) -> None:
    flags = _word(id(cls) + _FLAGS)
    if flags.value != cls.__flags__:
        raise SandboxError("this Python's classes have a layout that is not known")
    flags.value &= ~IMMUTABLE
    try:
        type.__setattr__(cls, name, value)
    finally:
        flags.value |= IMMUTABLE


class _Take:
    """It answers with what it is compared to: for a proxy, what that stands for."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        return other

    __hash__ = None  # type: ignore[assignment]


def put_beside_slot(cls: type, name: str, value: Any) -> None:
    """`cls.name = value` for what looks the name up; what goes by the slot finds CPython's own."""
    namespace: Any = dict_of(cls) == _Take()
    if type(namespace) is not dict:
        raise SandboxError("this Python's classes have a layout that is not known")
    namespace[name] = value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _put_into_static_type(cls: type, name: str, value: Any) -> None:
    put_beside_slot(cls, name, value)
    if name in _SLOTS:
        table, offset = _SLOTS[name]
        ours = type("Slots", (), {"__hash__": object.__hash__, name: value})
        _slot(cls, table, offset).value = _slot(ours, table, offset).value


def _slot(cls: type, table: int | None, offset: int) -> Any:
    address = id(cls)
    if table is not None:
        address = _word(address + table).value
        if not address:
            raise SandboxError(f"{cls.__name__} has no such slot")
    return _word(address + offset)


def before(*release: int) -> bool:
    """True if this Python is older than `release`, of the same or an earlier minor version."""
    return sys.version_info < release
