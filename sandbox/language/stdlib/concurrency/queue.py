"""`queue` in one thread: what would wait for another thread is denied."""

import heapq
from collections import deque
from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.stdlib.concurrency.threading import deadlock, public


class Empty(Exception):
    """Nothing in the queue."""


class Full(Exception):
    """No room in the queue."""


class Queue:
    """First in, first out."""

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self.queue: Any = self.empty_container()

    def empty_container(self) -> Any:
        """Make the container that holds the items."""
        return deque()

    def insert(self, item: Any) -> None:
        """Add without looking."""
        self.queue.append(item)

    def remove(self) -> Any:
        """Take without looking."""
        return self.queue.popleft()

    def qsize(self) -> int:
        """Return the number of items."""
        return len(self.queue)

    def empty(self) -> bool:
        """True if there is nothing."""
        return not self.queue

    def full(self) -> bool:
        """True if there is no room."""
        return 0 < self.maxsize <= len(self.queue)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add an item."""
        if self.full():
            if block and timeout is None:
                raise deadlock("putting into a full queue")
            raise Full
        self.insert(item)
        self.unfinished_tasks += 1

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take an item."""
        if not self.queue:
            if block and timeout is None:
                raise deadlock("getting from an empty queue")
            raise Empty
        return self.remove()

    def put_nowait(self, item: Any) -> None:
        """Add an item, or Full."""
        self.put(item, block=False)

    def get_nowait(self) -> Any:
        """Take an item, or Empty."""
        return self.get(block=False)

    def task_done(self) -> None:
        """Count a taken item as done."""
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self) -> None:
        """Return if all is done."""
        if self.unfinished_tasks:
            raise deadlock("joining a queue with unfinished tasks")


class LifoQueue(Queue):
    """Last in, first out."""

    def empty_container(self) -> Any:
        """Make the container that holds the items."""
        return []

    def remove(self) -> Any:
        """Take without looking."""
        return self.queue.pop()


class PriorityQueue(Queue):
    """Smallest first."""

    def empty_container(self) -> Any:
        """Make the container that holds the items."""
        return []

    def insert(self, item: Any) -> None:
        """Add without looking."""
        heapq.heappush(self.queue, item)

    def remove(self) -> Any:
        """Take without looking."""
        return heapq.heappop(self.queue)


def queue(context: Context) -> dict[str, Any]:
    """By name."""
    names = (Empty, Full, Queue, LifoQueue, PriorityQueue)
    return {cls.__name__: public(cls, "queue") for cls in names} | {"SimpleQueue": Queue}
