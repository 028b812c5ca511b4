"""`asyncio` over a loop of our own: one thread, no descriptors, and time that sleeping moves on."""

import heapq
import itertools
import types
from collections import deque
from collections.abc import Callable, Generator
from typing import Any

from sandbox.language.clock import Clock
from sandbox.language.context import Context


class CancelledError(BaseException):
    """The task was cancelled."""


class InvalidStateError(Exception):
    """The future has no result yet, or has one already."""


class Future:
    """A result that will come."""

    def __init__(self, *, loop: Any = None) -> None:
        self._loop = loop if loop is not None else Loop.current()
        self._outcome: tuple[Any, BaseException | None] | None = None
        self._callbacks: list[Callable[[Any], Any]] = []

    def done(self) -> bool:
        """True once there is a result, an exception or a cancellation."""
        return self._outcome is not None

    def cancelled(self) -> bool:
        """True if it was cancelled."""
        return self.done() and isinstance(self._error(), CancelledError)

    def result(self) -> Any:
        """The result, or the exception raised."""
        error = self._error()
        if error is not None:
            raise error
        assert self._outcome is not None
        return self._outcome[0]

    def exception(self) -> BaseException | None:
        """The exception, or None."""
        error = self._error()
        if isinstance(error, CancelledError):
            raise error
        return error

    def _error(self) -> BaseException | None:
        if self._outcome is None:
            raise InvalidStateError("Result is not set.")
        return self._outcome[1]

    def set_result(self, result: Any) -> None:
        """Finish with a result."""
        self._finish(result, None)

    def set_exception(self, exception: Any) -> None:
        """Finish with an exception."""
        self._finish(None, exception() if isinstance(exception, type) else exception)

    def cancel(self, msg: Any = None) -> bool:
        """Finish with a cancellation."""
        if self.done():
            return False
        self._finish(None, CancelledError(*([] if msg is None else [msg])))
        return True

    def _finish(self, result: Any, error: BaseException | None) -> None:
        if self.done():
            raise InvalidStateError("invalid state")
        self._outcome = (result, error)
        for callback in self._callbacks:
            self._loop.call_soon(callback, self)
        self._callbacks.clear()

    def add_done_callback(self, callback: Callable[[Any], Any], *, context: Any = None) -> None:
        """Call `callback` with this future once it is done."""
        if self.done():
            self._loop.call_soon(callback, self)
        else:
            self._callbacks.append(callback)

    def remove_done_callback(self, callback: Callable[[Any], Any]) -> int:
        """Do not call `callback`; returns how often it was to be called."""
        before = len(self._callbacks)
        self._callbacks[:] = [item for item in self._callbacks if item is not callback]
        return before - len(self._callbacks)

    def __await__(self) -> Generator[Any, None, Any]:
        if not self.done():
            yield self
        return self.result()

    __iter__ = __await__


class Task(Future):
    """A coroutine that the loop drives."""

    count = itertools.count(1)

    def __init__(self, coro: Any, *, loop: Any = None, name: Any = None) -> None:
        super().__init__(loop=loop)
        self._coro = coro
        self._name = f"Task-{next(Task.count)}" if name is None else str(name)
        self._waits_for: Future | None = None
        self._cancelling: list[CancelledError] = []
        self._loop.tasks.append(self)
        self._loop.call_soon(self._step)

    def get_name(self) -> str:
        """The name."""
        return self._name

    def set_name(self, value: object) -> None:
        """Change the name."""
        self._name = str(value)

    def cancel(self, msg: Any = None) -> bool:
        """Raise CancelledError in the coroutine."""
        if self.done():
            return False
        self._cancelling.append(CancelledError(*([] if msg is None else [msg])))
        if self._waits_for is not None and self._waits_for.cancel():
            self._cancelling.clear()
        return True

    def uncancel(self) -> int:
        """Forget a cancellation that was asked for."""
        if self._cancelling:
            self._cancelling.pop()
        return len(self._cancelling)

    def cancelling(self) -> int:
        """How often a cancellation was asked for and not yet delivered."""
        return len(self._cancelling)

    def _wake(self, future: Future) -> None:
        self._step(future._error())

    def _step(self, error: BaseException | None = None) -> None:
        if self.done():
            return
        if self._cancelling:
            error = self._cancelling.pop()
        self._waits_for, before = None, self._loop.running
        self._loop.running = self
        try:
            waited = self._coro.send(None) if error is None else self._coro.throw(error)
        except StopIteration as stop:
            self._finish(stop.value, None)
        except CancelledError as cancelled:
            self._finish(None, cancelled)
        except Exception as raised:
            self._finish(None, raised)
        else:
            self._wait_for(waited)
        finally:
            self._loop.running = before

    def _wait_for(self, waited: Any) -> None:
        if waited is None:
            self._loop.call_soon(self._step)
        elif isinstance(waited, Future):
            self._waits_for = waited
            waited.add_done_callback(self._wake)
            if self._cancelling and waited.cancel():
                self._cancelling.clear()
        else:
            self._loop.call_soon(self._step, RuntimeError(f"Task got bad yield: {waited!r}"))


