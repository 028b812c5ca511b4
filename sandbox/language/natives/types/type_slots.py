"""Words of CPython's type objects that no Python code can write: flags, and the slots of methods.

The offsets are those of `PyTypeObject` and of the tables of methods that it refers to
(Include/cpython/object.h), where every field up to the ones used here is as wide as a pointer. They
are not believed: what the interpreter says of many types is compared with what stands at them, and
where it differs nothing is written at all.
"""

from __future__ import annotations  # a type that is named in one would be found there

import ctypes
import functools
import types
from collections.abc import Callable, Iterable
from typing import NamedTuple

from sandbox.errors import SandboxError
from sandbox.language.guards.classes.class_origin import IMMUTABLE, dict_of, flags_of

WORD_BYTES = ctypes.sizeof(ctypes.c_void_p)
_LAYOUT = """
    ob_refcnt ob_type ob_size tp_name tp_basicsize tp_itemsize tp_dealloc tp_vectorcall_offset
    tp_getattr tp_setattr tp_as_async tp_repr tp_as_number tp_as_sequence tp_as_mapping tp_hash
    tp_call tp_str tp_getattro tp_setattro tp_as_buffer tp_flags tp_doc tp_traverse tp_clear
    tp_richcompare tp_weaklistoffset tp_iter tp_iternext tp_methods tp_members tp_getset tp_base
    tp_dict tp_descr_get tp_descr_set tp_dictoffset tp_init tp_alloc tp_new tp_free tp_is_gc
    tp_bases tp_mro tp_cache tp_subclasses tp_weaklist tp_del tp_version_tag tp_finalize
"""
_OFFSETS = {name: WORD_BYTES * at for at, name in enumerate(_LAYOUT.split())}
# By method, the slot that calls it: a field of the type, and its place in the table that the field
# refers to, if it refers to one.
_SLOTS: dict[str, tuple[str, int | None]] = {
    "__repr__": ("tp_repr", None),
    "__hash__": ("tp_hash", None),
    "__str__": ("tp_str", None),
    "__getattribute__": ("tp_getattro", None),
    "__setattr__": ("tp_setattro", None),
    "__delattr__": ("tp_setattro", None),
    "__next__": ("tp_iternext", None),
    "__init__": ("tp_init", None),
    "__new__": ("tp_new", None),
    "__get__": ("tp_descr_get", None),
    "__del__": ("tp_finalize", None),
    **{f"__{name}__": ("tp_richcompare", None) for name in ("lt", "le", "eq", "ne", "gt", "ge")},
    "__mod__": ("tp_as_number", 3),
    "__rmod__": ("tp_as_number", 3),
    "__or__": ("tp_as_number", 15),
    "__ror__": ("tp_as_number", 15),
    "__isub__": ("tp_as_number", 20),
    "__iand__": ("tp_as_number", 26),
    "__ixor__": ("tp_as_number", 27),
    "__ior__": ("tp_as_number", 28),
    "__contains__": ("tp_as_sequence", 7),
    "__getitem__": ("tp_as_mapping", 1),
    "__setitem__": ("tp_as_mapping", 2),
    "__delitem__": ("tp_as_mapping", 2),
}
# What the interpreter says of a type, by the field that must say the same.
_SAID: dict[str, Callable[[type], int]] = {
    "tp_basicsize": type.__dict__["__basicsize__"].__get__,
    "tp_itemsize": type.__dict__["__itemsize__"].__get__,
    "tp_flags": flags_of,
    "tp_base": lambda cls: id(type.__dict__["__base__"].__get__(cls)),
    "tp_dictoffset": type.__dict__["__dictoffset__"].__get__,
}


# Every name that CPython's own types have a method for because a slot calls it.
_CALLED_BY_SLOTS = {
    name
    for cls in (object, int, str, list, dict, set, property, types.CoroutineType, memoryview)
    for name, method in dict_of(cls).items()
    if type(method) is types.WrapperDescriptorType
}


class _Plain:
    pass


_PROBES = (int, type, BaseException, property, dict, _Plain)


def verify() -> None:
    """Raise SandboxError unless type objects are laid out as this module says."""
    for field, said in _SAID.items():
        for cls in _PROBES:
            if _field(cls, field).value != said(cls) % (1 << 8 * WORD_BYTES):
                raise SandboxError(f"types have no {field} where it is expected")
    for name in _SLOTS:
        calls, others = (_slot(made, name).value for made in (_with_method(name), _made_with(name)))
        set_already = calls == _slot(_Plain, name).value
        if calls != others or set_already is not (name in _for_all):
            raise SandboxError(f"types have no slot of {name} where it is expected")


_for_all: set[str] = set()  # methods that `object` itself has been given


@functools.cache
def _with_method(name: str) -> type:
    """Make a class whose slot calls whatever the class has by that name.

    The slot holds CPython's own function for that.
    """
    return _made_with(name)


def _made_with(name: str) -> type:
    return type("Slots", (), {"__hash__": object.__hash__, name: lambda *_: None})


def word_at(address: int) -> ctypes.c_size_t:
    """Give access to the word of memory at `address`, to be read and written."""
    return ctypes.c_size_t.from_address(address)


def _field(cls: type, name: str) -> ctypes.c_size_t:
    return word_at(id(cls) + _OFFSETS[name])


def _slot(cls: type, method: str) -> ctypes.c_size_t:
    field, place = _SLOTS[method]
    if place is None:
        return _field(cls, field)
    table = _field(cls, field).value
    if not table:
        raise SandboxError(f"{cls.__name__} has no slot of {method}")
    return word_at(table + WORD_BYTES * place)


