"""The end of a program whose classes have to stay: its variables go, and what they alone held."""

import collections
import io
import types
from typing import Any

from sandbox.interpreter.vault import asking
from sandbox.language.guards.classes.class_origin import (
    IMMUTABLE,
    dict_of,
    flags_of,
    instance_dict,
    is_class,
    mro_of,
)

_ATOMS = frozenset((int, float, complex, str, bytes, bool, type(None), type(...), range))
_ITEMS = (list, tuple, set, frozenset, collections.deque)
_STAY = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
_RUN_CODE = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType, io.IOBase)
_MANY = 100_000


def drop_variables(namespace: dict[str, Any]) -> None:
    """Take out, in order, what may be noticed to go; functions find all else that they name.

    First what is no container, as the collector comes to it first.
    """
    for containers in (False, True):
        for name in [*namespace]:
            if name[:2] == "__" or name not in namespace:
                continue
            is_one = issubclass(type(namespace[name]), (*_ITEMS, dict))
            if is_one is containers and _may_be_noticed(namespace[name]):
                namespace.pop(name, None)
        asking.collect()


def _may_be_noticed(value: Any) -> bool:
    """Return False for a class, a function, and what leads to nothing that runs code as it goes."""
    if is_class(value) or issubclass(type(value), _STAY):
        return False
    stack, seen = [value], {id(value)}
    while stack:
        inner = _parts(stack.pop())
        if inner is None or len(seen) > _MANY:
            return True
        fresh = [o for o in inner if type(o) not in _ATOMS and id(o) not in seen]
        seen.update(map(id, fresh))
        stack += fresh
    return False


def _parts(o: Any) -> list[Any] | None:
    """List the keys, items and attribute values of `o`, one level deep.

    Returns None for an object that may run code when it is freed, or has slots, which are not read;
    an empty list for a class, a function and a module, which stay.
    """
    kind = type(o)
    if is_class(o) or issubclass(kind, _STAY):
        return []
    own = [cls for cls in mro_of(kind) if not flags_of(cls) & IMMUTABLE]
    names = {name for cls in own for name in dict_of(cls)}
    if issubclass(kind, _RUN_CODE) or not names.isdisjoint(("__del__", "__slots__")):
        return None
    parts: list[Any] = [*dict.keys(o), *dict.values(o)] if issubclass(kind, dict) else []
    for base in _ITEMS:
        if issubclass(kind, base):
            parts += base.__iter__(o)
    kept = instance_dict(o) if own else None
    return parts if kept is None else [*parts, *kept.values()]
