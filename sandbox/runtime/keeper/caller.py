"""The keeper's end of the two pipes to its caller: commands in, events out."""

from __future__ import annotations  # a class that is named in one would be found there

import os
import select
import sys
from collections import deque
from collections.abc import Iterator

from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.runtime.wire import cells

_READ_BYTES = 1 << 16
_MOST_UNSENT = 1 << 18  # bytes for a caller that does not read: beyond it no state is read
Command = tuple[bytes, int, int, float, bytes]  # kind, state, another state, CPU seconds, payload


class Caller:
    """Reads whole commands and writes events as the caller takes them, without blocking."""

    def __init__(self, poll: select.poll) -> None:
        self._poll = poll
        self._commands = bytearray()
        self._unsent: deque[memoryview] = deque()
        self._unsent_bytes = 0
        self._is_waiting = False  # for the caller to read
        poll.register(JOB_FD, select.POLLIN)

    @property
    def is_full(self) -> bool:
        """True if there is so much to write that no more should be made."""
        return self._unsent_bytes >= _MOST_UNSENT

    def commands(self) -> Iterator[Command]:
        """Read, and yield the commands that are whole by now. Ends the process without a caller."""
        data = os.read(JOB_FD, _READ_BYTES)
        if not data:
            sys.exit()
        self._commands += data
        size = cells.COMMAND.size
        while len(self._commands) >= size:
            kind, number, other, cpu, length = cells.COMMAND.unpack_from(self._commands)
            if len(self._commands) < size + length:
                return
            payload = bytes(self._commands[size : size + length])
            del self._commands[: size + length]
            yield kind, number, other, cpu, payload

    def tell(self, kind: bytes, number: int, payload: bytes) -> None:
        """Write an event, now or when the caller reads."""
        event = cells.EVENT.pack(kind, number, len(payload)) + payload
        self._unsent.append(memoryview(event))
        self._unsent_bytes += len(event)
        self.write()

    def write(self) -> None:
        """Write what the caller takes at once. Ends the process without a caller."""
        while self._unsent:
            piece = self._unsent.popleft()
            try:
                count = os.write(RESULT_FD, piece)
            except BlockingIOError:
                count = 0
            except BrokenPipeError:
                sys.exit()
            self._unsent_bytes -= count
            if count < len(piece):
                self._unsent.appendleft(piece[count:])
                break
        waits = bool(self._unsent)
        if waits is not self._is_waiting:
            self._is_waiting = waits
            if waits:
                self._poll.register(RESULT_FD, select.POLLOUT)
            else:
                self._poll.unregister(RESULT_FD)
