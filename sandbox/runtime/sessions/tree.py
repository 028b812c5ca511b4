"""What the branches of one session share: their keeper, and the numbers of its states."""

import itertools
import os
import threading
from collections.abc import Callable
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
from sandbox.runtime.sessions.cell_run import CellRun, refused
from sandbox.runtime.sessions.connection import Connection
from sandbox.runtime.sessions.result import CellResult, interrupted
from sandbox.runtime.wire import cells, files
from sandbox.runtime.wire.cells import CellTask
from sandbox.runtime.wire.protocol import FINAL_BYTES, Caps, most_frames
from sandbox.runtime.wire.untrusted_json import Bounds

_FORK_SECONDS = 30.0
FIRST, NONE = 0, -1  # the state that a session begins with; that of one which has lost its own
Running = Callable[[CellRun | None], object]


class Tree:
    """One keeper and the states that belong to it. Thread-safe, but for two uses of one state."""

    def __init__(self, connection: Connection, terms: Terms, limits: Limits, budget: float) -> None:
        self.connection, self.terms, self.limits = connection, terms, limits
        self.cpu_seconds_left = budget
        self._numbers = itertools.count(FIRST + 1)
        self._lock = threading.Lock()
        self._kept: set[int] = {FIRST}  # states of branches and checkpoints
        self._pids: dict[int, int] = {}
        connection.listen(FIRST)

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
        return made

    def _await_fork(self, state: int) -> None:
        event = self.connection.next_event(state, _FORK_SECONDS)
        if event is None:
            raise SessionLost(f"{self.connection.name}: its process does not answer")
        if event.kind != cells.FORKED:
            raise refused(self.connection.name, cells.ENDED.unpack(event.payload)[0])
        (self._pids[state],) = cells.PID.unpack(event.payload)

    def drop(self, *states: int) -> None:
        """End `states`, which are nobody's any more."""
        with self._lock:
            self._kept.difference_update(states)
        for state in states:
            self.connection.forget(state)
            self._pids.pop(state, None)
        if not self.connection.lost:
            self.connection.send(*(cells.command(cells.DROP, state) for state in states))

    def run(
        self,
        state: int,
        task: CellTask,
        limits: Limits,
        *,
        services: Any = None,
        in_place: bool = False,
        keeps: Callable[[CellResult], bool],
        running: Running = lambda _: None,
    ) -> tuple[int, CellResult]:
        """Run one cell from `state`; return the state that the branch goes on from, and the result.

        In a fork, unless `in_place`: where the result is not one that `keeps` says, the branch goes
        on from where it was. Raises SandboxError, SessionLost.
        """
        submission = self._submission(task, limits, services)
        where, cpu = state, submission.limits.cpu_seconds
        if in_place:
            self.connection.listen(state)
            command = [cells.command(cells.CELL, state, bytes(submission.data), cpu=cpu)]
        else:
            with self._lock:
                where = next(self._numbers)
            self.connection.listen(where)
            command = [
                cells.command(cells.FORK, state, to=where),
                cells.command(cells.CELL, where, bytes(submission.data), cpu=cpu),
            ]
        run = CellRun(self.connection, where, submission, pid=self._pids.get(where, 0))
        try:
            running(run)
            self.connection.send(*command)
            run.drive()
        except BaseException:
            if not self.connection.lost:
                self.connection.send(cells.command(cells.DROP, where))
            self.connection.forget(where)
            raise
        finally:
            running(None)
        return self._settled(state, run, where, task.mode, keeps)

    def _settled(
        self,
        state: int,
        run: CellRun,
        where: int,
        mode: str,
        keeps: Callable[[CellResult], bool],
    ) -> tuple[int, CellResult]:
        """Keep the state that a cell has left, or the one before it."""
        result = self._judged(run, mode)
        self.cpu_seconds_left -= result.cpu_seconds
        good = not run.is_gone and keeps(result)
        if good:
            self._rest(where, run)
            if where != state:
                with self._lock:
                    self._kept.add(where)
                self._pids[where] = run.pid
                self.drop(state)
            return where, result
        if where != state:
            self.drop(where)
        elif not run.is_gone:
            self._rest(where, run)
        else:
            return NONE, result
        return state, result

    def _rest(self, state: int, run: CellRun) -> None:
        if run.cpu_seconds is None:
            self.connection.send(cells.command(cells.REST, state))

    def _judged(self, run: CellRun, mode: str) -> CellResult:
        submission, name = run.submission, self.connection.name
        if run.was_interrupted and run.record.final is None:
            record = ExecutionRecord(printed=run.record.printed, complained=run.record.complained)
            record.final, record.wall_seconds = _NO_WORD, run.record.wall_seconds
            told = judge(record, submission.limits, self.terms.setting, name)
            return interrupted(CellResult.of(told, None))
        result = judge(run.record, submission.limits, self.terms.setting, name)
        made = CellResult.of(result, result.value if mode == cells.RUN else {"data": result.value})
        return made if run.cpu_seconds is None else _measured(made, run, submission.limits)

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
                ask=output if services else 0,
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
