"""Objects that no guest may ever hold, and events that must not happen while one runs.

Held objects are judged by identity and type from outside of the guest, never by asking them.
Things that happen are seen through audit hooks (PEP 578). Runs where the walk runs, after the world
was built: what exists then is the host's.
"""

import functools
import gc
import io
import re
import sys
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from sandbox.audit.walk.walk_nodes import identity
from sandbox.audit.walk.words import (
    CODE,
    EVENTS,
    FILES,
    FRAMES,
    READERS,
    SYSTEM_MODULES,
    TEXTS_OF_THE_HOST,
)
from sandbox.language.guards.attributes.access_hooks import AccessHooks
from sandbox.language.guards.attributes.attribute_guards import Attributes
from sandbox.language.guards.classes.class_origin import (
    Kinship,
    dict_of,
    is_class,
    is_guest_function,
    mro_of,
)
from sandbox.language.guards.classes.classes import Classes
from sandbox.language.guards.guards import Guards
from sandbox.language.guest.collector import Collector, Complaints
from sandbox.language.guest.importer import Importer
from sandbox.language.guest.state import GuestState
from sandbox.language.guest.world import World

_OURS = (
    *(World, GuestState, Guards, Attributes, AccessHooks, Classes, Importer, Kinship),
    *(Collector, Complaints),
)
# Functions take attributes, which nothing of the host's reads (see `guards/attributes/sealing`).
_SHARED = (types.BuiltinFunctionType, types.ModuleType)
_CONTAINERS = (list, tuple, set, frozenset)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
_OF_THE_HOST = re.compile("|".join(map(re.escape, TEXTS_OF_THE_HOST))).search


class Sink(NamedTuple):
    """A sink that a walk reached: the rule that it breaks and its name in a sentence."""

    rule: str
    what: str


class SinkJudge:
    """Knows the host's objects. Made once the world is entered, before the first step."""

    def __init__(self, made: World, allowed: list[Any]) -> None:
        """`allowed` are the granted objects, which a guest holds by right."""
        self._allowed = {identity(value) for value in allowed}
        self._host = made.kin.host
        shown = [getattr(facade, "__all__", None) for facade in made.importer.facades.values()]
        self._made_for_guest = {identity(value) for value in shown}  # lists of the facades' names
        tracked = gc.get_objects()
        facades = {identity(facade) for facade in made.importer.facades.values()}
        self._keep: list[Any] = [tracked]
        self._known: dict[int, Sink] = {}
        self._ways: dict[type, Callable[[Any], Sink | None]] = {}
        # Classes that are part of the interpreter itself are tracked by no collector.
        self.old = {identity(value) for value in (*tracked, *self._host)}
        self._learn_namespaces(made, tracked, facades)
        self._learn_functions()
        self._learn_metaclasses(made)

    def _learn_namespaces(self, made: World, tracked: list[Any], facades: set[int]) -> None:
        for value in tracked:
            if type(value) is types.FunctionType:
                self._know(value.__globals__, "escape-globals", "the globals of a host function")
        for name, module in list(sys.modules.items()):
            if isinstance(module, types.ModuleType) and identity(module) not in facades:
                self._know(vars(module), "escape-globals", f"the namespace of the module {name}")
                self._know(module, "escape-module", f"the real module {name}")
        inner = {
            "sys.modules": ("escape-module", sys.modules),
            "the guards' own builtins": ("escape-internals", made.state.builtins),
            "the program's real globals": ("escape-globals", made.state.main),
        }
        for what, (rule, value) in inner.items():
            self._know(value, rule, what)

    def _learn_functions(self) -> None:
        for table, rule in (
            (CODE, "escape-code"),
            (FILES, "escape-file"),
            (FRAMES, "escape-frame"),
            (READERS, "escape-attributes"),
        ):
            for path in table:
                module, _, name = path.rpartition(".")
                value = getattr(sys.modules.get(module), name, None)
                if value is not None:
                    self._know(value, rule, f"the real {path.removeprefix('builtins.')}")

    def _learn_metaclasses(self, made: World) -> None:
        stand_in = made.state.builtins["guard:stand_in"]
        for cls in self._host:
            if issubclass(cls, type) and type(cls) is type and cls is not type(stand_in):
                self._know(cls, "escape-classes", f"the real metaclass {cls.__name__}")

    def _know(self, value: Any, rule: str, what: str) -> None:
        if identity(value) not in self._allowed:
            self._known.setdefault(identity(value), Sink(rule, what))
            self._keep.append(value)

    def judge(self, o: Any) -> Sink | None:
        """Return the sink that `o` is, if no guest may hold it; None otherwise."""
        known = self._known.get(identity(o))
        if known is not None or identity(o) in self._allowed:
            return known
        kind = type(o)
        return (self._ways.get(kind) or self._way_for(kind))(o)

    def _way_for(self, kind: type) -> Callable[[Any], Sink | None]:
        """Return the judge for instances of `kind`; kept for the host's classes, which are few."""
        table: tuple[tuple[Any, Callable[[Any], Sink | None]], ...] = (
            ((types.FrameType, types.CodeType), _frame),
            (_OURS, _internal),
            (types.ModuleType, self._module),
            (io.IOBase, _file),
            (str, _text),
            (_CONTAINERS, self._classes),
            (type, self._class),
            (_FUNCTIONS, self._function),
            (object, _harmless),
        )
        way = next(way for kinds, way in table if issubclass(kind, kinds))
        if kind in self._host:
            self._ways[kind] = way
        return way

    def _module(self, o: Any) -> Sink | None:
        if identity(o) in self.old:
            return Sink("escape-module", "a module that is no facade")
        return None

    def _classes(self, o: Any) -> Sink | None:
        if type(o) not in self._host:
            return None  # the guest's own, which iterates as the guest says
        found = [item for item in o if is_class(item) and item in self._host]
        if len(found) > 20 and identity(o) not in self.old:  # no granted list of types is that long
            return Sink("escape-classes", "a list of the host's classes")
        return None

    def _class(self, o: Any) -> Sink | None:
        return _of_system(dict_of(o).get("__module__"), o) if o in self._host else None

    def _function(self, o: Any) -> Sink | None:
        if type(o) is types.BuiltinMethodType and o.__name__ == "__subclasses__":
            return self._subclasses(o.__self__)
        return _of_system(_module_of(o), o)

    def _subclasses(self, owner: Any) -> Sink | None:
        if owner in self._host:
            return Sink("escape-classes", f"{owner.__name__}.__subclasses__, every class there is")
        return None

    def judge_store(self, o: Any, done: str) -> Sink | None:
        """Say what it means that a guest wrote to `o`, an object that was there before it."""
        kind = type(o)
        if is_guest_function(o) or (is_class(o) and o not in self._host):
            return None  # made by the walk itself
        if done == "stored" and (is_class(o) or issubclass(kind, _SHARED)):
            return Sink("host-write", f"an attribute of the host's {kind.__name__} {_name(o)}")
        if (
            done == "put"
            and issubclass(kind, (dict, list))
            and identity(o) not in self._made_for_guest
        ):
            return Sink("host-container", f"the host's own {kind.__name__}, by item")
        return None


