"""C code borrowed from one class, to be called for another, or past what stands in its place.

The layout of CPython's descriptors (Include/cpython/descrobject.h) is not believed: what they say
of themselves is compared with what stands in them.
"""

import ctypes
import types
from collections.abc import Callable
from typing import Any

from sandbox.errors import SandboxError
from sandbox.language.guards.classes.class_origin import dict_of
from sandbox.language.natives.types.type_slots import WORD_BYTES, word_at


def writer_of(cls: type, name: str) -> Callable[..., None]:
    """Return CPython's own `cls.__setattr__` or `cls.__delattr__`, to call when that is replaced.

    As it stands, CPython's method would ask whether the slot is still its own. What a dict calls
    for its items does not, and takes the same arguments.
    """
    own, beside = dict_of(cls)[name], dict_of(dict)[_TAKING_AS_MUCH[name]]
    for method, owner in ((own, cls), (beside, dict)):
        if word_at(id(method) + 2 * WORD_BYTES).value != id(owner):  # PyDescrObject.d_type
            raise SandboxError(f"methods like {name} have a layout that is not known")
    make = ctypes.pythonapi.PyDescr_NewWrapper
    make.restype, make.argtypes = (
        ctypes.py_object,
        (ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p),
    )
    # PyWrapperDescrObject.d_base and d_wrapped
    base, wrapped = word_at(id(beside) + 5 * WORD_BYTES), word_at(id(own) + 6 * WORD_BYTES)
    made: Callable[..., None] = make(cls, base.value, wrapped.value)
    return made


_TAKING_AS_MUCH = {"__setattr__": "__setitem__", "__delattr__": "__delitem__"}


def getter_of(cls: type, getter: types.GetSetDescriptorType) -> Callable[[object], Any]:
    """Make a function that reads of a `cls` what `getter` reads of its own class.

    Only where both have it at the same place: C code looks at no type.
    """
    place = id(getter)
    owner, name, definition = (word_at(place + WORD_BYTES * at).value for at in (2, 3, 5))
    text = ctypes.c_char_p.from_address(definition).value  # PyGetSetDef.name
    known = owner == id(getter.__objclass__) and name == id(getter.__name__)
    if not known or text != getter.__name__.encode():
        raise SandboxError("getters have a layout that is not known")
    make = ctypes.pythonapi.PyDescr_NewGetSet
    make.restype, make.argtypes = ctypes.py_object, (ctypes.py_object, ctypes.c_void_p)
    made: Callable[[object], Any] = make(cls, definition).__get__
    return made
