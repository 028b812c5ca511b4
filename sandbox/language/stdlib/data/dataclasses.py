"""`dataclasses` writes source text from field names and executes it: both are looked at first."""

import sys
import types
from abc import ABCMeta
from typing import Any, Protocol

from sandbox.language.compile import names
from sandbox.language.guards.classes.annotations import is_annotate, values
from sandbox.language.guards.classes.class_origin import (
    bases_of,
    dict_of,
    instance_dict,
    is_class,
    mro_of,
)
from sandbox.language.guards.classes.heirs import kept
from sandbox.language.guards.classes.metaclasses import keep_from_metaclasses
from sandbox.language.guest import state as entered
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import denied_attribute, denied_class
from sandbox.language.guest.state import on_behalf_of_guest
from sandbox.language.stdlib.data.dataclass_texts import checked_exec
from sandbox.language.stdlib.data.signatures import guard_signatures

FIELDS = "__dataclass_fields__"
# A str, or for `type` itself the getter of CPython's own.
_MODULE_KINDS = (str, types.GetSetDescriptorType)


def dataclasses(context: Context) -> dict[str, Any]:
    """Patches the module itself, so that no way into it leads around the checks."""
    import dataclasses as real

    module: Any = real
    process = module._process_class
    if not getattr(process, "guarded", False):

        def _process_class(cls: Any, *options: Any) -> Any:
            if on_behalf_of_guest():
                deferred = _check(cls, entered.classes().kin.free)
                # First: a default's `__get__` runs between this look and the stores.
                keep_from_metaclasses(cls)
                if context.classes.has_metaclass_below(cls):  # its `__setattr__` looks at no name
                    raise denied_class("a dataclass that a metaclass inherits from")
                return _in_main(process, cls, options, deferred)
            return process(cls, *options)

        _process_class.guarded = True  # type: ignore[attr-defined]
        module._process_class = _process_class
        module._add_slots = _guard_slots(module._add_slots)
        module._is_type = _know_facades(module._is_type, module._MODULE_IDENTIFIER_RE)
        module.exec = checked_exec
        module.isinstance = _is_instance
        module.getattr = guarded_getattr
        module.setattr = _setattr
        if hasattr(module, "_replace"):
            module._replace = _guard_replace(module._replace)
    guard_signatures()
    return {}


def _in_main(process: Any, cls: Any, options: tuple[Any, ...], deferred: Any) -> Any:
    """Process a class of the program's own module as one of `__main__`.

    Generated functions live in what the real `sys.modules` has for a class's module. What its
    annotations are `deferred` to is asked again where names in them had no value yet.
    """
    module = dict_of(cls)["__module__"]
    made = cls
    if module != "__main__":
        type.__setattr__(cls, "__module__", "__main__")
    try:
        made = process(cls, *options)
    finally:
        for each in (cls, made):
            if module != "__main__":
                type.__setattr__(each, "__module__", module)
            if deferred is not None:
                _defer(each, deferred)
    return made


def _defer(cls: type, annotate: Any) -> None:
    """Have the annotations of `cls`, and of the `__init__` that was made for it, told anew."""
    type.__setattr__(cls, "__annotate__", annotate)
    init = dict_of(cls).get("__init__")
    if type(init) is types.FunctionType:
        made: Any = init
        made.__annotate__ = made.__annotate__


def _guard_slots(add: Any) -> Any:
    def _add_slots(cls: Any, *options: Any) -> Any:
        """The class is made a second time: a metaclass of a guest's would be handed its fields."""
        if not on_behalf_of_guest():
            return add(cls, *options)
        if type(cls) not in (type, ABCMeta, type(Protocol)):
            raise denied_class("a dataclass with slots and a metaclass")
        made = kept(lambda: add(cls, *options), bases_of(cls))
        entered.classes().note(made)
        return made

    return _add_slots


def _know_facades(own: Any, written: Any) -> Any:
    def _is_type(annotation: str, cls: Any, a_module: Any, a_type: Any, predicate: Any) -> bool:
        """Know `"typing.ClassVar[int]"` by the module that a program gets under that name."""
        is_known = bool(own(annotation, cls, a_module, a_type, predicate))
        if is_known or not on_behalf_of_guest():
            return is_known
        match = written.match(annotation)
        if match is None or not match[1]:
            return False
        module = instance_dict(sys.modules["__main__"]) or {}
        is_meant = entered.is_facade(module.get(match[1]), a_module.__name__)
        return is_meant and bool(predicate(vars(a_module).get(match[2]), a_module))

    return _is_type


