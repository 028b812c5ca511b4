"""Looks at what a guest holds when it ends. Runs in the child, put there by an instrumented start.

Its text is executed in the supervisor before it serves; nothing of it is in an ordinary sandbox. It
reports in the traceback of the final frame, behind a mark that it was given.
"""

import builtins
import gc
import io
import os
import posix
import re
import sys
import types
from typing import Any

from .fingerprint import Fingerprint, Raw

_DEEPEST, _MOST = 4, 4000
_module_of = type.__dict__["__module__"].__get__
# The text of these comes from real objects only.
_TELLING = re.compile(
    r"<(frame|code object|module '(os|sys|posix|builtins)'|built-in function open)"
)
_POWERS = (
    "open",
    "eval",
    "exec",
    "compile",
    "__import__",
    "breakpoint",
    "input",
    "globals",
    "vars",
)


class Judge:
    """Knows what no guest may ever hold under the language layer."""

    def __init__(self, made: Any) -> None:
        self._language = made.plan.language
        facades = made.importer.facades.values()
        granted = {id(value) for facade in facades for value in vars(facade).values()}
        granted |= {id(value) for value in made.state.builtins.values()}
        own = {id(facade) for facade in facades}
        tracked = gc.get_objects()
        modules = [o for o in tracked if type(o) is types.ModuleType and id(o) not in own]
        host = made.kin.host  # by identity: a class may have no hash, or one of its own
        metaclasses = [cls for cls in host if issubclass(cls, type)]
        shown = {id(made.state.builtins.get("type"))}
        self._kept = [
            *modules,
            *map(vars, modules),
            *(o.__globals__ for o in tracked if type(o) is types.FunctionType),
            *(getattr(builtins, name) for name in _POWERS),
            *(v for m in (sys, os, posix) for v in vars(m).values() if not _plain(v)),
            *(cls for cls in metaclasses if type(cls) is type and id(cls) not in shown),
            *(world_part for world_part in (made, made.state, made.state.builtins)),
            *(made.importer,),
        ]
        self._never = {id(o) for o in self._kept} - (granted if self._language else set())
        # Never granted as they are: what a policy grants under these names is a stand-in.
        self._never |= {id(type), *(id(getattr(builtins, name)) for name in _POWERS)}
        self._host = host
        # What makes classes, as the host's metaclasses have it: no look at what they are made of.
        space: Any = type.__dict__["__dict__"].__get__
        made_by = (space(cls).get("__new__") for cls in metaclasses if type(cls) is type)
        raw = {id(getattr(new, "__func__", new)) for new in made_by if new is not None}
        self._makers = raw - granted
        # Their names alone tell what is numpy's: no program has run, and none has made a class yet.
        self._numpy = made.kin.unseen | {
            id(value)
            for space in tracked
            if type(space) is dict and made.kin.unseen
            for value in [*space.values()]
            if issubclass(type(value), type) and str(_module_of(value)).partition(".")[0] == "numpy"
        }
        self._raw = Raw(made)
        self.remember(made)

    def remember(self, made: Any) -> None:
        """Remember the host's state: from now on nothing of it changes, but by a guest."""
        self._print = Fingerprint(made)
        self._raw.learn()

    def find(self, names: dict[str, Any]) -> str:
        """Return the path to the first thing that a guest must not have, or an empty text."""
        if not self._language:  # everything is there: only what the attack says it got counts
            names = {"power": names.get("power")}
        elif changed := self._print.changed():
            return changed
        else:
            self._raw.look_again()
        todo = [
            (name, value, 0)
            for name, value in list(names.items())
            if type(name) is str and name != "__builtins__" and ":" not in name
        ]
        seen: dict[int, Any] = {}
        while todo and len(seen) < _MOST:
            path, o, depth = todo.pop()
            if id(o) in seen or o is None:
                continue
            seen[id(o)] = o
            if self._forbids(path, o, names):
                return f"{path}: {_say(o)}"
            if self._language and (told := self._raw.is_raw(o)):
                return f"{path}: {told}"
            if depth < _DEEPEST:
                todo += [(f"{path}.{key}", value, depth + 1) for key, value in _inside(o)]
        return ""

    def _forbids(self, path: str, o: Any, names: dict[str, Any]) -> bool:
        kind = type(o)
        if id(o) in self._numpy or id(kind) in self._numpy:
            return True
        if id(o) in self._never or o is sys.modules["__main__"].__dict__:
            return True
        if issubclass(kind, (types.CodeType, types.FrameType, io.FileIO)):
            return True
        if self._language and self._makes_classes(o):
            return True
        if kind is list and path == "power":
            classes = [cls for cls in o if isinstance(cls, type)]
            return len(classes) > 50 or (
                self._language and any(cls in self._host for cls in classes)
            )
        if path == "power":
            return o is True or (kind is str and bool(_TELLING.search(o)))
        return False

    def _makes_classes(self, o: Any) -> bool:
        kind = type(o)
        if kind is types.BuiltinFunctionType and o.__name__ == "__new__":
            return issubclass(type(o.__self__), type) and issubclass(o.__self__, type)
        return kind is types.FunctionType and id(o) in self._makers


