"""The making of classes by a guest: the class statement and `type(...)`.

Bases are resolved once. Each way looks at what a class is to be made of right before CPython makes
it, when the body of the class has run, and hands on what it looked at; so do the metaclasses that a
guest inherits from, see `metaclasses`.
"""

import sys
import types
from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import Any

from sandbox.interpreter.disarming.identity import identity
from sandbox.language.compile import names
from sandbox.language.guards.classes.class_namespaces import (
    check_names,
    checked,
    empty_cell,
    take_out_ours,
)
from sandbox.language.guards.classes.class_origin import (
    Identities,
    Kinship,
    bases_of,
    dict_of,
    exact_text,
    is_class,
    mro_of,
)
from sandbox.language.guards.classes.metaclasses import (
    GUEST_BASE,
    REAL,
    GuestABCMeta,
    GuestMeta,
    StandInMeta,
    is_stand_in,
    make_checked,
    real_bases,
    winner,
)
from sandbox.language.guest.ends.denials import denied_class

_real_build_class = __build_class__
_NONE: Any = object()
_TYPING_BASES = ("_NamedTuple", "NamedTuple", "_TypedDict", "Generic", "Protocol")
# Granted, but not to inherit from: their methods run or read what an attribute of theirs names, or
# are C code that trusts what its other methods leave behind.
_FINAL = (
    ("dataclasses", "Field"),
    ("enum", "property"),
    ("io", "TextIOWrapper"),
    ("types", "DynamicClassAttribute"),
    ("types", "GenericAlias"),
    ("types", "ModuleType"),
)


