"""The rest of `asyncio`: waiting for several at once, and what tasks share."""

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sandbox.language.stdlib import asyncio_shared as shared
from sandbox.language.stdlib.asyncio import Loop, Task, ensure_future, set_loop, sleep
from sandbox.language.stdlib.asyncio_future import CancelledError, Future, current, running_loop
from sandbox.language.stdlib.asyncio_timeout import timeout

FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED = (
    "FIRST_COMPLETED",
    "FIRST_EXCEPTION",
    "ALL_COMPLETED",
)
_COROUTINE_FUNCTION = 0x80  # CO_COROUTINE


def create_task(coro: Any, *, name: Any = None, context: Any = None) -> Task:
    """A task of the running loop."""
    return Task(coro, loop=running_loop(), name=name)


def current_task(loop: Any = None) -> Task | None:
    """The task that runs."""
    task: Task | None = running_loop().running
    return task


class _Gathered(Future):
    """What `gather` gives: to cancel it cancels what it waits for, and it ends when they do."""

    def __init__(self, futures: list[Future]) -> None:
        super().__init__(loop=set_loop())
        self._futures = futures
        self._asked = False

    def cancel(self, msg: Any = None) -> bool:
        """Cancel all that is not done."""
        if self.done():
            return False
        reached = [future.cancel(msg) for future in self._futures]
        self._asked = self._asked or any(reached)
        return any(reached)


def gather(*awaitables: Any, return_exceptions: bool = False) -> Future:
    """The results of all, in order."""
    futures = [ensure_future(item) for item in awaitables]
    outer = _Gathered(futures)

    def finished(future: Future) -> None:
        if outer.done():
            return
        error = future._error()
        if error is not None and not return_exceptions:
            outer.set_exception(error)
        elif all(item.done() for item in futures):
            if outer._asked:
                outer.set_exception(CancelledError())
            else:
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
    loop, wake = running_loop(), Future()

    def enough() -> bool:
        done = [item for item in futures if item.done()]
        if len(done) == len(futures) or (done and return_when == FIRST_COMPLETED):
            return True
        failed = [item for item in done if not item.cancelled() and item.exception()]
        return bool(failed) and return_when == FIRST_EXCEPTION

    def look(_: Any = None) -> None:
        if enough() and not wake.done():
            wake.set_result(None)

    def look_no_more() -> None:
        if not wake.done():
            wake.set_result(None)

    if not enough():
        for future in futures:
            future.add_done_callback(look)
        if timeout is not None:
            loop.call_later(timeout, look_no_more)
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
    current.loop = loop


def names() -> dict[str, Any]:
    """By name."""
    items = (
        *(shared.Event, shared.Semaphore, shared.BoundedSemaphore, shared.Lock, shared.Condition),
        *(shared.QueueEmpty, shared.QueueFull, shared.Queue, shared.LifoQueue),
        *(shared.PriorityQueue, TaskGroup, create_task, current_task, gather, wait, wait_for),
        *(as_completed, shield, timeout, to_thread, iscoroutine, iscoroutinefunction),
    )
    for item in items:
        item.__module__ = "asyncio"
    return {item.__name__: item for item in items} | {
        "ALL_COMPLETED": ALL_COMPLETED,
        "FIRST_COMPLETED": FIRST_COMPLETED,
        "FIRST_EXCEPTION": FIRST_EXCEPTION,
        "TimeoutError": TimeoutError,
        "get_event_loop": set_loop,
        "get_running_loop": running_loop,
        "new_event_loop": Loop,
        "set_event_loop": _set_event_loop,
    }
