"""The output of a guest: one collector for the whole program, in order, capped."""

from _thread import RLock
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import NoReturn

_BATCH_BYTES = 16 << 10
_BATCH_WRITES = 4096  # an empty write costs memory too
_BATCH_SECONDS = 0.010
ERROR_BYTES = 64 << 10  # of standard error: what a person reads. The rest is dropped
_FLUSHES, _FLUSH_SECONDS = 1000, 0.001  # so many at once, then one a millisecond at the most


def emptying(write: Callable[[bytes], object]) -> Callable[[list[bytes]], None]:
    """Make a collector's `emit` of what takes bytes: nothing is forgotten before it is taken."""

    def emit(pieces: list[bytes]) -> None:
        write(b"".join(pieces))
        pieces.clear()

    return emit


class Collector:
    """Gathers what a guest prints and hands it to `emit` in batches, at most `limit_bytes` in all.

    `emit` is given the list of what is `pending`, and empties it when that is out: if it fails, for
    want of memory or of stack, all is still there. So are the `complaints`, which went to standard
    error: `emit` sends them, too, or they are dropped. Of these the first `ERROR_BYTES` are
    taken, within `limit_bytes`, and no more: a program that tells of its progress there is right.

    Text is encoded when it is written, so that a lone surrogate raises UnicodeEncodeError where the
    guest wrote it, as with a UTF-8 terminal. At the limit `overflow` is called and does not return.
    Without `by_time` a batch is full by its size alone: to send makes objects that CPython counts.
    """

    __slots__ = (
        *("_allowance", "_batch_seconds", "_call_overflow", "_complaints_left", "_emit"),
        "_emitted_at",
        *("_flush_seconds", "_flushes_left", "_pending_bytes", "complaints"),
        *("overflowed", "pending"),
    )

    def __init__(
        self,
        emit: Callable[[list[bytes]], None],
        limit_bytes: int,
        overflow: Callable[[], NoReturn],
        *,
        by_time: bool = True,
    ) -> None:
        self._emit = emit
        self._call_overflow = overflow
        self._allowance = limit_bytes  # what may still be accepted
        self._complaints_left = min(limit_bytes, ERROR_BYTES)
        self.pending: list[bytes] = []
        self.complaints: list[bytes] = []
        self.overflowed = False  # for good, also where there was no room to say so
        self._pending_bytes = 0
        self._emitted_at = monotonic()
        self._flushes_left = _FLUSHES
        seconds = (_BATCH_SECONDS, _FLUSH_SECONDS) if by_time else (inf, inf)
        self._batch_seconds, self._flush_seconds = seconds

    begin = __init__  # once more: it is as new, for the streams that write to it

    def renew(self, limit_bytes: int) -> None:
        """Accept `limit_bytes` again: what was printed before is sent. The lists stay the same."""
        self._allowance, self._complaints_left = limit_bytes, min(limit_bytes, ERROR_BYTES)
        self._pending_bytes, self._emitted_at = 0, monotonic()
        self._flushes_left = _FLUSHES

    def write(self, text: str, /) -> int:
        """Take `text`; return its length."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        # As write_bytes, without another call: this is what print comes to.
        data = str.encode(text)
        pending, left = self.pending, self._allowance - len(data)
        if left < 0:
            self._stop(data, pending)
        waiting = self._pending_bytes + len(data)
        pending.append(data)  # after it nothing can fail: it is taken, and counted
        self._allowance, self._pending_bytes = left, waiting
        now = monotonic()
        if (
            waiting >= _BATCH_BYTES
            or now - self._emitted_at >= self._batch_seconds
            or len(pending) >= _BATCH_WRITES
        ):
            self._emitted_at = now
            self._try_to_send()
        return len(text)

    def write_bytes(self, data: bytes) -> None:
        """Take bytes as they are."""
        left = self._allowance - len(data)
        if left < 0:
            self._stop(data, self.pending)
        waiting = self._pending_bytes + len(data)
        self.pending.append(data)  # after it nothing can fail: it is taken, and counted
        self._allowance, self._pending_bytes = left, waiting
        self._send_if_full(self.pending, waiting)

    def complain(self, data: bytes) -> None:
        """Take what goes to standard error, as far as there is room; the rest is dropped."""
        left = self._complaints_left
        if not left or not data:
            return
        if len(data) > left:
            data = data[:left].decode("utf-8", "ignore").encode()
            left = len(data)  # nothing more, however few bytes are left over
        waiting = self._pending_bytes + len(data)
        self.complaints.append(data)
        self._complaints_left, self._pending_bytes = left - len(data), waiting
        self._send_if_full(self.complaints, waiting)

    def _send_if_full(self, pending: list[bytes], waiting: int) -> None:
        now = monotonic()
        if (
            waiting >= _BATCH_BYTES
            or now - self._emitted_at >= self._batch_seconds
            or len(pending) >= _BATCH_WRITES
        ):
            self._emitted_at = now
            self._try_to_send()

    def flush(self) -> None:
        """Do what a guest's flush does: emit, but not without end a few bytes at a time.

        A guest cannot tell: the rest goes with the next batch, at the end, or when time is up.
        """
        self._flushes_left -= 1
        now = monotonic()
        if self._flushes_left > 0 or now - self._emitted_at >= self._flush_seconds:
            self._emitted_at = now
            self.send()

    def send(self) -> None:
        """Emit what is pending."""
        if self.pending or self.complaints:
            self._emit(self.pending)
            self.complaints.clear()
            self._pending_bytes = 0

    def close(self) -> None:
        """Do nothing: one thread alone writes."""

    def _try_to_send(self) -> None:
        """Emit what is pending if there is room for that; else it goes with what comes next.

        It is taken already: a guest told that it is not would print it again.
        """
        try:
            self.send()
        except (MemoryError, RecursionError):
            return

    def _stop(self, data: bytes, pending: list[bytes]) -> NoReturn:
        """Send what of `data` is still allowed. No more is ever pending: a signal may send it.

        With no room on the stack to say that it was too much, the program goes on; `overflowed`
        says it when it has ended.
        """
        pending.append(data[: self._allowance])  # if that fails, nothing is taken
        self._allowance, self.overflowed = 0, True
        self.send()
        self._call_overflow()


class SharedCollector(Collector):
    """A collector that several threads write to: one at a time, and none once it is closed.

    To send is to write to a pipe, where another thread goes on: it would add to what is forgotten
    then, send the same again, or write into the midst of a frame.
    """

    __slots__ = ("_turn",)

    def __init__(
        self,
        emit: Callable[[list[bytes]], None],
        limit_bytes: int,
        overflow: Callable[[], NoReturn],
    ) -> None:
        self._turn = RLock()
        super().__init__(emit, limit_bytes, overflow)

    def write(self, text: str, /) -> int:
        """Take `text` at the thread's turn; return its length."""
        with self._turn:
            return super().write(text)

    def write_bytes(self, data: bytes) -> None:
        """Take bytes at the thread's turn."""
        with self._turn:
            super().write_bytes(data)

    def complain(self, data: bytes) -> None:
        """Take what goes to standard error at the thread's turn."""
        with self._turn:
            super().complain(data)

    def flush(self) -> None:
        """Do what a guest's flush does at the thread's turn."""
        with self._turn:
            super().flush()

    def send(self) -> None:
        """Emit what is pending at the thread's turn."""
        with self._turn:
            super().send()

    def close(self) -> None:
        """Have every other thread that writes wait for good: what is sent next is the last word."""
        self._turn.acquire()


class Complaints:
    """Takes what goes to standard error, for a collector: a stream of its own, the same limit."""

    __slots__ = ("flush", "write_bytes")

    def __init__(self, collector: Collector) -> None:
        self.write_bytes, self.flush = collector.complain, collector.flush

    def write(self, text: str, /) -> int:
        """Take `text`; return its length. What cannot be encoded is escaped, as by CPython."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.write_bytes(str.encode(text, "utf-8", "backslashreplace"))
        return len(text)
