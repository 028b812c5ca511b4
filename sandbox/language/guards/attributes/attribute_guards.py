"""Guards for attributes whose danger depends on the object: what a guest gets to see.

The lookup has been done once (`lookup`). What a guest's class or namespace holds is the guest's; of
what a host's class holds, each family of names has a rule here. A rule decides by what was found
and gives out just that, so nothing that changes meanwhile can come between.
"""

import array
import types
from collections.abc import Callable
from typing import Any

from sandbox.language.compile.names import (
    PLAIN,
    SAFE_PRIVATE,
    is_dunder,
    read_kind,
)
from sandbox.language.guards.attributes.access_hooks import HOOKS_OF_ACCESS, AccessHooks
from sandbox.language.guards.attributes.formatting import (
    Read,
    bound_format,
    guarded_format,
    unbound_format,
)
from sandbox.language.guards.attributes.lookup import Found, in_line
from sandbox.language.guards.classes.class_origin import (
    Kinship,
    bases_of,
    dict_of,
    instance_dict,
    is_class,
    is_guest_function,
    is_guest_method,
    mro_of,
)
from sandbox.language.guards.classes.classes import Classes
from sandbox.language.guards.classes.host_dicts import host_dict
from sandbox.language.guards.classes.metaclasses import is_stand_in
from sandbox.language.guest.ends.denials import denied_attribute

Rule = Callable[[str, Found], Any]


class Attributes:
    """One method for each family of names; `of_host` chooses."""

    def __init__(
        self, kin: Kinship, classes: Classes, fetch: Read, read_past_hooks: Callable[..., Any]
    ) -> None:
        self.kin = kin
        self.classes = classes
        self.fetch = fetch
        self.read_past_hooks = read_past_hooks
        self.families: dict[str, Rule] = {
            "format": self._format,
            "format_map": self._format,
            "obj": self._obj,
            "mro": self._mro,
            "groupindex": self._mapping,
            "__members__": self._mapping,
            "__class__": self._class,
            "__dict__": self._dict,
            "__mro__": self._bases,
            "__bases__": self._bases,
            "__base__": self._bases,
            "__annotations__": self._annotations,
            "__defaults__": self._defaults,
            "__kwdefaults__": self._defaults,
            "__self__": self._bound,
            "__func__": self._bound,
            "__subclasses__": self._subclasses,
            **dict.fromkeys(HOOKS_OF_ACCESS, AccessHooks(kin, read_past_hooks).asking),
            "__get__": self._descriptor,
            "__set__": self._descriptor,
            "__delete__": self._descriptor,
            "_add_alias_": self._alias,
            "_add_value_alias_": self._alias,
        }

    def is_guests(self, name: str, found: Found) -> bool:
        """Say whether what was found is the guest's own; to bind it may run the guest's code."""
        if found.owner is None:
            is_facade = issubclass(type(found.target), types.ModuleType)
            return is_facade or self.kin.holds_own(found.target)
        if name == "__dict__" and type(found.raw) is types.GetSetDescriptorType:
            return False  # CPython's own, which stands in every class
        return found.owner not in self.kin.host

    def of_host(self, name: str, found: Found) -> Any:
        """Return the value under `name`, which a host's class holds, or raise AttributeError."""
        if found.owner is None:
            raise denied_attribute(name)
        return self.families.get(name, self._other)(name, found)

    def _other(self, name: str, found: Found) -> Any:
        if name in SAFE_PRIVATE or self.kin.owners.allows(found.owner, name):
            return found.bind()
        raise denied_attribute(name)

    def _format(self, name: str, found: Found) -> Any:
        raw, text = found.raw, found.instance
        if raw is not _STR_FORMAT and raw is not _STR_FORMAT_MAP:
            return found.bind()
        expand: Any = guarded_format if raw is _STR_FORMAT else None
        if text is None:
            return unbound_format(expand, self.fetch)
        if not issubclass(type(text), str):
            return found.bind()  # CPython says what it needs
        return bound_format(str.__str__(text), expand, self.fetch)

    def _obj(self, name: str, found: Found) -> Any:
        if found.owner is not memoryview:
            return self._other(name, found)
        shown = found.bind()  # or what a stream lends itself by, which outlives it
        if type(shown) in self.kin.host and type(shown) not in _BUFFERS:
            raise denied_attribute(name)
        return shown

    def _mro(self, name: str, found: Found) -> Any:
        cls = found.instance
        if found.raw is not _TYPE_MRO or not is_class(cls):
            return self._other(name, found)
        if is_stand_in(cls):  # `type.mro(C)`
            return lambda cls, /: self._line(cls)
        return lambda: self._line(cls)

    def _line(self, cls: Any) -> list[Any]:
        if not is_class(cls):
            raise TypeError(f"descriptor 'mro' requires a 'type' object but received {cls!r}")
        return [self.classes.shown(base) for base in mro_of(cls)]

    def _mapping(self, name: str, found: Found) -> Any:
        value = found.bind()
        return (
            types.MappingProxyType(dict(value)) if type(value) is types.MappingProxyType else value
        )

    def _class(self, name: str, found: Found) -> Any:
        return self.classes.shown(type(found.target))

    def _dict(self, name: str, found: Found) -> Any:
        o = found.target
        if self.kin.is_guest_class(o):
            return types.MappingProxyType(_class_dict(o))
        if is_class(o):
            return host_dict(o)
        own = instance_dict(o) if self.kin.holds_own(o) else None
        if own is None:
            raise denied_attribute(name)
        return own

    def _bases(self, name: str, found: Found) -> Any:
        o = found.instance
        if not is_class(o):
            raise denied_attribute(name)
        if name == "__base__":
            return None if o is object else self.classes.shown(_class_base(o))
        classes = mro_of(o) if name == "__mro__" else bases_of(o)
        return tuple(self.classes.shown(cls) for cls in classes)

    def _annotations(self, name: str, found: Found) -> Any:
        o = found.target
        if self.kin.is_guest_class(o) or is_guest_method(o):
            value = found.bind()
            if type(value) is dict:
                return dict(value)
        raise denied_attribute(name)

    def _defaults(self, name: str, found: Found) -> Any:
        """Return what the guest wrote there; a host's function may keep a power in its defaults."""
        if not is_guest_function(found.target):
            raise denied_attribute(name)
        value = found.bind()
        return dict(value) if type(value) is dict else value

    def _bound(self, name: str, found: Found) -> Any:
        o = found.target
        if type(o) is types.MethodType and is_guest_method(o):
            return found.bind()
        if type(o) in (classmethod, staticmethod):
            value = found.bind()
            if is_guest_function(value):
                return value
        raise denied_attribute(name)

    def _subclasses(self, name: str, found: Found) -> Any:
        cls = found.instance
        if is_stand_in(cls):  # `type.__subclasses__(C)`
            return lambda cls, /: self._heirs(cls)
        if not self.kin.is_guest_class(cls):
            raise denied_attribute(name)
        return lambda: self._heirs(cls)

    def _heirs(self, cls: Any) -> list[Any]:
        if not self.kin.is_guest_class(cls):
            raise denied_attribute("__subclasses__")
        return [sub for sub in type.__subclasses__(cls) if sub not in self.kin.host]

    def _alias(self, name: str, found: Found) -> Any:
        """Return an enum's way to other names of members: its tables are dicts of its class.

        It asks the member for its class, for which no code of the program's may answer.
        """
        o = found.instance
        asked = in_line(mro_of(type(o)), "__getattribute__")[0]
        if type(o) in self.kin.host or is_class(o) or asked not in self.kin.host:
            raise denied_attribute(name)
        add = found.bind()
        return _add_named(add) if name == "_add_alias_" else add

    def _descriptor(self, name: str, found: Found) -> Any:
        """Bind or refuse: a host's would read or write under a name of the caller's choice."""
        o = found.instance
        kind = type(o)
        if kind in _CALLING or (name == "__get__" and kind in self.kin.holders):
            return found.bind()
        wraps = kind in (classmethod, staticmethod) and name == "__get__"
        if wraps and is_guest_function(o.__func__):
            return _get_later(o, o.__func__, self.classes.shown)
        if kind is types.MemberDescriptorType and self.kin.is_guest_class(o.__objclass__):
            return found.bind()
        raise denied_attribute(name)


