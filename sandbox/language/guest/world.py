"""The world of a guest: built once in the supervisor, entered once in each child."""

import atexit
import builtins
import linecache
import sys
import typing
from typing import Any

from sandbox.errors import PolicyError, SandboxError
from sandbox.interpreter.vault import asking
from sandbox.language.compile.compiler import FILENAME, delegates, notices_ends
from sandbox.language.guards.attributes.receivers import check_receivers
from sandbox.language.guards.attributes.shown_types import show_types
from sandbox.language.guards.builtin_guards import guarded_builtins
from sandbox.language.guards.classes import class_namespaces, heirs, metaclasses
from sandbox.language.guards.classes.class_origin import Kinship
from sandbox.language.guards.classes.classes import Classes
from sandbox.language.guards.guards import Guards
from sandbox.language.guest import unrestricted
from sandbox.language.guest.collector import Collector
from sandbox.language.guest.context import Context
from sandbox.language.guest.determinism import hide_machine
from sandbox.language.guest.ends import ending, faults, suggestions
from sandbox.language.guest.ends.faults import Outcome
from sandbox.language.guest.ends.traces import type_name
from sandbox.language.guest.facades import make_facades
from sandbox.language.guest.importer import Importer
from sandbox.language.guest.preloading import add_names_of_site, preload
from sandbox.language.guest.state import GuestState, new_main, stack_depth
from sandbox.language.guest.stdio import TextOut
from sandbox.language.natives.demand import DELEGATING, PROGRAM, turn_all
from sandbox.language.natives.harden import harden
from sandbox.language.stdlib.catalog import supported
from sandbox.language.stdlib.data import pprint_table
from sandbox.language.stdlib.system.os import run_exit_calls
from sandbox.policy.plan import Plan

__all__ = ["World", "build_world", "describe", "enter", "leave", "preload"]


class World:
    """The start of every child. Built before the fork, so it costs a child nothing."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.state = GuestState(plan)
        self.importer = Importer(self.state, Importer(self.state))
        self.kin = Kinship()
        self.classes = Classes(self.kin)
        self.guards = Guards(self.kin, self.classes)
        self.sealed: frozenset[str] = frozenset()  # names of classes, see `sealing`


def build_world(plan: Plan, unseen: frozenset[int] = frozenset()) -> World:
    """Import what `plan` grants and build the guest's builtins and modules.

    `unseen` are ids of objects that the world may hold no reference to.

    Raises PolicyError for a grant of what the language layer does not support.
    """
    world = World(plan)
    world.kin.unseen = unseen
    preload(plan)
    if plan.language:
        _check_grants(plan)
        _furnish(world)
        suggestions.settle(world.importer.facades)
    else:
        add_names_of_site()
    return world


def _check_grants(plan: Plan) -> None:
    names, modules = supported()
    if plan.packages:
        from sandbox.language.numpy import facade

        modules |= facade.names()
    wrong = [f"builtin {name}" for name in plan.builtins if name not in names]
    for module, granted in plan.modules.items():
        if module not in modules:
            wrong.append(f"module {module}")
        else:
            wrong += [f"{module}.{name}" for name in granted if name not in modules[module]]
    if wrong:
        raise PolicyError(
            f"policy '{plan.name}' grants what the language layer does not support:"
            f" {', '.join(wrong)}"
        )


def _furnish(world: World) -> None:
    plan, state = world.plan, world.state
    kin, classes, guards = world.kin, world.classes, world.guards
    table = guarded_builtins(state, guards, classes)
    context = Context(plan, state, guards, classes, table)
    granted = {
        name: table.get(name, getattr(builtins, name, None))
        for name in plan.builtins
        if name in table or hasattr(builtins, name)
    }
    make_facades(context, world.importer, granted)
    _let_streams_be_set(world)
    # Last: what exists from here on is the guest's.
    facades = world.importer.all_facades()
    shown = [value for facade in facades for value in vars(facade).values()]
    harden()
    hide_machine(state)
    check_receivers(shown)
    pprint_table.settle()
    show_types({*plan.modules, *world.importer.lending.facades}, classes)
    kin.settle()
    classes.settle([*granted.values(), *shown, *_typing_origins()])
    guards.settle()
    state.forgetting += (
        kin.free.clear,
        guards.patterns.clear,
        metaclasses.forget,
        class_namespaces.forget,
        guards.lookup.proxies.clear,
    )
    state.builtins.update(granted, **guards.bytecode_names())
    state.builtins.update(__build_class__=classes.build_class, __import__=world.importer.find)
    state.builtins["__name__"] = "builtins"


def _typing_origins() -> list[object]:
    """List what the aliases of `typing` inherit from for a class that names them as its base."""
    return [getattr(value, "__origin__", None) for value in vars(typing).values()]


def _let_streams_be_set(world: World) -> None:
    from sandbox.language.stdlib.system.sys import SysStores

    for importer in (world.importer, world.importer.lending):
        facade = importer.facades.get("sys")
        if facade is not None:
            world.state.facades.append(vars(facade))
            world.guards.write_proxies[id(facade)] = SysStores(world.state)


def enter(
    world: World,
    *,
    stdin: str,
    output: Collector,
    plan: Plan,
    source: str = "",
    beside: str = "",
) -> dict[str, object]:
    """Make the program's `__main__` and return its namespace. Called once, in the child.

    Raises SandboxError where a program has been already: what it changed of the host is still so.

    The recursion limit counts from here on: a frame of `asking`'s takes the place of this one when
    the program runs.
    """
    state = world.state
    if state.entered:
        raise SandboxError("a program has been in this world: each needs a process of its own")
    if not plan.opens:
        _settle_interpreter()
    state.entered = True
    main = new_main(state)
    namespace: dict[str, Any] = main.__dict__
    sys.modules["__main__"] = main
    state.plan = plan
    state.depth = stack_depth()
    state.main, state.source, state.beside = namespace, source, beside
    state.noticing = False
    if plan.language:
        state.open_streams(stdin, output)
        namespace["__builtins__"] = state.builtins
        namespace["__file__"] = FILENAME
        turn_all(PROGRAM)
        if delegates(state.text()):
            turn_all(DELEGATING)
    else:
        unrestricted.furnish(namespace, plan, source, stdin, output)
    state.set_recursion_limit(1000)
    if not plan.language:
        unrestricted.count_from_program(state.depth)
    return namespace


def leave(world: World) -> str:
    """Let go of the program as the end of a process does, so that what it left to the end happens.

    What it registered with `atexit` is called, and what it put in the place of a standard stream is
    flushed. Finalizers and the `finally` of open
    generators run while there is a namespace for them. Nothing but the caller's own frame may still
    hold that namespace. Only for a program that would notice: this walks over all that it has.

    Returns what went wrong when `sys.stdout` was flushed, which makes a process of CPython's fail.
    """
    if world.plan.language:
        run_exit_calls(world.state.exit_calls)
    else:
        _join_threads()
        atexit._run_exitfuncs()
    failed = _flush_streams(world)
    if world.state.noticing or notices_ends(world.state.text()):
        _let_go(world)
    unwritten = world.state.files.flush() if world.state.files.opened else ""
    return failed or unwritten


def _join_threads() -> None:
    """Wait for the threads that are no daemons, as CPython does before what is left to its exit."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()


