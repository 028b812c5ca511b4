"""What the branches of one session share: their keeper, and the numbers of its states."""

import contextlib
import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sandbox.errors import Problem, SessionLost, policy_error
from sandbox.interpreter.vault.keys import KEY_BYTES
from sandbox.language.guest.collector import ERROR_BYTES
from sandbox.policy.limits import Limits
from sandbox.result import Status
from sandbox.runtime.caller.submission import Terms
from sandbox.runtime.executions.record import ExecutionRecord, Submission
from sandbox.runtime.executions.verdict import judge
from sandbox.runtime.sessions.cell_run import CellRun, Interrupt, refused
from sandbox.runtime.sessions.connection import Connection
from sandbox.runtime.sessions.result import CellResult, interrupted
from sandbox.runtime.wire import cells, files
from sandbox.runtime.wire.cells import CellTask
from sandbox.runtime.wire.protocol import FINAL_BYTES, Caps, most_frames
from sandbox.runtime.wire.untrusted_json import Bounds

_FORK_SECONDS = 10.0
FIRST, NONE = 0, -1  # the state that a session begins with; that of one which has lost its own


class Tree:
    """One keeper and the states that belong to it. Thread-safe, but for two uses of one state."""

    def __init__(self, connection: Connection, terms: Terms, limits: Limits, budget: float) -> None:
        self.connection, self.terms, self.limits = connection, terms, limits
        self._cpu_seconds_left = budget
        self._numbers = itertools.count(FIRST + 1)
        self._lock = threading.Lock()
        self._kept: set[int] = {FIRST}  # states of branches and checkpoints
        self._abandoned: deque[int] = deque()  # states of branches that are garbage
        self.used_at, self._busy = time.monotonic(), 0

    @property
    def is_busy(self) -> bool:
        """True while a cell of some branch runs."""
        return self._busy > 0

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Note that it is in use meanwhile."""
        with self._lock:
            self._busy += 1
        self.used_at = time.monotonic()
        try:
            while self._abandoned:
                self.drop(self._abandoned.popleft())
            yield
        finally:
            with self._lock:
                self._busy -= 1
            self.used_at = time.monotonic()

    def reserve(self, cpu_seconds: float) -> float:
        """Take so much out of what all cells may use, or what is left of it; return it."""
        with self._lock:
            taken = max(min(cpu_seconds, self._cpu_seconds_left), 0.0)
            self._cpu_seconds_left -= taken
            return taken

    def give_back(self, cpu_seconds: float) -> None:
        """Give back what of it was not used, or take what was used beyond it."""
        with self._lock:
            self._cpu_seconds_left += cpu_seconds

    def abandon(self, state: int) -> None:
        """Have `state` dropped when there is a time for it: this may be called at any moment."""
        self._abandoned.append(state)

    def check_alive(self) -> None:
        """Raise SessionLost if the keeper is gone."""
        if self.connection.lost:
            raise SessionLost(f"{self.connection.name}: {self.connection.lost}")

    def fork(self, source: int, count: int) -> list[int]:
        """Fork `count` states of `source`, to be kept. Raises PolicyError if they are too many."""
        most = self.terms.plan.limits.branches
        with self._lock:
            if len(self._kept) + count > most:
                reason = f"a session under policy '{self.terms.plan.name}' keeps {most} states"
                raise policy_error(Problem(key="limits.branches", reason=reason))
            made = [next(self._numbers) for _ in range(count)]
            self._kept.update(made)
        for state in made:
            self.connection.listen(state)
        try:
            self.connection.send(*(cells.command(cells.FORK, source, to=new) for new in made))
            for state in made:
                self._await_fork(state)
        except BaseException:
            self.drop(*made)
            raise
        finally:
            for state in made:
                self.connection.forget(state)
        return made

    def _await_fork(self, state: int) -> None:
        event = self.connection.next_event(state, _FORK_SECONDS)
        if event is None:
            raise SessionLost(f"{self.connection.name}: its process does not answer")
        if event.kind != cells.FORKED:
            raise refused(self.connection.name, cells.ENDED.unpack(event.payload)[0])

    def drop(self, *states: int, resting: Sequence[int] = ()) -> None:
        """End `states`, which are nobody's any more; the cells of those `resting` are over."""
        with self._lock:
            self._kept.difference_update(states)
        commands = [cells.command(cells.REST, state) for state in resting]
        commands += [cells.command(cells.DROP, state) for state in states]
        if commands and not self.connection.lost:
            self.connection.send(*commands)

    def run(
        self,
        state: int,
        task: CellTask,
        limits: Limits,
        interrupt: Interrupt,
        *,
        services: Any = None,
        in_place: bool = False,
        keeps: Callable[[CellResult], bool],
    ) -> tuple[int, CellResult]:
        """Run one cell from `state`; return the state that the branch goes on from, and the result.

        In a fork, unless `in_place`: where the result is not one that `keeps` says, the branch goes
        on from where it was. Raises SandboxError, SessionLost.
        """
        submission = self._submission(task, limits, services)
        where, cpu, commands = state, submission.limits.cpu_seconds, list[bytes]()
        if not in_place:
            with self._lock:
                where = next(self._numbers)
            commands.append(cells.command(cells.FORK, state, to=where))
        commands.append(cells.command(cells.CELL, where, bytes(submission.data), cpu=cpu))
        self.connection.listen(where)
        run = CellRun(self.connection, where, submission)
        try:
            if not interrupt.begin(lambda: self.connection.send(*commands), run.stop):
                return state, self._interrupted(run)
            run.drive()
            return self._settled(state, run, where, task.mode, interrupt, keeps)
        except BaseException:
            if not self.connection.lost:
                self.connection.send(cells.command(cells.DROP, where))
            raise
        finally:
            self.connection.forget(where)

    def _settled(
        self,
        state: int,
        run: CellRun,
        where: int,
        mode: str,
        interrupt: Interrupt,
        keeps: Callable[[CellResult], bool],
    ) -> tuple[int, CellResult]:
        """Keep the state that a cell has left, or the one before it."""
        was_interrupted = interrupt.settle()
        result = self._interrupted(run) if was_interrupted else self._judged(run, mode)
        if run.is_gone or was_interrupted:  # it is, or will be in a moment
            self.drop(where)
            return (state if where != state else NONE), result
        if where != state and not keeps(result):
            self.drop(where)
            return state, result
        with self._lock:
            self._kept.add(where)
        self.drop(
            *([state] if where != state else []),
            resting=[where] if run.cpu_seconds is None else [],
        )
        return where, result

    def _interrupted(self, run: CellRun) -> CellResult:
        """Return the result of an interrupted cell: what it printed, and nothing that it says."""
        record = ExecutionRecord(printed=run.record.printed, complained=run.record.complained)
        record.final, record.wall_seconds = _NO_WORD, run.record.wall_seconds
        used = min(run.seconds, run.submission.limits.cpu_seconds)
        told = judge(record, run.submission.limits, self.terms.setting, self.connection.name)
        return interrupted(replace(CellResult.of(told, None), cpu_seconds=used))

    def _judged(self, run: CellRun, mode: str) -> CellResult:
        limits, name = run.submission.limits, self.connection.name
        result = judge(run.record, limits, self.terms.setting, name)
        made = CellResult.of(result, result.value if mode == cells.RUN else {"data": result.value})
        return made if run.cpu_seconds is None else _measured(made, run, limits)

    def _submission(self, task: CellTask, limits: Limits, services: Any) -> Submission:
        key, output = os.urandom(KEY_BYTES), limits.output_bytes
        return Submission(
            name=self.connection.name,
            data=task.encode(key),
            key=key,
            limits=limits,
            caps=Caps(
                output=output,
                errors=min(output, ERROR_BYTES),
                final=FINAL_BYTES + output,
                ask=output if self.terms.plan.services else 0,  # one lent before may be asked
                files=files.cap(limits.files_kib, limits.files_count) if task.fetch else 0,
                frames=most_frames(output, limits.wall_seconds),
            ),
            most=Bounds(output, limits.value_items, limits.value_depth),
            less_memory_bytes=0,
            wait_for_exit=self.terms.wait_for_exit,
            services=services or None,
            fetch=tuple(task.fetch),
        )


_NO_WORD = b'{"value":null,"status":"OK","cpu":0.0,"peak":0,"error":"","traceback":""}'


def _measured(result: CellResult, run: CellRun, limits: Limits) -> CellResult:
    """Return `result` with the CPU time that the kernel tells, which is held against the limit."""
    used = run.cpu_seconds or 0.0
    made = replace(result, cpu_seconds=used, measured="kernel")
    if used >= limits.cpu_seconds and result.status is not Status.VIOLATION:
        told = f"CPU limit: more than {limits.cpu_seconds:g} s of CPU time"
        made = replace(made, status=Status.CPU_LIMIT, error=told, output="", value=None)
    return made
