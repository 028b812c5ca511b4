"""The signature of a class, which `dataclasses` takes for its docstring.

`inspect` asks whatever stands where a class has its `__init__` what it wraps, what its class is and
whether it equals `type`, and evaluates the names in a text that it gives. That tells an object of
the program's the real `type`. So `inspect` is let go on with functions, methods and classes that
say nothing of themselves, and with what CPython has in C; for anything else there is no signature.
"""

import gc
import inspect
import types
from typing import Any

from sandbox.language.guards.classes.class_origin import (
    dict_of,
    instance_dict,
    is_class,
    mro_of,
    name_of,
)
from sandbox.language.guest import state as entered
from sandbox.language.guest.state import on_behalf_of_guest

# Their texts are CPython's own.
_NATIVE = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
)
_collecting, _stop, _go_on = gc.isenabled, gc.disable, gc.enable
_WRAPPED = "__wrapped__"
_SAID = ("__signature__", "__text_signature__", "__partialmethod__", "_partialmethod")


def guard_signatures() -> None:
    """Put the looks into `inspect`, so that each step on its way comes by them."""
    module: Any = inspect
    find = module._signature_from_callable
    if getattr(find, "guarded", False):
        return
    parse = module._signature_fromstr

    def _signature_from_callable(obj: Any, /, **options: Any) -> Any:
        if not on_behalf_of_guest():
            return find(obj, **options)
        collecting = _collecting()
        _stop()  # a finalizer could have it say something once it was looked at
        try:
            if not _says_nothing(obj):
                raise ValueError(f"no signature found for {name_of(type(obj))!r} object")
            return find(obj, **options)
        finally:
            if collecting:
                _go_on()

    def _signature_fromstr(cls: Any, obj: Any, /, *rest: Any, **options: Any) -> Any:
        if on_behalf_of_guest() and not issubclass(type(obj), _NATIVE):
            raise ValueError(f"no signature found for builtin {name_of(type(obj))!r} object")
        return parse(cls, obj, *rest, **options)

    _signature_from_callable.guarded = True  # type: ignore[attr-defined]
    module._signature_from_callable = _signature_from_callable
    module._signature_fromstr = _signature_fromstr
    if hasattr(module, "_descriptor_get"):
        module._descriptor_get = _guard_binding(module._descriptor_get)


def _says_nothing(o: Any) -> bool:
    """True if `inspect` hears nothing of a program's about `o`, nor about what `o` wraps."""
    kind = type(o)
    if kind is types.FunctionType:
        return _wraps_functions(o)
    if is_class(o):
        host = entered.classes().kin.host
        own = (cls for cls in (*mro_of(o), *mro_of(kind)) if cls not in host)
        return not any(name in dict_of(cls) for cls in own for name in (_WRAPPED, *_SAID))
    return kind is types.MethodType or kind in _NATIVE  # of a method, the function comes next


def _wraps_functions(function: Any) -> bool:
    seen: set[int] = set()
    while type(function) is types.FunctionType and id(function) not in seen:
        seen.add(id(function))
        said = instance_dict(function) or {}
        # A key of another kind may equal a name when `inspect` looks, and not when we do.
        if any(type(key) is not str or key in _SAID for key in dict.keys(said)):
            return False
        if _WRAPPED not in said:
            return True
        function = said[_WRAPPED]
    return False


def _guard_binding(bind: Any) -> Any:
    def _descriptor_get(descriptor: Any, obj: Any) -> Any:
        """Refuse what would be shown the real type of the class that has it for `__init__`."""
        if on_behalf_of_guest() and type(descriptor) not in (types.FunctionType, *_NATIVE):
            raise ValueError(f"no signature found for {name_of(type(descriptor))!r}")
        return bind(descriptor, obj)

    return _descriptor_get