def _flush_streams(world: World) -> str:
    """Flush the streams as `flush_std_files` of CPython does; our own hold nothing back."""
    failed = ""
    streams = world.state.sys if world.plan.language else vars(sys)
    for name in ("stdout", "stderr"):
        stream = streams.get(name)
        if stream is None or type(stream) is TextOut:
            continue
        try:
            if not getattr(stream, "closed", False):
                stream.flush()
        except BaseException as error:  # the program's own code
            if name == "stdout":
                failed = f"{type_name(error)} when sys.stdout was flushed at the end"
    return failed


def _let_go(world: World) -> None:
    state = world.state
    held = [sys.modules.get("__main__")]  # without the language layer a program may unload it
    if world.plan.language:
        for name in ("stdin", "stdout", "stderr"):  # one of the guest's would keep its classes
            state.set_stream(name, state.sys[f"__{name}__"])
        if heirs.are_there():
            for module in world.importer.own.loaded.values():
                ending.drop_variables(vars(module))
            ending.drop_variables(state.main)
            return
        heirs.let_go()
        state.forget()
    last = new_main(state)
    last.__dict__["__builtins__"] = state.main.get("__builtins__", builtins)
    sys.modules["__main__"], state.main = last, last.__dict__
    for cleanup in getattr(typing, "_cleanups", ()):  # forget the classes that typing has met
        cleanup()
    # As Py_FinalizeEx does: the first walk puts what it finds in the order in which it comes to it
    # from the namespace, and in that order finalizers run in the second.
    asking.collect()
    held.clear()
    asking.collect()


def _settle_interpreter() -> None:
    """Keep tracebacks from files: to look for source lines is a system call that ends a child."""
    # Into the dicts: a store to a module would ask whether it is a facade.
    if linecache.updatecache is not _no_lines:
        names = vars(linecache)
        names["checkcache"] = names["updatecache"] = _no_lines
    if vars(sys).get("unraisablehook") is not _say_nothing:  # CPython's own is gone by now
        vars(sys)["unraisablehook"] = _say_nothing


def _no_lines(*_: object, **__: object) -> list[str]:
    return []


def _say_nothing(_unraisable: object, /) -> None:
    """Keep quiet about what a finalizer raises: its text would have lines from files."""


def describe(exc: BaseException, world: World) -> Outcome:
    """Classify what the guest raised, or what `compile_program` said of it. Never raises.

    The state has the program's texts by then.
    """
    state, hides = world.state, world.importer.hides
    return faults.describe(exc, world.plan, state.source, state.text(), hides, world.sealed)
