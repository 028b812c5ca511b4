"""Asks by identity whether a guest changed what is the host's, and whether what it holds is raw.

Stands in the text of the inspector, see `setups`: nothing of the package is imported here.
"""

import gc
import operator
import re
import sys
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from sandbox.language.compile.compiler import GUEST_FILES
from sandbox.language.guards.classes.class_origin import Identities

from .memory import Words, behind

_class_dict: Any = type.__dict__["__dict__"].__get__
_class_bases: Any = type.__dict__["__bases__"].__get__
# CPython makes these by itself when they are asked for.
_MADE_BY_ASKING = (
    "__annotations__",
    "__annotate__",
    "__abstractmethods__",
    "__parameters__",
    "__slotnames__",
)
_OURS = (
    *("World", "GuestState", "Guards", "Classes", "Importer", "Kinship"),
    *("Attributes", "AccessHooks", "Lookup", "Patterns", "Found", "Hook"),
)
_INSIDE = tuple(
    f"sandbox.language.{name}"
    for name in (
        *("guards.guards", "guards.classes.classes", "guards.classes.class_origin"),
        *("guards.classes.match_args", "guards.attributes.attribute_guards"),
        *(
            "guards.attributes.access_hooks",
            "guards.attributes.lookup",
            "guest.world",
            "guest.state",
            "guest.importer",
        ),
    )
)
# What a guest gets in a form of ours, or not at all.
_WRAPPED = ("__getattribute__", "__setattr__", "__delattr__", "__subclasses__", "mro")
_LISTS_OF_CLASSES = ("__subclasses__", "mro")
_STREAMS = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
_REBOUND = {"__main__", "linecache", "sys", "threading"}  # by ourselves, and after a fork
_NEAR = ("builtins", "_collections_abc", "_weakrefset", "sandbox.language", "types", "inspect")
_POWERFUL = ("__globals__", "__code__", "__closure__", "__builtins__", "f_globals", "f_builtins")
_TEXTS = ("'__builtins__':", "<frame at 0x", "<code object ")  # of real objects only
_SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
_MISSING = object()


class Fingerprint:
    """The namespaces of the host's classes, functions, facades and modules, as they were."""

    def __init__(self, made: Any) -> None:
        # By the id of an object: how to find the first difference in it, as words or an empty text.
        self._look: dict[int, Callable[[], str]] = {}
        watched: list[Any] = []
        for cls in made.kin.host:
            space = behind(_class_dict(cls))
            look = partial(_change_of_class, cls, dict(space), _class_bases(cls))
            self._look |= {id(cls): look, id(space): look}
            watched += [cls, space]
        near = {*made.plan.modules, *_NEAR}
        for o in gc.get_objects():
            if type(o) is types.FunctionType and _home(o) in near:
                self._look[id(o)] = partial(_change_of_function, o, _parts_of(o))
                watched.append(o)
        for what, space, before, new in (*self._facades(made), *self._others(made)):
            self._look[id(space)] = partial(_change_of_space, what, before, space, new)
            watched.append(space)
        self._words = Words(watched)

    def _facades(self, made: Any) -> list[Any]:
        library = made.importer.unfilled  # which the import of one fills, and puts into its package
        filled = {"sys", *library, *(name.rpartition(".")[0] for name in library)}
        return [
            (
                f"the module {name}",
                facade.__dict__,
                _kept(facade.__dict__, name),
                name not in filled,
            )
            for name, facade in made.importer.facades.items()
        ]

    def _others(self, made: Any) -> list[Any]:
        guards = made.state.builtins
        names = {*made.plan.modules, "builtins"} - _REBOUND
        real = [(name, module) for name, module in sys.modules.items() if name in names]
        return [
            ("the guards' builtins", guards, dict(guards), False),
            *((f"the real module {n}", m.__dict__, _kept(m.__dict__, n), False) for n, m in real),
        ]

    def changed(self) -> str:
        """Return the first difference in words, or an empty text."""
        for o in self._words.changed():
            if told := self._look[id(o)]():
                return told
        return ""


def _change_of_class(cls: Any, before: dict[str, Any], bases: tuple[type, ...]) -> str:
    name = _first_change(before, _class_dict(cls))
    if name or _class_bases(cls) != bases:
        return f"the host's class {_name(cls)} was changed: {name or '__bases__'}"
    return ""


def _change_of_function(function: Any, parts: tuple[Any, ...]) -> str:
    if all(map(operator.is_, parts, _parts_of(function))):
        return ""
    return f"the host's function {function.__qualname__} was changed"


def _change_of_space(what: str, before: dict[str, Any], space: dict[str, Any], new: bool) -> str:
    name = _first_change(before, space, new=new)
    return f"{what} was changed: {name}" if name else ""


def _kept(space: dict[str, Any], module: str) -> dict[str, Any]:
    skipped = {"sys": _STREAMS, "builtins": ("_",)}.get(module, ())
    return {name: value for name, value in space.items() if name not in skipped}


