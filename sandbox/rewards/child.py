"""One child of a reward function: for one call, or for all calls of a function with a state."""

import os
import queue
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sandbox.errors import SandboxClosed, SandboxError
from sandbox.policy.model import Policy
from sandbox.result import Result, Status
from sandbox.rewards.driver import FORWARD, TAKE, TELL
from sandbox.rewards.programs import NAMES
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.caller.defaults import default_sandbox

_Services = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, slots=True)
class CallTold:
    """The end of one call: a `value`, or a `problem` of the function's own."""

    value: Any = None
    problem: str = ""
    status: str = ""
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """The texts that a child runs: a function's source and, behind it, what calls the function."""

    sandbox: Sandbox
    source: str
    driver: str
    limits: Mapping[str, float]

    def once(self, case: Any, lent: _Services) -> CallTold:
        """Make one call in a child of its own. Raises SandboxError for a fault of the sandbox."""
        waiting, told = [case], list[CallTold]()

        def tell(kind: Any, value: Any) -> None:
            if told:  # a function that goes by the driver's name could fill the caller with answers
                raise ValueError("the call is over")
            told.append(_told(kind, value))

        take = {TAKE: lambda: waiting.pop() if waiting else None}
        result = self.start({**lent, **take, TELL: tell})
        return _ended(result) if not result.ok or not told else told[0]

    def start(self, services: _Services) -> Result:
        """Run the child to its end; the program is compiled once for all of them."""
        options: dict[str, Any] = {**self.limits, "postamble": self.driver}
        [result] = self.sandbox.run_many(self.source, [""], services=services, **options)
        return result


class Child:
    """A child that lives on between calls, driven by a thread of its own.

    One call at a time; others wait for it. Its clock stands still while it waits for a call. In a
    fork of the caller it counts as ended: its thread is not there. It has a sandbox for itself,
    with the policy of `run`: in that one it would keep others from a worker for ever.
    """

    def __init__(self, run: Run) -> None:
        self._turn, self._pid = threading.Lock(), os.getpid()
        self._is_new = True  # until its first call, which is told how it ended if it has by then
        self._life = _Life(run)
        self._finalizer = weakref.finalize(self, self._life.end)

    def is_alive(self) -> bool:
        """Return True until the child has ended, by itself or by `close`."""
        return not self._life.over and self._pid == os.getpid()

    def ask(self, case: Any, lent: _Services, begins: Callable[[], float]) -> CallTold | None:
        """Make one call, for as many seconds as `begins` says at its turn; then the child is ended.

        None if it was closed or has ended in another call before that: this one is for the next
        child. A child that ended by itself before its first call tells that call why: the next one
        could do the same, for ever.

        Raises SandboxError for a fault of the sandbox: what it kept is lost then.
        """
        with self._turn:
            if not (self.is_alive() or (self._is_new and self._life.has_failed())):
                return None
            self._is_new = False
            return self._life.ask(case, lent, begins)

    def close(self) -> None:
        """End the child, whatever it is doing. Safe to call twice."""
        self._finalizer()


class _Life:
    """The things that the thread of a child works with; it must not keep the `Child` alive."""

    def __init__(self, run: Run) -> None:
        self.over = self._is_closed = False
        self._run, self._pid = run, os.getpid()
        self._own: Sandbox | None = None
        self._started = threading.Event()  # or failed to
        self._is_asked = False  # a call has been taken, and not told
        self._cases: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[CallTold | SandboxError] = queue.SimpleQueue()
        self._lent: _Services = {}
        threading.Thread(target=self._live, name="reward state", daemon=True).start()

    def ask(self, case: Any, lent: _Services, begins: Callable[[], float]) -> CallTold:
        self._started.wait()  # that takes time of the machine's, and none of the call's
        self._lent = lent
        self._cases.put(case)
        try:
            answer = self._answers.get(timeout=max(begins(), 0.0))
        except queue.Empty:
            self.end()
            return CallTold(
                problem="the call took longer than budget_seconds", status=str(Status.WALL_LIMIT)
            )
        except BaseException:  # an interrupt: its answer would be taken for the next call's
            self.end()
            raise
        if isinstance(answer, SandboxError):
            raise answer
        return answer

    def has_failed(self) -> bool:
        """Return True if it is over by itself, in this process: its end is the one answer."""
        return self.over and not self._is_closed and self._pid == os.getpid()

    def end(self) -> None:
        self.over = self._is_closed = True
        self._cases.put(None)
        if self._own is not None and self._pid == os.getpid():
            self._own.close()

    def _take(self) -> Any:
        """Give the driver the next call's case; the function itself could ask for it as well."""
        if self._is_asked:
            raise ValueError("a call is going on")
        case = self._cases.get()
        self._is_asked = case is not None
        return case

    def _tell(self, kind: Any, value: Any) -> None:
        """Take one answer for each call: another would be the next call's."""
        if not self._is_asked:
            raise ValueError("no call is going on")
        self._is_asked = False
        self._answers.put(_told(kind, value))

    def _live(self) -> None:
        services = {name: self._service(name) for name in (*NAMES, FORWARD)}
        services |= {TAKE: self._take, TELL: self._tell}
        try:
            ended: CallTold | SandboxError = self._lived(services)
        except SandboxError as error:
            ended = error
        except Exception as error:  # without an answer a call would wait until its budget is over
            ended = SandboxError(f"the state's child: {type(error).__name__}: {error}")
        self.over = True
        self._answers.put(ended)
        self._started.set()

    def _lived(self, services: _Services) -> CallTold:
        with Sandbox(self._run.sandbox.policy, workers=1) as self._own:
            if self.over:  # ended before there was anything to close
                raise SandboxClosed("the child that holds the reward's state was ended")
            self._started.set()
            return _ended(replace(self._run, sandbox=self._own).start(services))

    def _service(self, name: str) -> Callable[..., Any]:
        """Return the service `name` of the call that is going on."""
        return lambda *args, **kwargs: self._lent[name](*args, **kwargs)


def can_run(*policies: Policy) -> bool:
    """Return False if a shared sandbox runs nothing: then each part of a batch would fail alone."""
    try:
        return all(default_sandbox(policy).run("").ok for policy in policies)
    except SandboxError:
        return False


def _told(kind: Any, value: Any) -> CallTold:
    if kind == "returned":
        return CallTold(value=value)
    return CallTold(problem=value if type(value) is str else "it raised", status=str(Status.ERROR))


def _ended(result: Result) -> CallTold:
    """Return how a call ended whose child ended without a word of it: by limit or exception."""
    problem = result.error or "it left before it returned"
    return CallTold(problem=problem, status=str(result.status), traceback=result.traceback)