def _name(o: Any) -> str:
    return str(getattr(o, "__qualname__", getattr(o, "__name__", "")))


def _module_of(o: Any) -> Any:
    if type(o) is types.FunctionType:
        return o.__globals__.get("__name__")
    return o.__module__ if type(o.__module__) is str else None


def _of_system(module: Any, o: Any) -> Sink | None:
    """Return a sink for `o` of `module` if it acts on the system or on the interpreter.

    `o` is a function or a class.
    """
    if type(module) is str and _is_system(module):
        return Sink("escape-system", f"{module}.{o.__name__}")
    return None


@lru_cache(maxsize=4096)
def _is_system(module: str) -> bool:
    return module in SYSTEM_MODULES or any(module.startswith(f"{name}.") for name in SYSTEM_MODULES)


def _harmless(_: Any) -> Sink | None:
    return None


def _frame(o: Any) -> Sink | None:
    return Sink("escape-frame", f"a {type(o).__name__} object")


def _internal(o: Any) -> Sink | None:
    return Sink("escape-internals", f"the sandbox's own {type(o).__name__}")


def _text(o: Any) -> Sink | None:
    if type(o) is str and _OF_THE_HOST(o):
        return Sink("escape-attributes", "the text of an attribute that the guards refuse")
    return None


def _file(o: Any) -> Sink | None:
    if issubclass(type(o), io.FileIO):
        return Sink("escape-file", "a real file")
    for cls in (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter):
        if cls in mro_of(type(o)):
            inner = getattr(getattr(o, "buffer", o), "raw", None)
            if isinstance(inner, io.FileIO):
                return Sink("escape-file", "a real file")
    return None


_LOOKED_INTO = (types.MappingProxyType, type(functools.lru_cache(int)))


class Events:
    """Events during a step: the audit hook notes them and refuses them."""

    def __init__(self, canary: str) -> None:
        self._canary = canary
        self.seen: Sink | None = None
        self.watching = False
        self._harmless: set[str] = set()  # events that mean nothing, whatever their arguments

    def install(self) -> None:
        """Add the audit hook, for as long as this process lives."""
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.watching or event in self._harmless:
            return
        sink = self._judge(event, arguments)
        if sink is not None:
            self.seen = sink
            raise PermissionError(f"{event} in a walk")

    def _judge(self, event: str, arguments: tuple[Any, ...]) -> Sink | None:
        if event == "open":
            name = arguments[0]
            if type(name) is str and name[:1] == "<":  # the compiler looks for the program's text
                raise FileNotFoundError(name)
            return Sink("escape-file", "opening of a file")
        if event == "import":
            named = type(arguments[0]) is str and self._canary in arguments[0]
            return Sink("escape-code", "an import by a name of the guest's") if named else None
        if event == "exec":
            code = arguments[0]
            told = type(code) is types.CodeType and code.co_filename != "<program>"
            if told and "__subclasses__" in code.co_names:
                return Sink("escape-code", "evaluation of the guest's text without the guards")
            return None
        if event == "gc.get_referents" and all(type(o) in _LOOKED_INTO for o in arguments[0]):
            return None  # by `asking`, without a vault: what it gives is looked at as all else
        if event.startswith(EVENTS):
            return Sink("escape-system", f"the operation {event}")
        self._harmless.add(event)
        return None
