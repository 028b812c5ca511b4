"""CPython's lookup of an attribute, done once, so that what is judged is what is used.

`find` gives what a class or a namespace holds under a name, before any descriptor has run. It reads
the real dicts of real MROs, so no metaclass, property or `__class__` of a guest's has a say. Where
it should differ from CPython's own lookup, an attribute is another or missing, never unjudged.
"""

import types
import typing
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from sandbox.interpreter.disarming.identity import identity
from sandbox.language.guards.classes.class_origin import dict_of, instance_dict, is_class, mro_of

_MISSING: Any = object()


class Found(NamedTuple):
    """An attribute as found: `raw` in the dict of `owner`, or in `target`'s own namespace.

    Without an owner it is `target`'s own. `instance` and `cls` are what CPython passes to the
    `__get__` of `raw`.
    """

    target: Any
    owner: type | None
    raw: Any
    instance: Any = None
    cls: Any = None

    def bind(self) -> Any:
        """Return the value of the attribute: what `raw` gives for its instance."""
        return self.raw if self.owner is None else bound(self.raw, self.instance, self.cls)


class Hook(NamedTuple):
    """A guest's own code answers: its `__getattribute__` or, for what is missing, `__getattr__`."""

    target: Any
    first: Any
    then: Any

    def ask(self, name: str) -> Any:
        """Return what the guest's code answers. Raises AttributeError."""
        kind = type(self.target)
        if self.first is _MISSING:
            return bound(self.then, self.target, kind)(name)
        try:
            return bound(self.first, self.target, kind)(name)
        except AttributeError:
            if self.then is _MISSING:
                raise
        return bound(self.then, self.target, kind)(name)


Host = Callable[[object], bool]  # says whether a class is the host's


class Lookup:
    """Finds attributes; `proxies` says by id what each weak proxy of the program stands for."""

    def __init__(self, is_host: Host) -> None:
        self._is_host = is_host
        self.proxies: dict[int, weakref.ref[Any]] = {}
        self._ways: dict[int, Callable[[Any, str], Found | Hook | None]] = {
            identity(type): self.find_in_class,
            identity(super): self._of_super,
            identity(types.MethodType): self._of_method,
            identity(types.GenericAlias): self._of_alias,
            identity(weakref.ProxyType): self._of_proxy,
            identity(weakref.CallableProxyType): self._of_proxy,
        }

    def find(self, o: Any, name: str) -> Found | Hook | None:
        """Return what CPython's lookup of `name` from `o` comes to; None for nothing."""
        kind = type(o)
        owner, raw = in_line(mro_of(kind), "__getattribute__")
        if owner is not None and not self._is_host(owner):
            return Hook(o, raw, in_line(mro_of(kind), "__getattr__")[1])
        return self._ways.get(identity(owner), self.generic)(o, name)

    def generic(self, o: Any, name: str) -> Found | Hook | None:
        """Look up `name` as PyObject_GenericGetAttr does."""
        kind = type(o)
        owner, raw = in_line(mro_of(kind), name)
        if owner is not None and _is_data(raw):
            return Found(o, owner, raw, o, kind)
        own = instance_dict(o)
        value = _MISSING if own is None else dict.get(own, name, _MISSING)
        if value is not _MISSING:
            return Found(o, None, value)
        if owner is not None:
            return Found(o, owner, raw, o, kind)
        return self._missing(o, name)

    def _missing(self, o: Any, name: str) -> Found | Hook | None:
        owner, raw = in_line(mro_of(type(o)), "__getattr__")
        if owner is None:
            return None
        if not self._is_host(owner):
            return Hook(o, _MISSING, raw)
        if is_class(o):  # an enum's, up to 3.11: it looks for a member
            members = in_line(mro_of(o), "_member_map_")[1]
            value = dict.get(members, name, _MISSING) if type(members) is dict else _MISSING
            return None if value is _MISSING else Found(o, o, value, None, o)
        if dict_of(owner).get("__module__") == typing.__name__ and name[:2] != "__":
            origin = (instance_dict(o) or {}).get("__origin__", _MISSING)
            return None if origin is _MISSING else self.find(origin, name)
        return None

    def find_in_class(self, cls: Any, name: str) -> Found | Hook | None:
        """Look up `name` as type_getattro does."""
        kind = type(cls)
        above, meta = in_line(mro_of(kind), name)
        if above is not None and _is_data(meta):
            return Found(cls, above, meta, cls, kind)
        owner, raw = in_line(mro_of(cls), name)
        if owner is not None:
            return Found(cls, owner, raw, None, cls)
        if above is not None:
            return Found(cls, above, meta, cls, kind)
        return self._missing(cls, name)

    def _of_super(self, o: Any, name: str) -> Found | Hook | None:
        """Look up `name` as super_getattro does."""
        start, this, instance = _start_of(o), _class_of(o), _object_of(o)
        if start is not None and name != "__class__":
            line = list(mro_of(start))
            at = next((i for i, cls in enumerate(line) if cls is this), len(line))
            owner, raw = in_line(tuple(line[at + 1 :]), name)
            if owner is not None:
                return Found(instance, owner, raw, None if instance is start else instance, start)
        return self.generic(o, name)

    def _of_method(self, o: Any, name: str) -> Found | Hook | None:
        owner, raw = in_line(mro_of(type(o)), name)
        if owner is not None:
            return Found(o, owner, raw, o, type(o))
        return self.find(_function_of(o), name)

    def _of_alias(self, o: Any, name: str) -> Found | Hook | None:
        """Look up `list[int].x` as `list.x`, but for what an alias has of its own."""
        if name[:2] == "__":
            return self.generic(o, name)
        return self.find(_origin_of(o), name)

    def _of_proxy(self, o: Any, name: str) -> Found | Hook | None:
        target = self.target_of(o)
        return self.generic(o, name) if target is None else self.find(target, name)

    def target_of(self, o: Any) -> Any:
        """Return what a weak proxy of the program's stands for; None for all else, or if gone."""
        if type(o) is not weakref.ProxyType and type(o) is not weakref.CallableProxyType:
            return None
        reference = self.proxies.get(id(o))
        return None if reference is None else reference()


def bound(raw: Any, instance: Any, cls: Any) -> Any:
    """Return what the descriptor `raw` gives, or `raw` itself if it is none."""
    owner, get = in_line(mro_of(type(raw)), "__get__")
    return raw if owner is None else get(raw, instance, cls)


def in_line(line: tuple[type, ...], name: str) -> tuple[type | None, Any]:
    """Find which class in an MRO has `name`, and what stands there."""
    for cls in line:
        value = dict_of(cls).get(name, _MISSING)
        if value is not _MISSING:
            return cls, value
    return None, _MISSING


def _is_data(raw: Any) -> bool:
    line = mro_of(type(raw))
    return in_line(line, "__set__")[0] is not None or in_line(line, "__delete__")[0] is not None


_start_of = super.__dict__["__self_class__"].__get__
_class_of = super.__dict__["__thisclass__"].__get__
_object_of = super.__dict__["__self__"].__get__
_function_of = types.MethodType.__dict__["__func__"].__get__
_origin_of = types.GenericAlias.__dict__["__origin__"].__get__
