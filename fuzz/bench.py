"""The language layer alone: a process that has a world, and runs each program in a fork of it.

No kernel layer helps here, and no caller: what a program gets hold of, changes or crashes is the
language layer's doing. A program costs a few milliseconds, so that a family of attacks is tried in
seconds; and a hole can be planted, before the world is built, without a trace in this process.
"""

import gc
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from typing import Any, NamedTuple

from sandbox.kernel import namespaces
from sandbox.policy.plan import Plan

_SECONDS, _MEMORY_BYTES = 2, 1 << 30
_WALL_SECONDS = 6.0
_MOST_BYTES = 1 << 16
# By which a crash of the interpreter ends a process; the others are limits, or ours.
CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)


class Answer(NamedTuple):
    """What came of one program: what was found, if anything, and how it ended."""

    found: str
    status: str
    error: str


class BenchError(Exception):
    """The bench itself does not work: the hole cannot be planted, or the world not be built."""


class Bench:
    """A world of `plan` in a process of its own. A context.

    `planted` is source that is executed before the world is built, as a supervisor would.
    """

    def __init__(self, plan: Plan, planted: str = "") -> None:
        self._plan, self._planted = plan, planted

    def __enter__(self) -> "Bench":
        there, self._asks = os.pipe()
        self._told, here = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.close(self._asks)
                os.close(self._told)
                _serve(self._plan, self._planted, there, here)
            finally:
                os._exit(1)
        os.close(there)
        os.close(here)
        self._stream = os.fdopen(self._told, encoding="utf-8")
        started = json.loads(self._stream.readline() or '"it ended"')
        if started:
            self.__exit__()
            raise BenchError(started)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._asks)
        self._stream.close()
        os.waitpid(self._pid, 0)

    def run(self, code: str) -> Answer:
        """Run `code` in a fresh fork."""
        data = (json.dumps(code) + "\n").encode()
        while data:
            data = data[os.write(self._asks, data) :]
        line = self._stream.readline()
        if not line:
            raise BenchError("it ended")
        return Answer(*json.loads(line))


def _serve(plan: Plan, planted: str, asks: int, tells: int) -> None:
    asked = os.fdopen(asks, encoding="utf-8")
    told = os.fdopen(tells, "w", encoding="utf-8")
    try:
        if planted:
            exec(planted, {"__name__": "planted"})
        made, judge = _world(plan)
    except Exception:
        print(json.dumps(traceback.format_exc()), file=told, flush=True)
        return
    gc.collect()
    gc.freeze()  # as in the supervisor: what there is does not change when garbage is found
    print(json.dumps(""), file=told, flush=True)
    for line in asked:
        print(json.dumps(_in_a_fork(made, judge, json.loads(line))), file=told, flush=True)


def _world(plan: Plan) -> tuple[Any, Any]:
    from sandbox.language.guards.sealing import seal
    from sandbox.language.guest.world import build_world

    from .inspector import Judge

    made = build_world(plan)
    seal(made)
    return made, Judge(made)


def _in_a_fork(made: Any, judge: Any, code: str) -> Answer:
    reading, writing = os.pipe()
    pid = namespaces.fork(pid_namespace=False)  # as a supervisor does it: nothing runs after it
    if pid == 0:
        try:
            os.close(reading)
            _bound()
            _perform(made, judge, code, writing)
        finally:
            os._exit(0)
    os.close(writing)
    data = _all_of(reading, pid)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name
        return Answer(f"a crash: {name}" if number in CRASHES else "", "ended", name)
    try:
        return Answer(*json.loads(data))
    except (ValueError, TypeError):
        return Answer("", "ended", "without a word")


def _bound() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    signal.alarm(0)


def _all_of(reading: int, pid: int) -> bytes:
    """What the fork writes. Without a file object: the host's are closed by now."""
    data, until = b"", time.monotonic() + _WALL_SECONDS
    while select.select([reading], [], [], max(until - time.monotonic(), 0))[0]:
        chunk = os.read(reading, _MOST_BYTES)
        if not chunk:
            break
        data = (data + chunk)[:_MOST_BYTES]
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(reading)
    return data


def _perform(made: Any, judge: Any, code: str, writing: int) -> None:
    from sandbox.interpreter import asking
    from sandbox.language.compile.compiler import compile_program
    from sandbox.language.guest.stdio import Collector
    from sandbox.language.guest.world import describe, enter

    tell = os.write
    collector = Collector(lambda _data: None, 1 << 20, lambda: os._exit(0))
    status, error = "OK", ""
    try:
        scope = enter(made, stdin="1\n2\n", output=collector, plan=made.plan, source=code)
        program = compile_program(code, made.plan)
        asking.arm()
        exec(program, scope)
    except BaseException as raised:
        status, error, _ = describe(raised, made, code)
    gc.disable()
    sys.setrecursionlimit(5000)
    found = judge.find(sys.modules["__main__"].__dict__)
    tell(writing, json.dumps([found, str(status), error[:200]]).encode("utf-8", "replace"))