def _guard_replace(replace: Any) -> Any:
    """It is put into every dataclass: a class for `self` has a metaclass for its `__class__`."""

    def _replace(self: Any, /, **changes: Any) -> Any:
        if on_behalf_of_guest() and not _has_fields(self):
            raise denied_class("replacing fields of what is no instance of a dataclass")
        return replace(self, **changes)

    return _replace


def _has_fields(o: object) -> bool:
    return not is_class(o) and any(FIELDS in dict_of(cls) for cls in mro_of(type(o)))


def _is_instance(o: object, kinds: Any) -> bool:
    """By the type alone: what says that it is a Field would choose its name after the check."""
    return issubclass(type(o), kinds)


def guarded_getattr(o: Any, name: str, *default: Any) -> Any:
    """The `getattr` of host code that reads fields by their names.

    They are those of the class: an instance would choose which attributes are read. One whose name
    is guarded may be what a class of the host's has by that name, below the fields.
    """
    if type(name) is not str and on_behalf_of_guest():  # it would be another name to each look
        raise denied_class("a field whose name is no plain str")
    if name == FIELDS and on_behalf_of_guest():
        for cls in mro_of(o if is_class(o) else type(o)):
            if name in dict_of(cls):
                return _checked_fields(dict_of(cls)[name])
        if not default:
            raise AttributeError(f"{type(o).__name__!r} object has no attribute {name!r}")
        return default[0]
    if name in names.FREE_NAMES and on_behalf_of_guest():
        return entered.guards().getattr(o, name, *default)
    return getattr(o, name, *default)


def _setattr(o: Any, name: str, value: Any) -> None:
    """Past a metaclass of the program's: it would be handed the very fields that are used next."""
    if is_class(o) and on_behalf_of_guest():
        type.__setattr__(o, name, value)
    else:
        setattr(o, name, value)


def _checked_fields(found: Any) -> dict[str, Any]:
    """Fields as `dataclass` makes them: their names are read, and written into texts."""
    real = sys.modules["dataclasses"]
    fields = dict(found) if type(found) is dict else {"": None}
    for field in fields.values():
        name = getattr(field, "name", "") if type(field) is real.Field else ""
        if type(name) is not str or not name.isidentifier() or not _may_be_field(name):
            raise denied_class("a dataclass with these fields")
    return fields


def _check(cls: type, free: Any) -> Any:
    """Fields are what the class body annotates; generated functions live in the class's module.

    The annotations that were looked at are the ones that are used: the class gets a dict that
    no program holds, as a default's `__get__` runs between the look and the use. Returns what the
    class is to be given back then: the function for annotations that name what is still missing.
    """
    namespace = dict_of(cls)
    module = namespace.get("__module__")
    # An object of the program's would answer.
    if type(module) is not str or not (module == "__main__" or entered.has_module(module)):
        raise denied_class("a dataclass of another module")
    if issubclass(cls, type):
        raise denied_class("a dataclass that is a metaclass")
    for kind in mro_of(type(cls)):  # which would answer for the class
        if type(dict_of(kind).get("__module__", "")) not in _MODULE_KINDS:
            raise denied_class("a dataclass whose metaclass answers for its module")
    annotations, deferred = _annotations(cls)
    if type(annotations) is not dict:
        raise denied_class("a dataclass with these annotations")
    annotations = dict(annotations)
    for name in annotations:
        if type(name) is not str or not name.isidentifier() or not _may_be_field(name):
            raise denied_attribute(str(name))
        if not names.may_match(name) and cls not in free:
            raise denied_attribute(name)
    if annotations:
        type.__setattr__(cls, "__annotations__", annotations)
    return deferred


def _annotations(cls: type) -> tuple[Any, Any]:
    """Return the annotations of `cls` itself, and the function for them if a name is missing."""
    namespace = dict_of(cls)
    annotate = namespace.get("__annotate__", namespace.get("__annotate_func__"))
    for name in ("__annotations__", "__annotations_cache__"):
        if name in namespace:
            return namespace[name], None
    if annotate is None:
        return {}, None
    if not is_annotate(annotate):
        raise denied_class("a dataclass with these annotations")
    found, incomplete = values(annotate, cls)
    return found, annotate if incomplete else None


def _may_be_field(name: str) -> bool:
    """A field is set on whatever `__init__` is called on, and named where a pattern reads it."""
    return names.may_be_field(name) and not names.is_dunder(name)
