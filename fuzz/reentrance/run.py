"""The process in which `reentrance` runs its programs: `python -m fuzz.reentrance.run JOB`."""

import gc
import json
import os
import resource
import signal
import sys
import time
import types
from typing import Any

from sandbox import Policy
from sandbox.interpreter.vault import asking
from sandbox.language.compile.compiler import compile_program
from sandbox.language.guest.collector import Collector, emptying
from sandbox.language.guest.world import World, build_world, enter, leave

from ..inner.template import in_a_fork
from .hunt import Crash
from .writing import BEFORE, alone, program, programs

_CPU_SECONDS, _MEMORY = 1.5, 1 << 30
_MARKS = (b"@LEAKED@", b"@CHANGED@")
_OUR_LIMITS = (signal.SIGKILL, signal.SIGALRM, signal.SIGPROF)
_WALL_SECONDS = 10


def main(job: dict[str, Any]) -> None:
    """Run until the time is up, and print what came of it."""
    policy = Policy.load(job["policy"])
    world = build_world(policy.plan())
    exec(job["planted"], {"world": world})
    prelude = compile_program(BEFORE, world.plan)
    until, ran = time.monotonic() + job["seconds"], 0
    found: dict[str, Crash] = {}
    for blocks in programs(policy, job["seed"], job["only"]):
        if time.monotonic() > until or 0 < job["most"] <= ran or len(found) >= job["enough"]:
            break
        ran += 1
        if outcome(world, prelude, blocks):
            for crash in _smallest(world, prelude, blocks):
                found.setdefault(_line(crash.source), crash)
                print(f"{crash.what}\n{crash.source}\n", file=sys.stderr, flush=True)
    print(json.dumps({"ran": ran, "crashes": [crash._asdict() for crash in found.values()]}))


def _line(source: str) -> str:
    """Return the lines that tell finds apart: how the receiver is made and used."""
    words = ("                r = ", "        return ", "    trials = ")
    return "\n".join(line for line in source.splitlines() if line.startswith(words))


def _smallest(world: World, prelude: types.CodeType, blocks: list[str]) -> list[Crash]:
    """Return one trial of each block that does it alone; all of them if none does."""
    crashes = []
    for block in blocks:
        if outcome(world, prelude, [block]):
            found = ((outcome(world, prelude, [one]), one) for one in alone(block))
            whole = (outcome(world, prelude, [block]) or "once", block)
            crashes.append(Crash(*next((each for each in found if each[0]), whole)))
    return crashes or [Crash(outcome(world, prelude, blocks) or "once", "".join(blocks))]


def outcome(world: World, prelude: types.CodeType, blocks: list[str]) -> str:
    """Say what is wrong with how a program ends, in a child of this process; empty if nothing."""

    def work(writing: int) -> None:
        _perform(world, prelude, program(blocks), writing)

    ended = in_a_fork(work, _WALL_SECONDS)
    if ended.signal and ended.signal not in _OUR_LIMITS:
        return ended.signal.name
    return next((mark.decode() for mark in _MARKS if mark in ended.data), "")


def _perform(world: World, prelude: types.CodeType, source: str, writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.setitimer(signal.ITIMER_PROF, _CPU_SECONDS)
    gc.freeze()

    def emit(data: bytes) -> None:
        os.write(writing, data[: 1 << 15])

    collector = Collector(emptying(emit), 1 << 18, lambda: os._exit(0))
    try:
        scope = enter(world, stdin="a\nb\n", output=collector, plan=world.plan, source=source)
        asking.arm()
        for code in (prelude, compile_program(source, world.plan)):
            exec(code, scope)
    except BaseException:  # a block that says nothing is no find
        pass
    scope = {}
    leave(world)
    collector.send()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