def is_as_in(cls: type, other: type, method: str) -> bool:
    """Return True if both have the same C code behind `method`."""
    return _slot(cls, method).value == _slot(other, method).value


def make_immutable(cls: type) -> None:
    """Let no attribute of `cls` be set or deleted any more, as of the types written in C."""
    _field(cls, "tp_flags").value |= IMMUTABLE


def make_mutable(cls: type) -> None:
    """Undo that, for as long as a method is put into a type that is written in C."""
    _field(cls, "tp_flags").value &= ~IMMUTABLE


def let_slot_call(cls: type, name: str) -> None:
    """Have the operator or the call that `name` stands for come to the method that `cls` has.

    Raises SandboxError for a slot that is not known: what goes by it would not find that method.
    """
    if name in _SLOTS:
        _slot(cls, name).value = _slot(_with_method(name), name).value
    elif name in _CALLED_BY_SLOTS:
        raise SandboxError(f"no way to replace {name} of {cls.__name__}")


def let_heirs_call(cls: type, name: str, heirs: Iterable[type]) -> None:
    """Have the slot of `name` in `cls`, and in all `heirs` that share it, come to the method.

    Raises SandboxError for a slot that is not known.
    """
    if name not in _SLOTS:
        let_slot_call(cls, name)
        return
    if cls is object:
        _for_all.add(name)
    shared = _slot(cls, name).value
    for heir in (cls, *heirs):
        if _slot(heir, name).value == shared:
            let_slot_call(heir, name)
            forget_lookups(heir)


def forget_lookups(cls: type) -> None:
    """Have CPython look up again what it remembers of the attributes of `cls` and its heirs."""
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


class Word(NamedTuple):
    """A word of a type, and what is to be written there later on, without `ctypes`.

    A guest that has the view has native control: see `demand`.
    """

    view: memoryview
    content: bytes


def switch(cls: type, name: str) -> Word:
    """Return the word to write so that the operator of `name` comes to the method of `cls`."""
    return _written_later(cls, name, bytes(_slot(_with_method(name), name)))


def never_make(cls: type) -> Word:
    """Return the word to write so that each call of `cls` is refused: there is no `tp_new` then.

    A word that calls a method would let `object.__new__` make instances, which nothing initialises.
    """
    return _written_later(cls, "__new__", bytes(WORD_BYTES))


def never_make_bare(cls: type) -> None:
    """Let `object.__new__` make no `cls`, to which it comes past a `tp_new` that calls a method.

    It looks whether the class is abstract; what `cls` had there does not.
    """
    _field(cls, "tp_flags").value |= _IS_ABSTRACT


_IS_ABSTRACT = 1 << 20  # Py_TPFLAGS_IS_ABSTRACT


def _written_later(cls: type, name: str, content: bytes) -> Word:
    make = ctypes.pythonapi.PyMemoryView_FromMemory
    make.restype, make.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int),
    )
    return Word(make(ctypes.addressof(_slot(cls, name)), WORD_BYTES, _WRITABLE), content)


_WRITABLE = 0x200  # PyBUF_WRITE


def give_new(cls: type, other: type) -> Callable[..., object]:
    """Let no class that `cls` inherits from make one of `cls`; return what still makes one.

    CPython asks for that whether both have the same `tp_new`. `cls` gets the one of `other`, which
    must do for it what its own does.
    """
    slot, borrowed = _slot(cls, "__new__"), _slot(other, "__new__")
    # PyCFunctionObject.m_ml, of tp_new_wrapper
    definition = word_at(id(other.__new__) + 2 * WORD_BYTES)
    make = ctypes.pythonapi.PyCMethod_New
    make.restype = ctypes.py_object
    made: Callable[..., object] = make(
        ctypes.c_void_p(definition.value), ctypes.py_object(cls), None, None
    )
    slot.value = borrowed.value
    if type(made(cls)) is not cls or type(cls()) is not cls:
        raise SandboxError(f"no other way to make a {cls.__name__}")
    return made


def maker_of(cls: type) -> Callable[..., object]:
    """Make a class that makes what `cls` makes by now, also once `cls` has another `__new__`.

    Only for a C function that does not ask which class it is to make an instance of.
    """
    made = type("Maker", (), {})
    _slot(made, "__new__").value = _slot(cls, "__new__").value
    return made


def never_call_directly(cls: type) -> None:
    """Have calls of an instance of `cls` come by `tp_call`, which looks before it goes on."""
    _field(cls, "tp_flags").value &= ~_HAVE_VECTORCALL
    forget_lookups(cls)


_HAVE_VECTORCALL = 1 << 11  # Py_TPFLAGS_HAVE_VECTORCALL


def refuse_references(cls: type) -> None:
    """Let no weak reference be made to an instance of `cls`."""
    _field(cls, "tp_weaklistoffset").value = 0


def never_clear(cls: type) -> None:
    """Let the collector leave what an instance of `cls` refers to, if `cls` is one of C's.

    Some ask for the slot themselves when they are freed, so there is still something in it: a
    function that only looks at the object. What they refer to is then kept for good.
    """
    clear = _field(cls, "tp_clear")
    if clear.value not in (0, _field(_Plain, "tp_clear").value):  # that of classes made at run time
        looks = ctypes.cast(ctypes.pythonapi.PyCallable_Check, ctypes.c_void_p).value
        clear.value = looks or 0