def _home(function: Any) -> str:
    name = str(function.__globals__.get("__name__"))
    return "sandbox.language" if name.startswith("sandbox.language.") else name


def _parts_of(function: Any) -> tuple[Any, ...]:
    """Return what runs when `function` is called. No code reads its other attributes."""
    return function.__code__, function.__defaults__, function.__kwdefaults__


def _first_change(before: Any, now: Any, *, new: bool = True) -> str:
    """Return the first name bound to something else; with `new` also one that was not there."""
    if not all(map(operator.is_, before.values(), map(now.get, before))):
        for name, value in before.items():
            if now.get(name, _MISSING) is not value and name not in _MADE_BY_ASKING:
                return str(name)
    if new and len(now) != len(before):
        for name in now:
            if name not in before and name not in _MADE_BY_ASKING:
                return name if type(name) is str else "a name of the guest's"
    return ""


class Raw:
    """Knows by its kind what only the host may hold: for objects made while a guest runs."""

    def __init__(self, made: Any) -> None:
        self._host = made.kin.host
        self._spaces: set[int] = set()
        self._seen = Identities()  # kept: their namespaces stay where they are
        self._known: set[int] = set()
        here = (sys.executable, sys.modules["sandbox"].__file__)
        told = (*filter(None, here), *_TEXTS)
        self._texts = re.compile("|".join(map(re.escape, told))).search
        shown = [v for facade in made.importer.facades.values() for v in vars(facade).values()]
        self._granted = {id(value) for value in (*made.state.builtins.values(), *shown)}
        self._kept = shown

    def learn(self) -> None:
        """Note the real namespaces of all the classes that there are now."""
        todo: list[Any] = [object, type]
        self._seen = Identities(todo)
        while todo:
            for cls in type.__subclasses__(todo.pop()):
                if cls not in self._seen:
                    self._seen.add(cls)
                    todo.append(cls)
        self._known = {id(behind(_class_dict(cls))) for cls in self._seen}

    def look_again(self) -> None:
        """Note the namespaces of the classes that were made since."""
        new = [o for o in gc.get_objects() if issubclass(type(o), type) and o not in self._seen]
        self._spaces = self._known.union(id(behind(_class_dict(cls))) for cls in new)

    def is_raw(self, o: Any) -> str:
        """Say what `o` is, if it may not leave the host; or return an empty text."""
        kind = type(o)
        if id(o) in self._granted:
            return ""
        if kind is dict and id(o) in self._spaces:
            return "the real namespace of a class"
        if kind is types.MappingProxyType:
            space = gc.get_referents(o)
            of_host = bool(space) and id(space[0]) in self._spaces
            return "a view of the real namespace of a class" if of_host else ""
        if kind is str:
            return "a text of the host's file system" if self._texts(o) else ""
        return _raw_function(o, kind) or _raw_part(o, kind, self._host)


def _raw_function(o: Any, kind: Any) -> str:
    if kind is types.WrapperDescriptorType and o.__name__ in _WRAPPED:
        owner = o.__objclass__
        return f"the real {owner.__name__}.{o.__name__}" if owner in (object, type) else ""
    if kind is types.MethodDescriptorType and o.__objclass__ in (type, str):
        raw = o.__name__ in _WRAPPED or o.__name__ in ("format", "format_map")
        return f"the real {o.__objclass__.__name__}.{o.__name__}" if raw else ""
    if kind in _BOUND and o.__name__ in _WRAPPED:
        by_class = issubclass(type(o.__self__), type)
        hands_out = by_class if o.__name__ in _LISTS_OF_CLASSES else True
        return f"the real {o.__name__} of an object" if hands_out else ""
    if kind is types.MethodType:
        o = o.__func__
        kind = type(o)
    if kind is types.FunctionType and not o.__code__.co_filename.startswith(GUEST_FILES):
        return _private(o)
    return ""


def _private(function: Any) -> str:
    name = function.__name__
    hidden = name[:1] == "_" and name[:2] != "__" and name not in _PUBLIC_PRIVATE
    home = str(function.__globals__.get("__name__"))
    foreign = home == _WRAPPING or not home.startswith(("namedtuple", "sandbox."))
    return f"the host's private function {name}" if hidden and foreign else ""


def _raw_part(o: Any, kind: Any, host: Identities) -> str:
    if kind in _SLOTS and o.__name__ in _POWERFUL and o.__objclass__ in host:
        return f"the descriptor of {o.__name__}"
    if kind.__name__ in _OURS and str(kind.__module__).startswith(_INSIDE):
        return f"the sandbox's own {kind.__name__}"
    return ""


def _name(cls: Any) -> str:
    return str(type.__dict__["__qualname__"].__get__(cls))


_WRAPPING = "sandbox.language.guards.attributes.receivers"  # around methods of the host's
_PUBLIC_PRIVATE = {
    *("_asdict", "_replace", "_make", "_", "_missing_", "_generate_next_value_"),
    *("_add_alias_", "_add_value_alias_"),
    *("_proto_hook", "_no_init_or_replace_init"),  # which typing puts into the guest's own classes
}
