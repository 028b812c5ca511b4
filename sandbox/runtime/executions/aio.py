"""Executions under asyncio: descriptors watched by the loop, no thread per job."""

import asyncio
import select
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import Any, TypeVar

from sandbox.errors import SandboxError
from sandbox.result import Result
from sandbox.runtime.caller.progress import progress_bar
from sandbox.runtime.executions.execution import Execution
from sandbox.runtime.executions.starvation import STEP_SECONDS
from sandbox.runtime.executions.waiting import LATE_SECONDS

T = TypeVar("T")


async def drive(execution: Execution) -> None:
    """Wait until `execution` is done. Cancelling this leaves it to be closed by the caller."""
    driver = _Driver(execution, asyncio.get_running_loop())
    try:
        await driver.finished
    finally:
        driver.release()


async def in_thread_if(slow: bool, function: Callable[..., T], *args: Any) -> T:
    """Call `function(*args)`, in a thread if it will block."""
    return await asyncio.to_thread(function, *args) if slow else function(*args)


async def in_order(
    run: Callable[[T], Awaitable[Result]], items: Iterable[T], ahead: int, progress: bool
) -> AsyncGenerator[Result | SandboxError, None]:
    """Yield the results of `items` in order, at most `ahead` of them begun and not taken.

    A fault takes the place of its result. What `items` raises is raised at its place.
    """
    bar = progress_bar(unit="run", shown=progress)
    waiting: deque[asyncio.Task[Result]] = deque()
    source = iter(items)
    broken: Exception | None = None
    try:
        while True:
            while broken is None and len(waiting) < ahead:
                try:
                    waiting.append(asyncio.ensure_future(run(next(source))))
                except StopIteration:
                    break
                except Exception as error:
                    broken = error
            if not waiting:
                break
            outcome: Result | SandboxError
            try:
                outcome = await waiting.popleft()
            except SandboxError as error:
                outcome = error
            bar.update()
            yield outcome
        if broken is not None:
            raise broken
    finally:
        bar.close()
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


class _Driver:
    """Keeps the loop's watches in step with what an execution waits for."""

    def __init__(self, execution: Execution, loop: asyncio.AbstractEventLoop) -> None:
        self.finished: asyncio.Future[None] = loop.create_future()
        self._execution, self._loop = execution, loop
        self._watched: set[tuple[int, int]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._due = time.monotonic()
        self._step()

    def release(self) -> None:
        """Stop watching; must come before the descriptors are closed or their numbers reused."""
        for watch in self._watched:
            self._unwatch(watch)
        self._watched = set()
        if self._timer is not None:
            self._timer.cancel()

    def _step(self) -> None:
        wanted = set() if self._execution.done else set(self._execution.interest())
        for watch in self._watched - wanted:
            self._unwatch(watch)
        for watch in wanted - self._watched:
            self._watch(watch)
        self._watched = wanted
        if self._execution.done:
            if not self.finished.done():
                self.finished.set_result(None)
        else:
            now = time.monotonic()
            due = min(self._execution.deadline, now + STEP_SECONDS)
            if self._due <= now or due < self._due:
                self._set_timer(now, due)

    def _set_timer(self, now: float, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._due = due
        self._timer = self._loop.call_later(max(due - now, 0), self._on_timer)

    def _on_timer(self) -> None:
        self._excuse_if_late()
        now = time.monotonic()
        if self._execution.deadline <= now:
            self._guarded(self._execution.on_deadline)
        else:
            self._execution.look(now)
            self._step()

    def _on_event(self, descriptor: int) -> None:
        self._excuse_if_late()
        self._guarded(lambda: self._execution.on_event(descriptor))

    def _excuse_if_late(self) -> None:
        """Excuse the guest if the timer is late, as the loop was busy or this process stood still.

        There is always a timer. No guest can bring that about: see
        `sandbox.runtime.executions.waiting`.
        """
        now = time.monotonic()
        if now - self._due > LATE_SECONDS:
            self._execution.excuse(now - self._due)
            self._due = now

    def _guarded(self, act: Callable[[], None]) -> None:
        before = self._watched
        self._unwatch_all_if_done(act, before)
        self._step()

    def _unwatch_all_if_done(self, act: Callable[[], None], before: set[tuple[int, int]]) -> None:
        # Acting may close descriptors; the loop must forget them first, so it forgets all, and
        # `_step` watches again what is still open.
        for watch in before:
            self._unwatch(watch)
        self._watched = set()
        act()

    def _watch(self, watch: tuple[int, int]) -> None:
        descriptor, events = watch
        add = self._loop.add_reader if events == select.POLLIN else self._loop.add_writer
        add(descriptor, self._on_event, descriptor)

    def _unwatch(self, watch: tuple[int, int]) -> None:
        descriptor, events = watch
        remove = self._loop.remove_reader if events == select.POLLIN else self._loop.remove_writer
        remove(descriptor)
