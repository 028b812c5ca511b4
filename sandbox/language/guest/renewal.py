"""What a program can change of the host, set back before another enters the same world.

A child runs one program, so no other ever meets what it changed. This is the second barrier, for
the day on which the first is gone: what a program can reach and change is known when the world is
built, and is set back when a program enters a world where one has been.
"""

import functools
import gc
import sys
import types
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sandbox.errors import SandboxError
from sandbox.interpreter.disarming.hiding import is_gone
from sandbox.language.guards.classes.class_origin import (
    dict_of,
    instance_dict,
    is_class,
    is_guest_function,
    mro_of,
)
from sandbox.language.natives.types.type_slots import has_attributes

Restore = Callable[[], object]
_ROUNDS = 4  # finalizers may leave something to be finalized
_STILL_THERE = "code of an earlier program is still in this process: start another one"
_PLAIN = (dict, list, set)
# Caches that may hold what a program put there, by module: functions that empty them.
_CACHES = {
    "_strptime": ("_TimeRE_cache", "_regex_cache.clear"),
    "re": ("purge",),
    "struct": ("_clearcache",),
    "typing": ("clear_overloads",),
}
_NAMING = ("__name__", "__qualname__", "__doc__", "__module__")
_CONTEXT = ("Emin", "Emax", "prec", "rounding", "capitals", "clamp", "flags", "traps")


class Renewal:
    """Built when the world is: what there is to set back, as it was."""

    def __init__(self, resets: list[Restore]) -> None:
        self._resets = resets  # of stand-ins with a state of their own
        self._restores: list[Restore] = []
        self._caches: list[Restore] = []

    def settle(self, shown: Iterable[object], host: Iterable[type]) -> None:
        """Note the state of all that is `shown` to programs and of the host's own registries."""
        found = _containers(shown)
        self._restores = [_restoring(o) for o in found.values()]
        self._restores.append(_functions(shown, host))
        self._restores += [_registry(cls) for cls in host if issubclass(type(cls), ABCMeta)]
        for module, keep in _STATES.items():
            if module in sys.modules:
                self._restores += keep(sys.modules[module])
        wrappers = [o for o in gc.get_objects() if type(o) is functools._lru_cache_wrapper]
        self._caches = [wrapper.cache_clear for wrapper in wrappers]

    def renew(self) -> None:
        """Set everything back. Raises SandboxError if code of an earlier program is still there."""
        collecting = gc.isenabled()
        gc.disable()  # a finalizer that runs in between would change what was set back, unseen
        try:
            self._renew()
        finally:
            if collecting:
                gc.enable()

    def _renew(self) -> None:
        for _ in range(_ROUNDS):
            for back in (*self._resets, *self._caches, *_emptying(), *self._restores):
                back()
            if not gc.collect():  # or a finalizer may have changed it again
                break
        else:
            raise SandboxError(_STILL_THERE)
        if any(map(is_guest_function, gc.get_objects())):
            raise SandboxError(_STILL_THERE)


def _emptying() -> Iterator[Restore]:
    for module, names in _CACHES.items():
        for name in names:
            o: Any = sys.modules.get(module)
            for step in name.split("."):
                o = getattr(o, step, None)
            if callable(o):
                yield o


def _containers(shown: Iterable[object]) -> dict[int, Any]:
    """By id, every plain container that an attribute of something shown, or of its class, is."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    for value in shown:
        for o in (value, getattr(value, "__self__", None)):
            if id(o) in seen or isinstance(o, types.ModuleType):
                continue
            seen.add(id(o))
            for part in _parts(o, seen):
                if type(part) in _PLAIN:
                    found[id(part)] = part
    return found


def _parts(o: Any, seen: set[int]) -> Iterator[object]:
    yield o
    if not is_class(o):
        own = instance_dict(o)
        if own is not None and type(o) is not types.FunctionType:
            yield own
            yield from own.values()
    for cls in mro_of(o) if is_class(o) else mro_of(type(o)):
        if id(cls) not in seen or cls is o:
            seen.add(id(cls))
            yield from dict_of(cls).values()


def _restoring(o: Any) -> Restore:
    """What makes a container hold again what it holds now."""
    kept = o.copy()

    def restore() -> None:
        o.clear()
        (o.extend if type(o) is list else o.update)(kept)

    return restore


def _functions(shown: Iterable[object], host: Iterable[type]) -> Restore:
    """Undoes what a program may set on the functions that it can hold.

    There are thousands, and nearly all are as their code made them: of these nothing is kept, as
    each child would start with a copy of the tables of pages that hold it.
    """
    members = (member for cls in host for member in dict_of(cls).values())
    found = {id(o): o for o in (*shown, *members) if type(o) is types.FunctionType}
    functions = list(found.values())
    changed = {id(o): _said(o) for o in functions if _is_changed(o)}

    def restore() -> None:
        for function in functions:
            said = changed.get(id(function)) or _made(function)
            if _said(function) != said:
                function.__dict__.clear()
                function.__dict__.update(said[0])
                for name, value in zip(_NAMING, said[1:], strict=True):
                    setattr(function, name, value)

    return restore


def _is_changed(function: types.FunctionType) -> bool:
    return has_attributes(function) or ({}, *_names(function)) != _made(function)


def _said(function: types.FunctionType) -> tuple[Any, ...]:
    return dict(function.__dict__), *_names(function)


def _names(function: types.FunctionType) -> Iterator[Any]:
    return (getattr(function, name) for name in _NAMING)


def _made(function: types.FunctionType) -> tuple[Any, ...]:
    """What `_said` gives for a function to which nothing was ever set."""
    code = function.__code__
    first = code.co_consts[0] if code.co_consts else None
    doc = first if type(first) is str else None
    return {}, code.co_name, code.co_qualname, doc, function.__globals__.get("__name__")


def _registry(cls: type) -> Restore:
    """The classes that are registered with an abstract one now, and no memory of any other."""
    _abc: Any = sys.modules["_abc"]
    kept = [found for entry in _abc._get_dump(cls)[0] if not is_gone(found := entry())]

    def restore() -> None:
        _abc._reset_registry(cls)
        _abc._reset_caches(cls)
        for subclass in kept:
            _abc._abc_register(cls, subclass)

    return restore


def _digits(module: Any) -> list[Restore]:
    return [functools.partial(module.set_int_max_str_digits, module.get_int_max_str_digits())]


def _dialects(module: Any) -> list[Restore]:
    kept = {name: module.get_dialect(name) for name in module.list_dialects()}
    limit = module.field_size_limit()

    def restore() -> None:
        for name in module.list_dialects():
            module.unregister_dialect(name)
        for name, dialect in kept.items():
            module.register_dialect(name, dialect)
        module.field_size_limit(limit)

    return [restore]


def _contexts(module: Any) -> list[Restore]:
    templates = (module.DefaultContext, module.BasicContext, module.ExtendedContext)
    kept = [(context, context.copy()) for context in templates]

    def restore() -> None:
        for context, before in kept:
            for name in _CONTEXT:
                setattr(context, name, getattr(before, name))
        module.setcontext(module.DefaultContext)

    return [restore]


_STATES: dict[str, Callable[[Any], list[Restore]]] = {
    "_csv": _dialects,
    "decimal": _contexts,
    "sys": _digits,
}
