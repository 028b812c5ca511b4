"""The outer bound of every policy: all that the language layer can grant."""

from collections.abc import Mapping
from functools import lru_cache

from sandbox.language.numpy import facade
from sandbox.language.stdlib import catalog


@lru_cache(maxsize=1)
def supported() -> tuple[frozenset[str], Mapping[str, frozenset[str]]]:
    """Builtins, and modules with their names, that a policy may grant."""
    builtins, modules = catalog.supported()
    modules |= facade.names()
    return frozenset(builtins), {name: frozenset(names) for name, names in modules.items()}
