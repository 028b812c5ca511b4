"""One state of a session: a child that runs cells, one after the other, in one namespace.

Between two cells it waits in the vault, which forks it when its keeper says so: each fork goes on
from the same place, with its own next cell. Nothing here ever returns.
"""

from __future__ import annotations  # a class that is named in one would be found there

import builtins
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from sandbox.interpreter.vault import asking, asking_cells
from sandbox.kernel.sessions.states import MADE
from sandbox.kernel.steps import Step
from sandbox.language.compile.compiler import delegates
from sandbox.language.compile.notebook import compile_cell
from sandbox.language.guest.determinism import begin
from sandbox.language.guest.ends.faults import Outcome
from sandbox.language.guest.world import World, describe, enter
from sandbox.language.natives.demand import DELEGATING, turn_all
from sandbox.policy.layers import OFF
from sandbox.policy.plan import Plan
from sandbox.runtime.child import asking_services, job_files, reporter, showing
from sandbox.runtime.child.child import store_of, too_much
from sandbox.runtime.child.confinement import confine
from sandbox.runtime.wire import untrusted_json
from sandbox.runtime.wire.cells import CALL, GET, LIST, READ, RUN, SET, WRITE

_DEPTH_AFTER = 1000  # for what we do when a cell is over, which may have left little
_UNCONFINED, _BROKEN = 97, 99  # exit statuses; none of them is a verdict
_SPARES, _SPARE_BYTES = 2, 3 << 19  # what is let go of once memory is out, see `child`
_OK = Outcome("OK", "", "")


class Cell(NamedTuple):
    """What a state is to do next, as `wire.cells` encodes it: from the trusted side."""

    mode: str
    number: int
    code: str
    stdin: str
    name: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    files: Mapping[str, bytes]
    fetch: Sequence[str]
    services: Sequence[str]
    output_bytes: int


def live(
    steps: list[Step],
    plan: Plan,
    world: World,
    forget: Callable[[], object],
    wait: Callable[[], bool],
    end: Callable[[int], NoReturn] = asking.end,
) -> NoReturn:
    """Be confined, say so, and run cells until the keeper is gone.

    No caller gives `end`: what stands in a module can be replaced by a guest that finds it.
    """
    spares: list[bytes] = []
    try:
        try:
            confine(steps)
        except BaseException as error:
            asking.say(b"E" + f"{error}".encode()[:500])
            end(_UNCONFINED)
        asking_cells.lend(wait)
        forget()
        asking.say(MADE)
        del wait
        _run_cells(plan, world, spares)
    except BaseException as error:
        spares.clear()
        asking.release()
        memory = isinstance(error, MemoryError)
        told = f"{type(error).__name__} (while the sandbox reported the outcome)"
        reporter.report("MEMORY_LIMIT" if memory else "ERROR", told)
    finally:
        end(_BROKEN)


def _run_cells(plan: Plan, world: World, spares: list[bytes]) -> NoReturn:
    """Run each cell in this frame, the only one that the vault gives the next one to."""
    cell = Cell(*asking.take_job())
    state, collector = world.state, world.state.output
    bounds = untrusted_json.Bounds(
        plan.limits.output_bytes, plan.limits.value_items, plan.limits.value_depth
    )
    collector.begin(
        lambda _pending: asking.flush(),
        cell.output_bytes,
        lambda: reporter.report(*too_much(plan.limits)),
        by_time=not plan.deterministic,
    )
    asking.begin(True, plan.limits.stack_bytes, collector.pending, collector.complaints)
    scope: dict[str, Any] = enter(world, stdin=cell.stdin, output=collector, plan=plan)
    shown = showing.furnish(scope, plan)
    if plan.language:
        turn_all(DELEGATING)
    begin(state)
    asking.arm(tripwire=plan.layers["interpreter"] != OFF)
    while True:
        value, outcome = "", _OK
        while len(spares) < _SPARES:  # zeroed by the kernel, the first time: no pages
            spares.append(bytes(_SPARE_BYTES))
        try:
            _prepare(cell, world, plan, scope, bounds)
            if cell.mode == RUN:
                statements, expression = compile_cell(cell.code, plan, cell.number)
                if statements is not None:
                    asking.evaluate(statements, scope)
                if expression is not None:
                    found = asking.evaluate(expression, scope)
                    if found is not None:
                        scope["_"] = found
                        value = showing.value(found, shown, bounds)
                    found = None
                if not value:
                    value = showing.nothing(shown, bounds)
            else:
                value = _perform(cell, world, plan, scope, bounds)
        except BaseException as error:
            spares.pop()
            sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH_AFTER))
            value, outcome = "", describe(error, world)
        found = None
        if collector.overflowed:  # where the stack had no room to say so
            reporter.report(*too_much(plan.limits))
        state.beside = f"{state.beside}\n{cell.code}" if cell.code else state.beside
        cell = Cell(*asking_cells.next_cell(*outcome, value))
        collector.renew(cell.output_bytes)


def _prepare(
    cell: Cell, world: World, plan: Plan, scope: dict[str, Any], most: untrusted_json.Bounds
) -> None:
    """Make what a cell finds: its text for messages, its input, its services."""
    state = world.state
    state.source = cell.code
    if plan.language:
        state.renew_input(cell.stdin)
        if delegates(cell.code):
            turn_all(DELEGATING)
    else:
        showing.give_input(cell.stdin)
    if cell.code:
        showing.keep_lines(cell.code, cell.number)
    state.set_recursion_limit(state.recursion_limit)
    gone = state.services.keys() - set(cell.services)
    for name in gone:
        if scope.get(name) is state.services.pop(name):
            del scope[name]
    fresh = tuple(name for name in cell.services if name not in state.services)
    if fresh:
        offered = asking_services.offer(fresh, most)
        scope.update(offered)
        state.services = {**state.services, **offered}


def _perform(
    cell: Cell, world: World, plan: Plan, scope: dict[str, Any], most: untrusted_json.Bounds
) -> str:
    """Do what is no text to run; return the value as JSON."""
    if cell.mode == CALL:
        value = _named(scope, cell.name)(*cell.args, **cell.kwargs)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH_AFTER))
        return untrusted_json.encode_told(f"what {cell.name}() returned", value, most)
    if cell.mode == GET:
        return untrusted_json.encode_told(f"'{cell.name}'", _named(scope, cell.name), most)
    if cell.mode == SET:
        scope.update(cell.kwargs)
        return ""
    store: Any = store_of(world, plan)
    if cell.mode == WRITE:
        store.replace(cell.files)
    elif cell.mode == READ:
        job_files.send(store, cell.fetch, plan.limits)
    elif cell.mode == LIST:
        store.settle()
        names = sorted(name for name, _ in job_files.all_files(store))
        return untrusted_json.encode_told("the names of files", names, most)
    return ""


def _named(scope: dict[str, Any], name: str) -> Any:
    if name in scope:
        return scope[name]
    if name in vars(builtins) and name in scope.get("__builtins__", {}):
        return scope["__builtins__"][name]
    raise NameError(f"name '{name}' is not defined")
