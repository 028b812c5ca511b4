"""The functions of `asyncio` that wait for futures: for one, for several, for a time."""

import sys
from collections.abc import Callable
from typing import Any

from sandbox.language.stdlib.concurrency.asyncio.events import get_event_loop
from sandbox.language.stdlib.concurrency.asyncio.future import (
    CancelledError,
    Future,
    isfuture,
    running_loop,
)
from sandbox.language.stdlib.concurrency.asyncio.tasks import ensure_future, iscoroutine
from sandbox.language.stdlib.concurrency.asyncio.timeout import timeout as _timeout

FIRST_COMPLETED = "FIRST_COMPLETED"
FIRST_EXCEPTION = "FIRST_EXCEPTION"
ALL_COMPLETED = "ALL_COMPLETED"
# From 3.12 on `gather` looks itself at what is done already, and the task that waits in `wait_for`
# runs the coroutine itself.
_AT_ONCE = _IN_PLACE = sys.version_info >= (3, 12)
_WHENS = (FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED)


class Gathered(Future):
    """The future of `gather`: to cancel it cancels what it waits for, and it ends when they do."""

    def __init__(self, children: list[Any], *, loop: Any) -> None:
        super().__init__(loop=loop)
        self._children = children
        self._cancel_requested = False

    def cancel(self, msg: Any = None) -> bool:
        """Cancel all that is not done."""
        if self.done():
            return False
        reached = [child.cancel(msg=msg) for child in self._children]
        self._cancel_requested = self._cancel_requested or any(reached)
        return any(reached)


Gathered.__name__ = Gathered.__qualname__ = "_GatheringFuture"


def gather(*awaitables: Any, return_exceptions: bool = False) -> Any:
    """The results of all, in order."""
    if not awaitables:
        empty = get_event_loop().create_future()
        empty.set_result([])
        return empty
    left = 0
    outer: Any = None

    def finished(future: Any) -> None:
        nonlocal left
        left -= 1
        if outer.done():
            if not future.cancelled():
                future.exception()  # it was seen
        elif not return_exceptions and (error := _failure(future)) is not None:
            outer.set_exception(error)
        elif left == 0:
            if outer._cancel_requested:
                outer.set_exception(future._make_cancelled_error())
            else:
                outer.set_result([_outcome(child) for child in children])

    futures: dict[Any, Any] = {}  # each once
    loop = None
    for item in awaitables:
        if item not in futures:
            left += 1
            future = futures[item] = ensure_future(item, loop=loop)
            loop = future.get_loop()
            if not (_AT_ONCE and future.done()):
                future.add_done_callback(finished)
    children = [futures[item] for item in awaitables]
    outer = Gathered(children, loop=loop)
    for future in [future for future in futures.values() if _AT_ONCE and future.done()]:
        finished(future)
    return outer


def _failure(future: Any) -> Any:
    return future._make_cancelled_error() if future.cancelled() else future.exception()


def _outcome(future: Any) -> Any:
    if future.cancelled():
        return CancelledError("" if future._message is None else future._message)
    error = future.exception()
    return future.result() if error is None else error


async def wait(
    fs: Any, *, timeout: float | None = None, return_when: str = ALL_COMPLETED
) -> tuple[set[Any], set[Any]]:
    """Wait for one, for the first exception or for all: the done and the others."""
    if isfuture(fs) or iscoroutine(fs):
        raise TypeError(f"expect a list of futures, not {type(fs).__name__}")
    if not fs:
        raise ValueError("Set of Tasks/Futures is empty.")
    if return_when not in _WHENS:
        raise ValueError(f"Invalid return_when value: {return_when}")
    futures = dict.fromkeys(fs)
    if any(iscoroutine(item) for item in futures):
        raise TypeError("Passing coroutines is forbidden, use tasks explicitly.")
    loop = running_loop()
    waiter = loop.create_future()
    handle = None if timeout is None else loop.call_later(timeout, _release, waiter)
    left = len(futures)

    def completed(future: Any) -> None:
        nonlocal left
        left -= 1
        failed = return_when == FIRST_EXCEPTION and not future.cancelled() and future.exception()
        if left <= 0 or return_when == FIRST_COMPLETED or failed:
            if handle is not None:
                handle.cancel()
            _release(waiter)

    for future in futures:
        future.add_done_callback(completed)
    try:
        await waiter
    finally:
        if handle is not None:
            handle.cancel()
        for future in futures:
            future.remove_done_callback(completed)
    done = {future for future in futures if future.done()}
    return done, {future for future in futures if future not in done}


def _release(waiter: Any, *_: Any) -> None:
    if not waiter.done():
        waiter.set_result(None)


async def _cancel_and_wait(future: Any) -> None:
    waiter = running_loop().create_future()

    def release(_: Any) -> None:
        _release(waiter)

    future.add_done_callback(release)
    try:
        future.cancel()
        await waiter
    finally:
        future.remove_done_callback(release)


async def _cancelled_in_time(future: Any) -> Any:
    await _cancel_and_wait(future)
    try:
        return future.result()
    except CancelledError as error:
        raise TimeoutError from error


async def _wait_for_here(fut: Any, timeout: float | None) -> Any:
    """The result, or TimeoutError after `timeout` seconds."""
    if timeout is not None and timeout <= 0:
        future = ensure_future(fut)
        return future.result() if future.done() else await _cancelled_in_time(future)
    async with _timeout(timeout):
        return await fut


async def _wait_for_in_task(fut: Any, timeout: float | None) -> Any:
    """The result, or TimeoutError after `timeout` seconds; a coroutine becomes a task."""
    loop = running_loop()
    if timeout is None:
        return await fut
    if timeout <= 0:
        future = ensure_future(fut, loop=loop)
        return future.result() if future.done() else await _cancelled_in_time(future)
    waiter = loop.create_future()
    handle = loop.call_later(timeout, _release, waiter)

    def release(_: Any) -> None:
        _release(waiter)

    future = ensure_future(fut, loop=loop)
    future.add_done_callback(release)
    try:
        try:
            await waiter
        except CancelledError:
            if future.done():
                return future.result()
            future.remove_done_callback(release)
            await _cancel_and_wait(future)
            raise
        if future.done():
            return future.result()
        future.remove_done_callback(release)
        return await _cancelled_in_time(future)
    finally:
        handle.cancel()


wait_for: Callable[..., Any] = _wait_for_here if _IN_PLACE else _wait_for_in_task
wait_for.__name__ = wait_for.__qualname__ = "wait_for"


def shield(arg: Any) -> Any:
    """A future of the result; to cancel it does not cancel the awaitable."""
    inner = ensure_future(arg)
    if inner.done():
        return inner
    outer = inner.get_loop().create_future()

    def inner_done(future: Any) -> None:
        if outer.cancelled():
            if not future.cancelled():
                future.exception()  # it was seen
        elif future.cancelled():
            outer.cancel()
        elif (error := future.exception()) is not None:
            outer.set_exception(error)
        else:
            outer.set_result(future.result())

    def outer_done(_: Any) -> None:
        if not inner.done():
            inner.remove_done_callback(inner_done)

    inner.add_done_callback(inner_done)
    outer.add_done_callback(outer_done)
    return outer


async def to_thread(func: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Run it here, in the next round: there is one thread."""
    return await running_loop().run_in_executor(None, lambda: func(*args, **kwargs))
