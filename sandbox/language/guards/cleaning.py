"""What a guest gets to see of an attribute whose danger depends on the object.

The attribute has been read as CPython reads it; here we decide by the object and by the value, so
objects that forward attributes (generic aliases, weak proxies, super()) cannot hide behind a name.
"""

import types
from collections.abc import Callable
from typing import Any

from sandbox.language.compile.names import (
    GUARDED,
    PLAIN,
    SAFE_PRIVATE,
    is_dunder,
    read_kind,
    store_kind,
)
from sandbox.language.guards.classes import Classes
from sandbox.language.guards.formatting import guarded_format, guarded_format_map
from sandbox.language.guards.kinship import (
    Kinship,
    dict_of,
    instance_dict,
    is_class,
    is_guest_function,
    is_guest_method,
    mro_of,
)
from sandbox.language.guest.denied import denied_attribute

_FUNCTIONS = (types.FunctionType, types.MethodType, property)
_MISSING = object()


class Cleaner:
    """One method for each family of GUARDED names; `clean` chooses."""

    def __init__(self, kin: Kinship, classes: Classes, read: Callable[..., Any]) -> None:
        self.kin = kin
        self.classes = classes
        self.read = read
        self.families: dict[str, Callable[[Any, str, Any], Any]] = {
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
            "__getattribute__": self._access,
            "__setattr__": self._access,
            "__delattr__": self._access,
            "__get__": self._descriptor,
            "__set__": self._descriptor,
            "__delete__": self._descriptor,
            "__getattr__": self._hook,
            "__set_name__": self._hook,
        }

    def clean(self, o: Any, name: str, value: Any) -> Any:
        """What reading `name` from `o` gives, now that CPython gave `value`. Or AttributeError."""
        return self.families.get(name, self._own)(o, name, value)

    def _format(self, o: Any, name: str, value: Any) -> Any:
        if value is _STR_FORMAT:
            return lambda text, /, *args, **kwargs: guarded_format(
                str.__str__(text), args, kwargs, self.read
            )
        if value is _STR_FORMAT_MAP:
            return lambda text, mapping, /: guarded_format_map(
                str.__str__(text), mapping, self.read
            )
        if type(value) is not types.BuiltinMethodType or not issubclass(type(value.__self__), str):
            return value
        text = str.__str__(value.__self__)
        if value.__name__ == "format":
            return lambda *args, **kwargs: guarded_format(text, args, kwargs, self.read)
        return lambda mapping, /: guarded_format_map(text, mapping, self.read)

    def _obj(self, o: Any, name: str, value: Any) -> Any:
        return value if type(o) is memoryview else self._own(o, name, value)

    def _mro(self, o: Any, name: str, value: Any) -> Any:
        if is_class(o) and type(value) is types.BuiltinMethodType:
            return lambda: [self.classes.shown(cls) for cls in mro_of(o)]
        return self._own(o, name, value)

    def _mapping(self, o: Any, name: str, value: Any) -> Any:
        return (
            types.MappingProxyType(dict(value)) if type(value) is types.MappingProxyType else value
        )

    def _class(self, o: Any, name: str, value: Any) -> Any:
        return self.classes.shown(type(o))

    def _dict(self, o: Any, name: str, value: Any) -> Any:
        if self.kin.is_guest_class(o):
            return types.MappingProxyType(self._class_dict(o))
        if type(o) is types.FunctionType and not is_guest_function(o):
            raise denied_attribute(name)
        own = instance_dict(o) if self.kin.holds_own(o) else None
        if own is None:
            raise denied_attribute(name)
        return own

    def _class_dict(self, cls: type) -> dict[str, Any]:
        """A copy: a view would hand the real namespace to the other operand of `|` or `==`."""
        return {
            name: value
            for name, value in dict_of(cls).items()
            if read_kind(name) == PLAIN or (is_dunder(name) and is_guest_method(value))
        }

    def _bases(self, o: Any, name: str, value: Any) -> Any:
        if not is_class(o):
            raise denied_attribute(name)
        if name == "__base__":
            return None if o is object else self.classes.shown(value)
        classes = mro_of(o) if name == "__mro__" else _class_bases(o)
        return tuple(self.classes.shown(cls) for cls in classes)

    def _annotations(self, o: Any, name: str, value: Any) -> Any:
        if type(value) is dict and (self.kin.is_guest_class(o) or is_guest_method(o)):
            return dict(value)
        raise denied_attribute(name)

    def _defaults(self, o: Any, name: str, value: Any) -> Any:
        """What the guest wrote there; a host's function may keep a power in its defaults."""
        if is_guest_method(o):
            return dict(value) if type(value) is dict else value
        raise denied_attribute(name)

    def _bound(self, o: Any, name: str, value: Any) -> Any:
        if type(o) is types.MethodType and is_guest_method(o):
            return value
        if type(o) in (classmethod, staticmethod) and is_guest_function(value):
            return value
        raise denied_attribute(name)

    def _subclasses(self, o: Any, name: str, value: Any) -> Any:
        if not self.kin.is_guest_class(o):
            raise denied_attribute(name)
        return lambda: [cls for cls in type.__subclasses__(o) if cls not in self.kin.host]

    def _access(self, o: Any, name: str, value: Any) -> Any:
        """`object.__getattribute__` and its kin, bound or not, made to ask for names too."""
        if is_guest_method(value):
            return value
        if type(value) is types.WrapperDescriptorType:
            if value.__objclass__ is not object and not issubclass(value.__objclass__, type):
                raise denied_attribute(name)
            return lambda o, /, *rest: self._ask(name, o, value.__get__(o), rest)
        if type(value) is types.MethodWrapperType:
            return lambda *rest: self._ask(name, value.__self__, value, rest)
        raise denied_attribute(name)

    def _ask(self, hook: str, o: Any, raw: Callable[..., Any], rest: tuple[Any, ...]) -> Any:
        name = rest[0] if rest else ""
        if type(name) is not str:
            raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
        if hook != "__getattribute__":
            if store_kind(name) != PLAIN or type(o) in self.kin.host:
                raise denied_attribute(name)
            return raw(*rest)
        kind = read_kind(name)
        if kind == PLAIN:
            return raw(*rest)
        if kind == GUARDED and type(o) not in self.kin.host:
            return self.clean(o, name, raw(*rest))
        raise denied_attribute(name)

    def _descriptor(self, o: Any, name: str, value: Any) -> Any:
        """A host's descriptor would read or write under a name of the caller's choice."""
        if is_guest_method(value):
            return value
        if type(o) in _FUNCTIONS or (name == "__get__" and type(o) in self.kin.holders):
            return value
        if type(o) in (classmethod, staticmethod) and is_guest_function(o.__func__):
            return value  # up to 3.12 a class method passes on to whatever descriptor it holds
        if type(o) is types.MemberDescriptorType and self.kin.is_guest_class(o.__objclass__):
            return value
        raise denied_attribute(name)

    def _hook(self, o: Any, name: str, value: Any) -> Any:
        if is_guest_method(value):
            return value
        raise denied_attribute(name)

    def _own(self, o: Any, name: str, value: Any) -> Any:
        """Fine if the guest put it there: a private name that some host class has, `obj`, `mro`."""
        if name in SAFE_PRIVATE or self._is_own(o, name) or self._is_listed(o, name):
            return value
        raise denied_attribute(name)

    def _is_listed(self, o: Any, name: str) -> bool:
        owner = self._owner(o, name)
        return owner is not None and self.kin.owners.allows(owner, name)

    def _is_own(self, o: Any, name: str) -> bool:
        owner = self._owner(o, name)
        if owner is not None:
            return owner not in self.kin.host
        if type(o) is types.ModuleType or self.kin.holds_own(o):
            own = instance_dict(o)
            if own is not None and name in own:
                return True
        # Neither the class nor the object has it, so somebody answered for it.
        hooks = ("__getattr__", "__getattribute__")
        answering = [self._owner(o, hook) for hook in hooks]
        guests = [cls for cls in answering if cls is not None and cls is not object]
        return bool(guests) and not any(cls in self.kin.host for cls in guests)

    def _owner(self, o: Any, name: str) -> type | None:
        """The class where CPython finds `name`, looking from `o`."""
        kind = type(o)
        if kind is super:
            return next((c for c in mro_of(o.__self_class__) if _defines(c, name, self.kin)), None)
        lines = (mro_of(o), mro_of(kind)) if is_class(o) else (mro_of(kind),)
        return next((cls for line in lines for cls in line if name in dict_of(cls)), None)


def _defines(cls: type, name: str, kin: Kinship) -> bool:
    return cls in kin.host and name in dict_of(cls)


_class_bases = type.__dict__["__bases__"].__get__
_STR_FORMAT, _STR_FORMAT_MAP = str.__dict__["format"], str.__dict__["format_map"]
