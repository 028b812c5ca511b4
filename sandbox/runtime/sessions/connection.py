"""The way to one keeper: commands to it, and its events, handed out to the branches they are for.

No thread belongs to it. Of the threads that wait for an event one reads, for all of them.
"""

import contextlib
import os
import select
import socket
import struct
import threading
import time
from collections import deque
from typing import NamedTuple

from sandbox.errors import SandboxError, SessionLost
from sandbox.runtime.caller import remedies
from sandbox.runtime.executions import pipes
from sandbox.runtime.executions.inbox import Inbox
from sandbox.runtime.executions.process_state import Watch
from sandbox.runtime.executions.starvation import STEP_SECONDS
from sandbox.runtime.wire import cells, protocol

_START_SECONDS = 120.0
_WRITE_SECONDS = 30.0  # a keeper that reads nothing for so long is as good as lost
_READ_BYTES = 1 << 18
_END_SECONDS = 1.0  # in which a supervisor tells how a keeper has ended


class Event(NamedTuple):
    """One event of a keeper's: of `cells`."""

    kind: bytes
    payload: bytes


class Connection:
    """The pipes to a keeper. Thread-safe. Raises SessionLost where the keeper is gone."""

    def __init__(self, name: str, channel: socket.socket, supervisor: tuple[int, int]) -> None:
        """Wait until the keeper is there, of processes with these pids.

        Raises SandboxError, SessionLost.
        """
        self.name, self._channel = name, channel
        self._job, self._result, self.pid = _handed_over(name, channel, Watch(*supervisor))
        self._watch = Watch(self.pid)
        os.set_blocking(self._job, False)
        os.set_blocking(self._result, False)
        self._turn, self._writing = threading.Condition(), threading.Lock()
        self._is_read = False
        self._inboxes: dict[int, deque[Event]] = {}
        self._buffer = bytearray()
        self.lost = ""

    def listen(self, state: int) -> None:
        """Keep what comes of `state`, until `forget`: as long as some code waits for it."""
        self._inboxes[state] = deque()

    def forget(self, state: int) -> None:
        """Drop what comes of `state`."""
        self._inboxes.pop(state, None)

    def send(self, *commands: bytes) -> None:
        """Send `commands`, in order and nothing between them."""
        rest = memoryview(b"".join(commands))
        with self._writing:
            if self.lost:
                raise SessionLost(f"{self.name}: {self.lost}")
            try:
                self._send(rest)
            except OSError as error:
                is_gone = isinstance(error, BrokenPipeError)
                self._lose(
                    self._how_it_ended() if is_gone else f"its process takes nothing: {error}"
                )
                raise SessionLost(f"{self.name}: {self.lost}") from None
            except BaseException:  # an interrupt: half a command may be out
                self._lose("a call of its own was interrupted as it spoke to its process")
                raise

    def _send(self, rest: "memoryview[int]") -> None:
        deadline = time.monotonic() + _WRITE_SECONDS
        poll = select.poll()
        poll.register(self._job, select.POLLOUT)
        while rest := pipes.write_some(self._job, rest):
            now = time.monotonic()
            if now >= deadline or self._watch.is_stopped(now):
                raise TimeoutError("it has not read for long")
            poll.poll(STEP_SECONDS * 1000)

    def next_event(self, state: int, seconds: float) -> Event | None:
        """Return the next event of `state`; None where there is none within `seconds`."""
        deadline = time.monotonic() + seconds
        with self._turn:
            while True:
                inbox = self._inboxes.get(state)
                if inbox:
                    return inbox.popleft()
                if self.lost or inbox is None:
                    raise SessionLost(f"{self.name}: {self.lost or 'it was closed'}")
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                if self._is_read:
                    self._turn.wait(left)
                    continue
                self._read_for_all(min(left, STEP_SECONDS))

    def _read_for_all(self, seconds: float) -> None:
        """Read what comes, while other threads wait for this one. Their lock is held around it."""
        self._is_read, is_whole = True, False
        try:
            self._turn.release()
            try:
                data = self._read(seconds)
            finally:
                _take_surely(self._turn)
            self._take(data)
            is_whole = True
        finally:
            if not is_whole:  # an interrupt: what was read may be gone
                self._lose("a call of its own was interrupted as its process spoke")
            self._is_read = False
            self._turn.notify_all()

    def _read(self, seconds: float) -> bytes | None:
        """Return what comes; None for nothing, empty at the end."""
        poll = select.poll()
        poll.register(self._result, select.POLLIN)
        if not poll.poll(seconds * 1000 + 0.5):
            return None
        try:
            return os.read(self._result, _READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def _take(self, data: bytes | None) -> None:
        if data is None:
            if self._watch.is_stopped(time.monotonic()):
                self._lose("something outside has stopped its process")
            return
        if not data:
            self.lost = self.lost or self._how_it_ended()
            return
        self._buffer += data
        size = cells.EVENT.size
        at = 0
        while len(self._buffer) - at >= size:
            kind, state, length = cells.EVENT.unpack_from(self._buffer, at)
            if len(self._buffer) - at < size + length:
                break
            payload = bytes(self._buffer[at + size : at + size + length])
            at += size + length
            inbox = self._inboxes.get(state)
            if inbox is not None:
                inbox.append(Event(kind, payload))
        del self._buffer[:at]

    def _how_it_ended(self) -> str:
        """Say what the supervisor tells of the keeper's end, which no guest can bring about."""
        poll = select.poll()
        poll.register(self._channel.fileno(), select.POLLIN)
        with contextlib.suppress(OSError, struct.error):
            if poll.poll(_END_SECONDS * 1000):
                status = protocol.EXITED.unpack(self._channel.recv(64))[2]
                if os.WIFSIGNALED(status):
                    return f"something outside ended its process by signal {os.WTERMSIG(status)}"
                return f"its process ended with exit status {os.WEXITSTATUS(status)}"
        return "its process and its supervisor were lost"

    def _lose(self, why: str) -> None:
        self.lost = self.lost or why
        self.close(why)

    def close(self, why: str = "it was closed") -> None:
        """End the keeper and all of its states. Idempotent; what waits for them raises."""
        self.lost = self.lost or why
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self._channel.close()
        with self._turn:  # its reader looks at the end of the pipe, which the keeper's end brings
            self._turn.notify_all()

    def abandon(self) -> None:
        """Let go, in a fork of the caller, of what belongs to the parent."""
        self.lost = "it belongs to the process that this one was forked from"
        self._channel.close()

    def __del__(self) -> None:
        for name in ("_job", "_result"):
            with contextlib.suppress(OSError, AttributeError):
                os.close(getattr(self, name))
        if hasattr(self, "_turn"):
            with contextlib.suppress(OSError):
                self._channel.close()


def _take_surely(lock: threading.Condition) -> None:
    """Take `lock`, also if an interrupt comes meanwhile, which is raised behind it."""
    interrupt: BaseException | None = None
    while True:
        try:
            lock.acquire()
            break
        except BaseException as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


def _handed_over(name: str, channel: socket.socket, watch: Watch) -> tuple[int, int, int]:
    """Return the ends of a keeper's pipes, and its pid."""
    inbox, poll = Inbox(channel), select.poll()
    poll.register(channel.fileno(), select.POLLIN)
    deadline = time.monotonic() + _START_SECONDS
    try:
        while not poll.poll(STEP_SECONDS * 1000):
            now = time.monotonic()
            if watch.is_stopped(now):
                raise SessionLost(f"{name}: something outside has stopped its supervisor")
            if now >= deadline:
                raise SandboxError(f"{name}: no process for it within {_START_SECONDS:.0f} seconds")
        try:
            message = inbox.read()
        except OSError:
            message = b""
        kind = message[:1]
        if kind == protocol.HANDOVER and len(inbox.descriptors) == 2:
            (job, result), inbox.descriptors = inbox.descriptors, []
            return job, result, protocol.HANDED.unpack(message)[1]
        if kind == protocol.HANDOVER:
            raise SandboxError(f"{name}: {remedies.NO_DESCRIPTOR}")
        if kind == protocol.FAULT:
            raise SandboxError(f"{name}: {message[1:].decode(errors='replace')}")
        raise SessionLost(f"{name}: its supervisor was lost as it began")
    finally:
        inbox.drop()
