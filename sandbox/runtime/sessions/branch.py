"""One line of states of a session: where it stands, what made it, which checkpoints it has."""

import contextlib
import marshal
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sandbox.errors import Problem, SessionLost, policy_error
from sandbox.job import Services
from sandbox.policy.limits import Limits
from sandbox.policy.tighten import tighten
from sandbox.result import Status
from sandbox.runtime.caller.submission import check_services, check_text
from sandbox.runtime.sessions.cell_run import Interrupt
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.sessions.tree import FIRST, NONE, Tree
from sandbox.runtime.wire import cells
from sandbox.runtime.wire.cells import CellTask

_FOR_LOOKING_SECONDS = 1.0  # of CPU time, to read a variable or a file: not part of the sum
UNDO, KEEP = ON_ERROR = ("undo", "keep")
# Ends of a cell after which its state is as good as before: the exception is all that there was.
_PLAIN = (Status.ERROR, Status.DENIED, Status.SYNTAX, Status.RECURSION_LIMIT)


@dataclass(frozen=True, slots=True)
class Entry:
    """One step of a session's log: a cell whose effect lasts, as `Session.replay` does it again."""

    task: CellTask
    limits: Mapping[str, float] = field(default_factory=dict)
    ok: bool = True  # False where it raised, and was kept


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
        self.log, self._lost = list(log), ""  # why it was ended
        self._why = ""  # it has no state
        self._marks: dict[str, tuple[int, list[Entry], int]] = {}  # state, log, cells
        self._turn, self._current = threading.Lock(), Interrupt()
        self._thread = 0  # that has the turn

    @property
    def is_alive(self) -> bool:
        """False once it has ended or was lost."""
        return not self._lost and self.state != NONE and not self.tree.connection.lost

    @contextlib.contextmanager
    def _in_turn(self, *, without_state: bool = False) -> Iterator[None]:
        """Do something to this branch, alone. Raises SessionLost.

        Raises RuntimeError in a service that is called by a cell of this branch.
        """
        if self._thread == threading.get_ident():
            raise RuntimeError("a service of a cell asks its own session, whose turn it has")
        with self._turn, self._noted(), self.tree.at_work():
            why = self._lost
            if self.state == NONE and not without_state:
                why = why or self._why or "a call that was broken off has ended its state"
                why = f"{why}; a checkpoint can be restored" if self._marks else why
            if why:
                raise SessionLost(f"{self.tree.connection.name}: {why}")
            self.tree.check_alive()
            try:
                yield
            except SessionLost as error:  # of this branch, if not of all: it has no state any more
                self._why = self._why or str(error)
                self.state = NONE
                raise

    @contextlib.contextmanager
    def _noted(self) -> Iterator[None]:
        self._thread = threading.get_ident()
        try:
            yield
        finally:
            self._thread = 0

    # -- cells

    def run(
        self,
        task: CellTask,
        limits: Mapping[str, Any],
        on_error: str,
        services: Services,
        *,
        lasts: bool = True,
        interrupt: Interrupt | None = None,
    ) -> CellResult:
        """Run one cell; what does not last is undone, however it ends.

        A wish at `interrupt` ends it, or keeps it from beginning. Raises PolicyError, SandboxError,
        SessionLost, TypeError and ValueError.
        """
        with self._in_turn():
            inside = self._inside(limits)
            refused = check_text(task.code, task.stdin, inside) or _too_large(task, inside)
            if services:
                check_services(services, self.tree.terms.plan)
            self._current = interrupt or Interrupt()
            self.count += task.mode in (cells.RUN, cells.CALL)
            taken = self.tree.reserve(inside.cpu_seconds) if lasts else _FOR_LOOKING_SECONDS
            if refused or taken <= 0:
                self.tree.give_back(taken if lasts else 0.0)
                return self._refused(refused)
            inside = replace(inside, cpu_seconds=min(inside.cpu_seconds, taken))
            sent = replace(
                task,
                number=self.count,
                services=tuple(services),
                output_bytes=inside.output_bytes,
            )
            used = inside.cpu_seconds  # unless it is told
            try:
                self.state, result = self.tree.run(
                    self.state,
                    sent,
                    inside,
                    self._current,
                    services=services,
                    in_place=not self.undo,
                    keeps=lambda ended: lasts and _lasts(ended, on_error),
                )
                used = result.cpu_seconds
            except BaseException:
                if not self.undo:  # the cell ran in the state itself, which was ended with it
                    self.state = NONE
                raise
            finally:
                self.tree.give_back(taken - used if lasts else 0.0)
            kept = lasts and self.state != NONE and (_lasts(result, on_error) or not self.undo)
            if kept:
                self.log.append(Entry(task, dict(limits), result.ok))
            if self._lost:  # it was ended meanwhile
                self._drop()
            if self.state == NONE:
                self._why = f"a cell has ended its state: {result.error}"
            undone = lasts and not kept and self.state != NONE
            return replace(result, execution_count=self.count, undone=undone)

    def interrupt(self) -> None:
        """End the cell that runs now, from another thread."""
        self._current.wish()

    def _inside(self, limits: Mapping[str, Any]) -> Limits:
        if "memory_mib" in limits:
            reason = "it is the session's, not a cell's: give it to Sandbox.session"
            raise policy_error(Problem(key="limits.memory_mib", reason=reason))
        return tighten(self.tree.limits, limits) if limits else self.tree.limits

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
        with self._in_turn():
            mark = name or _fresh(self._marks)
            if mark in self._marks:
                self.tree.drop(self._marks.pop(mark)[0])
            (state,) = self.tree.fork(self.state, 1)
            self._marks[mark] = state, [*self.log], self.count
            return mark

    def restore(self, mark: str) -> None:
        """Go back to a checkpoint, which stays. Raises KeyError."""
        with self._in_turn(without_state=True):
            kept, log, count = self._marks[mark]
            if self.state != NONE:
                self.tree.drop(self.state)  # first: the policy may have no room for one more
                self.state = NONE
            (self.state,) = self.tree.fork(kept, 1)
            self.log, self.count, self._why = [*log], count, ""

    def forget(self, mark: str) -> None:
        """Let go of a checkpoint. Raises KeyError."""
        with self._in_turn():
            self.tree.drop(self._marks.pop(mark)[0])

    def fork(self, count: int) -> list["Branch"]:
        """Return `count` branches with this state."""
        with self._in_turn():
            return [self._with(state) for state in self.tree.fork(self.state, count)]

    def _with(self, state: int) -> "Branch":
        return Branch(self.tree, undo=self.undo, state=state, count=self.count, log=self.log)

    def end(self, why: str, *, is_root: bool) -> None:
        """End it, as the root with all of the session; what is asked later raises `why`."""
        if self._lost:
            return
        self._lost = why
        if is_root:
            self.tree.connection.close(why)
            return
        self.interrupt()
        if self._turn.acquire(blocking=False):  # else the thread that runs a cell does it
            try:
                self._drop()
            finally:
                self._turn.release()

    def _drop(self) -> None:
        """Let go of all states of this branch, once."""
        states = [state for state, _, _ in self._marks.values()]
        states += [self.state] if self.state != NONE else []
        self._marks, self.state = {}, NONE
        if states and not self.tree.connection.lost:
            self.tree.drop(*states)

    def __del__(self) -> None:
        for state in (getattr(self, "state", NONE), *(m[0] for m in self._marks.values())):
            if state != NONE:
                self.tree.abandon(state)


def _too_large(task: CellTask, limits: Limits) -> str:
    """Say why data is sent to no state: it is held in the keeper, as it comes."""
    if not task.args and not task.kwargs:
        return ""
    most = max(limits.stdin_kib, limits.source_kib)
    if len(marshal.dumps([task.args, task.kwargs])) <= most << 10:
        return ""
    return f"stdin_kib: the data for the session is larger than {most} KiB"


def _fresh(marks: Mapping[str, Any]) -> str:
    number = len(marks) + 1
    while f"state-{number}" in marks:
        number += 1
    return f"state-{number}"


def _lasts(result: CellResult, on_error: str) -> bool:
    return result.ok or (on_error == KEEP and result.status in _PLAIN)
