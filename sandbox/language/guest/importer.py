"""The import of a guest: namespaces with exactly the granted names.

A facade is a module object of its own that no import system knows. A real one is never handed out:
its private names and its imports are the whole standard library.
"""

import sys
import types
from collections.abc import Callable, Iterable, Mapping
from operator import index
from typing import Any

from sandbox.language.compile.rewriting import STEP
from sandbox.language.guards.classes.class_origin import exact_text
from sandbox.language.guest.ends.denials import Denial, denied_import_name, denied_module
from sandbox.language.guest.own_modules import OwnModules
from sandbox.language.guest.state import GuestState, guards
from sandbox.language.natives.demand import DELEGATING, turn_all

# Modules whose functions delegate to a generator of the program's, see `natives/calls/generators`.
_DELEGATE = frozenset(("asyncio", "contextlib", "difflib", "graphlib", "weakref"))


def exact(name: Any) -> str:
    """Return `name` as a real str: one of the program's own would be taken apart by its methods."""
    text = exact_text(name)
    if type(text) is str:
        return text
    raise TypeError(f"module name must be str, not {type(name).__name__}")


def walked(find: Callable[..., Any], name: Any, rest: Any, options: Any) -> Any:
    """Return what `find` finds, or, for `import a.b.c as x`, what that is to bind.

    Each part is read of what stands in the one before, as a program reads an attribute.
    """
    if type(name) is not str or STEP not in name:
        return find(name, *rest, **options)
    parts = name.split(STEP)
    made = find(".".join(parts), *rest, **options)
    for at, part in enumerate(parts[1:], 1):
        try:
            made = guards().getattr(made, part)
        except AttributeError as error:
            if issubclass(type(error), Denial):
                raise
            missing = part, ".".join(parts[:at])
        else:
            continue
        raise ImportError("cannot import name {!r} from {!r} (unknown location)".format(*missing))
    return made


class Importer:
    """The facades of one world, and the `__import__` that hands them out.

    `lending` has those that library modules import, see `sandbox.language.library`.
    """

    def __init__(self, state: GuestState, lending: "Importer | None" = None) -> None:
        self.files = state.files
        self.own = OwnModules(state)
        self._lending = lending
        self.facades: dict[str, types.ModuleType] = {}
        self.hidden: dict[str, frozenset[str]] = {}  # names that exist, but are not granted
        self.unfilled: dict[str, Callable[[], None]] = {}  # by name, what fills a facade

    def add(
        self,
        name: str,
        granted: Mapping[str, Any],
        real: types.ModuleType | None,
        facade: types.ModuleType | None = None,
    ) -> None:
        """Make the facade `name` of what is `granted`; `real` says what else CPython has there."""
        if facade is None:
            facade = types.ModuleType(name, real.__doc__ if real else None)
        self.hidden[name] = frozenset(vars(real) if real else ()) - granted.keys()
        facade.__dict__.update(granted)
        exported = getattr(real, "__all__", None)
        if exported is not None:
            # `from m import *` reads what it names in C: a tuple, as no guest may add a name.
            facade.__dict__["__all__"] = tuple(str(item) for item in exported if item in granted)
        self.facades[name] = facade

    @property
    def lending(self) -> "Importer":
        """Return the importer of what library modules import."""
        if self._lending is None:
            raise LookupError("nothing is lent by an importer of library modules")
        return self._lending

    def all_facades(self) -> list[types.ModuleType]:
        """List the facades of programs and of library modules."""
        return [*self.facades.values(), *self.lending.facades.values()]

    def add_unfilled(self, name: str, fill: Callable[[], None]) -> None:
        """Make the facade `name` without a name in it; `fill` is called when it is imported."""
        self.add(name, {}, None)
        self.unfilled[name] = fill

    def fill(self, name: str, granted: Mapping[str, Any], model: types.ModuleType) -> None:
        """Put what is `granted` of `model` into the facade `name`, and that into its package."""
        self.add(name, granted, model, self.facades[name])
        package, _, child = name.rpartition(".")
        if package in self.facades:
            self.facades[package].__dict__[child] = self.facades[name]

    def link(self) -> None:
        """Put each submodule into its package; an ungranted package gets an empty facade."""
        for name in sorted(self.facades):
            package, _, child = name.rpartition(".")
            if package:
                if package not in self.facades:
                    self.add(package, {}, None)
                if name not in self.unfilled:
                    self.facades[package].__dict__[child] = self.facades[name]

    def imported(self, name: str, /, *rest: Any, **options: Any) -> Any:
        """Import, as the import statement of a program calls for it."""
        return walked(self.find, name, rest, options)

    def find(
        self,
        name: str,
        globals: object = None,
        locals: object = None,
        fromlist: Iterable[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Import as the builtin `__import__`."""
        if type(fromlist) is list:
            # PyImport_Import, on behalf of C code such as datetime's: it passes a list, where the
            # statement passes a tuple, ignores what it gets and takes the module from sys.modules.
            return None
        name, level = exact(name), index(level)
        if fromlist:
            fromlist = tuple(map(exact, fromlist))
        if level:
            name = self.own.absolute(name, globals, level)
        root = name.partition(".")[0]
        if level or root not in self.facades or root in self.own.preferred:
            return self._own(name, root, fromlist)
        facade = self.facades.get(name)
        if facade is None:
            raise denied_module(name, name)
        if name in _DELEGATE:
            turn_all(DELEGATING)
        if name in self.unfilled:
            self._fill(name)
        if not fromlist:
            return self.facades[name.partition(".")[0]]
        for item in fromlist:
            # IMPORT_FROM falls back on sys.modules for what the facade lacks, so it must not come
            # that far (import_from in CPython's ceval.c).
            if item != "*" and item not in facade.__dict__:
                if f"{name}.{item}" not in self.unfilled:
                    self._refuse(name, item)
                self._fill(f"{name}.{item}")
        return facade

    def _own(self, name: str, root: str, fromlist: Iterable[str] | None) -> Any:
        module = self.own.find(name)
        if module is None:
            raise denied_module(name, root)
        return self.own.names_of(module, fromlist) if fromlist else self.own.loaded[root]

    def module(self, name: str) -> Any:
        """Return the module of that whole name, as `importlib.import_module` does."""
        name = exact(name)
        root = name.partition(".")[0]
        if root in self.facades and root not in self.own.preferred:
            self.find(name)
            return self.facades[name]
        self.find(name)
        return self.own.loaded[name]

    def _fill(self, name: str) -> None:
        """Fill the facade `name`, and before it those of the packages around it."""
        package = name.rpartition(".")[0]
        if package in self.unfilled:
            self._fill(package)
        self.unfilled[name]()  # and if it fails, once more at the next import
        self.unfilled.pop(name, None)

    def _refuse(self, module: str, name: str) -> None:
        if name in self.hidden[module] or f"{module}.{name}" in sys.modules:
            raise denied_import_name(module, name)
        error = ImportError(f"cannot import name {name!r} from {module!r}", name=module)
        if sys.version_info >= (3, 12):
            error.name_from = name
        raise error

    def hides(self, module: object, name: str) -> bool:
        """Return True if `module` is a facade and its model has `name`, which is not granted."""
        known = type(module) is types.ModuleType and module.__dict__.get("__name__")
        if type(known) is not str or self.facades.get(known) is not module:
            return False
        return name in self.hidden[known] and not name.startswith("__")
