"""`asyncio.as_completed`."""

import sys
from collections.abc import Iterator
from typing import Any

from sandbox.language.guards.classes.class_origin import has_method
from sandbox.language.stdlib.concurrency.asyncio.events import get_event_loop
from sandbox.language.stdlib.concurrency.asyncio.future import isfuture
from sandbox.language.stdlib.concurrency.asyncio.queues import Queue
from sandbox.language.stdlib.concurrency.asyncio.tasks import ensure_future, iscoroutine


class Completion:
    """Gives awaitables in the order in which they come to their end.

    By `async for` the futures themselves, else coroutines of their results.
    """

    def __init__(self, awaitables: Any, timeout: float | None) -> None:
        self._done = Queue()
        self._handle: Any = None
        loop = get_event_loop()
        items = dict.fromkeys(awaitables)
        self._todo = dict.fromkeys(ensure_future(item, loop=loop) for item in items)
        self._left = len(self._todo)
        for future in self._todo:
            future.add_done_callback(self._completed)
        if self._todo and timeout is not None:
            self._handle = loop.call_later(timeout, self._expire)

    def __iter__(self) -> "Completion":
        return self

    def __next__(self) -> Any:
        if not self._left:
            raise StopIteration
        self._left -= 1
        return self._result()

    def __aiter__(self) -> "Completion":
        return self

    async def __anext__(self) -> Any:
        if not self._left:
            raise StopAsyncIteration
        self._left -= 1
        return await self._next()

    def _expire(self) -> None:
        for future in self._todo:
            future.remove_done_callback(self._completed)
            self._done.put_nowait(None)
        self._todo.clear()

    def _completed(self, future: Any) -> None:
        if self._todo:
            del self._todo[future]
            self._done.put_nowait(future)
            if not self._todo and self._handle is not None:
                self._handle.cancel()

    async def _next(self) -> Any:
        future = await self._done.get()
        if future is None:
            raise TimeoutError
        return future

    async def _result(self) -> Any:
        return (await self._next()).result()


Completion.__name__ = Completion.__qualname__ = "_AsCompletedIterator"


def _as_completed_either(fs: Any, *, timeout: float | None = None) -> Completion:
    """Awaitables in the order in which they come to their end, by `for` or by `async for`."""
    if has_method(type(fs), "__await__"):
        raise TypeError(f"expects an iterable of awaitables, not {type(fs).__name__}")
    return Completion(fs, timeout)


def _as_completed(fs: Any, *, timeout: float | None = None) -> Iterator[Any]:
    """Coroutines of the results, in the order in which they come."""
    if isfuture(fs) or iscoroutine(fs):
        raise TypeError(f"expect an iterable of futures, not {type(fs).__name__}")
    yield from Completion(fs, timeout)


as_completed: Any = _as_completed_either if sys.version_info >= (3, 13) else _as_completed
as_completed.__name__ = as_completed.__qualname__ = "as_completed"
