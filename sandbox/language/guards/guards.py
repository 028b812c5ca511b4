"""The guards that the restricted bytecode and the guest's own getattr and setattr come to.

Each one first reads or resolves the attribute as CPython would, and then decides by what it got:
objects that forward attributes (generic aliases, weak proxies) cannot hide behind a name.
"""

import functools
import operator
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

from sandbox.language.compile.format_fields import needs_guard
from sandbox.language.compile.names import (
    CLASS_WALK,
    GUARDED,
    PLAIN,
    REFUSED,
    read_kind,
    store_kind,
)
from sandbox.language.compile.rewriting import (
    AUGMENT,
    DELATTR,
    FORMAT,
    FREE,
    GETATTR,
    HOST,
    METACLASSES,
    SETATTR,
    SHOW,
    STAND_IN,
    STAR,
    TYPE,
    WRITE,
    WRITER,
)
from sandbox.language.guards.classes import Classes
from sandbox.language.guards.cleaning import Cleaner
from sandbox.language.guards.groups import star_guard
from sandbox.language.guards.hooks import shown_hook
from sandbox.language.guards.kinship import HEAP, IMMUTABLE, Kinship, is_class, is_guest_function
from sandbox.language.guards.match_args import PatternCheck
from sandbox.language.guards.writers import Writer
from sandbox.language.guest.denied import denied_attribute, denied_store

_needs_guard = functools.lru_cache(maxsize=256)(needs_guard)
_WRITABLE = (  # host classes whose setters are harmless
    ("decimal", "Context"),
    ("sandbox.language.stdlib.threading", "Thread"),
    ("sandbox.language.stdlib.threading", "Timer"),
    ("sandbox.language.stdlib.threading", "local"),
)
_METACLASS_STORES = ("__eq__", "__ne__", "__hash__")
_AUGMENTED: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "MatMult": operator.imatmul,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "Pow": operator.ipow,
    "LShift": operator.ilshift,
    "RShift": operator.irshift,
    "BitAnd": operator.iand,
    "BitXor": operator.ixor,
    "BitOr": operator.ior,
}


def exact_name(name: Any) -> str:
    """`name` as a real str: a subclass could say one thing to the check and another to CPython."""
    if type(name) is str:
        return name
    if issubclass(type(name), str):
        return str.__str__(name)
    raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")


class Guards:
    """Read, write and delete attributes on behalf of a guest."""

    def __init__(self, kin: Kinship, classes: Classes) -> None:
        self.kin = kin
        self.classes = classes
        self.writable_hosts: frozenset[type] = frozenset()  # host classes with harmless setters
        self.shown_hook = shown_hook(classes.shown)
        self.write_proxies: dict[int, Any] = {}  # id of a module facade: what takes its stores
        self._clean = Cleaner(kin, classes, self.fetch).clean

    def format(self, o: Any) -> Any:
        """`o.format` for a real string that names no guarded attribute: it cannot change."""
        return o.format if type(o) is str and not _needs_guard(o) else self.read(o, "format")

    def settle(self) -> None:
        """Forget which types `typing` has met: a guest's `__eq__` would be shown them."""
        self.writable_hosts = frozenset(
            getattr(sys.modules[module], name)
            for module, name in _WRITABLE
            if module in sys.modules
        )
        cleanups: list[Any] = getattr(sys.modules.get("typing"), "_cleanups", [])
        for cleanup in cleanups:
            cleanup()

    def bytecode_names(self) -> dict[str, Any]:
        """What the compiled program finds under the names that it cannot spell."""
        return {
            GETATTR: self.read,
            SETATTR: self.setattr,
            DELATTR: self.delattr,
            WRITE: self.write,
            WRITER: functools.partial(Writer, self.write),
            TYPE: type,
            HOST: self.kin.host,
            FREE: self.kin.free,
            FORMAT: self.format,
            STAND_IN: self.classes.type,
            METACLASSES: frozenset(cls for cls in self.kin.host if issubclass(cls, type)),
            AUGMENT: self.augment,
            SHOW: self.shown_hook,
            STAR: star_guard(self.kin),
            **PatternCheck(self.kin).bytecode_names(),
        }

    def augment(self, operator: str, old: Any, value: Any) -> Any:
        """`old += value`, or whichever operator it is."""
        return _AUGMENTED[operator](old, value)

    def getattr(self, o: Any, name: Any, *default: Any) -> Any:
        """The builtin getattr, under the rules for names."""
        name = exact_name(name)
        kind = read_kind(name)
        if kind == PLAIN:
            return getattr(o, name, *default)
        if kind == GUARDED:
            try:
                if name in CLASS_WALK and type(o) in self.kin.host:
                    raise denied_attribute(name)
                return self.read(o, name)
            except AttributeError:
                if default:
                    return default[0]
                raise
        if default:
            return default[0]
        raise denied_attribute(name)

    def fetch(self, o: Any, name: str) -> Any:
        """Read an attribute that the program spells out, in a format string."""
        kind = read_kind(name)
        if kind == REFUSED:
            raise denied_attribute(name)
        return getattr(o, name) if kind == PLAIN else self.read(o, name)

    def hasattr(self, o: Any, name: Any) -> bool:
        """The builtin hasattr: what may not be read is not there."""
        try:
            self.getattr(o, name)
        except AttributeError:
            return False
        return True

    def read(self, o: Any, name: str) -> Any:
        """Read a GUARDED name."""
        return self._clean(o, name, getattr(o, name))

    def write(self, o: Any) -> Any:
        """`o` itself if the guest may set its attributes; immutable types refuse by themselves."""
        kind = type(o)
        if kind not in self.kin.host:
            return o
        if is_class(o):
            if o not in self.kin.host or o.__flags__ & IMMUTABLE:
                return o
        elif kind is types.FunctionType:
            if is_guest_function(o):
                return o
        elif kind in weakref.ProxyTypes:  # they pass the store on
            if self.kin.is_guest_class(o.__class__):
                return o
        elif kind is types.ModuleType:
            if id(o) in self.write_proxies:
                return self.write_proxies[id(o)]
        elif (
            self.kin.is_holder(o)
            or kind in self.writable_hosts
            or not kind.__flags__ & HEAP
            or issubclass(kind, BaseException)
        ):
            return o
        raise denied_store(kind)

    def setattr(self, o: Any, name: Any, value: Any) -> None:
        """The builtin setattr, under the rules for names and objects."""
        name = exact_name(name)
        self._check_store(o, name, (value,))
        setattr(self.write(o), name, value)

    def delattr(self, o: Any, name: Any) -> None:
        """The builtin delattr, under the rules for names and objects."""
        name = exact_name(name)
        self._check_store(o, name, ())
        delattr(self.write(o), name)

    def _check_store(self, o: Any, name: str, value: tuple[Any, ...]) -> None:
        kind = store_kind(name)
        if kind != PLAIN and not (kind == GUARDED and self._may_store(o, name, value)):
            raise denied_attribute(name)

    def _may_store(self, o: Any, name: str, value: tuple[Any, ...]) -> bool:
        if name == "__class__":
            # The compiler may have looked at `type(o)` once for a whole function.
            fits = all(map(self.kin.is_guest_class, value))
            return type(o) not in self.kin.host and fits and self.kin.free.issuperset(value)
        if name == "__dict__":
            return type(o) not in self.kin.host and not is_class(o)
        if not is_class(o):
            return name == "mro" and type(o) not in self.kin.host
        return (
            self.kin.is_guest_class(o)
            and name != "mro"
            and not self.classes.has_metaclass_below(o)
            and (name in _METACLASS_STORES or all(map(is_guest_function, value)))
        )
