"""The queues of `asyncio`; heirs may have an `_init`, `_get` and `_put` of their own."""

import heapq
import sys
import types
from collections import deque
from typing import Any

from sandbox.language.stdlib.concurrency.asyncio.future import Future
from sandbox.language.stdlib.concurrency.asyncio.locks import Event, LoopBound


class QueueEmpty(Exception):
    """Nothing in the queue."""


class QueueFull(Exception):
    """No room in the queue."""


class QueueShutDown(Exception):
    """The queue was shut down."""


class Queue(LoopBound):
    """First in, first out."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, maxsize: int = 0) -> None:
        self._maxsize = maxsize
        self._getters: deque[Future] = deque()
        self._putters: deque[Future] = deque()
        self._unfinished_tasks = 0
        self._finished = Event()
        self._finished.set()
        self._is_shutdown = False
        self._init(maxsize)

    def _init(self, maxsize: int) -> None:
        self._queue: Any = deque()

    def _get(self) -> Any:
        return self._queue.popleft()

    def _put(self, item: Any) -> None:
        self._queue.append(item)

    def __repr__(self) -> str:
        address = object.__repr__(self).rpartition(" at ")[2][:-1]
        return f"<{type(self).__name__} at {address} {self._format()}>"

    def __str__(self) -> str:
        return f"<{type(self).__name__} {self._format()}>"

    def _format(self) -> str:
        told = f"maxsize={self._maxsize!r}"
        if self._queue:
            told += f" _queue={list(self._queue)!r}"
        if self._getters:
            told += f" _getters[{len(self._getters)}]"
        if self._putters:
            told += f" _putters[{len(self._putters)}]"
        if self._unfinished_tasks:
            told += f" tasks={self._unfinished_tasks}"
        return f"{told} shutdown" if self._is_shutdown else told

    @property
    def maxsize(self) -> int:
        """Return the number of items that there is room for; zero for any number."""
        return self._maxsize

    def qsize(self) -> int:
        """Return the number of items."""
        return len(self._queue)

    def empty(self) -> bool:
        """True if there is nothing."""
        return not self._queue

    def full(self) -> bool:
        """True if there is no room."""
        return self._maxsize > 0 and self.qsize() >= self._maxsize

    async def put(self, item: Any) -> None:
        """Add an item, waiting for room."""
        while self.full():
            if self._is_shutdown:
                raise QueueShutDown
            await self._join(self._putters, self.full)
        self.put_nowait(item)

    def put_nowait(self, item: Any) -> None:
        """Add an item, or QueueFull."""
        if self._is_shutdown:
            raise QueueShutDown
        if self.full():
            raise QueueFull
        self._put(item)
        self._unfinished_tasks += 1
        self._finished.clear()
        _wake_next(self._getters)

    async def get(self) -> Any:
        """Take an item, waiting for one."""
        while self.empty():
            if self._is_shutdown and self.empty():
                raise QueueShutDown
            await self._join(self._getters, self.empty)
        return self.get_nowait()

    def get_nowait(self) -> Any:
        """Take an item, or QueueEmpty."""
        if self.empty():
            raise QueueShutDown if self._is_shutdown else QueueEmpty
        item = self._get()
        _wake_next(self._putters)
        return item

    async def _join(self, waiters: deque[Any], in_vain: Any) -> None:
        """Wait to be woken. A task that is woken and cannot take its turn wakes the next."""
        future = self._get_loop().create_future()
        waiters.append(future)
        try:
            await future
        except BaseException:
            future.cancel()
            if future in waiters:
                waiters.remove(future)
            if not in_vain() and not future.cancelled():
                _wake_next(waiters)
            raise

    def task_done(self) -> None:
        """Count a taken item as done. Raises ValueError if there is none."""
        if self._unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self._unfinished_tasks -= 1
        if self._unfinished_tasks == 0:
            self._finished.set()

    async def join(self) -> None:
        """Wait until all is done."""
        if self._unfinished_tasks > 0:
            await self._finished.wait()

    if sys.version_info >= (3, 13):

        def shutdown(self, immediate: bool = False) -> None:
            """Take no more items, and give no more once it is empty, or at once."""
            self._is_shutdown = True
            if immediate:
                while not self.empty():
                    self._get()
                    if self._unfinished_tasks > 0:
                        self._unfinished_tasks -= 1
                if self._unfinished_tasks == 0:
                    self._finished.set()
            for waiters in (self._getters, self._putters):
                while waiters:
                    _wake_next(waiters)


def _wake_next(waiters: deque[Any]) -> None:
    """Wake the first task that still waits."""
    while waiters:
        future = waiters.popleft()
        if not future.done():
            future.set_result(None)
            return


class LifoQueue(Queue):
    """Last in, first out."""

    def _init(self, maxsize: int) -> None:
        self._queue = []

    def _get(self) -> Any:
        return self._queue.pop()


class PriorityQueue(Queue):
    """Smallest first."""

    def _init(self, maxsize: int) -> None:
        self._queue = []

    def _put(self, item: Any) -> None:
        heapq.heappush(self._queue, item)

    def _get(self) -> Any:
        return heapq.heappop(self._queue)
