"""`object.__getattribute__`, `type.__setattr__` and their kin, as a guest gets to call them.

They take the name from their caller, so each asks for it as the guards of the dialect do.
"""

import collections
import types
from collections.abc import Callable
from typing import Any

from sandbox.language.compile.names import NOTICED_STORES, PLAIN, REFUSED, read_kind, store_kind
from sandbox.language.guards.attributes.lookup import Found, in_line
from sandbox.language.guards.classes.class_origin import (
    Identities,
    Kinship,
    is_class,
    mro_of,
    name_of,
)
from sandbox.language.guards.classes.heirs import keep_name, may_be_named
from sandbox.language.guards.classes.metaclasses import REAL, is_stand_in
from sandbox.language.guest.ends.denials import denied_attribute
from sandbox.language.natives.demand import notice_any_store
from sandbox.language.natives.types import type_slots

HOOKS_OF_ACCESS = ("__getattribute__", "__setattr__", "__delattr__")
_OF_C = (
    *(object, BaseException, int, float, complex, str, bytes, bytearray, tuple, list, dict, set),
    *(frozenset, collections.OrderedDict, collections.defaultdict, collections.deque, range),
    types.SimpleNamespace,
)
# Those of the classes above that are `object`'s own, under another name: the same C code.
_AS_OBJECTS = {
    hook: Identities(cls for cls in _OF_C if type_slots.is_as_in(cls, object, hook))
    for hook in HOOKS_OF_ACCESS
}


class AccessHooks:
    """Makes what stands for one of `HOOKS_OF_ACCESS` of a host's class."""

    def __init__(self, kin: Kinship, read_past_hooks: Callable[..., Any]) -> None:
        self._kin = kin
        self._read_past_hooks = read_past_hooks

    def asking(self, name: str, found: Found) -> Any:
        """Return `object.__getattribute__` or its kin, bound or not, made to ask for names too."""
        raw: Any = found.raw
        o = found.instance
        owner = found.owner
        if o is None and is_stand_in(found.target):  # `type.__setattr__` is that of the real one
            owner, raw = in_line(mro_of(getattr(found.target, REAL)), name)
        if type(raw) is types.WrapperDescriptorType:
            if not issubclass(raw.__objclass__, type) and raw.__objclass__ not in _AS_OBJECTS[name]:
                raise denied_attribute(name)
        elif type(raw) is not types.FunctionType or name == "__getattribute__":
            raise denied_attribute(name)
        of_classes = owner is not None and issubclass(owner, type)
        if o is None:
            return lambda o, /, *rest: self._ask(name, o, raw, rest, of_classes)
        return lambda *rest: self._ask(name, o, raw, rest, of_classes)

    def _ask(self, hook: str, o: Any, raw: Any, rest: tuple[Any, ...], of_classes: bool) -> Any:
        name = rest[0] if rest else ""
        if type(name) is not str:
            raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
        if of_classes and not is_class(o):
            of = name_of(type(o))
            raise TypeError(f"descriptor {hook!r} requires a 'type' object but received a {of!r}")
        if hook != "__getattribute__":
            return self._store(hook, o, raw, rest, of_classes)
        kind = read_kind(name)
        if not of_classes and is_class(o) and self._is_of_hosts(o, name):
            raise denied_attribute(name)
        if kind == PLAIN:
            return raw(o, *rest)
        if kind == REFUSED or type(o) in self._kin.host:
            raise denied_attribute(name)
        return self._read_past_hooks(o, name, of_classes)

    def _is_of_hosts(self, cls: Any, name: str) -> bool:
        """Return True if `object.__getattribute__` would read what is the host's of a class.

        It takes the class for an instance and so reads its metaclass: `type.__new__` is the real
        one. Of a host's class it reads methods that are bound to nothing.
        """
        owner, _ = in_line(mro_of(type(cls)), name)
        return cls in self._kin.host or (owner is not None and owner in self._kin.host)

    def _store(self, hook: str, o: Any, raw: Any, rest: tuple[Any, ...], of_classes: bool) -> Any:
        name = rest[0] if rest else ""
        if not (name == "__name__" or store_kind(name) == PLAIN) or not self._stores_to(o):
            raise denied_attribute(name)
        if is_class(o):
            if not of_classes:  # it would not notice, see `natives/types/class_stores`
                raise TypeError(f"can't apply this {hook} to {name_of(type(o))} object")
            if name == "__name__":
                if not may_be_named(rest[1:]):
                    raise denied_attribute(name)
                keep_name(o)
            elif name in NOTICED_STORES:
                notice_any_store(o, name)
        return raw(o, *rest)

    def _stores_to(self, o: Any) -> bool:
        """Return True if no class of the host's decides about stores to `o`, as an enum's does."""
        if type(o) is type:
            return self._kin.is_guest_class(o)
        return type(o) not in self._kin.host
