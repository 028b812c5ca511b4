"""`asyncio` over a loop of our own: one thread, no descriptors, and time that sleeping moves on."""

import heapq
import itertools
import types
from collections import deque
from collections.abc import Callable, Generator
from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.stdlib.asyncio_future import (
    CancelledError,
    Future,
    InvalidStateError,
    current,
    running_loop,
)


class Task(Future):
    """A coroutine that the loop drives."""

    def __init__(self, coro: Any, *, loop: Any = None, name: Any = None) -> None:
        super().__init__(loop=loop)
        self._coro = coro
        self._name = f"Task-{next(current.numbers)}" if name is None else str(name)
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

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.running: Task | None = None
        self._ready: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()
        self._timers: list[tuple[float, int, Callable[..., Any], tuple[Any, ...]]] = []
        self._order = itertools.count()
        self._closed = False
        self._active = False

    def time(self) -> float:
        """Seconds on the clock that sleeping moves on."""
        return current.clock.monotonic()

    def call_soon(self, callback: Callable[..., Any], *args: Any) -> None:
        """Call in the next round."""
        self._ready.append((callback, args))

    def call_later(self, delay: float, callback: Callable[..., Any], *args: Any) -> None:
        """Call when `delay` seconds have passed."""
        self.call_at(self.time() + delay, callback, *args)

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any) -> None:
        """Call at `when`."""
        heapq.heappush(self._timers, (when, next(self._order), callback, args))

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Future:
        """Run it here, in the next round: there is one thread."""
        future = self.create_future()

        def call() -> None:
            try:
                result = func(*args) if executor is None else executor.submit(func, *args).result()
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        self.call_soon(call)
        return future

    def create_future(self) -> Future:
        """A future of this loop."""
        return Future(loop=self)

    def create_task(self, coro: Any, *, name: Any = None) -> Task:
        """A task of this loop."""
        return Task(coro, loop=self, name=name)

    def run_until_complete(self, awaitable: Any) -> Any:
        """Run until `awaitable` has its result."""
        if current.loop is not None and current.loop.is_running():
            raise RuntimeError("This event loop is already running")
        before, current.loop = current.loop, self
        self._active = True
        try:
            main = ensure_future(awaitable)
            while not main.done():
                self._round()
            return main.result()
        finally:
            self._active = False
            current.loop = before

    def _round(self) -> None:
        if not self._ready:
            if not self._timers:
                raise RuntimeError("the program waits for what can never happen")
            current.clock.advance_to(self._timers[0][0])
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


def set_loop() -> Any:
    """The loop that is set, or a new one."""
    if current.loop is None:
        current.loop = Loop()
    return current.loop


def ensure_future(awaitable: Any, *, loop: Any = None) -> Future:
    """`awaitable` as a future."""
    if isinstance(awaitable, Future):
        return awaitable
    if not isinstance(awaitable, (types.CoroutineType, types.GeneratorType)):
        if not hasattr(type(awaitable), "__await__"):
            raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")
        awaitable = _drive(awaitable)
    return Task(awaitable, loop=loop or set_loop())


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


def _finish_late(future: Future) -> None:
    if not future.done():
        future.set_result(None)


async def sleep(delay: float, result: Any = None) -> Any:
    """Let others run until `delay` seconds of the loop's clock have passed."""
    if delay <= 0:
        await _pause()
        return result
    loop = running_loop()
    future = loop.create_future()
    loop.call_later(delay, _finish_late, future)
    await future
    return result


def _reset() -> None:
    current.loop, current.numbers = None, itertools.count(1)


def asyncio(context: Context) -> dict[str, Any]:
    """By name."""
    from sandbox.language.stdlib import asyncio_tools as tools

    current.clock = context.session.clock
    context.session.resets.append(_reset)
    own = (CancelledError, InvalidStateError, Future, Task, ensure_future, run, sleep)
    for cls in (CancelledError, InvalidStateError, Future, Task, Loop):
        cls.__module__ = "asyncio"
    return {item.__name__: item for item in own} | tools.names()
