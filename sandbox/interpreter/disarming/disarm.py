"""Taking out of a process what no program may find in it; once, for all children.

The functions and types of C code that `natives` does not keep go from the modules that define them
and from every other dict there is; their types go from the lists of subclasses of their bases. What
is still in use by an object that no guest finds goes on working: that is how the vault works, and
how the supervisor does, whose modules get an `Armory` each in place of the modules that they name,
until a child throws its armories away (`Armories.drop`).
"""

import builtins
import gc
import sys
from collections.abc import Iterator
from importlib.machinery import BuiltinImporter, ExtensionFileLoader
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from sandbox.interpreter.disarming import library
from sandbox.interpreter.disarming.hiding import hide_types
from sandbox.interpreter.disarming.natives import EVERYTHING, FORGOTTEN, KEPT, SHELLS
from sandbox.kernel.libc import leak

_module_of = type.__dict__["__module__"].__get__
_C_LOADERS = (BuiltinImporter, ExtensionFileLoader)


class Armory:
    """Of one module, the names that the supervisor itself needs."""


class Armories:
    """Powers that a supervisor needs in its disarmed process, and a child drops at its start."""

    def __init__(self) -> None:
        self._holders: list[Any] = []
        self._nothing: dict[str, Any] = {}

    def add(self, holder: Any) -> None:
        """Have the attributes of `holder` thrown away too; it may not get new ones from here on."""
        # Leaked: a child that drops it would have CPython take it apart, which writes to pages.
        leak(vars(holder))
        self._holders.append(holder)

    def equip(self, modules: list[ModuleType]) -> None:
        """Let `modules` find what they name of others in an armory."""
        held: dict[str, dict[str, Any]] = {}
        places: list[tuple[ModuleType, str, str]] = []
        named = _named_by(modules)
        for module in modules:
            names = named[id(vars(module))]
            for name, value in list(vars(module).items()):
                if type(value) is ModuleType and _is_reduced(value.__name__):
                    found = {n: getattr(value, n) for n in names & vars(value).keys()}
                    held.setdefault(value.__name__, {"__name__": "armory"}).update(found)
                    places.append((module, name, value.__name__))
        # One beside the other in memory: a child writes to each, and so to few pages.
        made = dict(zip(held, [Armory() for _ in held], strict=True))
        for armory, content in zip(made.values(), [dict[str, Any]() for _ in held], strict=True):
            armory.__dict__ = content
        for name, armory in made.items():
            vars(armory).update(held[name])
            self.add(armory)
        for module, name, value_name in places:
            setattr(module, name, made[value_name])

    def ids(self) -> set[int]:
        """Return the ids of the dicts of all holders."""
        return {id(vars(holder)) for holder in self._holders}

    def drop(self) -> None:
        """Let go of everything, in a child. One write per holder."""
        for holder in self._holders:
            holder.__dict__ = self._nothing


def _is_reduced(name: str) -> bool:
    return name in SHELLS or name in FORGOTTEN or name in ("sys", "time", "resource")


def _named_by(modules: list[ModuleType]) -> dict[int, set[str]]:
    """Return the names and attributes that each module's code mentions, by id of its dict."""
    found: dict[int, set[str]] = {id(vars(module)): set() for module in modules}
    for o in gc.get_objects():
        if type(o) is FunctionType and id(o.__globals__) in found:
            found[id(o.__globals__)].update(_names_in(o.__code__))
    return found


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield from _names_in(constant)


# -- functions


def disarm(armories: Armories, spared: frozenset[int] = frozenset()) -> None:
    """Take out of this process, but for `armories`, all C code that is not kept.

    `spared` are ids of dicts to which no object leads, see `language/numpy/loading`: the census has
    to find it so. Nothing can be imported afterwards.
    """
    types = hide_types()
    library.fit()
    dicts = [o for o in gc.get_objects() if type(o) is dict]
    gone = {id(cls): cls for cls in types}  # which is none of `dicts`: it would be swept itself
    own = (
        armories.ids()
        | spared
        | {id(o) for cls in gone.values() for o in gc.get_referents(cls) if isinstance(o, dict)}
    )
    for name, module in [*sys.modules.items(), *_hidden_modules()]:
        gone |= _reduced(name, module)
    leak(*gone.values())
    _sweep([d for d in dicts if id(d) not in own], gone)
    _shut_imports()
    for name in FORGOTTEN:
        sys.modules.pop(name, None)


def _hidden_modules() -> list[tuple[str, ModuleType]]:
    """Return the modules that are attributes of `sys`, with names: no list of modules has them."""
    return [(f"sys.{n}", m) for n, m in vars(sys).items() if type(m) is ModuleType]


def _reduced(name: str, module: ModuleType) -> dict[int, Any]:
    """Take from the module called `name` what it may not keep; return what was taken, by id."""
    names = vars(module)
    if name in FORGOTTEN:
        taken = {k: v for k, v in names.items() if k != "__name__"}
        names.clear()
        names["__name__"] = name
        gone = {k: v for k, v in taken.items() if not _is_kept(name, k, v)}
        return {id(v): v for v in gone.values() if _is_made_by(module, v)}
    if name in SHELLS:
        taken = {k: v for k, v in names.items() if _is_made_by(module, v) and k not in SHELLS[name]}
    elif _is_of_c(module):
        taken = {k: v for k, v in names.items() if _is_native(v) and not _is_kept(name, k, v)}
    else:
        return {}
    for key in taken:
        del names[key]
    names.update(library.REPLACED.get(name, {}))
    return {id(v): v for v in taken.values()}


def _is_made_by(module: ModuleType, o: Any) -> bool:
    """Return True for a function or class that `module` itself has, and for a set of them."""
    if type(o) is set:
        return True
    if type(o) is BuiltinFunctionType:
        return o.__self__ is module
    if issubclass(type(o), type):
        return bool(_module_of(o) == module.__name__)
    return type(o) is FunctionType and o.__globals__ is vars(module)


def _is_of_c(module: ModuleType) -> bool:
    loader = getattr(vars(module).get("__spec__"), "loader", None)
    return (
        loader in _C_LOADERS
        or type(loader) in _C_LOADERS
        or vars(module).get("__name__") == "sys.monitoring"
    )


def _is_native(o: object) -> bool:
    return type(o) is BuiltinFunctionType or issubclass(type(o), type)


def _is_kept(module: str, name: str, o: Any) -> bool:
    kept, _ = KEPT.get(module, ((), ""))
    if kept == EVERYTHING or name in kept:
        return True
    if not issubclass(type(o), type):
        return False
    return module == "builtins" or issubclass(o, BaseException) or module == "sys"


def _sweep(holders: list[dict[Any, Any]], gone: dict[int, Any]) -> None:
    """Take out of `holders` what is gone."""
    for holder in holders:
        for key in [k for k, v in holder.items() if id(v) in gone]:
            del holder[key]


def _shut_imports() -> None:
    sys.meta_path[:] = []
    sys.path_hooks[:] = []
    sys.path_importer_cache.clear()
    vars(builtins)["__import__"] = _find_loaded


def _find_loaded(
    name: str, names: Any = None, _local: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    """Import, for the standard library's import statements, what is there already."""
    if level:
        package = names["__package__"].rsplit(".", level - 1)[0]
        name = f"{package}.{name}" if name else package
    if name not in sys.modules:
        raise ImportError(f"No module named {name!r}", name=name)
    return sys.modules[name if fromlist else name.partition(".")[0]]
