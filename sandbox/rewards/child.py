"""One child of a reward function: for one call, or for all calls of a function with a state."""

import os
import queue
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.errors import SandboxClosed, SandboxError
from sandbox.policy.model import Policy
from sandbox.result import Result, Status
from sandbox.rewards.driver import FORWARD, TAKE, TELL
from sandbox.rewards.programs import NAMES
from sandbox.runtime.client import Sandbox
from sandbox.runtime.defaults import default_sandbox

_Services = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, slots=True)
class Told:
    """How one call ended: with a `value`, or with a `problem` of the function's own."""

    value: Any = None
    problem: str = ""
    status: str = ""
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """What a child runs: a function's source and, behind it, what calls the function."""

    sandbox: Sandbox
    source: str
    driver: str
    limits: Mapping[str, float]

    def once(self, case: Any, lent: _Services) -> Told:
        """One call in a child of its own. Raises SandboxError for a fault of the sandbox."""
        waiting, told = [case], list[Told]()
        services: dict[str, Callable[..., Any]] = {
            **lent,
            TAKE: lambda: waiting.pop() if waiting else None,
            TELL: lambda kind, value: told.append(_told(kind, value)),
        }
        result = self.start(services)
        return _ended(result) if not result.ok or not told else told[0]

    def start(self, services: _Services) -> Result:
        """Run the child to its end; the program is compiled once for all of them."""
        options: dict[str, Any] = {**self.limits, "postamble": self.driver}
        [result] = self.sandbox.run_many(self.source, [""], services=services, **options)
        return result


class Child:
    """A child that lives on between calls, driven by a thread of its own.

    One call at a time; others wait for it. Its clock stands still while it waits for a call. In a
    fork of the caller it counts as ended: its thread is not there.
    """

    def __init__(self, run: Run) -> None:
        self._turn, self._pid = threading.Lock(), os.getpid()
        self._life = _Life(run)
        self._finalizer = weakref.finalize(self, self._life.end)

    def is_alive(self) -> bool:
        """True until it has ended, by itself or by `close`."""
        return not self._life.over and self._pid == os.getpid()

    def ask(self, case: Any, lent: _Services) -> Told:
        """One call. Raises SandboxError for a fault of the sandbox: what it kept is lost then."""
        with self._turn:
            return self._life.ask(case, lent)

    def close(self) -> None:
        """Let it end. Safe to call twice."""
        self._finalizer()


class _Life:
    """What the thread of a child works with; it must not keep the `Child` alive."""

    def __init__(self, run: Run) -> None:
        self.over = False
        self._run = run
        self._cases: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Told | SandboxError] = queue.SimpleQueue()
        self._lent: _Services = {}
        threading.Thread(target=self._live, name="reward state", daemon=True).start()

    def ask(self, case: Any, lent: _Services) -> Told:
        if self.over:
            raise SandboxClosed("the child that held the reward's state has ended")
        self._lent = lent
        self._cases.put(case)
        answer = self._answers.get()
        if isinstance(answer, SandboxError):
            raise answer
        return answer

    def end(self) -> None:
        self._cases.put(None)

    def _live(self) -> None:
        services = {name: self._service(name) for name in (*NAMES, FORWARD)}
        services[TAKE] = self._cases.get
        services[TELL] = lambda kind, value: self._answers.put(_told(kind, value))
        try:
            ended: Told | SandboxError = _ended(self._run.start(services))
        except SandboxError as error:
            ended = error
        self.over = True
        self._answers.put(ended)

    def _service(self, name: str) -> Callable[..., Any]:
        """That of the call that is going on."""
        return lambda *args, **kwargs: self._lent[name](*args, **kwargs)


def can_run(*policies: Policy) -> bool:
    """False if a shared sandbox runs nothing at all: then each part of a batch would fail alone."""
    try:
        return all(default_sandbox(policy).run("").ok for policy in policies)
    except SandboxError:
        return False


def _told(kind: Any, value: Any) -> Told:
    if kind == "returned":
        return Told(value=value)
    return Told(problem=value if type(value) is str else "it raised", status=str(Status.ERROR))


def _ended(result: Result) -> Told:
    """A child that ended without a word of the call, as a limit or an exception has it."""
    problem = result.error or "it left before it returned"
    return Told(problem=problem, status=str(result.status), traceback=result.traceback)