def _add_named(add: Callable[[str], None]) -> Callable[[str], None]:
    """Wrap `add` to check the name: C code and the enum itself look for what is stored under it."""

    def add_alias(name: str) -> None:
        if type(name) is not str or is_dunder(name) or read_kind(name) != PLAIN:
            raise denied_attribute(str(name))
        add(name)

    return add_alias


def _get_later(o: Any, function: Any, shown: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return `o.__get__`; `o` must not be given another function before that is called."""

    def get(instance: Any, owner: Any = None, /) -> Any:
        if o.__func__ is not function:
            raise denied_attribute("__get__")
        if type(o) is staticmethod:
            return function
        return types.MethodType(function, shown(type(instance)) if owner is None else owner)

    return get


def _class_dict(cls: type) -> dict[str, Any]:
    """Return a copy: a view would give the other operand of `|` or `==` the real namespace."""
    return {
        name: value
        for name, value in dict_of(cls).items()
        if read_kind(name) == PLAIN or (is_dunder(name) and is_guest_method(value))
    }


_CALLING = (types.FunctionType, types.MethodType, property)
_class_base = type.__dict__["__base__"].__get__
_STR_FORMAT, _STR_FORMAT_MAP = str.__dict__["format"], str.__dict__["format_map"]
_TYPE_MRO = type.__dict__["mro"]
_BUFFERS = (bytes, bytearray, memoryview, array.array)
