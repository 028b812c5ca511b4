"""The guards that the restricted bytecode and the guest's own getattr and setattr come to.

Each one looks an attribute up once, as CPython would, decides by what it found and gives out just
that. Meanwhile nothing of the guest's runs: the collector, which runs finalizers, is off.
"""

import functools
import gc
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

from sandbox.interpreter.disarming.identity import identity
from sandbox.language.compile.format_fields import needs_guard
from sandbox.language.compile.names import (
    CLASS_STATE,
    CLASS_WALK,
    GUARDED,
    NOTICED_STORES,
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
    ID,
    METACLASSES,
    NOTICED,
    SETATTR,
    SHOW,
    STAND_IN,
    STAR,
    TYPE,
)
from sandbox.language.guards.attributes.attribute_guards import Attributes
from sandbox.language.guards.attributes.lookup import Found, Hook, Lookup
from sandbox.language.guards.classes.class_hooks import shown_hook
from sandbox.language.guards.classes.class_origin import (
    Kinship,
    exact_text,
    is_class,
    is_guest_function,
    mro_of,
)
from sandbox.language.guards.classes.classes import Classes
from sandbox.language.guards.classes.heirs import keep_name, may_be_named
from sandbox.language.guards.classes.match_args import Patterns
from sandbox.language.guards.groups import star_guard
from sandbox.language.guest.ends.denials import denied_attribute, denied_store
from sandbox.language.natives.demand import notice_any_store, notice_store
from sandbox.language.natives.types.namespaces import replace_namespace
from sandbox.language.natives.types.subscripts import keep_subscript

_needs_guard = functools.lru_cache(maxsize=256)(needs_guard)
_collecting, _stop, _go_on = gc.isenabled, gc.disable, gc.enable
_METACLASS_STORES = ("__eq__", "__ne__", "__hash__")
_NO_HOOKS = ("mro", "__getitem__", "__index__")  # they mean something on classes alone
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
    """Return `name` as a real str: a subclass could tell the check one thing, CPython another."""
    text = exact_text(name)
    if type(text) is str:
        return text
    raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")


