"""What-if grants: objects that the language layer does not support, put into a world as they are.

A policy that asks for one does not load. So that the audit can say what it would have let out, the
walk gets the raw object where the grant would have put it.
"""

import builtins
import sys
import types
from collections.abc import Iterable
from importlib import import_module
from keyword import iskeyword
from typing import NamedTuple

from sandbox.language.guards.guards import exact_name
from sandbox.language.guest.world import World

ALL = "*"
BUILTINS = ""  # the module of a builtin


class RawGrant(NamedTuple):
    """`name` of `module`; `module` is empty for a builtin, `name` is "*" for all public names."""

    module: str
    name: str


def load(grants: list[RawGrant]) -> None:
    """Import what is needed, before the world is built: classes are the host's from then on."""
    for grant in grants:
        if grant.module:
            try_module(grant.module)


def try_module(name: str) -> types.ModuleType | None:
    """Return the module, or None if this Python has none of that name, or it fails to import."""
    try:
        return import_module(name)
    except Exception:
        return None


def add(world: World, grants: list[RawGrant]) -> list[tuple[str, str]]:
    """Put `grants` into `world`. Returns (grant, the guest's expression) for each that exists."""
    roots: list[tuple[str, str]] = []
    for grant in grants:
        if grant.module:
            roots += _add_of_module(world, grant)
        elif hasattr(builtins, grant.name):
            world.state.builtins[grant.name] = getattr(builtins, grant.name)
            roots.append((grant.name, grant.name))
    world.importer.link()
    return roots


def _add_of_module(world: World, grant: RawGrant) -> list[tuple[str, str]]:
    real = try_module(grant.module)
    if real is None:
        return []
    names = public_names(real) if grant.name == ALL else [grant.name]
    found = {name: getattr(real, name) for name in names if hasattr(real, name)}
    parts = grant.module.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        if name not in world.importer.facades:
            world.importer.add(name, {}, real if name == grant.module else None)
    world.importer.facades[grant.module].__dict__.update(found)
    return [(f"{grant.module}.{name}", f"{grant.module}.{exact_name(name)}") for name in found]


def public_names(module: types.ModuleType) -> list[str]:
    """Return what a policy's "*" would have meant: names without a leading underscore.

    Also names that a module makes when asked for; not its submodules, which come and go with what
    else was imported.
    """
    names = {*vars(module), *getattr(module, "__all__", ())}
    below = {name for name in names if f"{module.__name__}.{name}" in sys.modules}
    return sorted(
        name
        for name in names - below
        if name[:1] != "_" and name.isidentifier() and not iskeyword(name)
    )


def public_of(modules: Iterable[str]) -> dict[str, list[str]]:
    """Return the public names of each of `modules` that this Python has."""
    found = {name: try_module(name) for name in modules}
    return {name: public_names(module) for name, module in found.items() if module is not None}


def describe(grant: RawGrant) -> str:
    """Return the grant in words."""
    if not grant.module:
        return f"the builtin {grant.name}"
    return f"the module {grant.module}" if grant.name == ALL else f"{grant.module}.{grant.name}"


def group_of(root: str, grants: Iterable[Iterable[str]]) -> str:
    """Say in words which of `grants` the root of a walk belongs to."""
    for module, name in grants:
        if root == (f"{module}.{name}" if module else name):
            return describe(RawGrant(module, name))
    return describe(RawGrant(root.rpartition(".")[0], ALL))