def _plain(o: object) -> bool:
    return o is None or isinstance(o, (str, bytes, int, float, complex, tuple, frozenset, type))


def _say(o: Any) -> str:
    return f"{type(o).__name__} {getattr(o, '__name__', '')}".strip()


def _inside(o: Any) -> list[tuple[str, Any]]:
    """Return what is one step inside `o`, asked of no code of the guest's."""
    kind = type(o)
    if issubclass(kind, dict):
        return [("item", v) for v in (*dict.keys(o), *dict.values(o))][:500]
    if issubclass(kind, (list, tuple, set, frozenset)):
        base: Any = next(b for b in kind.__mro__ if b in _BASES)
        return [("item", v) for v in base.__iter__(o)][:500]
    if kind is types.MethodType:
        return [("__self__", o.__self__)]
    found = [("args", _ARGS.__get__(o))] if issubclass(kind, BaseException) else []
    if issubclass(kind, type):
        space: Any = type.__dict__["__dict__"].__get__(o)
        return list(space.items()) if space.get("__module__") == "__main__" else []
    if kind.__module__ == "__main__":
        found += _namespace(o)
    return found


def _namespace(o: Any) -> list[tuple[Any, Any]]:
    """Return what an instance of a program's class has, also by a host's class that it is heir of.

    Under private names stands there what that host's class keeps for itself.
    """
    for cls in type.__dict__["__mro__"].__get__(type(o)):
        space = type.__dict__["__dict__"].__get__(cls).get("__dict__")
        if type(space) is types.GetSetDescriptorType:
            own = list(space.__get__(o).items())
            if cls.__module__ == "__main__":
                return own
            return [(n, v) for n, v in own if type(n) is not str or n[:1] != "_" or n[:2] == "__"]
    return []


_BASES: Any = (list, tuple, set, frozenset)
_ARGS: Any = BaseException.__dict__["args"]


def install(mark: str) -> None:
    """Have a look precede every final frame of this supervisor's children from here on."""
    from sandbox.interpreter.vault import asking
    from sandbox.language.guest.world import build_world
    from sandbox.runtime.child import child, reporter
    from sandbox.runtime.supervisor import preparation, start

    leave = vars(child)["leave"]
    build_world = getattr(preparation, "build_world", build_world)
    seal: Any = vars(start)["seal"]
    plan_of = vars(start)["Plan"].from_dict
    judges: list[Judge] = []
    found: list[str] = []  # what the last program held; a child runs one

    class Plans:
        @staticmethod
        def from_dict(data: Any) -> Any:
            """Make a plan without `interpreter`: the layer leaves no code what the inspector holds.

            And it ends a child that looks as the inspector does. What the guards let
            out is judged alone.
            """
            return plan_of({**data, "layers": {**data["layers"], "interpreter": "off"}})

    def build(plan: Any, *rest: Any) -> Any:
        made = build_world(plan, *rest)
        judges.append(Judge(made))
        return made

    def close(made: Any) -> None:
        seal(made)
        judges[0].remember(made)

    def look_and_report(status: str, error: str = "", traceback: str = "", value: str = "") -> None:
        look()
        if found:
            traceback = f"{mark}{found[0]}\n"
        # As `report` does, from its place.
        asking.finish(status, error, traceback, value)

    def look() -> None:
        try:
            limit = sys.getrecursionlimit()
            sys.setrecursionlimit(limit + 500)
            if what := judges[0].find(sys.modules["__main__"].__dict__):
                found.append(what)
            sys.setrecursionlimit(limit)
        except BaseException:  # the memory or the stack is used up: such a guest has lost already
            return

    def look_and_leave(world: Any) -> None:
        found.clear()
        look()  # now: its variables are taken down, so that finalizers run
        leave(world)

    setattr(start, "Plan", Plans)  # noqa: B010
    setattr(preparation, "build_world", build)  # noqa: B010 - mypy must not take it for a definition
    setattr(start, "seal", close)  # noqa: B010
    setattr(reporter, "report", look_and_report)  # noqa: B010
    setattr(child, "leave", look_and_leave)  # noqa: B010
