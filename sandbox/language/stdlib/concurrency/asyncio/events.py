"""The loop of `asyncio`: one thread, no descriptors, and time that sleeping moves on."""

import heapq
import math
from collections import deque
from collections.abc import Callable
from typing import Any

from sandbox.language.stdlib.concurrency.asyncio.future import Future, current, is_limit, isfuture
from sandbox.language.stdlib.concurrency.asyncio.handles import Handle, TimerHandle
from sandbox.language.stdlib.concurrency.asyncio.tasks import Task, ensure_future

_TICKS = 1000  # a second; a wait is rounded up to them, as by the kernel's epoll
_RESOLUTION = 1e-9  # seconds, of the clock
_LONGEST = 24 * 3600.0  # seconds, of one wait
# As in CPython: so many timers, this part of them cancelled, and the heap is made anew.
_MANY_TIMERS, _CANCELLED_PART = 100, 0.5


class Loop:
    """Runs what is ready; when nothing is, moves the clock on to what is due next."""

    def __init__(self) -> None:
        self._ready: deque[Handle] = deque()
        self._timers: list[tuple[float, TimerHandle]] = []
        self._cancelled_timers = 0
        self._closed = False
        self._stopping = False
        self._debug = False
        self._handler: Any = None

    def __repr__(self) -> str:
        told = f"running={self.is_running()} closed={self._closed} debug={self._debug}"
        return f"<_UnixSelectorEventLoop {told}>"

    def time(self) -> float:
        """Seconds on the clock that sleeping moves on."""
        return current.clock.monotonic()

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Handle:
        """Call in the next round. Raises RuntimeError if the loop is closed."""
        self._check_open()
        handle = Handle(callback, args, self)
        self._ready.append(handle)
        return handle

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> Handle:
        """The same: there is one thread."""
        return self.call_soon(callback, *args)

    def call_later(self, delay: Any, callback: Any, *args: Any, context: Any = None) -> TimerHandle:
        """Call when `delay` seconds have passed."""
        if delay is None:
            raise TypeError("delay must not be None")
        return self.call_at(self.time() + delay, callback, *args)

    def call_at(self, when: Any, callback: Any, *args: Any, context: Any = None) -> TimerHandle:
        """Call at `when`. Raises RuntimeError if the loop is closed."""
        if when is None:
            raise TypeError("when cannot be None")
        self._check_open()
        moment = float(when)  # a program's own kind of number would answer for itself
        handle = TimerHandle(moment, callback, args, self)
        heapq.heappush(self._timers, (moment, handle))
        return handle

    def _timer_cancelled(self) -> None:
        self._cancelled_timers += 1

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Future:
        """Run it here, in the next round: there is one thread."""
        future = self.create_future()

        def call() -> None:
            if future.done():
                return
            try:
                result = func(*args) if executor is None else executor.submit(func, *args).result()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        self.call_soon(call)
        return future

    def create_future(self) -> Future:
        """A future of this loop."""
        return Future(loop=self)

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None) -> Any:
        """A task of this loop. Raises RuntimeError if it is closed."""
        self._check_open()
        return Task(coro, loop=self, name=name)

    def run_forever(self) -> None:
        """Run until `stop()`."""
        self._check_open()
        self._check_not_running()
        current.running = self
        try:
            while True:
                self._round()
                if self._stopping:
                    break
        finally:
            self._stopping = False
            current.running = None

    def run_until_complete(self, future: Any) -> Any:
        """Run until `future` has its result."""
        self._check_open()
        self._check_not_running()
        is_new = not isfuture(future)
        future = ensure_future(future, loop=self)
        future.add_done_callback(_stop_loop)
        try:
            self.run_forever()
        except BaseException:
            if is_new and future.done() and not future.cancelled():
                future.exception()  # it was seen
            raise
        finally:
            future.remove_done_callback(_stop_loop)
        if not future.done():
            raise RuntimeError("Event loop stopped before Future completed.")
        return future.result()

    def _round(self) -> None:
        """Call what is ready by now, not what that makes ready."""
        self._drop_cancelled()
        if not self._ready and not self._stopping:
            self._wait()
        if self._timers:
            end = self.time() + _RESOLUTION
            while self._timers and self._timers[0][0] < end:
                self._ready.append(heapq.heappop(self._timers)[1]._leave())
        for _ in range(len(self._ready)):
            handle = self._ready.popleft()
            if not handle._cancelled:
                handle._run()

    def _wait(self) -> None:
        """Move the clock on to the first timer, or less than a tick past it."""
        if not self._timers or self._timers[0][0] == math.inf:
            raise RuntimeError("the program waits for what can never happen")
        now = self.time()
        seconds = min(max(float(self._timers[0][0]) - now, 0.0), _LONGEST)
        current.clock.advance_to(now + math.ceil(seconds * _TICKS) / _TICKS)

    def _drop_cancelled(self) -> None:
        timers = self._timers
        if self._cancelled_timers > len(timers) * _CANCELLED_PART and len(timers) > _MANY_TIMERS:
            timers[:] = [timer for timer in timers if not timer[1]._cancelled]
            heapq.heapify(timers)
            self._cancelled_timers = 0
        while timers and timers[0][1]._cancelled:
            heapq.heappop(timers)
            self._cancelled_timers -= 1

    def stop(self) -> None:
        """End `run_forever` after this round."""
        self._stopping = True

    def is_running(self) -> bool:
        """True while it runs."""
        return current.running is self

    def is_closed(self) -> bool:
        """True after `close()`."""
        return self._closed

    def close(self) -> None:
        """No more use. Raises RuntimeError while it runs."""
        if self.is_running():
            raise RuntimeError("Cannot close a running event loop")
        self._closed = True
        self._ready.clear()
        self._timers.clear()

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Event loop is closed")

    def _check_not_running(self) -> None:
        if self.is_running():
            raise RuntimeError("This event loop is already running")
        if current.running is not None:
            raise RuntimeError("Cannot run the event loop while another loop is running")

    async def shutdown_asyncgens(self) -> None:
        """Generators are closed when they are let go of."""

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """There are no threads."""

    def get_debug(self) -> bool:
        """Return what the program set."""
        return self._debug

    def set_debug(self, enabled: object) -> None:
        """Has no effect."""
        self._debug = bool(enabled)

    def get_exception_handler(self) -> Any:
        """Return what the program set, or None."""
        return self._handler

    def set_exception_handler(self, handler: Any) -> None:
        """Call `handler` with this loop and a dict for each error that no task waits for."""
        if handler is not None and not callable(handler):
            raise TypeError(f"A callable object or None is expected, got {handler!r}")
        self._handler = handler

    def default_exception_handler(self, context: Any) -> None:
        """Would write to a log, on standard error."""

    def call_exception_handler(self, context: Any) -> None:
        """Tell the handler of an error; its own errors go nowhere."""
        try:
            if self._handler is None:
                self.default_exception_handler(context)
            else:
                self._handler(self, context)
        except BaseException as error:
            if is_limit(error):
                raise


def _stop_loop(future: Any) -> None:
    """End the loop, unless it is ended already by what the task raised through it."""
    if not future.cancelled():
        error = future.exception()
        if issubclass(type(error), (SystemExit, KeyboardInterrupt)):
            return
    future.get_loop().stop()


def get_event_loop() -> Any:
    """The loop that runs, or that is set, or a new one at the first time."""
    if current.running is not None:
        return current.running
    if current.loop is None and not current.was_set:
        set_event_loop(Loop())
    if current.loop is None:
        raise RuntimeError("There is no current event loop in thread 'MainThread'.")
    return current.loop


def set_event_loop(loop: Any) -> None:
    """Set the loop that `get_event_loop` gives while none runs."""
    current.loop, current.was_set = loop, True


current.find_loop = get_event_loop  # futures and tasks, which this module imports, ask it
