"""Generators before CPython 3.12: `throw` asks what they delegate to for its own `throw`.

It does so before it marks the generator as running, so that a property, or whatever else answers,
could run the generator to its end: its frame is gone when CPython goes on with it. What it
delegates to is told by `generators`.
"""

import types
import weakref
from collections.abc import Callable
from typing import Any

from sandbox.language.guards.classes.class_origin import dict_of, instance_dict, mro_of
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.natives.calls.generators import MENDED, STEPS, leaf
from sandbox.language.natives.demand import on_demand
from sandbox.language.natives.patching import before

_THROWN_INTO = (types.GeneratorType, types.CoroutineType)
_FORWARDING = (*weakref.ProxyTypes, super, types.ModuleType)  # in C, to what may be a program's
_PLAIN = (types.FunctionType, types.MethodDescriptorType)


Check = Callable[[Any], None]


def checks() -> dict[type, Check]:
    """Return, by class, the check that asks about an object before something is thrown into it."""
    if MENDED:
        return {}
    if not before(3, 12):
        return dict.fromkeys(_THROWN_INTO, leaf)
    found: dict[type, Check] = dict.fromkeys(_THROWN_INTO, _check)
    found.update(dict.fromkeys(STEPS, _refusal()))
    return found


def _check(o: Any) -> None:
    """Refuse where a `throw` would be asked for that may answer with code of the program's."""
    o = leaf(o)
    if o is not None and not (_has_plain_throw(type(o)) and _has_plain_names(o)):
        raise denied_class("throwing into what delegates to an object with a computed 'throw'")


def _has_plain_throw(kind: type) -> bool:
    raw = _first(kind, "throw")
    asked = type(_first(kind, "__getattribute__")) is not types.WrapperDescriptorType
    hooked = raw is None and _first(kind, "__getattr__") is not None
    return (
        kind not in _FORWARDING
        and not asked
        and not hooked
        and (raw is None or type(raw) in _PLAIN)
    )


def _has_plain_names(o: Any) -> bool:
    """Return True unless a key of the program's own may be asked whether it is 'throw'."""
    return all(type(name) is str for name in instance_dict(o) or ())


def _first(kind: type, name: str) -> Any:
    return next((dict_of(base)[name] for base in mro_of(kind) if name in dict_of(base)), None)


def _refusal() -> Check:
    """Make a check that refuses once a program has what it fears.

    What waits for an asynchronous generator does not say for which one it waits.
    """
    feared: list[bool] = []
    for name in ("throw", "__getattr__", "__getattribute__"):
        on_demand(name, lambda: feared.append(True))

    def check(_waiting: Any) -> None:
        if feared:
            raise denied_class("throwing into an asynchronous generator that waits")

    return check
