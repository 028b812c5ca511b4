"""The facades of one world: of the modules that a program may import, and of the library's."""

import builtins
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.guest.importer import Importer
from sandbox.language.guest.stand_ins import ALONE, ALWAYS, stand_ins
from sandbox.language.library.lent import EXTRA, HOST, displaying, lent
from sandbox.language.library.loading import Library
from sandbox.language.library.reading import Text, read
from sandbox.language.library.served import LENT, SERVED
from sandbox.language.stdlib.catalog import BUILTINS, MODULES
from sandbox.policy.plan import Plan

NUMPY = "numpy"
_STREAMS = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")


def make_facades(context: Context, importer: Importer, granted: dict[str, Any]) -> None:
    """Give `importer` the facades of all modules that the plan of `context` grants.

    `granted` are the program's builtins. Library modules get facades that are filled when they are
    imported, and their own importer facades of all that they may need.
    """
    plan = context.plan
    served = [
        module for module in plan.modules if _is_served(module) and not _is_told(module, plan)
    ]
    with_numpy = any(module.partition(".")[0] == NUMPY for module in served)
    lending = sorted({*LENT, *(("numbers",) if with_numpy else ())}) if served else []
    own = [module for module in plan.modules if module not in served]
    made = {module: stand_ins(module, context) for module in {*own, *lending, *ALWAYS}}
    context.state.sys.update(made.get("sys") or stand_ins("sys", context))
    for module in own:
        _add(importer, module, plan.modules[module], made[module], granted)
    if served:
        everything = {
            name: context.builtins.get(name, getattr(builtins, name, None))
            for name in BUILTINS.split()
        }
        for module in lending:
            _add(importer.lending, module, MODULES[module], made[module], everything)
            vars(importer.lending.facades[module]).update(EXTRA.get(module, {}))
        importer.lending.link()
        _serve(context, importer, served, everything)
    importer.link()


def _is_served(module: str) -> bool:
    return module in SERVED or module.partition(".")[0] == NUMPY


def _is_told(module: str, plan: Plan) -> bool:
    """Say whether a stand-in tells the caller of what a program logs: with services, it may."""
    return module == "logging" and plan.services


def _serve(
    context: Context, importer: Importer, served: list[str], everything: dict[str, Any]
) -> None:
    texts, hosts = read(served), lent(context)
    with_numpy = any(module.partition(".")[0] == NUMPY for module in served)
    if with_numpy:
        # Only here: a world without it has none of its modules.
        from sandbox.language.numpy import asking, facade

        known = asking.ask("x:operations", (), {})[1]
        texts |= {name: Text("", text, "", True) for name, text in facade.texts(known).items()}
        hosts["ask_numpy"] = asking.ask
    importer.lending.add(HOST, hosts, None)
    context.state.builtins.update(displaying(context.state))
    library = Library(context, importer, texts, everything)
    for module in served:
        if module in texts:
            names = context.plan.modules[module]
            importer.add_unfilled(module, _filling(library, module, names))
    if with_numpy:
        library.prepare(name for name in texts if name.partition(".")[0] == NUMPY)
        importer.unfilled[NUMPY] = _with_parts(importer, importer.unfilled[NUMPY])


def _filling(library: Library, module: str, names: tuple[str, ...]) -> Any:
    return lambda: library.fill(module, names)


def _with_parts(importer: Importer, fill: Callable[[], None]) -> Callable[[], None]:
    """Have numpy's parts filled with it: `import numpy` is enough to name them."""

    def fill_all() -> None:
        fill()
        for name in sorted(importer.unfilled):
            if name.startswith(f"{NUMPY}."):
                importer.unfilled.pop(name)()

    return fill_all


def _add(
    importer: Importer,
    module: str,
    names: tuple[str, ...],
    stand_ins: dict[str, Any],
    granted_builtins: dict[str, Any],
) -> None:
    real: ModuleType | None = None if module in ALONE else import_module(module)
    source = granted_builtins if module == "builtins" else stand_ins
    if module == "sys":
        source = {**dict.fromkeys(_STREAMS), **stand_ins}  # bound when a child enters
    chosen = {name: source[name] for name in names if name in source}
    for name in names:
        # A module may make a name when it is asked for one, as typing does in 3.13.
        if name not in source and f"{module}.{name}" not in MODULES and hasattr(real, name):
            chosen[name] = getattr(real, name)
    importer.add(module, chosen, sys.modules.get(module) if real is None else real)
