"""Places that a walk has come to, and names of what is there."""

import types
from dataclasses import dataclass
from typing import Any

from sandbox.language.guards.classes.class_origin import is_class

# Tells objects apart as `id` does, which is an audit event each time (PEP 578); a walk asks often.
identity = object.__hash__
_NAMED = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
)


@dataclass(frozen=True, slots=True)
class Place:
    """An object that a guest can hold, and the shortest expression for it."""

    expression: str
    root: str  # the grant that it was reached from
    depth: int
    before: "Place | None" = None
    step: str = ""

    def chain(self) -> list[str]:
        """Return the expressions from the root to here."""
        line, place = [], self
        while True:
            line.append(place.expression)
            if place.before is None:
                return line[::-1]
            place = place.before


def label(o: Any) -> str:
    """Return a text that is the same for `o` in another walk: its kind, and its name if any."""
    kind = type(o).__name__
    if not is_class(o) and not issubclass(type(o), _NAMED):
        return f"{kind} of {type(o).__module__}"
    try:
        name = str(getattr(o, "__qualname__", o.__name__))
        owner = getattr(o, "__objclass__", None)
        module = getattr(owner if owner is not None else o, "__module__", None)
    except Exception:
        return kind
    return f"{kind} {module}.{name}" if type(module) is str else f"{kind} {name}"


def kind_of(o: Any) -> Any:
    """Return what objects made by steps have to have in common to count as alike."""
    if type(o) is types.FunctionType:
        return o.__code__
    if type(o) is types.MethodType and type(o.__func__) is types.FunctionType:
        return o.__func__.__code__
    if type(o) is types.BuiltinMethodType:
        return type(o.__self__), o.__name__
    return type(o)
