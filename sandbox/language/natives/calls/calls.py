"""Calls of methods of C's that have lost their object, on CPython before 3.13.3.

A call without arguments that was specialized for an instance and then meets the method alone, as of
a class, takes what an earlier frame left on the stack for the instance (gh-131998). On 3.11 it also
gives up a reference to it that it does not have. From 3.12 on the method is told that it has -1
arguments, and not all refuse that: `Struct.pack` reads on.

The instruction asks for the flags of a method. One more, which has a meaning only while a class is
made, makes them others than it asks for, and leaves the call to the method itself.
"""

import ctypes
import types

from sandbox.errors import SandboxError
from sandbox.language.guards.classes.class_origin import all_classes, dict_of
from sandbox.language.natives.patching import before
from sandbox.language.natives.types.type_slots import WORD_BYTES


def harden() -> None:
    """Let no instruction call a method of C's that takes its arguments as an array."""
    if not before(3, 13, 3):
        return
    for cls in all_classes():
        for method in dict_of(cls).values():
            if type(method) is types.MethodDescriptorType:
                _never_call_by_flags(method)


def _never_call_by_flags(method: types.MethodDescriptorType) -> None:
    """Have calls of `method` come by `tp_call` wherever its arguments are an array.

    Raises SandboxError unless the object and its definition are laid out as expected
    (PyMethodDescrObject in Include/cpython/descrobject.h, PyMethodDef in Include/methodobject.h).
    """
    kind, name, _, definition = _FOUR_WORDS.from_address(id(method) + 2 * WORD_BYTES)[:]
    if kind != id(method.__objclass__) or name != id(method.__name__):
        raise SandboxError("methods are not laid out as expected")
    defined = _Definition.from_address(definition)
    flags = defined.flags
    if defined.name != method.__name__.encode() or not 0 < flags < _FLAGS_END:
        raise SandboxError("definitions of methods are not laid out as expected")
    if flags & _FASTCALL:
        defined.flags = flags | _COEXIST


_FOUR_WORDS = ctypes.c_size_t * 4


class _Definition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    )


_COEXIST, _FASTCALL, _FLAGS_END = 0x40, 0x80, 0x400  # METH_COEXIST, METH_FASTCALL
