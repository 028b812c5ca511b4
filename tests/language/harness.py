"""Runs a program in a forked child with the language layer alone: no kernel layer helps it."""

import atexit
import decimal
import json
import os
import resource
import sys
import weakref
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

from sandbox.fuzz.inner.template import Perform, Template

from sandbox.interpreter.vault import asking
from sandbox.language.compile.compiler import FILENAME, compile_program
from sandbox.language.guards.attributes.sealing import seal
from sandbox.language.guest.collector import Collector, emptying
from sandbox.language.guest.world import World, build_world, describe, enter, leave
from sandbox.language.stdlib.catalog import supported
from sandbox.policy.layers import LAYERS, OFF
from sandbox.policy.limits import Limits
from sandbox.policy.plan import Plan
from sandbox.runtime.child import job_files

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
        "services": False,
        "deterministic": False,
        "opens": False,
        "threads": 0,
        "packages": (),
        "builtins": builtins,
        "modules": modules,
        "elsewhere": {},
    }
    return Plan(**{**values, **changes})  # type: ignore[arg-type]


def world(**changes: object) -> World:
    """A world for such a policy."""
    return build_world(plan(**changes))


_WALL_SECONDS = 240.0
_CPU_SECONDS = 40  # by the kernel's ticks, which run ahead of the clock where processors are busy
_templates: weakref.WeakKeyDictionary[World, Template] = weakref.WeakKeyDictionary()


def run(
    world: World,
    source: str,
    stdin: str = "",
    output_bytes: int = 1 << 20,
    *,
    guarded: bool = True,
    files: dict[str, bytes] | None = None,
) -> Ran:
    """Run `source` in a fork of a process that was forked, and sealed, at the first run in `world`.

    What is changed in this process after that is not seen, see `forget`. If it is not `guarded`,
    CPython's own compiler makes the code: no name, no read and no store is looked at. `files` are
    in the program's tree.
    """
    ended = prepared(world).run((source, stdin, output_bytes, guarded, files or {}))
    output, mark, outcome = ended.data.rpartition(_MARK)
    if not mark:
        died_of = ended.signal.name if ended.signal else f"exit status {ended.status >> 8}"
        return Ran(ended.data.decode(errors="replace"), "CRASHED", died_of, "")
    return Ran(output.decode(errors="replace"), *json.loads(outcome))


def in_a_child(
    work: Callable[[], Any], cpu_seconds: int = _CPU_SECONDS, memory_mib: int = 2048
) -> Any:
    """Return what `work` gives in a fork of this process, as JSON has it; fail if it raises."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
            resource.setrlimit(resource.RLIMIT_AS, (memory_mib << 20, memory_mib << 20))
            try:
                answer = json.dumps([work(), ""]).encode()
            except BaseException as error:
                answer = json.dumps([None, repr(error)]).encode()
            while answer:
                answer = answer[os.write(writing, answer) :]
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as stream:
        data = stream.read()
    os.waitpid(child, 0)
    assert data, "the child died"
    value, failed = json.loads(data)
    assert not failed, failed
    return value


def prepared(world: World) -> Template:
    """The process that `world` is sealed in: the one that there is, or a new one."""
    if world not in _templates:
        _templates[world] = Template(lambda: _sealed(world), _WALL_SECONDS)
        weakref.finalize(world, _templates[world].close)
    return _templates[world]


def forget(world: World) -> None:
    """Let the next run have `world` as it is by then."""
    if world in _templates:
        del _templates[world]


def _sealed(world: World) -> Perform:
    decimal.setcontext(decimal.Context())  # that of this process has the flags of earlier tests
    seal(world)

    def perform(job: tuple[str, str, int, bool, dict[str, bytes]], writing: int) -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        _perform(world, *job, writing)

    return perform


_FORBIDDEN = ("open", "import", "os.", "socket.", "subprocess.", "ctypes.")


def _unguarded(source: str) -> CodeType:
    return compile(source, FILENAME, "exec", dont_inherit=True)


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
    output_bytes: int,
    guarded: bool,
    files: dict[str, bytes],
    writing: int,
) -> None:
    def emit(data: bytes) -> None:
        while data:
            data = data[os.write(writing, data) :]

    def overflow() -> None:
        emit(_MARK + json.dumps(["OUTPUT_LIMIT", "", ""]).encode())
        os._exit(0)

    collector = Collector(emptying(emit), output_bytes, overflow)  # type: ignore[arg-type]
    atexit._clear()  # what the tests' own process has to do at its end
    sys.addaudithook(_allow_nothing)
    try:
        scope = enter(world, stdin=stdin, output=collector, plan=world.plan, source=source)
        job_files.Tree(world).place(files)
        code = compile_program(source, world.plan) if guarded else _unguarded(source)
        asking.arm()
        exec(code, scope)
    except BaseException as error:
        outcome = list(describe(error, world))
    else:
        outcome = ["OK", "", ""]
    scope = {}
    failed = leave(world)
    if failed and outcome[0] == "OK":
        outcome = ["ERROR", failed, ""]
    collector.send()
    emit(_MARK + json.dumps(outcome).encode())
