"""Abstract classes: an ABC looks for what an object says that its class is, and keeps classes.

It looks among the classes that it has met, and a metaclass of the host's may stand there: what is
no class, and says itself what it is equal to, would be shown it. Classes are compared by identity,
as no metaclass of a program's may say otherwise.
"""

import abc
from typing import Any

from sandbox.language.guards.attributes.shown_types import renamed
from sandbox.language.guards.classes.class_origin import (
    IMMUTABLE,
    dict_of,
    flags_of,
    is_class,
    mro_of,
    name_of,
)
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.guest.state import on_behalf_of_guest


def harden() -> None:
    """Replace what the methods of every `ABCMeta` call."""
    register = vars(abc)["_abc_register"]
    if register.__module__ != __name__:
        vars(abc)["_abc_register"] = _registering(register)
        vars(abc)["_abc_init"] = _initialising(vars(abc)["_abc_init"])
    named = (_is_abstract, _refuse, is_class, type)
    vars(abc).update(dict(zip(_NAMES.values(), named, strict=True)))
    for name, ours in (
        ("__subclasscheck__", _subclasscheck),
        ("__instancecheck__", _instancecheck),
    ):
        method: Any = vars(abc.ABCMeta)[name]
        method.__code__ = renamed(ours.__code__, _NAMES)


def _initialising(own: Any) -> Any:
    """Make an `_abc_init` that gives a class its own state first.

    C stores it as an attribute: if a metaclass of the program's drops it, the class would go on
    with the state of its base, and so of the host's.
    """

    def _abc_init(cls: Any, /) -> Any:
        if _stores_by_itself(type(cls)):
            type.__setattr__(cls, _STATE, dict_of(abc.ABCMeta("state", (), {}))[_STATE])
        return own(cls)

    return _abc_init


_STATE = "_abc_impl"


def _stores_by_itself(metaclass: type) -> bool:
    stores = (kind for kind in mro_of(metaclass) if "__setattr__" in dict_of(kind))
    return next(stores) is not type


def _registering(own: Any) -> Any:
    """Make an `_abc_register` that keeps a program from registering a host's class with another.

    A program registers classes of its own: host code asks what a host's class is.
    """

    def _abc_register(cls: Any, subclass: Any, /) -> Any:
        _check(cls)
        kinds = (cls, subclass)
        hosts = all(is_class(kind) and flags_of(kind) & IMMUTABLE for kind in kinds)
        if hosts and on_behalf_of_guest() and not issubclass(subclass, cls):
            raise denied_class(f"registering {name_of(subclass)!r} with {name_of(cls)!r}")
        return own(cls, subclass)

    return _abc_register


def _check(cls: Any) -> None:
    """Refuse what is no class.

    A program can call the methods of a metaclass with it, and be shown the real type of an object.
    """
    if not _is_abstract(type(cls)):
        _refuse()


def _refuse() -> None:
    raise denied_class("asking an object about its instances")


def _subclasscheck(cls: Any, subclass: Any) -> Any:
    """Stands in the method itself: `typing` counts frames, and asks of what module they are."""
    if not _is_abstract(type(cls)):
        _refuse()
    return _abc_subclasscheck(cls, subclass)  # type: ignore[name-defined] # noqa: F821


def _instancecheck(cls: Any, instance: Any) -> Any:
    """See `_abc._abc_instancecheck`; `_abc_subclasscheck` has the same cache and looks first."""
    if not _is_abstract(type(cls)):
        _refuse()
    said, kind = instance.__class__, type(instance)
    if said is kind:
        return cls.__subclasscheck__(kind)
    if not is_class(said):
        raise TypeError("issubclass() arg 1 must be a class")
    return cls.__subclasscheck__(said) or cls.__subclasscheck__(kind)


_NAMES = {
    "_is_abstract": "checked:is_abstract",
    "_refuse": "checked:refuse",
    "is_class": "checked:is_class",
    "type": "checked:type",
}
_is_abstract = type.__dict__["__subclasscheck__"].__get__(abc.ABCMeta)