def _call(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Return `type.__call__(cls, ...)`, as a guest's metaclass may write it."""
    if is_stand_in(cls) or not is_class(cls):
        return cls(*args, **kwargs)
    return type.__call__(cls, *args, **kwargs)


def _is_plain(cls: type) -> bool:
    """Return True if a host's class has nothing under the names that are free on plain objects."""
    for base in mro_of(cls):
        found = _NOT_PLAIN.intersection(dict_of(base))
        if base is not object and found and not (found == _ITS_OWN and base in READ_AS_OBJECT):
            return False
    return True


_ITS_OWN = {"__getattribute__"}
_NOT_PLAIN = (names.FREE_NAMES - {"__dict__", "__class__"}) | {"__getattr__"} | _ITS_OWN
# Their attributes are found as those of `object` are, by the same C code, though they say so again.
READ_AS_OBJECT = (tuple, list, dict, set, frozenset, int, float)


def _check_alias(base: Any, kin: Kinship) -> None:
    """Raise TypeError for a base that is no class, unless it is one of the typing machinery."""
    kind = type(base)
    if is_class(base) or kind is types.GenericAlias:
        return
    if kind in kin.host and kind.__module__ == "typing":
        return
    if kind is types.FunctionType and any(base is known for known in _typing_functions()):
        return
    raise TypeError(f"a base must be a class, not {kind.__name__!r}")


def _typing_functions() -> list[Any]:
    """List functions that are bases. Others of the host's may have attributes a program made."""
    typing = sys.modules.get("typing")
    return [getattr(typing, name, None) for name in ("NamedTuple", "TypedDict")]


def _real_metaclass(metaclass: Any) -> Any:
    return getattr(metaclass, REAL) if is_stand_in(metaclass) else metaclass


class Maker:
    """Stands for the metaclass while CPython runs the body of a class, and then makes the class.

    A body looks its variables up in what `__prepare__` gives, so only a host's may answer. It keeps
    the statement's keywords, among which CPython would look for `metaclass` once more: a text of
    the program's own kind may be equal to that by then.
    """

    __slots__ = ("_classes", "_keywords", "_metaclass", "_original")

    def __init__(self, classes: "Classes", metaclass: Any, original: Any, keywords: Any) -> None:
        self._classes, self._metaclass = classes, metaclass
        self._original, self._keywords = original, keywords

    def __prepare__(self, name: str, bases: tuple[Any, ...], /) -> Any:
        for cls in mro_of(self._metaclass) if is_class(self._metaclass) else ():
            prepare = dict_of(cls).get("__prepare__")
            if prepare is not None and cls in self._classes.kin.host:
                return prepare.__get__(None, self._metaclass)(name, bases, **self._keywords)
        return {}

    def __call__(self, name: str, bases: tuple[Any, ...], namespace: Any, /) -> Any:
        if self._original is not None:
            namespace["__orig_bases__"] = self._original
        return self._classes.create(self._metaclass, name, bases, namespace, self._keywords)


class Classes:
    """The class-making half of a world: stand-ins, and the guards around `class` and `type`."""

    def __init__(self, kin: Kinship) -> None:
        self.kin = kin
        self.stand_ins: dict[int, Any] = {}  # by identity of the real class
        self.open = Identities()
        self._meta = self._stand_in_meta()
        self.type = self._stand_in("type", type, GuestMeta)
        self.abc_meta = self._stand_in("ABCMeta", ABCMeta, GuestABCMeta)

    def _stand_in_meta(self) -> type:
        shown, make = self.shown, self.make

        def __call__(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
            if len(args) == 1 and not kwargs:
                return shown(type(args[0]))
            if len(args) != 3:
                raise TypeError("type() takes 1 or 3 arguments")
            return make(ABCMeta if _real_metaclass(cls) is ABCMeta else type, *args, **kwargs)

        return type("StandInMeta", (StandInMeta,), {"__call__": __call__})

    def settle(self, granted: Iterable[object]) -> None:
        """Learn what is granted; every metaclass of the host is shown as a stand-in.

        A guest inherits from what it was granted by name, not from what `type(x)` shows: methods of
        the host's own helpers trust the attributes of their `self`.
        """
        heirless = [sys.modules[m].__dict__.get(name) for m, name in _FINAL if m in sys.modules]
        closed = Identities(heirless)
        typing = sys.modules.get("typing")
        helpers = [getattr(typing, name, object) for name in _TYPING_BASES]
        for cls in (*granted, *helpers):
            if is_class(cls) and cls not in closed:
                for base in mro_of(cls):  # type: ignore[arg-type]
                    if base not in closed:
                        self.open.add(base)
        for cls in self.kin.host:
            if issubclass(cls, type) and identity(cls) not in self.stand_ins:
                self.stand_ins[identity(cls)] = self.type
        for meta in (ABCMeta, GuestABCMeta):
            self.stand_ins[identity(meta)] = self.abc_meta

    def stand_in(self, real: type) -> Any:
        """Make a stand-in for another metaclass, which a guest may look at but not inherit from."""
        self.stand_ins[identity(real)] = self._stand_in(real.__name__, real, None)
        return self.stand_ins[identity(real)]

    def shown(self, cls: Any) -> Any:
        """Return `cls`, or its stand-in for a metaclass of the host; what is no class is itself."""
        return self.stand_ins.get(identity(cls), cls)

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
        def __new__(mcls: Any, /, *args: Any, **kwargs: Any) -> Any:
            """Return `type.__new__(mcls, ...)`, as a guest's metaclass may write it."""
            if is_stand_in(mcls):
                return mcls(*args, **kwargs)
            if guest_base is None or not is_class(mcls) or not issubclass(mcls, GuestMeta):
                raise TypeError(f"{name}.__new__(X): X is not a metaclass of this program")
            return guest_base.__new__(mcls, *args, **kwargs)

        return __new__

    def make(
        self, metaclass: Any, name: str, bases: tuple[Any, ...], namespace: Any, /, **kwargs: Any
    ) -> Any:
        """Return `metaclass(name, bases, namespace)`, of one of the two that can be called so."""
        given = tuple(bases)
        bases = real_bases(given)
        self._check_metaclass(given, bases)
        name, namespace = exact_text(name), checked(namespace)
        if hooks := names.HOOKS.intersection(namespace):
            raise denied_class(f"defining {min(hooks)!r} other than in a class statement")
        cls = make_checked(
            lambda: metaclass(name, bases, namespace, **kwargs), bases, namespace, self.check_open
        )
        self.note(cls)
        return cls

    def build_class(
        self, body: Any, name: str, /, *bases: Any, metaclass: Any = _NONE, **kwargs: Any
    ) -> Any:
        """Make a class, as the class statement calls for it."""
        resolved = self._resolved(bases)
        real = real_bases(resolved)
        chosen = () if metaclass is _NONE else (_real_metaclass(metaclass),)
        self._check_metaclass(resolved, real, *chosen)
        original = None if resolved is bases else bases
        maker = Maker(self, winner(real, *chosen), original, kwargs)
        return _real_build_class(body, name, *real, metaclass=maker)

    def _resolved(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the classes that `bases` stand for; a base that is asked sees only stand-ins.

        Nothing but classes goes on from here: a metaclass of the host's compares what it is given
        while it prepares a namespace, and so does CPython ask what is none once more.
        """
        for base in bases:
            _check_alias(base, self.kin)
        resolved = types.resolve_bases(bases)
        if not all(map(is_class, resolved)):
            raise TypeError("bases must be types")
        return resolved

    def create(
        self, metaclass: Any, name: str, bases: tuple[Any, ...], namespace: Any, kwargs: Any
    ) -> Any:
        """Make the class that a body has filled `namespace` for."""
        if "__module__" not in namespace:  # CPython would take it from our frame
            namespace["__module__"] = "__main__"
        of_host = metaclass in self.kin.host and is_class(metaclass) and type in mro_of(metaclass)
        take_out_ours(namespace, of_host)
        check_names(namespace)
        empty_cell(namespace)
        cls = make_checked(
            lambda: metaclass(name, bases, namespace, **kwargs), bases, namespace, self.check_open
        )
        self.note(cls)
        return cls

    def _check_metaclass(self, given: Iterable[Any], bases: Iterable[Any], *chosen: Any) -> None:
        """Refuse a guest's metaclass of a metaclass: it would be told what is behind stand-ins."""
        if any(map(is_stand_in, given)):
            for maker in (*map(type, bases), *chosen):
                if maker not in self.kin.host:
                    raise denied_class("a metaclass of a metaclass")

    def check_open(self, bases: Iterable[Any]) -> None:
        """Refuse a base that the guest was not granted by name."""
        for base in bases:
            if base in self.kin.host and base not in self.open and not issubclass(base, type):
                raise denied_class(f"inheriting from {base.__name__!r}")

    def note(self, cls: Any) -> None:
        """Remember a new plain class; what made it may have answered with another that exists."""
        if (type(cls) is not type and type(cls) is not ABCMeta) or cls in self.kin.host:
            return
        free, bases = self.kin.free, bases_of(cls)
        if all(base in free or (base in self.kin.host and _is_plain(base)) for base in bases):
            free.add(cls)

    def has_metaclass_below(self, cls: type) -> bool:
        """Return True if `cls` or a subclass of it is a metaclass."""
        if issubclass(cls, type):
            return True
        return any(self.has_metaclass_below(sub) for sub in type.__subclasses__(cls))
