"""The process that walks a policy's world: started by `reach`, told what to do on its input.

It builds the world with the functions that a supervisor uses and then gives up every power, so
that it can call what a guest could call. Answers with one line of JSON on its output.
"""

import gc
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from sandbox.audit.walk import what_if
from sandbox.audit.walk.contained import Containment, ForkEnd
from sandbox.audit.walk.search import MOST_STEPS, Search
from sandbox.audit.walk.steps import FUTURE
from sandbox.kernel.syscall_sets import RESULT_FD
from sandbox.language.compile.compiler import compile_program
from sandbox.language.guards.attributes.sealing import seal
from sandbox.language.guest.collector import Collector, emptying
from sandbox.language.guest.world import World, build_world, describe, enter
from sandbox.policy.plan import Plan
from sandbox.runtime.supervisor.jail import LayerMissing

_TRIES = 25  # walks that a step may end before the search is called incomplete


def main() -> None:
    """Read a request, answer it, end."""
    request = json.loads(sys.stdin.buffer.read())
    plan = Plan.from_dict(_with_tuples(request["plan"]))
    grants = [what_if.RawGrant(*item) for item in request["raw"]]
    unseen = frozenset[int]()
    if plan.packages:
        from sandbox.language.numpy.loading import bring_in

        unseen = bring_in()  # first: what is there already would be the world's
    what_if.load(grants)
    own = [name for name in plan.modules if name.partition(".")[0] != "numpy"]
    public = what_if.public_of(own)  # before the world is built: it patches some modules
    world = build_world(plan, unseen)
    added = what_if.add(world, grants)
    try:
        held = Containment(plan)
    except LayerMissing as missing:
        answer: dict[str, Any] = {"missing": [missing.layer, missing.reason]}
    else:
        seal(world)  # C code sets an attribute of each text file that is opened: none is now
        gc.collect()
        gc.disable()  # frozen objects would be hidden from the judge
        work = {"walk": _walk, "prove": _prove}[request["work"]]
        answer = {**work(world, held, added, request), "layers": held.layers, "public": public}
    data = json.dumps(answer).encode()
    while data:
        data = data[os.write(1, data) :]


def _with_tuples(plan: dict[str, Any]) -> dict[str, Any]:
    modules = {name: tuple(names) for name, names in plan["modules"].items()}
    groups = tuple(tuple(group) for group in plan["require_any"])
    packages = [{**package, "preload": tuple(package["preload"])} for package in plan["packages"]]
    own = {"modules": modules, "require_any": groups, "packages": packages}
    return {**plan, **own, "builtins": tuple(plan["builtins"])}


def _walk(
    world: World, held: Containment, added: list[tuple[str, str]], request: dict[str, Any]
) -> dict[str, Any]:
    roots = added if request["raw"] else granted(world)
    foreign = {expression for _, expression in added}
    allowed = [value for name, value in _objects(world) if name not in foreign]
    groups = {root: what_if.group_of(root, request["raw"]) for root, _ in added}
    begin = partial(Search, world, begin_step=held.begin_step, groups=groups)
    ended: dict[int, str] = {}
    answer, most = None, MOST_STEPS
    while answer is None:
        answer = _try(held, begin(ended, most_steps=most), roots, allowed, ended)
        if len(ended) >= _TRIES:  # the next walk stops before it comes to another such step
            most = max(ended) if len(ended) == _TRIES else min(most, min(ended)) // 2
    ends = [f"{cause} at step {number}" for number, cause in ended.items()]
    return {**answer, "ends": ends, "roots": [root for root, _ in roots]}


def _try(
    held: Containment,
    walk: Search,
    roots: list[tuple[str, str]],
    allowed: list[Any],
    ended: dict[int, str],
) -> dict[str, Any] | None:
    """Return what one walk found; None if a step ended it, which `ended` then knows."""
    done = held.run(_answering(partial(walk.run, roots, allowed, not walk.groups)), ticks=True)
    if done.cause.startswith("status") or held.last_step() in ended:
        raise RuntimeError(done.data.decode(errors="replace") or done.cause)
    if done.cause:
        ended[held.last_step()] = done.cause
        return None
    answer: dict[str, Any] = json.loads(done.data)
    return answer


def granted(world: World) -> list[tuple[str, str]]:
    """Return (grant, the guest's expression for it) of all that the policy grants."""
    return [(name, name.replace("__future__", FUTURE)) for name, _ in _objects(world)]


def _objects(world: World) -> list[tuple[str, Any]]:
    builtins = world.state.builtins
    found = [(name, builtins[name]) for name in world.plan.builtins if name in builtins]
    for module, facade in world.importer.facades.items():
        found.append((module, facade))
        found += [(f"{module}.{n}", v) for n, v in vars(facade).items() if not n.endswith("__")]
    return [(name, value) for name, value in found if value is not None]


def _prove(
    world: World, held: Containment, _added: list[tuple[str, str]], request: dict[str, Any]
) -> dict[str, Any]:
    """Run programs as a child would, one fork each; for worlds in which no `Sandbox` opens."""
    return {"ran": [_told(held.run(_program(world, p), ticks=False)) for p in request["programs"]]}


def _program(world: World, source: str) -> Callable[[], None]:
    def perform() -> dict[str, str]:
        printed: list[bytes] = []
        collector = Collector(emptying(printed.append), 1 << 16, _overflow)
        status, error = "OK", ""
        try:
            scope = enter(world, stdin="", output=collector, plan=world.plan, source=source)
            exec(compile_program(source, world.plan), scope)
        except BaseException as raised:
            status, error, _ = describe(raised, world)
        collector.send()
        return {"status": status, "error": error, "output": b"".join(printed).decode()}

    return _answering(perform)


def _overflow() -> Any:
    raise MemoryError("too much output")


def _answering(work: Callable[[], dict[str, Any]]) -> Callable[[], None]:
    def act() -> None:
        try:
            data, status = json.dumps(work()).encode("utf-8", "backslashreplace"), 0
        except BaseException as error:  # ours, not the guest's
            data, status = _fault(error).encode("utf-8", "backslashreplace"), 1
        while data:
            data = data[os.write(RESULT_FD, data) :]
        os._exit(status)

    return act


def _fault(error: BaseException) -> str:
    trace, line = error.__traceback__, 0
    while trace is not None:
        line, trace = trace.tb_lineno, trace.tb_next
    return f"{type(error).__name__}: {error} (line {line})"


def _told(ended: ForkEnd) -> dict[str, str]:
    if ended.cause:
        return {"status": "CRASHED", "error": ended.cause, "output": ""}
    told: dict[str, str] = json.loads(ended.data)
    return told


if __name__ == "__main__":
    main()
