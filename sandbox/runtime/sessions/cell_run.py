"""One cell's way through one state, as its caller sees it: frames, services, clocks, its end."""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from hmac import compare_digest

from sandbox.errors import SandboxError, SessionLost
from sandbox.runtime.executions.record import ExecutionRecord, Exit, Submission
from sandbox.runtime.executions.services import answer_to
from sandbox.runtime.executions.starvation import STEP_SECONDS, OwnTime
from sandbox.runtime.executions.waiting import LATE_SECONDS
from sandbox.runtime.sessions.connection import Connection, Event
from sandbox.runtime.wire import cells, protocol
from sandbox.runtime.wire.cells import ENDED, PID, SECONDS
from sandbox.runtime.wire.protocol import FrameReader, ProtocolError
from sandbox.runtime.wire.task import length_prefixed

_WAIT_FOR_END_SECONDS = 5.0
_FORK_SECONDS = 10.0  # in which a state forks, of which something outside may have stopped it
_NOBODY = -1  # a pid that no process has


class Interrupt:
    """The wish to end one cell: from any thread, before it begins or while it runs."""

    def __init__(self) -> None:
        self._lock, self._is_over = threading.Lock(), False
        self._stop: Callable[[], object] | None = None
        self.is_wished = False

    def wish(self) -> None:
        """End the cell if it runs, and do not begin it if it does not yet. Over, it stays."""
        with self._lock:
            if not self._is_over:
                self.is_wished = True
                if self._stop is not None:
                    self._stop()

    def begin(self, send: Callable[[], object], stop: Callable[[], object]) -> bool:
        """Have the cell sent, and `stop` called at a wish from here on; False at one before."""
        with self._lock:
            if not self.is_wished:
                send()
                self._stop = stop
            return not self.is_wished

    def settle(self) -> bool:
        """Return True if the cell was interrupted. What is wished later comes too late."""
        with self._lock:
            self._is_over = True
            return self.is_wished


