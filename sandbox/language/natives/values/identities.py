"""Methods that show a number in the place of an address, wherever C code has `hash` or `repr`.

Unlike the other families of this package this one is put in place only under a policy that is
`deterministic`: it turns a read of a pointer into a call.
"""

import pprint
import reprlib
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

from sandbox.language.guards.classes.class_origin import all_classes, dict_of
from sandbox.language.natives.containers.rehashing import ordered, rehash
from sandbox.language.natives.patching import put_beside_slot
from sandbox.language.natives.types import type_slots
from sandbox.language.natives.values.numbering import Numbers

Reader = Callable[[Any], Any]
_target: Reader = weakref.ReferenceType.__call__
_self_of_builtin: Reader = types.BuiltinFunctionType.__dict__["__self__"].__get__
_name_of_builtin: Reader = types.BuiltinFunctionType.__dict__["__name__"].__get__
_self_of_wrapper: Reader = types.MethodWrapperType.__dict__["__self__"].__get__
_name_of_wrapper: Reader = types.MethodWrapperType.__dict__["__name__"].__get__
_self_of_method: Reader = types.MethodType.__dict__["__self__"].__get__
_name_of: Reader = type.__dict__["__name__"].__get__
_module_of: Reader = type.__dict__["__module__"].__get__
_function_of_method: Reader = types.MethodType.__dict__["__func__"].__get__
# By class, what else than the object itself is in its text by its address.
_SHOWING: dict[type, Reader | None] = {
    object: None,
    types.FunctionType: None,
    types.GeneratorType: None,
    types.CoroutineType: None,
    types.AsyncGeneratorType: None,
    memoryview: None,
    types.BuiltinFunctionType: _self_of_builtin,
    types.MethodWrapperType: _self_of_wrapper,
}
# Modules of the standard library that tell of an object by its `id`.
_TELLING = (pprint, reprlib, weakref)


def number_objects(numbers: Numbers) -> None:
    """Put the methods in place, in this process, and the containers that it has in order.

    Once: nothing undoes it. Raises SandboxError on an interpreter that cannot be changed so.
    """
    classes, known = all_classes(), ordered()
    for kind, related in _SHOWING.items():
        own = dict_of(kind)["__repr__"]
        _replace(kind, "__repr__", _text(numbers, own, related), classes)
    for kind, make_text in (
        (types.CellType, _cell_text),
        (weakref.ReferenceType, _reference_text),
    ):
        _replace(kind, "__repr__", make_text(numbers, dict_of(kind)["__repr__"]), classes)
    for kind in (weakref.ProxyType, weakref.CallableProxyType):
        _replace(kind, "__repr__", _proxy_text(numbers, dict_of(kind)["__repr__"]), classes)
    for kind, make in _hashes().items():
        _replace(kind, "__hash__", make(numbers, dict_of(kind)["__hash__"]), classes)
    for module in _TELLING:
        vars(module)["id"] = numbers.id
    rehash(known)


def _replace(kind: type, name: str, method: Any, classes: tuple[type, ...]) -> None:
    own = dict_of(kind)[name]
    method.__name__, method.__qualname__ = name, getattr(own, "__qualname__", name)
    method.__doc__ = getattr(own, "__doc__", None)
    heirs = [cls for cls in classes if issubclass(cls, kind)]
    type_slots.let_heirs_call(kind, name, heirs)
    put_beside_slot(kind, name, method)


def _text(numbers: Numbers, own: Any, related: Reader | None) -> Any:
    def with_self(self: Any, /) -> Any:
        return numbers.at_end(own(self), self)

    def with_related(self: Any, /) -> Any:
        assert related is not None
        return numbers.at_end(own(self), related(self))

    return with_self if related is None else with_related


def _cell_text(numbers: Numbers, own: Any) -> Any:
    def __repr__(self: Any, /) -> Any:
        text = numbers.at_place(own(self), len("<cell at "), self)
        return text if text.endswith(": empty>") else numbers.at_end(text, self.cell_contents)

    return __repr__


def _reference_text(numbers: Numbers, own: Any) -> Any:
    """Make a `__repr__` of a weak reference with numbers for both addresses.

    The name of a class stands before the second address, and that of its object behind it.
    """

    def __repr__(self: Any, /) -> Any:
        text = numbers.at_place(own(self), len("<weakref at "), self)
        o = _target(self)
        if o is None:
            return text
        kind = type(o)
        for name in (_name_of(kind), f"{_module_of(kind)}.{_name_of(kind)}"):
            head = f"{text[: text.index(';')]}; to '{name}' at "
            if text.startswith(head):
                return numbers.at_place(text, len(head), o)
        return f"{text[: text.index(';')]}>"

    return __repr__


def _proxy_text(numbers: Numbers, own: Any) -> Any:
    """Make a `__repr__` of a proxy that leaves out what it stands for.

    That cannot be asked for without asking it.
    """

    def __repr__(self: Any, /) -> Any:
        text = numbers.at_place(own(self), len("<weakproxy at "), self)
        return text.rpartition(" at 0x")[0] + ">"

    return __repr__


def _hashes() -> dict[type, Callable[[Numbers, Any], Any]]:
    kinds: dict[type, Callable[[Numbers, Any], Any]] = {
        object: _of_object,
        types.BuiltinFunctionType: _of_builtin,
        types.MethodWrapperType: _of_wrapper,
        types.MethodType: _of_method,
        float: _of_number,
        complex: _of_number,
    }
    if decimal := sys.modules.get("_decimal"):
        kinds[decimal.Decimal] = _of_decimal
    return kinds


def _of_object(numbers: Numbers, own: Any) -> Any:
    number = numbers.hash

    def __hash__(self: Any, /) -> int:
        return number(self)

    return __hash__


def _of_builtin(numbers: Numbers, own: Any) -> Any:
    def __hash__(self: Any, /) -> int:
        return numbers.hash(_self_of_builtin(self)) ^ hash(_name_of_builtin(self))

    return __hash__


def _of_wrapper(numbers: Numbers, own: Any) -> Any:
    def __hash__(self: Any, /) -> int:
        return numbers.hash(_self_of_wrapper(self)) ^ hash(_name_of_wrapper(self))

    return __hash__


def _of_method(numbers: Numbers, own: Any) -> Any:
    def __hash__(self: Any, /) -> int:
        return numbers.hash(_self_of_method(self)) ^ hash(_function_of_method(self))

    return __hash__


def _of_number(numbers: Numbers, own: Any) -> Any:
    """Make a `__hash__` of numbers that gives what is no number a hash by its number.

    CPython's hash of what is no number is its address, so that many in one dict stay fast.
    """
    float_equal, complex_equal = float.__eq__, complex.__eq__

    def __hash__(self: Any, /) -> int:
        if issubclass(type(self), float):
            same = float_equal(self, self)
        else:
            same = complex_equal(self, self)
        return numbers.hash(self) if same is False else int(own(self))

    return __hash__


def _of_decimal(numbers: Numbers, own: Any) -> Any:
    is_nan = sys.modules["_decimal"].Decimal.is_qnan

    def __hash__(self: Any, /) -> int:
        return numbers.hash(self) if is_nan(self) else own(self)

    return __hash__