class Guards:
    """Read, write and delete attributes on behalf of a guest."""

    def __init__(self, kin: Kinship, classes: Classes) -> None:
        self.kin = kin
        self.classes = classes
        self.shown_hook = shown_hook(classes.shown)
        self.write_proxies: dict[int, Any] = {}  # id of a module facade: what takes its stores
        self.patterns = Patterns(kin)
        self.lookup = Lookup(lambda cls: cls in kin.host)
        self._rules = Attributes(kin, classes, self.fetch, self.read_past_hooks)

    def format(self, o: Any) -> Any:
        """Read `o.format`; a real str that names no guarded attribute cannot change."""
        return o.format if type(o) is str and not _needs_guard(o) else self.read(o, "format")

    def settle(self) -> None:
        """Forget which types `typing` has met: a guest's `__eq__` would be shown them."""
        cleanups: list[Any] = getattr(sys.modules.get("typing"), "_cleanups", [])
        for cleanup in cleanups:
            cleanup()

    def own(self, o: Any) -> Any:
        """Return `o` itself if a decorator may mark it, or refuse: functions take attributes."""
        target = self.lookup.target_of(o)
        o = o if target is None else target
        hosts_function = type(o) is types.FunctionType and not is_guest_function(o)
        is_facade = issubclass(type(o), types.ModuleType)
        if hosts_function or is_facade or o in self.kin.host:
            raise denied_store(type(o))
        return o

    def bytecode_names(self) -> dict[str, Any]:
        """Return what the compiled program finds under the names that it cannot spell."""
        return {
            GETATTR: self.read,
            SETATTR: self.setattr,
            DELATTR: self.delattr,
            TYPE: type,
            ID: identity,
            FREE: self.kin.free.by_identity,
            FORMAT: self.format,
            STAND_IN: self.classes.type,
            METACLASSES: frozenset(identity(cls) for cls in self.kin.host if issubclass(cls, type)),
            AUGMENT: self.augment,
            SHOW: self.shown_hook,
            STAR: star_guard(self.kin),
            NOTICED: self.noticed,
            **self.patterns.bytecode_names(),
        }

    def noticed(self, o: Any, name: str) -> Any:
        """Return `o`, in which something is about to be stored under `name`."""
        target = self.lookup.target_of(o)
        cls = o if target is None else target
        if is_class(cls):
            notice_any_store(cls, name)
        return o

    def augment(self, operator: str, old: Any, value: Any) -> Any:
        """Return the result of `old += value`, or of whichever operator it is."""
        return _AUGMENTED[operator](old, value)

    def getattr(self, o: Any, name: Any, *default: Any) -> Any:
        """Do as the builtin getattr, under the rules for names."""
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
        """Do as the builtin hasattr: what may not be read is not there."""
        try:
            self.getattr(o, name)
        except AttributeError:
            return False
        return True

    def read(self, o: Any, name: str) -> Any:
        """Read a GUARDED name."""
        return self._read(o, name, self.lookup.find)

    def read_past_hooks(self, o: Any, name: str, of_class: bool) -> Any:
        """Read a GUARDED name as `object.__getattribute__` does, or as that of `type`."""
        return self._read(o, name, self.lookup.find_in_class if of_class else self.lookup.generic)

    def _read(self, o: Any, name: str, find: Callable[[Any, str], Found | Hook | None]) -> Any:
        collecting = _collecting()
        _stop()
        try:
            found = find(o, name)
            if type(found) is Found and not self._rules.is_guests(name, found):
                return self._rules.of_host(name, found)
        finally:
            if collecting:
                _go_on()
        if found is None:
            return _missing(o, name)
        return found.ask(name) if type(found) is Hook else found.bind()  # type: ignore[union-attr]

    def setattr(self, o: Any, name: Any, value: Any) -> None:
        """Do as the builtin setattr, under the rules for names; a host's object itself refuses."""
        name = exact_name(name)
        self._store(o, name, (value,), lambda o: setattr(o, name, value))

    def delattr(self, o: Any, name: Any) -> None:
        """Do as the builtin delattr, under the rules for names."""
        name = exact_name(name)
        self._store(o, name, (), lambda o: delattr(o, name))

    def _store(self, o: Any, name: str, value: tuple[Any, ...], carry_out: Any) -> None:
        kind = store_kind(name)
        if kind == REFUSED:
            raise denied_attribute(name)
        if kind == PLAIN:
            carry_out(self.noticed(o, name) if name in NOTICED_STORES else o)
            return
        collecting = _collecting()
        _stop()
        try:
            target = self.lookup.target_of(o)
            if target is not None:  # what is looked at is what is stored to
                o = target
            if not self._may_store(o, name, value):
                raise denied_attribute(name)
            if name == "__dict__":
                replace_namespace(o, lambda: carry_out(o), *value)
                return
            if name == "__getitem__" and is_class(o):
                keep_subscript(o)
            elif name == "__name__" and is_class(o):
                keep_name(o)
            carry_out(o)
        finally:
            if collecting:
                _go_on()

    def _may_store(self, o: Any, name: str, value: tuple[Any, ...]) -> bool:
        if name == "__name__":
            return not is_class(o) or may_be_named(value)
        if name == "__class__":
            # The compiler may have looked at `type(o)` once for a whole function.
            fits = all(self.kin.is_guest_class(cls) and cls in self.kin.free for cls in value)
            return type(o) not in self.kin.host and fits
        if name == "__dict__":
            return type(o) not in self.kin.host and not is_class(o)
        if name in CLASS_STATE:
            return not (is_class(o) and any(base in self.kin.host for base in mro_of(o)[:-1]))
        if not is_class(o):
            return name in _NO_HOOKS and type(o) not in self.kin.host
        notice_store(name, value)
        return (
            self.kin.is_guest_class(o)
            and name != "mro"
            and not self.classes.has_metaclass_below(o)
            and (name in _METACLASS_STORES or all(map(is_guest_function, value)))
        )


def _missing(o: Any, name: str) -> Any:
    """Let CPython say in its own words what is missing; what it finds was not looked at."""
    getattr(o, name)
    raise denied_attribute(name)
