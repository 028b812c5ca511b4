"""How a guest makes classes: the class statement and `type(...)`.

Each looks at what a class is to be made of before CPython makes it; so do the metaclasses that a
guest inherits from, see `metaclasses`.
"""

import functools
import sys
import types
from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import Any

from sandbox.language.compile import names
from sandbox.language.guards.class_namespaces import checked
from sandbox.language.guards.hooks import only_called
from sandbox.language.guards.kinship import Kinship, dict_of, is_class, is_guest_function, mro_of
from sandbox.language.guards.metaclasses import (
    GUEST_BASE,
    REAL,
    GuestABCMeta,
    GuestMeta,
    StandInMeta,
    check_bases,
    is_stand_in,
    real_bases,
)
from sandbox.language.guest.denied import denied_class

_real_build_class = __build_class__
_NONE = object()
# Granted, but not to inherit from: their methods run or read what an attribute of theirs names, or
# are C code that trusts what its other methods leave behind.
_FINAL = (
    ("dataclasses", "Field"),
    ("enum", "property"),
    ("io", "TextIOWrapper"),
    ("types", "DynamicClassAttribute"),
    ("types", "GenericAlias"),
)


def _call(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """`type.__call__(cls, ...)`, as a guest's metaclass may write it."""
    if is_stand_in(cls) or not is_class(cls):
        return cls(*args, **kwargs)
    return type.__call__(cls, *args, **kwargs)


@functools.cache
def _is_plain(cls: type) -> bool:
    """True if a host's class has nothing under the names that are free on plain objects."""
    for base in mro_of(cls):
        if base is not object and not dict_of(base).keys().isdisjoint(_NOT_PLAIN):
            return False
    return True


_NOT_PLAIN = (names.FREE_NAMES - {"__dict__", "__class__"}) | {"__getattr__", "__getattribute__"}


def _check_alias(base: Any, kin: Kinship) -> None:
    """What is no class may say what to inherit from; only the typing machinery may do so here.

    It is asked twice, and a guest's own object could give two answers.
    """
    kind = type(base)
    if is_class(base) or kind is types.GenericAlias:
        return
    if kind in kin.host and kind.__module__ == "typing":
        return
    if kind is types.FunctionType and not is_guest_function(base):
        return  # typing.NamedTuple and TypedDict
    raise TypeError(f"a base must be a class, not {kind.__name__!r}")


class Classes:
    """The class-making half of a world: stand-ins, and the guards around `class` and `type`."""

    def __init__(self, kin: Kinship) -> None:
        self.kin = kin
        self.shown_as: dict[type, Any] = {}
        self.open: set[Any] = set()
        self._meta = self._stand_in_meta()
        self.type = self._stand_in("type", type, GuestMeta)
        self.abc_meta = self._stand_in("ABCMeta", ABCMeta, GuestABCMeta)

    def _stand_in_meta(self) -> type:
        shown_as, make = self.shown_as, self.make

        def __call__(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if len(args) == 1 and not kwargs:
                kind = type(args[0])
                return shown_as.get(kind, kind)
            if len(args) != 3:
                raise TypeError("type() takes 1 or 3 arguments")
            return make(*args, **kwargs)

        return type("StandInMeta", (StandInMeta,), {"__call__": __call__})

    def settle(self, granted: Iterable[object]) -> None:
        """Learn what is granted; every metaclass of the host is shown as a stand-in.

        A guest inherits from what it was granted by name, not from what `type(x)` shows: methods of
        the host's own helpers trust the attributes of their `self`.
        """
        heirless = {sys.modules[m].__dict__.get(name) for m, name in _FINAL if m in sys.modules}
        for cls in granted:
            if is_class(cls) and not any(cls is other for other in heirless):
                self.open.update(mro_of(cls))  # type: ignore[arg-type]
        self.open -= {cls for cls in self.open if any(cls is other for other in heirless)}
        for name in ("_NamedTuple", "NamedTuple", "_TypedDict", "Generic", "Protocol"):
            self.open.add(getattr(sys.modules.get("typing"), name, object))
        metaclasses = [cls for cls in self.kin.host if issubclass(cls, type)]
        self.shown_as.update({cls: self.type for cls in metaclasses if cls not in self.shown_as})
        self.shown_as.update({ABCMeta: self.abc_meta, GuestABCMeta: self.abc_meta})

    def stand_in(self, real: type) -> Any:
        """A stand-in for another metaclass, which a guest may look at but not inherit from."""
        self.shown_as[real] = self._stand_in(real.__name__, real, None)
        return self.shown_as[real]

    def shown(self, cls: Any) -> Any:
        """`cls`, or its stand-in if it is a metaclass of the host; what is no class is itself."""
        return self.shown_as.get(cls, cls) if is_class(cls) else cls

    def _stand_in(self, name: str, real: type, guest_base: type | None) -> Any:
        namespace = {
            "__module__": real.__module__,
            "__qualname__": name,
            "__new__": staticmethod(self._new(name, guest_base)),
            "__init__": staticmethod(lambda *args, **kwargs: None),
            "__call__": staticmethod(_call),
            "__class_getitem__": classmethod(types.GenericAlias),
            REAL: real,
            GUEST_BASE: guest_base,
        }
        return self._meta(name, (), namespace)

    def _new(self, name: str, guest_base: type | None) -> Callable[..., Any]:
        def __new__(mcls: Any, *args: Any, **kwargs: Any) -> Any:
            """`type.__new__(mcls, ...)`, as a guest's metaclass may write it."""
            if is_stand_in(mcls):
                return mcls(*args, **kwargs)
            if guest_base is None or not is_class(mcls) or not issubclass(mcls, GuestMeta):
                raise TypeError(f"{name}.__new__(X): X is not a metaclass of this program")
            return guest_base.__new__(mcls, *args, **kwargs)

        return __new__

    def make(self, name: str, bases: tuple[Any, ...], namespace: Any, /, **kwargs: Any) -> Any:
        """`type(name, bases, namespace)`."""
        given = tuple(bases)
        bases = real_bases(given)
        self._check_metaclass(given, bases)
        namespace = checked(namespace)
        if hooks := names.HOOKS.intersection(namespace):
            raise denied_class(f"defining {min(hooks)!r} other than in a class statement")
        check_bases(bases, namespace)
        self.check_open(bases)
        cls = type(name, bases, namespace, **kwargs)
        self._note(cls, bases)
        return cls

    def build_class(
        self, body: Any, name: str, /, *bases: Any, metaclass: Any = _NONE, **kwargs: Any
    ) -> Any:
        """What the class statement calls."""
        if metaclass is not _NONE:
            real = getattr(metaclass, REAL) if is_stand_in(metaclass) else metaclass
            is_real = is_class(real) and issubclass(real, type)
            kwargs["metaclass"] = real if is_real else only_called(real)
        given, bases = bases, real_bases(bases)
        for base in bases:
            _check_alias(base, self.kin)
        resolved = types.resolve_bases(bases)
        self._check_metaclass(given, resolved, *([] if metaclass is _NONE else [real]))
        check_bases(resolved, body.__code__.co_names)
        self.check_open(resolved)
        cls = _real_build_class(body, name, *bases, **kwargs)
        self._note(cls, resolved)
        return cls

    def _check_metaclass(self, given: Iterable[Any], bases: Iterable[Any], *chosen: Any) -> None:
        """A guest that makes a metaclass's class would be told what stands behind the stand-ins."""
        if any(map(is_stand_in, given)):
            for maker in (*map(type, bases), *chosen):
                if not is_class(maker) or maker not in self.kin.host:
                    raise denied_class("a metaclass of a metaclass")

    def check_open(self, bases: Iterable[Any]) -> None:
        """Refuse a base that the guest was not granted by name."""
        for base in bases:
            if base in self.kin.host and base not in self.open and not issubclass(base, type):
                raise denied_class(f"inheriting from {base.__name__!r}")

    def _note(self, cls: Any, bases: tuple[Any, ...]) -> None:
        if type(cls) not in (type, ABCMeta):
            return
        free = self.kin.free
        if all(base in free or (base in self.kin.host and _is_plain(base)) for base in bases):
            free.add(cls)

    def has_metaclass_below(self, cls: type) -> bool:
        """True if `cls` or a subclass of it is a metaclass."""
        if issubclass(cls, type):
            return True
        return any(self.has_metaclass_below(sub) for sub in type.__subclasses__(cls))
