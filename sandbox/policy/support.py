"""What the language layer can grant at all: the outer bound of every policy."""

import builtins as real_builtins
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module


class _Anything(dict[str, frozenset[str]]):
    """Every importable module with its public names."""

    def __missing__(self, name: str) -> frozenset[str]:
        names = frozenset(name for name in dir(import_module(name)) if name[0] != "_")
        self[name] = names
        return names

    def get(self, name: str, default: object = None) -> frozenset[str]:
        return self[name]


@lru_cache(maxsize=1)
def supported() -> tuple[frozenset[str], Mapping[str, frozenset[str]]]:
    """Builtins, and modules with their names, that the language layer supports on this Python."""
    try:
        from sandbox.language.catalog import supported as catalog
    except ImportError:
        return frozenset(dir(real_builtins)) | {"exit", "quit"}, _Anything()
    names, modules = catalog()
    return frozenset(names), {name: frozenset(granted) for name, granted in modules.items()}
