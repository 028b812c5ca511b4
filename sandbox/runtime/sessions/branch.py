"""One line of states of a session: where it stands, what made it, which checkpoints it has."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sandbox.errors import Problem, SessionLost, policy_error
from sandbox.job import Services
from sandbox.policy.limits import Limits
from sandbox.policy.tighten import tighten
from sandbox.result import Status
from sandbox.runtime.caller.submission import check_services, check_text
from sandbox.runtime.sessions.cell_run import CellRun
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.sessions.tree import FIRST, NONE, Tree
from sandbox.runtime.wire import cells
from sandbox.runtime.wire.cells import CellTask

UNDO, KEEP = ON_ERROR = ("undo", "keep")
# Ends of a cell after which its state is as good as before: the exception is all that there was.
_PLAIN = (Status.ERROR, Status.DENIED, Status.SYNTAX, Status.RECURSION_LIMIT)


@dataclass(frozen=True, slots=True)
class Entry:
    """One step of a session's log: a cell whose effect lasts, as `Session.replay` does it again."""

    task: CellTask
    limits: Mapping[str, float] = field(default_factory=dict)


class Branch:
    """Cells and checkpoints of one branch, one at a time. Thread-safe."""

    def __init__(
        self,
        tree: Tree,
        *,
        undo: bool,
        state: int = FIRST,
        count: int = 0,
        log: Sequence[Entry] = (),
    ) -> None:
        self.tree, self.undo, self.state, self.count = tree, undo, state, count
        self.log, self.lost, self.used_at = list(log), "", time.monotonic()
        self._marks: dict[str, tuple[int, list[Entry], int]] = {}  # state, log, cells
        self._turn, self._running = threading.RLock(), list[CellRun]()

    @property
    def is_busy(self) -> bool:
        """True while a cell runs."""
        return bool(self._running)

    @property
    def is_alive(self) -> bool:
        """False once it has ended or was lost."""
        return not self.lost and not self.tree.connection.lost

    def ready(self) -> threading.RLock:
        """Return the lock to hold while something is done. Raises SessionLost."""
        if self.lost:
            raise SessionLost(f"{self.tree.connection.name}: {self.lost}")
        self.tree.check_alive()
        self.used_at = time.monotonic()
        return self._turn

    # -- cells

    def run(
        self,
        task: CellTask,
        limits: Mapping[str, Any],
        on_error: str,
        services: Services,
        *,
        lasts: bool = True,
    ) -> CellResult:
        """Run one cell; what does not last is undone, however it ends.

        Raises PolicyError, SandboxError, SessionLost, TypeError and ValueError.
        """
        with self.ready():
            inside = self._inside(limits)
            refused = check_text(task.code, task.stdin, inside)
            if services:
                check_services(services, self.tree.terms.plan)
            self.count += task.mode in (cells.RUN, cells.CALL)
            left = self.tree.cpu_seconds_left
            if refused or left <= 0:
                return self._refused(refused)
            inside = replace(inside, cpu_seconds=min(inside.cpu_seconds, left))
            sent = replace(
                task,
                number=self.count,
                services=tuple(services),
                output_bytes=inside.output_bytes,
            )
            try:
                self.state, result = self.tree.run(
                    self.state,
                    sent,
                    inside,
                    services=services,
                    in_place=not self.undo,
                    keeps=lambda ended: lasts and _lasts(ended, on_error),
                    running=self._note,
                )
            except SessionLost as error:
                self.lost = self.lost or f"it was lost: {error}"
                raise
            finally:
                self.used_at = time.monotonic()
            kept = lasts and (_lasts(result, on_error) or not self.undo)
            if kept:
                self.log.append(Entry(task, dict(limits)))
            if self.state == NONE:
                self.lost = f"a cell has ended its state, and none is kept: {result.error}"
            return replace(result, execution_count=self.count, undone=lasts and not kept)

    def interrupt(self) -> None:
        """End the cell that runs now, from another thread."""
        for run in self._running[-1:]:
            run.was_interrupted = True
            self.tree.connection.send(run.stopping())

    def _inside(self, limits: Mapping[str, Any]) -> Limits:
        if "memory_mib" in limits:
            reason = "it is the session's, not a cell's: give it to Sandbox.session"
            raise policy_error(Problem(key="limits.memory_mib", reason=reason))
        return tighten(self.tree.limits, limits) if limits else self.tree.limits

    def _note(self, run: CellRun | None) -> None:
        self._running[:] = [] if run is None else [run]

    def _refused(self, reason: str) -> CellResult:
        terms = self.tree.terms
        status, told = Status.DENIED, f"{reason} (policy '{terms.plan.name}')"
        if not reason:
            status, told = Status.CPU_LIMIT, "CPU limit: the session has used its cpu_seconds_total"
        return CellResult(
            output="",
            error=told,
            status=status,
            layers=terms.setting.layers,
            policy=terms.plan.name,
            execution_count=self.count,
            undone=True,
        )

    # -- states

    def checkpoint(self, name: str) -> str:
        """Keep the state as it is now; return the checkpoint's name."""
        with self.ready():
            mark = name or _fresh(self._marks)
            if mark in self._marks:
                self.forget(mark)
            (state,) = self.tree.fork(self.state, 1)
            self._marks[mark] = state, [*self.log], self.count
            return mark

    def restore(self, mark: str) -> None:
        """Go back to a checkpoint, which stays. Raises KeyError."""
        with self.ready():
            kept, log, count = self._marks[mark]
            self.tree.drop(self.state)  # first: the policy may have no room for one more
            self.state = NONE
            (self.state,) = self.tree.fork(kept, 1)
            self.log, self.count = [*log], count

    def forget(self, mark: str) -> None:
        """Let go of a checkpoint. Raises KeyError."""
        with self.ready():
            self.tree.drop(self._marks.pop(mark)[0])

    def fork(self, count: int) -> list["Branch"]:
        """Return `count` branches with this state."""
        with self.ready():
            return [self._with(state) for state in self.tree.fork(self.state, count)]

    def _with(self, state: int) -> "Branch":
        return Branch(self.tree, undo=self.undo, state=state, count=self.count, log=self.log)

    def end(self, why: str, *, is_root: bool) -> None:
        """End it, as the root with all of the session; what is asked later raises `why`."""
        if self.lost:
            return
        self.lost = why
        if is_root:
            self.tree.connection.close(why)
        elif not self.tree.connection.lost:
            self.tree.drop(self.state, *(state for state, _, _ in self._marks.values()))


def _fresh(marks: Mapping[str, Any]) -> str:
    number = len(marks) + 1
    while f"state-{number}" in marks:
        number += 1
    return f"state-{number}"


def _lasts(result: CellResult, on_error: str) -> bool:
    return result.ok or (on_error == KEEP and result.status in _PLAIN)
