"""The rest of `asyncio`: waiting for several at once, and what tasks share."""

import heapq
import types
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from sandbox.language.lib_asyncio import CancelledError, Future, Loop, Task, ensure_future, sleep

FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED = (
    "FIRST_COMPLETED",
    "FIRST_EXCEPTION",
    "ALL_COMPLETED",
)
_COROUTINE_FUNCTION = 0x80  # CO_COROUTINE


def create_task(coro: Any, *, name: Any = None, context: Any = None) -> Task:
    """A task of the running loop."""
    return Loop.current().create_task(coro, name=name)


def current_task(loop: Any = None) -> Task | None:
    """The task that runs."""
    return Loop.current().running


def gather(*awaitables: Any, return_exceptions: bool = False) -> Future:
    """The results of all, in order."""
    loop = Loop.get()
    futures = [ensure_future(item) for item in awaitables]
    outer = Future(loop=loop)

    def finished(future: Future) -> None:
        if outer.done():
            return
        error = future._error()
        if error is not None and not return_exceptions:
            outer.set_exception(error)
        elif all(item.done() for item in futures):
            outer.set_result([_outcome(item) for item in futures])

    for future in futures:
        future.add_done_callback(finished)
    if not futures:
        outer.set_result([])
    return outer


def _outcome(future: Future) -> Any:
    error = future._error()
    return future.result() if error is None else error


async def wait(
    items: Iterable[Any], *, timeout: float | None = None, return_when: str = ALL_COMPLETED
) -> tuple[set[Future], set[Future]]:
    """Wait for one, for the first exception or for all: the done and the others."""
    futures = [ensure_future(item) for item in items]
    if not futures:
        raise ValueError("Set of Tasks/Futures is empty.")
    loop, wake = Loop.current(), Future()

    def enough() -> bool:
        done = [item for item in futures if item.done()]
        if len(done) == len(futures) or (done and return_when == FIRST_COMPLETED):
            return True
        failed = [item for item in done if not item.cancelled() and item.exception()]
        return bool(failed) and return_when == FIRST_EXCEPTION

    def look(_: Any = None) -> None:
        if enough() and not wake.done():
            wake.set_result(None)

    if not enough():
        for future in futures:
            future.add_done_callback(look)
        if timeout is not None:
            loop.call_later(timeout, lambda: wake.done() or wake.set_result(None))
        await wake
    return {item for item in futures if item.done()}, {i for i in futures if not i.done()}


async def wait_for(awaitable: Any, timeout: float | None) -> Any:
    """The result, or TimeoutError after `timeout` seconds."""
    future = ensure_future(awaitable)
    try:
        done, _ = await wait([future], timeout=timeout)
    except CancelledError:
        future.cancel()
        raise
    if done:
        return future.result()
    future.cancel()
    await wait([future])
    if future.cancelled():
        raise TimeoutError
    return future.result()


def as_completed(items: Iterable[Any], *, timeout: float | None = None) -> Iterator[Any]:
    """Awaitables of the results, in the order in which they come."""
    pending = {ensure_future(item) for item in items}

    async def following() -> Any:
        nonlocal pending
        done, _ = await wait(pending, return_when=FIRST_COMPLETED)
        first = next(item for item in done)
        pending = pending - {first}
        return first.result()

    return (following() for _ in range(len(pending)))


async def shield(awaitable: Any) -> Any:
    """The result; a cancellation does not reach the awaitable."""
    inner = ensure_future(awaitable)
    await wait([inner])
    return inner.result()


@asynccontextmanager
async def timeout(delay: float | None) -> AsyncIterator[Any]:
    """Cancel the body and raise TimeoutError when `delay` seconds have passed."""
    task, expired = current_task(), []

    def expire() -> None:
        if not expired and task is not None and not task.done():
            expired.append(True)
            task.cancel()

    if delay is not None:
        Loop.current().call_later(delay, expire)
    try:
        yield None
    except CancelledError:
        if expired:
            raise TimeoutError from None
        raise
    finally:
        expired.append(False)


async def to_thread(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Run it here: there is one thread."""
    await sleep(0)
    return function(*args, **kwargs)


class TaskGroup:
    """Tasks that end together."""

    def __init__(self) -> None:
        self._tasks: list[Task] = []

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None) -> Task:
        """A task of this group."""
        task = create_task(coro, name=name)
        self._tasks.append(task)
        return task

    async def __aenter__(self) -> "TaskGroup":
        return self

    async def __aexit__(self, kind: Any, error: Any, _: Any) -> None:
        if error is not None:
            self._cancel()
        while pending := [task for task in self._tasks if not task.done()]:
            await wait(pending, return_when=FIRST_EXCEPTION)
            if self._failures():
                self._cancel()
        failures = self._failures()
        if isinstance(error, Exception):
            failures.insert(0, error)
        if failures:
            raise BaseExceptionGroup("unhandled errors in a TaskGroup", failures) from None

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _failures(self) -> list[Any]:
        done = [task for task in self._tasks if task.done() and not task.cancelled()]
        return [task.exception() for task in done if task.exception() is not None]


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


class Condition(Lock):
    """A lock to wait on."""

    def __init__(self, lock: Any = None) -> None:
        super().__init__()
        self._sleepers: deque[Future] = deque()

    async def wait(self) -> bool:
        """Release, wait for a notification, acquire again."""
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


def iscoroutine(o: object) -> bool:
    """True for a coroutine."""
    return isinstance(o, types.CoroutineType)


def iscoroutinefunction(o: Any) -> bool:
    """True for an `async def` function."""
    function = o.__func__ if isinstance(o, types.MethodType) else o
    return isinstance(function, types.FunctionType) and bool(
        function.__code__.co_flags & _COROUTINE_FUNCTION
    )


def _set_event_loop(loop: Any) -> None:
    Loop.loop = loop


def names() -> dict[str, Any]:
    """By name."""
    items = (
        *(Event, Semaphore, BoundedSemaphore, Lock, Condition, QueueEmpty, QueueFull, Queue),
        *(LifoQueue, PriorityQueue, TaskGroup, create_task, current_task, gather, wait, wait_for),
        *(as_completed, shield, timeout, to_thread, iscoroutine, iscoroutinefunction),
    )
    for item in items:
        item.__module__ = "asyncio"
    return {item.__name__: item for item in items} | {
        "ALL_COMPLETED": ALL_COMPLETED,
        "FIRST_COMPLETED": FIRST_COMPLETED,
        "FIRST_EXCEPTION": FIRST_EXCEPTION,
        "TimeoutError": TimeoutError,
        "get_event_loop": Loop.get,
        "get_running_loop": Loop.current,
        "new_event_loop": Loop,
        "set_event_loop": _set_event_loop,
    }
