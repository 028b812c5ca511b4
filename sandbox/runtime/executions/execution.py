"""One job's way through one child, as a state machine that any event loop can drive."""

import contextlib
import math
import os
import select
import socket
import threading
import time
from collections import deque
from hmac import compare_digest

from sandbox.kernel.timers import cpu_seconds
from sandbox.runtime.caller import remedies
from sandbox.runtime.executions import pipes
from sandbox.runtime.executions.inbox import Inbox
from sandbox.runtime.executions.process_state import Watch
from sandbox.runtime.executions.record import ExecutionRecord, Exit, Submission
from sandbox.runtime.executions.starvation import FIRST_STEP_SECONDS, OwnTime
from sandbox.runtime.wire import protocol
from sandbox.runtime.wire.protocol import FrameReader, ProtocolError

_READ_BYTES = 1 << 18
_WAIT_FOR_CHILD_SECONDS = 120.0
_WAIT_FOR_END_SECONDS = 5.0
_LINGER_SECONDS = 1.0  # between a child's last word and its end, before it is stopped
_READS_AT_ONCE = 8  # more than a pipe holds; yet a flood must not hide the deadline


class Execution:
    """Drive it: await `interest()` or `deadline`, call `on_event` or `on_deadline`, until `done`.

    The channel is shut down, not only closed, when it is over: a fork of the caller may hold a copy
    of it, and the supervisor must see the end all the same.
    """

    def __init__(
        self, channel: socket.socket, submission: Submission, supervisor: int, forker: int
    ) -> None:
        """Start on a child that was asked for through `channel` of processes with these pids."""
        self.submission, self._supervisor = submission, supervisor
        self._watch = Watch(supervisor, forker)
        self.record, self.pid = ExecutionRecord(), 0
        self.asked: deque[bytes] = deque()
        self._frames = FrameReader(submission.caps)
        self._job = self._result = -1
        self._unsent = memoryview(submission.data)
        self._clock: OwnTime | None = None  # from when the child has the whole job
        self._cpu_before, self._cpu_at_final = 0.0, math.inf  # of the child's CPU clock
        self._hold = self._stopped = self.done = False
        self._channel, self._inbox = channel, Inbox(channel)
        self.thread = threading.get_ident()  # that began it
        self.unread = False  # True while the caller's loop over a map is busy, and reads nothing
        self.left_at = time.monotonic()  # when the caller's wait last looked at it
        self.deadline = self.left_at + _WAIT_FOR_CHILD_SECONDS

    def start_if_ready(self) -> bool:
        """Feed a child that is there already. False if it ended while it waited for a job."""
        self._hold = True
        self._read_channel()
        if self.pid:
            self._read_channel()
        if self.done or self.record.exit is not None:
            return False
        self._hold = False
        if self.pid:
            self._feed()
        return True

    def interest(self) -> list[tuple[int, int]]:
        """Return (descriptor, poll events) to wait for."""
        wanted = [(self._channel.fileno(), select.POLLIN)]
        if self._result >= 0:
            wanted.append((self._result, select.POLLIN))
        if self._job >= 0 and self._unsent and not self._hold:
            wanted.append((self._job, select.POLLOUT))
        return wanted

    def on_event(self, descriptor: int) -> None:
        """Do what can be done on `descriptor`."""
        if descriptor == self._result:
            self._read_result()
        elif descriptor == self._job:
            self._feed()
        elif descriptor == self._channel.fileno():
            self._read_channel()

    def on_deadline(self) -> None:
        """Act on a `deadline` that has passed."""
        if not self.pid:
            self.record.lost = True  # as good as: no child saw the job
            self._fail(f"no child became free within {_WAIT_FOR_CHILD_SECONDS:.0f} seconds")
        elif self._stopped:
            self.record.hung = True
            self._fail("" if self.record.out_of_wall else "a child did not end in time")
        elif self._result < 0:  # it has said its last word, or can say no more, and goes on
            self._stop()
        else:
            self._read_result()  # it may have ended, or be blocked by an unread pipe
            if not self.done:
                self._check_wall()

    def look(self, now: float) -> None:
        """Take the guest's time up to `now`, and see to the supervisor; call it once a step."""
        if self._clock is not None and not self.done:
            self._clock.take(now)
        if not self.done and self._watch.is_stopped(now):
            self._lose_supervisor()  # as good as

    def answer(self, data: bytes) -> None:
        """Send the answer to what was asked."""
        if self._job >= 0:
            self._unsent = memoryview(data)  # all before it is out: see `_take_ask`
            self._feed()

    def refuse(self, reason: str) -> None:
        """End it: what it asked is nothing that an honest child asks."""
        self.record.broke_protocol = reason
        self._finish()

    def excuse(self, seconds: float, *, served: bool = False) -> None:
        """Excuse `seconds` in which it was `served` or not looked after: they are not its own."""
        if self._clock:
            self._clock.excuse(seconds, served=served)
        if served:
            self.attend(seconds)
        self.deadline += seconds

    def attend(self, seconds: float) -> None:
        """Note that the driver was at work for this guest for the last `seconds`, not elsewhere."""
        self.left_at += seconds

    def close(self) -> None:
        """Give the child up, whatever it is doing. Safe to call twice."""
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self.forget()

    def forget(self) -> None:
        """Close this process's descriptors only: the execution belongs to another process."""
        self._channel.close()
        self._inbox.drop()
        self._close_job()
        self._close_result()
        self.done = True

    def __del__(self) -> None:
        # An interrupt may have struck before the caller's code could close it, even in __init__.
        if not getattr(self, "done", True):
            self.close()

    def _read_channel(self) -> None:
        try:
            message = self._inbox.read()
        except BlockingIOError:
            return
        except OSError:
            message = b""
        kind = message[:1]
        if kind == protocol.HANDOVER and len(self._inbox.descriptors) == 2 and not self.pid:
            self._take_child(message)
            return
        self._inbox.drop()  # one of the two, where this process may have no more
        if kind == protocol.HANDOVER and not self.pid:
            self._fail(remedies.NO_DESCRIPTOR)
        elif kind == protocol.EXIT and self.pid:
            self._take_exit(message)
        elif kind == protocol.FAULT:
            self._fail(message[1:].decode(errors="replace"))
        else:
            self._lose_supervisor()

    def _take_child(self, message: bytes) -> None:
        (self._job, self._result), self._inbox.descriptors = self._inbox.descriptors, []
        _, self.pid, self._cpu_before = protocol.HANDED.unpack(message)
        os.set_blocking(self._job, False)
        self._watch = Watch(self._supervisor)  # it needs no forker any more
        self.deadline = time.monotonic() + _WAIT_FOR_CHILD_SECONDS
        if not self._hold:
            self._feed()

    def _take_exit(self, message: bytes) -> None:
        _, cause, status, user, system, peak = protocol.EXITED.unpack(message)
        # Not the guest's: what the child used before it had a job, and what its end took.
        used = max(min(user + system, self._cpu_at_final) - self._cpu_before, 0.0)
        self.record.exit = Exit(cause, status, used, peak)
        self._read_result()
        self._finish()

    def _lose_supervisor(self) -> None:
        self._read_result()
        if not self.done:
            self.record.lost = self.record.final is None
            self._finish()

    def _feed(self) -> None:
        try:
            self._unsent = pipes.write_some(self._job, self._unsent)
        except OSError:  # it ended before it had read the job: its exit will say why
            self._unsent = self._unsent[:0]
        else:
            if self._unsent:
                return
            self.record.fed = True
        if not self.submission.services:
            self._close_job()
        if self._clock is None:
            self._clock = OwnTime(self.pid, now := time.monotonic())
            self.deadline = now + min(self.submission.limits.wall_seconds, FIRST_STEP_SECONDS)

    def _read_result(self) -> None:
        for _ in range(_READS_AT_ONCE):
            if self.done or self._result < 0:
                return
            try:
                data = os.read(self._result, _READ_BYTES)
            except BlockingIOError:
                return
            if not data:
                self._close_result()
                self.deadline = time.monotonic() + _LINGER_SECONDS
                return
            self._take_frames(data)

    def _take_frames(self, data: bytes) -> None:
        try:
            frames = self._frames.feed(data)
        except ProtocolError as error:
            self.refuse(str(error))
            return
        for kind, payload in frames:
            if kind in protocol.PRINTED:
                self.record.take(kind, payload)
            elif kind == protocol.CODE:
                self.record.code = payload
            elif kind == protocol.ASK:
                self._take_ask(payload)
            elif kind == protocol.FINAL:
                self._take_final(payload)

    def _take_ask(self, payload: bytes) -> None:
        if self.asked or self._unsent:  # an honest child reads each answer before it asks again
            self.refuse("a second request before the answer to the first")
        else:
            self.asked.append(payload)

    def _take_final(self, payload: bytes) -> None:
        if not compare_digest(payload[: len(self.submission.key)], self.submission.key):
            self.refuse("a final frame without the key of its job")
            return
        self.record.final = payload[len(self.submission.key) :]
        self._note_wall()
        if self.submission.wait_for_exit and self.record.exit is None:
            self._cpu_at_final = cpu_seconds(self.pid)
            self._close_job()  # the child reads no more of it
            self._close_result()
            self.deadline = time.monotonic() + _LINGER_SECONDS
        else:
            self._finish()

    def _check_wall(self) -> None:
        assert self._clock is not None
        now, wall = time.monotonic(), self.submission.limits.wall_seconds
        own = self._clock.seconds(now)
        if own >= wall:
            self._note_wall()
            self._stop()
        elif self._clock.is_starved(now, wall):
            self._fail(f"the machine starved the child: {own:.1f} s its own, far more passed")
        else:
            self.deadline = now + max(wall - own, 0.02)

    def _note_wall(self) -> None:
        if self._clock is not None and not self.record.wall_seconds:
            self._clock.note(self.record, self.submission.limits.wall_seconds)

    def _stop(self) -> None:
        self._stopped = True
        with contextlib.suppress(OSError):
            pipes.send(self._channel, protocol.STOP)
        self.deadline = time.monotonic() + _WAIT_FOR_END_SECONDS

    def _fail(self, reason: str) -> None:
        self.record.fault = reason
        self._finish()

    def _finish(self) -> None:
        self._note_wall()
        self.close()

    def _close_job(self) -> None:
        job, self._job = self._job, -1  # first: closed twice, it could by then be another's
        if job >= 0:
            os.close(job)

    def _close_result(self) -> None:
        result, self._result = self._result, -1
        if result >= 0:
            os.close(result)
