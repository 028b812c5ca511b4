"""What the tasks of `asyncio` share: events, locks and queues."""

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

from sandbox.language.stdlib.asyncio_future import Future


class Event:
    """A flag to wait for."""

    def __init__(self) -> None:
        self._flag = False
        self._waiters: deque[Future] = deque()

    def is_set(self) -> bool:
        """The flag."""
        return self._flag

    def set(self) -> None:
        """Raise the flag, wake all."""
        self._flag = True
        while self._waiters:
            _wake(self._waiters)

    def clear(self) -> None:
        """Lower the flag."""
        self._flag = False

    async def wait(self) -> bool:
        """Wait for the flag."""
        if not self._flag:
            await _join(self._waiters)
        return True


def _wake(waiters: deque[Future]) -> None:
    """Wake the first who still waits."""
    while waiters:
        future = waiters.popleft()
        if not future.done():
            future.set_result(None)
            return


async def _join(waiters: deque[Future]) -> None:
    future = Future()
    waiters.append(future)
    await future


class Semaphore:
    """A counter that must not go below zero."""

    def __init__(self, value: int = 1) -> None:
        if value < 0:
            raise ValueError("Semaphore initial value must be >= 0")
        self._value = value
        self._waiters: deque[Future] = deque()

    def locked(self) -> bool:
        """True if `acquire` would wait."""
        return self._value == 0

    async def acquire(self) -> bool:
        """Count down, waiting until that is possible."""
        while not self._value:
            await _join(self._waiters)
        self._value -= 1
        return True

    def release(self) -> None:
        """Count up."""
        self._value += 1
        _wake(self._waiters)

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, *error: object) -> None:
        self.release()


class BoundedSemaphore(Semaphore):
    """A semaphore that is not released more often than acquired."""

    def __init__(self, value: int = 1) -> None:
        super().__init__(value)
        self._bound = value

    def release(self) -> None:
        """Count up, or ValueError."""
        if self._value >= self._bound:
            raise ValueError("BoundedSemaphore released too many times")
        super().release()


class Lock(Semaphore):
    """One at a time."""

    def __init__(self) -> None:
        super().__init__(1)

    def release(self) -> None:
        """Give it back."""
        if self._value:
            raise RuntimeError("Lock is not acquired.")
        super().release()


class Condition:
    """A lock to wait on: the one that it is given, or one of its own."""

    def __init__(self, lock: Any = None) -> None:
        self._lock = Lock() if lock is None else lock
        self._sleepers: deque[Future] = deque()

    def locked(self) -> bool:
        """True if somebody has the lock."""
        return bool(self._lock.locked())

    async def acquire(self) -> bool:
        """Take the lock, waiting until that is possible."""
        return bool(await self._lock.acquire())

    def release(self) -> None:
        """Give the lock back."""
        self._lock.release()

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, *error: object) -> None:
        self.release()

    async def wait(self) -> bool:
        """Release, wait for a notification, acquire again."""
        if not self.locked():
            raise RuntimeError("cannot wait on un-acquired lock")
        self.release()
        try:
            await _join(self._sleepers)
        finally:
            await self.acquire()
        return True

    async def wait_for(self, predicate: Callable[[], Any]) -> Any:
        """Wait until the predicate holds."""
        while not (held := predicate()):
            await self.wait()
        return held

    def notify(self, n: int = 1) -> None:
        """Wake some."""
        if not self.locked():
            raise RuntimeError("cannot notify on un-acquired lock")
        for _ in range(n):
            _wake(self._sleepers)

    def notify_all(self) -> None:
        """Wake all."""
        self.notify(len(self._sleepers))


class QueueEmpty(Exception):
    """Nothing in the queue."""


class QueueFull(Exception):
    """No room in the queue."""


class Queue:
    """First in, first out."""

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self._items: Any = self._container()
        self._getters: deque[Future] = deque()
        self._putters: deque[Future] = deque()
        self._unfinished = 0
        self._finished = Event()
        self._finished.set()

    def _container(self) -> Any:
        return deque()

    def _insert(self, item: Any) -> None:
        self._items.append(item)

    def _take(self) -> Any:
        return self._items.popleft()

    def qsize(self) -> int:
        """How many."""
        return len(self._items)

    def empty(self) -> bool:
        """True if there is nothing."""
        return not self._items

    def full(self) -> bool:
        """True if there is no room."""
        return 0 < self.maxsize <= len(self._items)

    async def put(self, item: Any) -> None:
        """Add an item, waiting for room."""
        while self.full():
            await _join(self._putters)
        self.put_nowait(item)

    def put_nowait(self, item: Any) -> None:
        """Add an item, or QueueFull."""
        if self.full():
            raise QueueFull
        self._insert(item)
        self._unfinished += 1
        self._finished.clear()
        _wake(self._getters)

    async def get(self) -> Any:
        """Take an item, waiting for one."""
        while self.empty():
            await _join(self._getters)
        return self.get_nowait()

    def get_nowait(self) -> Any:
        """Take an item, or QueueEmpty."""
        if self.empty():
            raise QueueEmpty
        item = self._take()
        _wake(self._putters)
        return item

    def task_done(self) -> None:
        """Count a taken item as done."""
        if self._unfinished <= 0:
            raise ValueError("task_done() called too many times")
        self._unfinished -= 1
        if not self._unfinished:
            self._finished.set()

    async def join(self) -> None:
        """Wait until all is done."""
        await self._finished.wait()


class LifoQueue(Queue):
    """Last in, first out."""

    def _container(self) -> Any:
        return []

    def _take(self) -> Any:
        return self._items.pop()


class PriorityQueue(Queue):
    """Smallest first."""

    def _container(self) -> Any:
        return []

    def _insert(self, item: Any) -> None:
        heapq.heappush(self._items, item)

    def _take(self) -> Any:
        return heapq.heappop(self._items)
