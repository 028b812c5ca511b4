"""The import of a guest: namespaces with exactly the granted names.

A facade is a module object of its own that no import system knows. A real one is never handed out:
its private names and its imports are the whole standard library.
"""

import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any

from sandbox.language.guest.ends.denials import denied_import_name, denied_module
from sandbox.language.natives.demand import DELEGATING, turn_all

# Modules whose functions delegate to a generator of the program's, see `natives/calls/generators`.
_DELEGATE = frozenset(("asyncio", "contextlib", "difflib", "graphlib", "weakref"))


class Importer:
    """The facades of one world, and the `__import__` that hands them out."""

    def __init__(self) -> None:
        self.facades: dict[str, types.ModuleType] = {}
        self.hidden: dict[str, frozenset[str]] = {}  # names that exist, but are not granted

    def add(self, name: str, granted: Mapping[str, Any], real: types.ModuleType | None) -> None:
        """Make the facade `name` of what is `granted`; `real` says what else CPython has there."""
        facade = types.ModuleType(name, real.__doc__ if real else None)
        self.hidden[name] = frozenset(vars(real) if real else ()) - granted.keys()
        facade.__dict__.update(granted)
        exported = getattr(real, "__all__", None)
        if exported is not None:
            # `from m import *` reads what it names in C: a tuple, as no guest may add a name.
            facade.__dict__["__all__"] = tuple(str(item) for item in exported if item in granted)
        self.facades[name] = facade

    def link(self) -> None:
        """Put each submodule into its package; an ungranted package gets an empty facade."""
        for name in sorted(self.facades):
            package, _, child = name.rpartition(".")
            if package:
                if package not in self.facades:
                    self.add(package, {}, None)
                self.facades[package].__dict__[child] = self.facades[name]

    def find(
        self,
        name: str,
        globals: object = None,
        locals: object = None,
        fromlist: Iterable[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Import, as the import statement calls for it."""
        if type(fromlist) is list:
            # PyImport_Import, on behalf of C code such as datetime's: it passes a list, where the
            # statement passes a tuple, ignores what it gets and takes the module from sys.modules.
            return None
        if level:
            raise ImportError("attempted relative import with no known parent package")
        facade = self.facades.get(name)
        if facade is None:
            package = name.partition(".")[0]
            raise denied_module(name, name if package in self.facades else package)
        if name in _DELEGATE:
            turn_all(DELEGATING)
        if not fromlist:
            return self.facades[name.partition(".")[0]]
        for item in fromlist:
            # IMPORT_FROM falls back on sys.modules for what the facade lacks, so it must not come
            # that far (import_from in CPython's ceval.c).
            if item != "*" and item not in facade.__dict__:
                self._refuse(name, item)
        return facade

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
