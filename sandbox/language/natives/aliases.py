"""`list[int]` and `int | str`: C code asks what stands in them for its parameters, and believes.

What answers for an attribute could make it take any memory for a tuple of objects. So only classes
and what the host has made may stand in an alias whose parameters are replaced.

An alias calls its origin by the way that this had when the alias was made; a `functools.partial`
loses that when it gets keywords (gh-148222). So it is called by the way that all objects have.
"""

import types
from typing import Any

from sandbox.language.guards.kinship import Identities, all_classes, is_class
from sandbox.language.guest.denied import denied_class
from sandbox.language.natives import type_slots
from sandbox.language.natives.patching import Method, replace

_hosts = Identities()


def harden() -> None:
    """Replace what reads and replaces parameters."""
    global _hosts
    _hosts = Identities(all_classes())
    replace(types.GenericAlias, _getitem, "__getitem__")
    replace(types.UnionType, _getitem, "__getitem__")
    replace(types.GenericAlias, _repr, "__repr__")
    for cls in all_classes():
        if issubclass(cls, types.GenericAlias):
            type_slots.never_call_directly(cls)


def _getitem(own: Method) -> Method:
    def __getitem__(self: Any, item: Any, /) -> Any:
        arguments = _ARGUMENTS.get(type(self))
        if arguments is not None:
            item = _checked((item,))[0]
            _checked(arguments(self))
        return own(self, item)

    return __getitem__


_ARGUMENTS: dict[type, Any] = {
    kind: kind.__dict__["__args__"].__get__ for kind in (types.GenericAlias, types.UnionType)
}


def _checked(values: Any) -> Any:
    """`values`, with copies of the lists in it that nobody else holds."""
    return type(values)([_one_checked(value) for value in values])


def _one_checked(value: Any) -> Any:
    kind = type(value)
    if kind is tuple or kind is list:
        return _checked(value)
    if not is_class(value) and kind not in _hosts:
        raise denied_class(f"{kind.__name__!r} as an argument of a generic alias")
    return value


def _repr(own: Method) -> Method:
    """CPython's walks over a list while the program's `__repr__` may change it."""

    def __repr__(self: Any, /) -> str:
        if type(self) is types.GenericAlias and any(type(a) is list for a in self.__args__):
            copies = tuple([list(a) if type(a) is list else a for a in self.__args__])
            origin: Any = self.__origin__
            self = types.GenericAlias(origin, copies)
        return own(self)  # type: ignore[no-any-return]

    return __repr__
