"""Walks every attribute and item that a guest could read, from everything that it is granted."""

import sys
import types
from collections import deque
from typing import Any

import harness

from sandbox.language.compile.names import GUARDED, PLAIN, read_kind
from sandbox.language.guards import guards
from sandbox.language.guards.attributes import access_hooks, attribute_guards
from sandbox.language.guards.classes import class_origin, classes
from sandbox.language.guest import collector, importer, state, world

_MOST = 60_000
_OURS = (
    *(world.World, state.GuestState, guards.Guards, attribute_guards.Attributes, classes.Classes),
    *(access_hooks.AccessHooks, importer.Importer, class_origin.Kinship, collector.Collector),
)
_FORBIDDEN = (types.CodeType, types.FrameType, *_OURS)
_CONTAINERS = (dict, list, tuple, set, frozenset, types.MappingProxyType)
# What functions of `functools` say of themselves. Whatever else a function has is what it stands in
# front of, without the look that it takes.
_OF_FUNCTIONS = {"__wrapped__", "cache_clear", "cache_info", "cache_parameters"}


def test_no_walk_over_attributes_and_items_leaves_the_policy():
    made = harness.world()
    read = made.state.builtins["getattr"]
    guarded = made.state.builtins["guard:getattr"]
    real_modules = {id(module): name for name, module in sys.modules.items()}
    real_dicts = {id(vars(module)): name for name, module in sys.modules.items()}
    metaclasses = {cls for cls in class_origin.all_classes() if issubclass(cls, type)} - {
        type(made.state.builtins["type"])
    }
    granted = {k: v for k, v in made.state.builtins.items() if k in made.plan.builtins}
    todo: deque[tuple[str, Any]] = deque(granted.items())
    todo += [(name, facade) for name, facade in made.importer.facades.items()]
    seen: dict[int, Any] = {}
    wrong = []
    while todo and len(seen) < _MOST:
        path, o = todo.popleft()
        if id(o) in seen:
            continue
        seen[id(o)] = o
        if (
            isinstance(o, _FORBIDDEN)
            or (isinstance(o, types.ModuleType) and id(o) in real_modules)
            or (isinstance(o, dict) and id(o) in real_dicts)
            or (type(o) is type and o in metaclasses)
            or (isinstance(o, types.FunctionType) and _shows_functions(o))
        ):
            wrong.append(path)
            continue
        if path.count(".") < 5:
            todo += _further(path, o, read, guarded)
    assert wrong == []
    assert len(seen) > 5_000


def _shows_functions(function: types.FunctionType) -> bool:
    """True if a program may read another function from its namespace."""
    names = {n for n, o in vars(function).items() if isinstance(o, types.FunctionType)}
    return any(read_kind(name) == PLAIN for name in names - _OF_FUNCTIONS)


def _further(path: str, o: Any, read: Any, guarded: Any) -> list[tuple[str, Any]]:
    found = []
    for name in dir(o) if type(o) not in (str, bytes, int, float) else ():
        kind = read_kind(name)
        if kind in (PLAIN, GUARDED):
            try:
                value = getattr(o, name) if kind == PLAIN else guarded(o, name)
            except Exception:
                continue
            found.append((f"{path}.{name}", value))
    if isinstance(o, _CONTAINERS):
        items = [*o.keys(), *o.values()] if hasattr(o, "keys") else list(o)
        found += [(f"{path}.[]", item) for item in items[:500]]
    return found
