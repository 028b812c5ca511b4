"""Words of CPython's type objects that no Python code can write: flags, and two slots.

The offsets are those of `PyTypeObject` (Include/cpython/object.h), where every field up to the ones
used here is as wide as a pointer. They are not believed: what the interpreter says of many types is
compared with what stands at them, and where it differs nothing is written at all.
"""

from __future__ import annotations  # a type that is named in one would be found there

import ctypes
import gc
from collections.abc import Callable
from typing import Any

from sandbox.language.compile.words import words
from sandbox.language.guards.kinship import IMMUTABLE, dict_of

_WORD = ctypes.sizeof(ctypes.c_void_p)
_LAYOUT = """
    ob_refcnt ob_type ob_size tp_name tp_basicsize tp_itemsize tp_dealloc tp_vectorcall_offset
    tp_getattr tp_setattr tp_as_async tp_repr tp_as_number tp_as_sequence tp_as_mapping tp_hash
    tp_call tp_str tp_getattro tp_setattro tp_as_buffer tp_flags tp_doc tp_traverse tp_clear
    tp_richcompare tp_weaklistoffset tp_iter tp_iternext tp_methods tp_members tp_getset tp_base
    tp_dict tp_descr_get tp_descr_set tp_dictoffset tp_init
"""
_OFFSETS = {name: _WORD * at for at, name in enumerate(_LAYOUT.split())}
# What the interpreter says of a type, by the field that must say the same.
_SAID: dict[str, Callable[[type], int]] = {
    "tp_basicsize": type.__dict__["__basicsize__"].__get__,
    "tp_itemsize": type.__dict__["__itemsize__"].__get__,
    "tp_flags": type.__dict__["__flags__"].__get__,
    "tp_base": lambda cls: id(type.__dict__["__base__"].__get__(cls)),
    "tp_dictoffset": type.__dict__["__dictoffset__"].__get__,
}
# By method: the slot that calls it.
_SLOTS = {"__setattr__": "tp_setattro", "__delattr__": "tp_setattro", "__init__": "tp_init"}


class _Probe:
    def __setattr__(self, name: str, value: object) -> None: ...
    def __delattr__(self, name: str) -> None: ...
    def __init__(self) -> None: ...


class _Other(_Probe):
    __setattr__, __delattr__, __init__ = _Probe.__setattr__, _Probe.__delattr__, _Probe.__init__


class _Plain:
    pass


_PROBES = (int, type, BaseException, property, dict, _Probe, _Other, _Plain)


def _word(cls: type, field: str) -> ctypes.c_size_t:
    return ctypes.c_size_t.from_address(id(cls) + _OFFSETS[field])


def verify() -> None:
    """Raise RuntimeError unless type objects are laid out as this module says."""
    for field, said in _SAID.items():
        for cls in _PROBES:
            if _word(cls, field).value != said(cls) % (1 << 8 * _WORD):
                raise RuntimeError(f"types have no {field} where it is expected")
    for field in words("tp_setattro tp_init"):
        calls = _word(_Probe, field).value
        if calls != _word(_Other, field).value or calls == _word(_Plain, field).value:
            raise RuntimeError(f"types have no {field} where it is expected")


def make_immutable(cls: type) -> None:
    """No attribute of `cls` can be set or deleted any more, as of the types written in C."""
    _word(cls, "tp_flags").value |= IMMUTABLE


def make_mutable(cls: type) -> None:
    """Undo that, for as long as a method is put into a type that is written in C."""
    _word(cls, "tp_flags").value &= ~IMMUTABLE


def replace_in_static(cls: type, name: str, method: Callable[..., Any]) -> None:
    """Give a static type the method `name`; CPython keeps those apart from its classes' dicts."""
    (namespace,) = gc.get_referents(dict_of(cls))
    namespace[name] = method
    _word(cls, _SLOTS[name]).value = _word(_Probe, _SLOTS[name]).value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))
    if dict_of(cls)[name] is not method:
        raise RuntimeError(f"{cls.__name__} does not take {name}")
