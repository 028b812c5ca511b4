"""Many submissions in one thread: begun as there is room, their results given in order."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from sandbox.errors import CONFIGURATION, SandboxError
from sandbox.result import Result
from sandbox.runtime.caller.supervisor_handle import Lease
from sandbox.runtime.executions.execution import Execution
from sandbox.runtime.executions.record import ExecutionRecord, Submission
from sandbox.runtime.executions.services import serve
from sandbox.runtime.executions.waiting import wait

_AHEAD = 4  # results that may wait for an earlier one, per worker


class Runner(Protocol):
    """The needs of a series of the `Runner` that it runs on; see there."""

    workers: int

    def take_slot(self, *, wait: bool = True) -> bool: ...
    def wait_for_slot(self) -> bool: ...
    def give_slot(self) -> None: ...
    def begin(self, submission: Submission) -> tuple[Lease, Execution]: ...
    def settle(self, execution: Execution) -> ExecutionRecord: ...
    def judged(self, record: ExecutionRecord, submission: Submission) -> Result: ...
    def end(self, lease: Lease, execution: Execution) -> None: ...


class Series:
    """One iteration. What goes wrong with one takes the place of its result."""

    def __init__(
        self, runner: Runner, source: Iterator[Submission | Result], *, stops: bool
    ) -> None:
        """Run `source`; with `stops` begin nothing new once there is a fault: its place is last."""
        self._runner, self._source, self._stops = runner, source, stops
        self._queue = deque[_Place]()
        self._waiting: deque[tuple[Submission, _Place]] = deque()  # one at most, for a slot
        self._running: list[_Running] = []
        self._is_over = False  # the source has ended or raised, or a fault stops the series
        self._process = 0  # that iterates

    def outcomes(self) -> Iterator[Result | SandboxError]:
        """Yield results and faults in order; raises what the source raised, after all before it."""
        self._process = os.getpid()
        try:
            while True:
                self._fill()
                if not self._queue:
                    return
                first = self._queue[0]
                if first.error is not None:
                    raise first.error
                if first.outcome is None:
                    self._advance()
                else:
                    yield from self._give(self._queue.popleft().outcome)
        finally:
            if os.getpid() == self._process:
                for one in self._running:
                    self._leave(one)

    def _give(self, outcome: Result | SandboxError | None) -> Iterator[Result | SandboxError]:
        assert outcome is not None
        for one in self._running:
            one.execution.unread = True
        yield outcome
        for one in self._running:
            one.execution.unread = False
        if os.getpid() != self._process:
            raise SandboxError(
                "this iteration belongs to the process that began it, which goes on with it:"
                " in a fork, start one of its own"
            )

    def _fill(self) -> None:
        while len(self._running) < self._runner.workers:
            if not self._waiting and not self._read():
                return
            if self._waiting:
                has_slot = self._runner.take_slot(wait=False)
                if not has_slot and self._running:
                    return
                has_slot = has_slot or self._runner.wait_for_slot()
                self._enter(*self._waiting.popleft(), has_slot)

    def _read(self) -> bool:
        """Take one more of the source into the queue; False at its end, or if that is full."""
        if self._is_over or len(self._queue) >= self._runner.workers * _AHEAD:
            return False
        try:
            submission = next(self._source)
        except StopIteration:
            self._is_over = True
            return False
        except Exception as error:  # raised when all before it was given
            self._queue.append(_Place(error=error))
            self._is_over = True
            return False
        place = _Place()
        self._queue.append(place)
        if isinstance(submission, Result):
            place.outcome = submission
        else:
            self._waiting.append((submission, place))
        return True

    def _enter(self, submission: Submission, place: _Place, has_slot: bool) -> None:
        """Begin `submission`, with a slot taken, which is given back if it cannot be used."""
        try:
            lease, execution = self._runner.begin(submission)
        except BaseException as error:
            if has_slot:
                self._runner.give_slot()
            if not isinstance(error, SandboxError):
                raise
            self._note_fault(place, error)
        else:
            self._running.append(_Running(lease, execution, place, has_slot))

    def _advance(self) -> None:
        wait([one.execution for one in self._running])
        for one in list(self._running):
            try:
                serve(one.execution)
            except SandboxError as error:  # of its service: the others go on
                self._drop(one)
                self._note_fault(one.place, error)
        for one in [one for one in self._running if one.execution.done]:
            self._drop(one)
            try:
                record, submission = self._runner.settle(one.execution), one.execution.submission
                one.place.outcome = self._runner.judged(record, submission)
            except SandboxError as error:
                self._note_fault(one.place, error)

    def _note_fault(self, place: _Place, error: SandboxError) -> None:
        if self._stops or isinstance(error, CONFIGURATION):
            place.error, self._is_over = error, True
        else:
            place.outcome = error

    def _drop(self, one: _Running) -> None:
        self._running.remove(one)
        self._leave(one)

    def _leave(self, one: _Running) -> None:
        with contextlib.ExitStack() as stack:
            if one.has_slot:
                stack.callback(self._runner.give_slot)
            self._runner.end(one.lease, one.execution)


@dataclass(slots=True)
class _Place:
    """A place in the queue of results: what is given for a submission, or what is raised there."""

    outcome: Result | SandboxError | None = None
    error: Exception | None = None


@dataclass(slots=True)
class _Running:
    """An execution in flight, and where its result goes."""

    lease: Lease
    execution: Execution
    place: _Place
    has_slot: bool
