"""Locks, events and conditions of `asyncio`. They are fair: the task that waits longest is next."""

import math
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

from sandbox.language.stdlib.concurrency.asyncio.future import CancelledError, Future, current

# From 3.13 on a task that waited in vain gives its turn to another, also that of a notification.
_HANDS_ON = sys.version_info >= (3, 13)


class BrokenBarrierError(RuntimeError):
    """The barrier was aborted, or reset."""


class LoopBound:
    """An object that belongs to the loop in which a task first had to wait for it."""

    _loop: Any = None

    def _get_loop(self) -> Any:
        loop = current.running
        if self._loop is None:
            self._loop = loop
        if loop is not self._loop:
            raise RuntimeError(f"{self!r} is bound to a different event loop")
        return loop

    def _text(self, state: str, waiters: Any) -> str:
        if waiters:
            state = f"{state}, waiters:{len(waiters)}"
        return f"<{object.__repr__(self)[1:-1]} [{state}]>"


class Acquired(LoopBound):
    """An object that `async with` acquires and releases."""

    async def __aenter__(self) -> None:
        await self.acquire()  # type: ignore[attr-defined]

    async def __aexit__(self, *error: object) -> None:
        self.release()  # type: ignore[attr-defined]


class Event(LoopBound):
    """A flag to wait for."""

    def __init__(self) -> None:
        self._waiters: deque[Future] = deque()
        self._value = False

    def __repr__(self) -> str:
        return self._text("set" if self._value else "unset", self._waiters)

    def is_set(self) -> bool:
        """The flag."""
        return self._value

    def set(self) -> None:
        """Raise the flag, wake all."""
        if not self._value:
            self._value = True
            _wake(self._waiters, True)

    def clear(self) -> None:
        """Lower the flag."""
        self._value = False

    async def wait(self) -> bool:
        """Wait for the flag."""
        if not self._value:
            await _join(self._waiters, self._get_loop().create_future())
        return True


def _wake(waiters: Any, result: bool, most: float = math.inf) -> None:
    """Wake at most `most` tasks, first the ones that wait longest."""
    woken = 0
    for future in waiters:
        if woken >= most:
            break
        if not future.done():
            woken += 1
            future.set_result(result)


async def _join(waiters: deque[Any], future: Any) -> None:
    waiters.append(future)
    try:
        await future
    finally:
        waiters.remove(future)


class Lock(Acquired):
    """One at a time."""

    def __init__(self) -> None:
        self._waiters: deque[Future] = deque()
        self._locked = False

    def __repr__(self) -> str:
        return self._text("locked" if self._locked else "unlocked", self._waiters)

    def locked(self) -> bool:
        """True if a task has it."""
        return self._locked

    async def acquire(self) -> bool:
        """Take it, after all that wait already."""
        if self._locked or not all(future.cancelled() for future in self._waiters):
            try:
                await _join(self._waiters, self._get_loop().create_future())
            except CancelledError:
                if not self._locked:
                    self._wake_first()
                raise
        self._locked = True
        return True

    def release(self) -> None:
        """Give it back. Raises RuntimeError if no task has it."""
        if not self._locked:
            raise RuntimeError("Lock is not acquired.")
        self._locked = False
        self._wake_first()

    def _wake_first(self) -> None:
        if self._waiters and not self._waiters[0].done():
            self._waiters[0].set_result(True)


class Semaphore(Acquired):
    """A counter that must not go below zero."""

    def __init__(self, value: int = 1) -> None:
        if value < 0:
            raise ValueError("Semaphore initial value must be >= 0")
        self._value = value
        self._waiters: deque[Future] = deque()

    def __repr__(self) -> str:
        state = "locked" if self.locked() else f"unlocked, value:{self._value}"
        return self._text(state, self._waiters)

    def locked(self) -> bool:
        """True if `acquire` would wait: others may be before."""
        return self._value == 0 or any(not future.cancelled() for future in self._waiters)

    async def acquire(self) -> bool:
        """Count down, after all that wait already."""
        if not self.locked():
            self._value -= 1
            return True
        future = self._get_loop().create_future()
        try:
            await _join(self._waiters, future)
        except CancelledError:
            if future.done() and not future.cancelled():
                self._value += 1  # it was counted down for this task
                if not _HANDS_ON:
                    self._wake_next()
            raise
        finally:
            while _HANDS_ON and self._value > 0 and self._wake_next():
                pass
        if self._value > 0:
            self._wake_next()
        return True

    def release(self) -> None:
        """Count up."""
        self._value += 1
        self._wake_next()

    def _wake_next(self) -> bool:
        """Count down for the task that waits longest, and wake it; False if no task waits."""
        for future in self._waiters:
            if not future.done():
                self._value -= 1
                future.set_result(True)
                return True
        return False


class BoundedSemaphore(Semaphore):
    """A semaphore that is not released more often than acquired."""

    def __init__(self, value: int = 1) -> None:
        self._bound_value = value
        super().__init__(value)

    def release(self) -> None:
        """Count up, or ValueError."""
        if self._value >= self._bound_value:
            raise ValueError("BoundedSemaphore released too many times")
        super().release()


class Condition(Acquired):
    """A lock to wait on: the one that it is given, or one of its own."""

    def __init__(self, lock: Any = None) -> None:
        self._lock = Lock() if lock is None else lock
        self._waiters: deque[Future] = deque()

    def __repr__(self) -> str:
        return self._text("locked" if self.locked() else "unlocked", self._waiters)

    def locked(self) -> bool:
        """True if a task has the lock."""
        return bool(self._lock.locked())

    async def acquire(self) -> bool:
        """Take the lock, after all that wait already."""
        return bool(await self._lock.acquire())

    def release(self) -> None:
        """Give the lock back."""
        self._lock.release()

    async def wait(self) -> bool:
        """Release, wait for a notification, acquire again. RuntimeError without the lock."""
        if not self.locked():
            raise RuntimeError("cannot wait on un-acquired lock")
        future = self._get_loop().create_future()
        self.release()
        try:
            try:
                await _join(self._waiters, future)
            finally:
                await self._reacquire()
        except BaseException:
            if _HANDS_ON:
                self._notify(1)
            raise
        return True

    async def _reacquire(self) -> None:
        """Take the lock whatever happens; a cancellation is raised once it is taken."""
        cancelled = None
        while True:
            try:
                await self.acquire()
                break
            except CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled if _HANDS_ON else CancelledError

    async def wait_for(self, predicate: Callable[[], Any]) -> Any:
        """Wait until the predicate holds."""
        while not (held := predicate()):
            await self.wait()
        return held

    def notify(self, n: int = 1) -> None:
        """Wake some. RuntimeError without the lock."""
        if not self.locked():
            raise RuntimeError("cannot notify on un-acquired lock")
        self._notify(n)

    def notify_all(self) -> None:
        """Wake all. RuntimeError without the lock."""
        self.notify(len(self._waiters))

    def _notify(self, n: int) -> None:
        _wake(self._waiters, False, n)
