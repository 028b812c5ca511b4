"""`queue` and `concurrent.futures` in one thread: a task runs where it is submitted."""

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sandbox.language.guest.context import Context
from sandbox.language.stdlib.threading import deadlock, public


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
        """What holds the items."""
        return deque()

    def insert(self, item: Any) -> None:
        """Add without looking."""
        self.queue.append(item)

    def remove(self) -> Any:
        """Take without looking."""
        return self.queue.popleft()

    def qsize(self) -> int:
        """How many."""
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
        """What holds the items."""
        return []

    def remove(self) -> Any:
        """Take without looking."""
        return self.queue.pop()


class PriorityQueue(Queue):
    """Smallest first."""

    def empty_container(self) -> Any:
        """What holds the items."""
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


class Future:
    """What a task gave or raised."""

    def __init__(self, value: Any = None, error: BaseException | None = None) -> None:
        self.value, self.error = value, error

    def result(self, timeout: float | None = None) -> Any:
        """The value, or the exception raised again."""
        if self.error is not None:
            raise self.error
        return self.value

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The exception, or None."""
        return self.error

    def done(self) -> bool:
        """Always."""
        return True

    def running(self) -> bool:
        """Never: it has run."""
        return False

    def cancelled(self) -> bool:
        """Never."""
        return False

    def cancel(self) -> bool:
        """Too late."""
        return False

    def add_done_callback(self, function: Callable[["Future"], Any]) -> None:
        """Called at once."""
        function(self)


class ThreadPoolExecutor:
    """Runs each task when it is submitted."""

    def __init__(self, max_workers: int | None = None, *args: Any, **options: Any) -> None:
        self.max_workers = max_workers
        self._is_shut_down = False

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Run it. Raises RuntimeError after `shutdown`."""
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        try:
            return Future(function(*args, **kwargs))
        except Exception as error:
            return Future(error=error)

    def map(self, function: Callable[..., Any], *iterables: Any, **options: Any) -> Iterator[Any]:
        """Run all, in order."""
        futures = [self.submit(function, *args) for args in zip(*iterables, strict=False)]
        return (future.result() for future in futures)

    def shutdown(self, wait: bool = True, **options: Any) -> None:
        """Take no more tasks."""
        self._is_shut_down = True

    def __enter__(self) -> "ThreadPoolExecutor":
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()


class DoneAndNotDoneFutures(NamedTuple):
    """What `wait` gives."""

    done: set[Future]
    not_done: set[Future]


def wait(fs: Any, timeout: Any = None, return_when: Any = "ALL_COMPLETED") -> Any:
    """All are done."""
    return DoneAndNotDoneFutures(set(fs), set())


def futures(context: Context) -> dict[str, Any]:
    """By name."""
    return {
        "Future": Future,
        "ThreadPoolExecutor": ThreadPoolExecutor,
        "TimeoutError": TimeoutError,
        "as_completed": lambda futures, timeout=None: iter(list(futures)),
        "wait": wait,
    }