class Loop:
    """Runs what is ready; when nothing is, moves the clock on to what is due next."""

    clock = Clock()
    loop: Any = None  # the one that is set, running or not

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.running: Task | None = None
        self._ready: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()
        self._timers: list[tuple[float, int, Callable[..., Any], tuple[Any, ...]]] = []
        self._order = itertools.count()
        self._closed = False
        self._active = False

    @classmethod
    def current(cls) -> "Loop":
        """The loop that runs."""
        if cls.loop is None or not cls.loop._active:
            raise RuntimeError("no running event loop")
        found: Loop = cls.loop
        return found

    @classmethod
    def get(cls) -> "Loop":
        """The loop that is set, or a new one."""
        if cls.loop is None:
            cls.loop = cls()
        found: Loop = cls.loop
        return found

    def time(self) -> float:
        """Seconds on the clock that sleeping moves on."""
        return self.clock.monotonic()

    def call_soon(self, callback: Callable[..., Any], *args: Any) -> None:
        """Call in the next round."""
        self._ready.append((callback, args))

    def call_later(self, delay: float, callback: Callable[..., Any], *args: Any) -> None:
        """Call when `delay` seconds have passed."""
        self.call_at(self.time() + delay, callback, *args)

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any) -> None:
        """Call at `when`."""
        heapq.heappush(self._timers, (when, next(self._order), callback, args))

    def create_future(self) -> Future:
        """A future of this loop."""
        return Future(loop=self)

    def create_task(self, coro: Any, *, name: Any = None) -> Task:
        """A task of this loop."""
        return Task(coro, loop=self, name=name)

    def run_until_complete(self, awaitable: Any) -> Any:
        """Run until `awaitable` has its result."""
        if Loop.loop is not None and Loop.loop._active:
            raise RuntimeError("This event loop is already running")
        before, Loop.loop = Loop.loop, self
        self._active = True
        try:
            main = ensure_future(awaitable)
            while not main.done():
                self._round()
            return main.result()
        finally:
            self._active = False
            Loop.loop = before

    def _round(self) -> None:
        if not self._ready:
            if not self._timers:
                raise RuntimeError("the program waits for what can never happen")
            self.clock.advance_to(self._timers[0][0])
        now = self.time()
        while self._timers and self._timers[0][0] <= now:
            _, _, callback, args = heapq.heappop(self._timers)
            self._ready.append((callback, args))
        for _ in range(len(self._ready)):
            callback, args = self._ready.popleft()
            callback(*args)

    def is_running(self) -> bool:
        """True while it runs."""
        return self._active

    def is_closed(self) -> bool:
        """True after `close()`."""
        return self._closed

    def close(self) -> None:
        """No more use."""
        self._closed = True


def ensure_future(awaitable: Any, *, loop: Any = None) -> Future:
    """`awaitable` as a future."""
    if isinstance(awaitable, Future):
        return awaitable
    if not isinstance(awaitable, (types.CoroutineType, types.GeneratorType)):
        if not hasattr(type(awaitable), "__await__"):
            raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")
        awaitable = _drive(awaitable)
    return Task(awaitable, loop=loop or Loop.get())


async def _drive(awaitable: Any) -> Any:
    return await awaitable


def run(main: Any, *, debug: Any = None, loop_factory: Any = None) -> Any:
    """Run a coroutine on a new loop, then cancel what it left behind."""
    if not isinstance(main, types.CoroutineType):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    loop = Loop()
    try:
        return loop.run_until_complete(main)
    finally:
        left = [task for task in loop.tasks if not task.done()]
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(_settle(left))
        loop.close()


async def _settle(tasks: list[Task]) -> None:
    for task in tasks:
        while not task.done():
            await _pause()


@types.coroutine
def _pause() -> Generator[Any, None, None]:
    yield


async def sleep(delay: float, result: Any = None) -> Any:
    """Let others run until `delay` seconds of the loop's clock have passed."""
    if delay <= 0:
        await _pause()
        return result
    loop = Loop.current()
    future = loop.create_future()
    loop.call_later(delay, lambda: future.done() or future.set_result(None))
    await future
    return result


def asyncio(context: Context) -> dict[str, Any]:
    """By name."""
    from sandbox.language import lib_asyncio_tools as tools

    Loop.clock = context.session.clock
    own = (CancelledError, InvalidStateError, Future, Task, ensure_future, run, sleep)
    for cls in (CancelledError, InvalidStateError, Future, Task, Loop):
        cls.__module__ = "asyncio"
    return {item.__name__: item for item in own} | tools.names()
