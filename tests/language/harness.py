"""Runs a program in a forked child with the language layer alone: no kernel layer helps it."""

import gc
import json
import os
import resource
import sys
from collections.abc import Callable
from types import CodeType
from typing import NamedTuple

from sandbox.interpreter import asking
from sandbox.language.compile.compiler import FILENAME, compile_program
from sandbox.language.guards.sealing import seal
from sandbox.language.guest.stdio import Collector
from sandbox.language.guest.world import World, build_world, describe, enter, leave
from sandbox.language.stdlib.catalog import supported
from sandbox.policy.plan import LAYERS, OFF, Limits, Plan

_MARK = b"\0outcome"
LIMITS = Limits(
    cpu_seconds=10,
    wall_seconds=20,
    memory_mib=512,
    output_kib=1024,
    source_kib=256,
    stdin_kib=1024,
    recursion_limit=100_000,
)


def guarded(source: str, world: World) -> CodeType:
    """What a child compiles."""
    return compile_program(source, world.plan)


def unguarded(source: str, _world: World) -> CodeType:
    """CPython's own code: no name, no read and no store is looked at."""
    return compile(source, FILENAME, "exec", dont_inherit=True)


class Ran(NamedTuple):
    """What one run gave."""

    output: str
    status: str
    error: str
    traceback: str


def plan(**changes: object) -> Plan:
    """A policy that grants all that the language layer supports: the widest surface there is."""
    builtins, modules = supported()
    values = {
        "name": "widest",
        "language": True,
        "limits": LIMITS,
        "layers": dict.fromkeys(LAYERS, OFF),
        "require_any": (),
        "session": False,
        "builtins": builtins,
        "modules": modules,
        "elsewhere": {},
    }
    return Plan(**{**values, **changes})  # type: ignore[arg-type]


def world(**changes: object) -> World:
    """A world for such a policy."""
    return build_world(plan(**changes))


def run(
    world: World,
    source: str,
    stdin: str = "",
    output_bytes: int = 1 << 20,
    *,
    compiled_by: Callable[[str, World], CodeType] = guarded,
) -> Ran:
    """Run `source` in a child of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            seal(world)
            gc.freeze()  # as in the supervisor: what there is does not change when garbage is found
            resource.setrlimit(resource.RLIMIT_CPU, (10, 11))
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
            _perform(world, source, stdin, writing, output_bytes, compiled_by)
        finally:
            os._exit(0)
    os.close(writing)
    data = b""
    while chunk := os.read(reading, 1 << 16):
        data += chunk
    os.close(reading)
    os.waitpid(child, 0)
    output, mark, outcome = data.rpartition(_MARK)
    if not mark:
        return Ran(data.decode(errors="replace"), "CRASHED", "", "")
    return Ran(output.decode(errors="replace"), *json.loads(outcome))


_FORBIDDEN = ("open", "import", "os.", "socket.", "subprocess.", "ctypes.")


def _allow_nothing(event: str, arguments: tuple[object, ...]) -> None:
    """The world is built: from here on nothing may be opened, found on disk or imported."""
    if event == "open" and str(arguments[0])[:1] == "<":  # what the compiler looks for by itself
        raise FileNotFoundError(arguments[0])
    if event.startswith(_FORBIDDEN):
        os.write(2, f"forbidden in a child: {event}\n".encode())
        os._exit(1)


def _perform(
    world: World,
    source: str,
    stdin: str,
    writing: int,
    output_bytes: int,
    compiled_by: Callable[[str, World], CodeType],
) -> None:
    def emit(data: bytes) -> None:
        while data:
            data = data[os.write(writing, data) :]

    def overflow() -> None:
        emit(_MARK + json.dumps(["OUTPUT_LIMIT", "", ""]).encode())
        os._exit(0)

    collector = Collector(emit, output_bytes, overflow)  # type: ignore[arg-type]
    sys.addaudithook(_allow_nothing)
    try:
        scope = enter(world, stdin=stdin, output=collector, plan=world.plan, source=source)
        code = compiled_by(source, world)
        asking.arm()
        exec(code, scope)
    except BaseException as error:
        outcome = list(describe(error, world, source))
    else:
        outcome = ["OK", "", ""]
    scope = {}
    leave(world)
    collector.send()
    emit(_MARK + json.dumps(outcome).encode())
