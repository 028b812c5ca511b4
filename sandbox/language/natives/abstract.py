"""Abstract classes: an ABC looks for what an object says that its class is, and keeps classes.

It looks among the classes that it has met, and a metaclass of the host's may stand there: what is
no class, and says itself what it is equal to, would be shown it. Classes are compared by identity,
as no metaclass of a program's may say otherwise.
"""

import abc
from typing import Any

from sandbox.language.guards.kinship import IMMUTABLE, flags_of, is_class, name_of
from sandbox.language.guards.shown_types import renamed
from sandbox.language.guest.denied import denied_class
from sandbox.language.guest.session import on_behalf_of_guest


def harden() -> None:
    """Replace what the methods of every `ABCMeta` call."""
    register = vars(abc)["_abc_register"]
    if register.__module__ != __name__:
        made = {"_abc_instancecheck": _abc_instancecheck, "_abc_register": _registering(register)}
        vars(abc).update(made)
    method: Any = vars(abc.ABCMeta)["__subclasscheck__"]
    vars(abc).update(dict(zip(_NAMES.values(), (_is_abstract, _refuse), strict=True)))
    method.__code__ = renamed(_subclasscheck.__code__, _NAMES)


def _registering(own: Any) -> Any:
    """A program registers classes of its own: host code asks what a host's class is."""

    def _abc_register(cls: Any, subclass: Any, /) -> Any:
        _check(cls)
        kinds = (cls, subclass)
        hosts = all(is_class(kind) and flags_of(kind) & IMMUTABLE for kind in kinds)
        if hosts and on_behalf_of_guest() and not issubclass(subclass, cls):
            raise denied_class(f"registering {name_of(subclass)!r} with {name_of(cls)!r}")
        return own(cls, subclass)

    return _abc_register


def _check(cls: Any) -> None:
    """A program can call the methods of a metaclass with what is no class, and be shown the real
    type of an object."""
    if not _is_abstract(type(cls)):
        _refuse()


def _refuse() -> None:
    raise denied_class("asking an object about its instances")


def _subclasscheck(cls: Any, subclass: Any) -> Any:
    """Stands in the method itself: `typing` counts frames, and asks of what module they are."""
    if not _is_abstract(type(cls)):
        _refuse()
    return _abc_subclasscheck(cls, subclass)  # type: ignore[name-defined] # noqa: F821


_NAMES = {"_is_abstract": "checked:is_abstract", "_refuse": "checked:refuse"}


_is_abstract = type.__dict__["__subclasscheck__"].__get__(abc.ABCMeta)


def _abc_instancecheck(cls: Any, instance: Any, /) -> Any:
    """See `_abc._abc_instancecheck`; `_abc_subclasscheck` has the same cache and looks first."""
    if not _is_abstract(type(cls)):
        _check(cls)
    said, kind = instance.__class__, type(instance)
    if said is kind:
        return cls.__subclasscheck__(kind)
    if not is_class(said):
        raise TypeError("issubclass() arg 1 must be a class")
    return cls.__subclasscheck__(said) or cls.__subclasscheck__(kind)