class CellRun:
    """Drives one cell that was sent to `state`. Its record is that of an execution."""

    def __init__(self, connection: Connection, state: int, submission: Submission) -> None:
        """Begin, before the cell is sent."""
        self.record = ExecutionRecord(fed=True)
        self.submission = submission
        self.pid = 0  # the state's in the session's namespace, 0 until the keeper tells
        self.is_gone = False  # the state has ended
        self.cpu_seconds: float | None = None  # by the kernel's clock, where it was asked for
        self._connection, self._state = connection, state
        self._frames = FrameReader(submission.caps)
        self._asked: deque[bytes] = deque()
        self._begun_at = time.monotonic()  # the call; the cell begins with its state
        self._clock = OwnTime(_NOBODY, self._begun_at)
        self._stop_by: float | None = None  # it was told to end, and has to by then

    @property
    def seconds(self) -> float:
        """The seconds since the state was there to run it; 0 before."""
        return self._clock.elapsed(time.monotonic()) if self.pid else 0.0

    def drive(self) -> None:
        """Drive the cell to its end, or that of its state. Raises SessionLost."""
        while self.record.final is None and not self.is_gone:
            self._step()
            self._serve()
        if not self.is_gone and self.submission.wait_for_exit:
            self._await(cells.RESTED)

    def end(self) -> None:
        """Wait until the state, which was told to end, has. Raises SessionLost."""
        self._await(cells.GONE)

    def _await(self, kind: bytes) -> None:
        deadline = time.monotonic() + _WAIT_FOR_END_SECONDS
        if kind == cells.RESTED:
            self._connection.send(cells.command(cells.REST, self._state))
        while not self.is_gone and (kind == cells.GONE or self.cpu_seconds is None):
            event = self._connection.next_event(self._state, STEP_SECONDS)
            if event is not None:
                self._take(event)
            elif time.monotonic() > deadline:
                raise SessionLost(f"{self._connection.name}: its process does not answer")

    def _step(self) -> None:
        begun = time.monotonic()
        if self._stop_by is not None and begun > self._stop_by:
            raise SessionLost(f"{self._connection.name}: a cell did not end in time")
        if not self.pid and begun - self._begun_at > _FORK_SECONDS:
            raise SessionLost(f"{self._connection.name}: its state does not fork")
        wall, elapsed = self.submission.limits.wall_seconds, self._clock.elapsed(begun)
        seconds = min(max(wall - elapsed, 0.02), STEP_SECONDS)
        event = self._connection.next_event(self._state, seconds)
        now = time.monotonic()
        if now - begun - seconds > LATE_SECONDS:  # this process did not run, or another's did
            self._clock.excuse(now - begun - seconds, served=False)
        if event is not None:
            self._take(event)
        if self.pid and (event is None or elapsed > STEP_SECONDS):
            self._look(now)

    def _look(self, now: float) -> None:
        """See to the clock, once a step, and not for a cell that is soon over."""
        if self._clock.is_nobodys:
            self._clock.follow(_host_pid(self._connection.pid, self.pid))
        wall = self.submission.limits.wall_seconds
        if self._stop_by is None and self._clock.elapsed(now) >= wall:
            self._clock.note(self.record, wall)
            if self.record.out_of_wall:
                self._stop(now)
            elif self._clock.is_starved(now, wall):
                raise SessionLost(f"{self._connection.name}: the machine starved a cell")
        else:
            self._clock.take(now)

    def stop(self) -> None:
        """End this cell, and its state with it."""
        with contextlib.suppress(SessionLost):
            self._connection.send(cells.command(cells.STOP, self._state))

    def _stop(self, now: float) -> None:
        self._stop_by = now + _WAIT_FOR_END_SECONDS
        self.stop()

    def _take(self, event: Event) -> None:
        if event.kind == cells.DATA:
            self._take_data(event.payload)
        elif event.kind == cells.FORKED:
            (self.pid,) = PID.unpack(event.payload)
            self._clock = OwnTime(_NOBODY, time.monotonic())
        elif event.kind == cells.RESTED:
            (self.cpu_seconds,) = SECONDS.unpack(event.payload)
        elif event.kind == cells.GONE:
            self._take_end(event.payload)

    def _take_end(self, payload: bytes) -> None:
        cause, status, used, peak = ENDED.unpack(payload)
        self.is_gone = True
        if cause in (cells.NO_ROOM, cells.NO_STATE):
            raise refused(self._connection.name, cause)
        if self.record.final is None:
            self._note_wall()
            self.record.exit = Exit(cause, status, used, peak)
        if cause == cells.NOISE:
            self.record.broke_protocol = "it asked again before it had read the answer"

    def _take_data(self, data: bytes) -> None:
        if self.record.broke_protocol or self.record.final is not None:
            return
        try:
            for kind, payload in self._frames.feed(data):
                self._take_frame(kind, payload)
        except ProtocolError as error:
            self.record.broke_protocol = str(error)
            self._stop_now()

    def _take_frame(self, kind: bytes, payload: bytes) -> None:
        if kind == protocol.FILE:
            self.record.take_file(payload, self.submission)
        elif kind in protocol.PRINTED:
            self.record.take(kind, payload)
        elif kind == protocol.ASK:
            if self._asked:
                raise ProtocolError("a second request before the answer to the first")
            self._asked.append(payload)
        elif kind == protocol.FINAL:
            key = self.submission.key
            if not compare_digest(payload[: len(key)], key):
                raise ProtocolError("a final frame without the key of its job")
            self.record.final = payload[len(key) :]
            self._note_wall()

    def _stop_now(self) -> None:
        self._stop_by = time.monotonic() + _WAIT_FOR_END_SECONDS
        with contextlib.suppress(SessionLost):
            self._connection.send(cells.command(cells.DROP, self._state))

    def _note_wall(self) -> None:
        if not self.record.wall_seconds:
            self._clock.note(self.record, self.submission.limits.wall_seconds)

    def _serve(self) -> None:
        while self._asked and not self.is_gone:
            before = time.monotonic()
            answer = answer_to(self.submission, self._asked.popleft())
            if isinstance(answer, str):
                self.record.broke_protocol = answer
                self._stop_now()
                return
            self._clock.excuse(time.monotonic() - before, served=True)
            say = cells.command(cells.SAY, self._state, length_prefixed(answer))
            self._connection.send(say)


def refused(name: str, cause: bytes) -> SandboxError:
    """Return the error that says why a state was not forked."""
    if cause == cells.NO_STATE:
        told = "something outside ended it, or the program spoke between two cells"
        return SessionLost(f"{name}: its state is no more: {told}")
    return SandboxError(
        f"{name}: its state could not be forked: the machine has no room for one more process"
        " (`ulimit -u`), or the program has forked as many as it may"
    )


def _host_pid(keeper: int, inside: int) -> int:
    """Return the pid that the process has here which has the pid `inside` in its namespace.

    It is a child of the keeper's. Returns a pid that no process has where the kernel does not say.
    """
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open(f"/proc/{keeper}/task/{keeper}/children") as listed:
            children = listed.read().split()
        for child in children:
            with open(f"/proc/{child}/status") as lines:
                names = [line.split() for line in lines if line.startswith("NSpid:")]
            if int(names[0][-1]) == inside:
                return int(child)
    return _NOBODY
