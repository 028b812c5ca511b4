"""The language layer alone: a process that has a world, and runs each program in a fork of it.

No kernel layer helps here, and no caller: what a program gets hold of, changes or crashes is the
language layer's doing. A program costs a few milliseconds, so that a family of attacks is tried in
seconds; and a hole can be planted, before the world is built, without a trace in this process.
"""

import gc
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from sandbox.policy.plan import Plan

from .template import Perform, Template

_SECONDS, _MEMORY_BYTES = 2, 1 << 30
_WALL_SECONDS = 6.0
# By which a crash of the interpreter ends a process; the others are limits, or ours.
CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)


class Answer(NamedTuple):
    """The outcome of one program: a find or `""`, the status, and the error's message."""

    found: str
    status: str
    error: str


class Bench:
    """A world of `plan` in a process of its own. A context.

    `planted` is source that is executed before the world is built, as a supervisor would. Raises
    TemplateError if that fails, or if the world cannot be built.
    """

    def __init__(self, plan: Plan, planted: str = "") -> None:
        self._plan, self._planted = plan, planted

    def __enter__(self) -> "Bench":
        self._template = Template(_preparing(self._plan, self._planted), _WALL_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._template.close()

    def run(self, code: str) -> Answer:
        """Run `code` in a fresh fork."""
        ended = self._template.run(code)
        if ended.signal:
            name = ended.signal.name
            return Answer(f"a crash: {name}" if ended.signal in CRASHES else "", "ended", name)
        try:
            return Answer(*json.loads(ended.data))
        except (ValueError, TypeError):
            return Answer("", "ended", "without a word")


def _preparing(plan: Plan, planted: str) -> Callable[[], Perform]:
    # Imported once for all benches, and called by their modules, in which weaknesses are planted.
    from sandbox.language.guards.attributes import sealing
    from sandbox.language.guest import world

    from ..judging.inspector import Judge

    def prepare() -> Perform:
        if planted:
            exec(planted, {"__name__": "planted"})
        made = world.build_world(plan)
        sealing.seal(made)
        judge = Judge(made)

        def perform(code: str, writing: int) -> None:
            _bound()
            _perform(made, judge, code, writing)

        return perform

    return prepare


def _bound() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


def _perform(made: Any, judge: Any, code: str, writing: int) -> None:
    from sandbox.interpreter.vault import asking
    from sandbox.language.compile.compiler import compile_program
    from sandbox.language.guest.collector import Collector
    from sandbox.language.guest.world import describe, enter

    tell = os.write
    collector = Collector(list.clear, 1 << 20, lambda: os._exit(0))
    status, error = "OK", ""
    try:
        scope = enter(made, stdin="1\n2\n", output=collector, plan=made.plan, source=code)
        program = compile_program(code, made.plan)
        asking.arm()
        exec(program, scope)
    except BaseException as raised:
        status, error, _ = describe(raised, made)
    gc.disable()
    sys.setrecursionlimit(5000)
    found = judge.find(sys.modules["__main__"].__dict__)
    tell(writing, json.dumps([found, str(status), error[:200]]).encode("utf-8", "replace"))
