"""Modules for numpy alone: what is written in Python is loaded once more, and no program meets it.

Numpy's own Python code asks abstract classes what an object is (`isinstance(x, numbers.Integral)`),
reads registries (`copyreg`) and lists (`warnings.filters`). A program can inherit from the abstract
classes of the standard library and register with them, and would then be asked what numpy asks.
So numpy gets a standard library of its own: while it is imported, `sys.modules` has copies of C
modules alone, and each module in Python is executed anew for it, with builtins of its own. A name
that nobody has looked at is private by that.
"""

import importlib
import sys
import types
from collections.abc import Callable
from importlib.machinery import (
    BuiltinImporter,
    ExtensionFileLoader,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from typing import Any, Final

OWN: Final = tuple(
    f"sandbox.language.numpy.engine.{name}"
    for name in (
        *("answering", "arrays", "bounds", "crossing", "dtypes", "entries", "errors"),
        *("kinds", "operations", "products", "rows", "rules"),
    )
)
# Kept for numpy too: by name, or below it.
_SHARED: Final = {
    "__main__": "the supervisor's start, which nothing of numpy's reads",
    "codecs": "codecs are registered with the interpreter; the engine has a list of encodings",
    "encodings": "the same",
    "_frozen_importlib": "the import system itself, which runs in the supervisor alone",
    "_frozen_importlib_external": "the same",
    "importlib": "the same",
    "zipimport": "the same",
    "random": "a second one would seed itself at each fork; numpy asks nothing of it",
    "sandbox": "ours: it is asked of nothing that a program has; `OWN` is made anew",
}
# Never there for numpy, which does without: they only give it powers.
_ABSENT: Final = {
    "ctypes": "addresses; a second one would also empty the table of pointer types of the first",
    "_ctypes": "the same",
    "mmap": "memory of files",
    "subprocess": "processes",
    "socket": "the network",
}


_STREAMS = frozenset(("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__"))


class Library:
    """The import of private modules, from begin to end."""

    def __init__(self, own: dict[str, Any]) -> None:
        self._builtins = own
        self._aside: dict[str, Any] = {}
        self._kept: frozenset[str] = frozenset()

    def begin(self) -> None:
        """Set aside all modules in Python, so that what is imported from now on gets others."""
        self._aside = dict(sys.modules)
        for name, module in self._aside.items():
            if _is_in_c(name, module):
                sys.modules[name] = _copied(module)
            elif not is_shared(name):
                del sys.modules[name]
        self._kept = frozenset(sys.modules)
        sys.modules["secrets"] = _secrets()
        sys.meta_path.insert(0, self)

    def end(self) -> dict[str, Any]:
        """Put back the modules that were there, and return those that are numpy's alone."""
        sys.meta_path.remove(self)
        private = {name: sys.modules[name] for name in [*sys.modules] if name not in self._kept}
        for name in [name for name in private if is_shared(name)]:
            self._aside[name] = private.pop(name)
        for name in private:
            package, _, child = name.rpartition(".")
            if package in self._kept:
                vars(sys.modules[package]).pop(child, None)
        shared = {name: sys.modules[name] for name in self._kept if name in sys.modules}
        sys.modules.clear()
        sys.modules.update(self._aside)
        self._builtins["__import__"] = _finder(private, shared)
        self._aside, self._builtins, self._kept = {}, {}, frozenset()
        return private

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a module that is private, to be run with the builtins of numpy's."""
        if name.partition(".")[0] in _ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if is_shared(name):
            if name.partition(".")[0] == "sandbox":  # it would hold what is numpy's
                raise RuntimeError(f"{name} is to be imported before numpy")
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self._builtins)
        return spec


class _Loader(SourceFileLoader):
    """Runs a module with builtins of its own."""

    def __init__(self, name: str, path: str, own: dict[str, Any]) -> None:
        super().__init__(name, path)
        self._own = own

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module)["__builtins__"] = self._own
        super().exec_module(module)


def is_shared(name: Any) -> bool:
    """Say whether the module of that name is the same for numpy as for everybody."""
    if type(name) is not str:
        return False
    return name.partition(".")[0] in _SHARED and name not in OWN


def _is_in_c(name: str, module: Any) -> bool:
    spec = getattr(module, "__spec__", None)
    loader = getattr(spec, "loader", None)
    in_c = loader is BuiltinImporter or isinstance(loader, ExtensionFileLoader)
    return in_c and name not in _ABSENT and not is_shared(name)


def _copied(module: Any) -> types.ModuleType:
    """Return a module with the names of `module`, which are numpy's own from now on."""
    made = types.ModuleType(module.__name__)
    vars(made).update(vars(module))
    for name in _STREAMS.intersection(vars(made)):  # nobody else is to hold one
        vars(made)[name] = None
    return made


def _secrets() -> types.ModuleType:
    """Make what numpy takes of `secrets`: there is no device to ask, and no hook for forks."""
    made = types.ModuleType("secrets")
    vars(made)["randbits"] = lambda _bits: 0
    return made


def load(name: str) -> Any:
    """Return the private module `name`. Only between begin and end."""
    return importlib.import_module(name)


def _finder(modules: dict[str, Any], shared: dict[str, Any]) -> Callable[..., Any]:
    """Make the `__import__` of numpy's code: it finds what was imported for it, and C modules."""

    def find(name: str, names: Any = None, _: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if level:
            package = names["__package__"].rsplit(".", level - 1)[0]
            name = f"{package}.{name}" if name else package
        whole = name if wanted else name.partition(".")[0]
        for known in (modules, shared):
            if name in known and whole in known:
                return known[whole]
        raise ImportError(f"No module named {name!r}", name=name)

    return find
