"""Stand-ins for `type` and `ABCMeta`, and the bases of a guest's own metaclasses.

A real metaclass is never handed out, because its call makes a class from any namespace. A stand-in
answers as the metaclass that it stands for; as a base class it turns into one whose `__new__` looks
at bases and namespace.
"""

import gc
from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import Any

from sandbox.language.compile import names
from sandbox.language.guards.classes.class_namespaces import checked
from sandbox.language.guards.classes.class_origin import (
    Identities,
    dict_of,
    exact_text,
    is_class,
    mro_of,
)
from sandbox.language.guards.classes.heirs import kept
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.guest.state import check_open
from sandbox.language.natives.demand import notice
from sandbox.language.natives.types import beginnings

# Attributes of the stand-ins, under names that no guest can read.
REAL, GUEST_BASE = "guard:real", "guard:guest_base"


class StandInMeta(type):
    """The type of the stand-ins: they answer as the metaclass they stand for."""

    def __instancecheck__(cls, o: object) -> bool:
        return isinstance(o, getattr(cls, REAL))

    def __subclasscheck__(cls, o: type) -> bool:
        return o is cls or issubclass(o, getattr(cls, REAL))

    def __repr__(cls) -> str:
        prefix = "" if cls.__module__ == "builtins" else cls.__module__ + "."
        return f"<class '{prefix}{cls.__qualname__}'>"


class GuestMeta(type):
    """Base of a guest's metaclass in place of `type`."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], /, **kwargs: Any
    ) -> "GuestMeta":
        bases, namespace = real_bases(tuple(bases)), checked(namespace)
        name = exact_text(name)
        new = super().__new__
        made: GuestMeta = make_checked(
            lambda: new(mcls, name, bases, namespace, **kwargs), bases, namespace, check_open
        )
        return made


class GuestABCMeta(GuestMeta, ABCMeta):
    """Base of a guest's metaclass in place of `ABCMeta`."""


def make_checked(
    make: Callable[[], Any],
    bases: tuple[Any, ...],
    namespace: dict[str, Any],
    check: Callable[[tuple[Any, ...]], object],
) -> Any:
    """Return the class that `make` makes of `bases` and `namespace`, if both may be used so.

    For a metaclass nothing may change from the look at its bases until it is there: no finalizer
    runs meanwhile, and what came of it is looked at, too.
    """
    is_metaclass = any(is_class(base) and issubclass(base, type) for base in bases)
    collecting = is_metaclass and _collecting()
    if collecting:
        _stop()
    try:
        check_bases(bases, namespace)
        check(bases)
        beginnings.check_bases(bases)
        notice(bases, namespace)
        made = kept(make, bases)
        if is_metaclass:
            check_bases((made,), ())
        return made
    finally:
        if collecting:
            _go_on()


def real_bases(bases: Iterable[Any]) -> tuple[Any, ...]:
    """Return `bases`, each stand-in replaced by the metaclass that a guest may inherit from."""
    return tuple(_real_base(base) for base in bases)


def _real_base(base: Any) -> Any:
    if not is_stand_in(base):
        return base
    guest_base = getattr(base, GUEST_BASE)
    if guest_base is None:
        raise denied_class(f"inheriting from {base.__name__!r}")
    return guest_base


def winner(bases: tuple[Any, ...], chosen: Any = type) -> Any:
    """Return the metaclass CPython takes: the most derived, or the chosen one if it is no class."""
    if not is_class(chosen):
        return chosen
    for base in bases:
        kind = type(base)
        if issubclass(kind, chosen):
            chosen = kind
        elif not issubclass(chosen, kind):
            raise TypeError(
                "metaclass conflict: the metaclass of a derived class must be a (non-strict)"
                " subclass of the metaclasses of all its bases"
            )
    return chosen


def is_stand_in(o: object) -> bool:
    return issubclass(type(o), StandInMeta)


def keep_from_metaclasses(cls: type) -> None:
    """Let no metaclass inherit from `cls` from now on: host code is about to write to it."""
    _kept.add(cls)


def forget() -> None:
    """Let go of the classes of a program that is over."""
    _kept.clear()


def check_bases(bases: Iterable[Any], defined: Iterable[str]) -> None:
    """Refuse a host's metaclass among `bases`, and a metaclass that defines what none may."""
    for base in bases:
        if not is_class(base):
            raise TypeError("bases must be types")
        if is_stand_in(base) or (issubclass(base, type) and not issubclass(base, GuestMeta)):
            raise denied_class(f"inheriting from {base.__name__!r}")
    if any(issubclass(base, type) for base in bases):
        wrong = names.REFUSED_IN_METACLASS.intersection(defined)
        for cls in (cls for base in bases for cls in mro_of(base)):
            if cls in _kept:
                raise denied_class("a metaclass that inherits from what host code writes to")
            if not any(cls is known for known in _HOST_METACLASSES):
                wrong |= names.REFUSED_IN_METACLASS.intersection(dict_of(cls))
        if wrong:
            raise denied_class(f"defining {min(wrong)!r} in a metaclass")


_kept = Identities()
_HOST_METACLASSES = (object, type, ABCMeta, GuestMeta, GuestABCMeta)
_collecting, _stop, _go_on = gc.isenabled, gc.disable, gc.enable
