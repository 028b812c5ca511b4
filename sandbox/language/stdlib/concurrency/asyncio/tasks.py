"""The tasks of `asyncio`."""

import math
import sys
import types
from collections.abc import Generator
from typing import Any

from sandbox.language.guards.classes.class_origin import has_method
from sandbox.language.guest.ends.denials import Denial
from sandbox.language.stdlib.concurrency.asyncio.future import (
    CancelledError,
    Future,
    InvalidStateError,
    current,
    isfuture,
    running_loop,
)

_COROUTINE_FUNCTION = 0x80  # CO_COROUTINE
_3_12, _3_13 = sys.version_info >= (3, 12), sys.version_info >= (3, 13)
_COROUTINES = (types.CoroutineType,) if _3_12 else (types.CoroutineType, types.GeneratorType)


class Task(Future):
    """A coroutine that the loop drives."""

    def __init__(
        self, coro: Any, *, loop: Any = None, name: Any = None, context: Any = None
    ) -> None:
        super().__init__(loop=loop)
        if not iscoroutine(coro):
            raise TypeError(f"a coroutine was expected, got {coro!r}")
        self._coro = coro
        self._name = f"Task-{next(current.names)}" if name is None else str(name)
        self._waits_for: Any = None
        self._must_cancel = False  # as soon as it has its turn
        self._requests = 0  # for a cancellation
        self._loop.call_soon(self._step)
        current.tasks[next(current.order)] = self

    def _told(self) -> list[str]:
        state, *others = super()._told()
        if self._requests and not self.done():
            state = "cancelling"
        coro = f"coro=<{self._coro.__qualname__}()>"
        return [state, f"name={self._name!r}", coro, *others]

    def get_coro(self) -> Any:
        """The coroutine."""
        return self._coro

    def get_name(self) -> str:
        """The name."""
        return self._name

    def set_name(self, value: object) -> None:
        """Change the name."""
        self._name = str(value)

    def set_result(self, result: Any) -> None:
        """Not for a task."""
        raise RuntimeError("Task does not support set_result operation")

    def set_exception(self, exception: Any) -> None:
        """Not for a task."""
        raise RuntimeError("Task does not support set_exception operation")

    def cancel(self, msg: Any = None) -> bool:
        """Have CancelledError raised in the coroutine; False if it is done."""
        self._unseen = False
        if self.done():
            return False
        self._requests += 1
        if self._waits_for is not None and self._waits_for.cancel(msg=msg):
            return True
        self._must_cancel, self._message = True, msg
        return True

    def cancelling(self) -> int:
        """Return the number of cancellations that were asked for and not taken back."""
        return self._requests

    def uncancel(self) -> int:
        """Take back one request; returns how many are left."""
        if self._requests > 0:
            self._requests -= 1
            if _3_13 and self._requests == 0:
                self._must_cancel = False
        return self._requests

    def _wake(self, future: Any) -> None:
        try:
            future.result()
        except BaseException as error:
            self._step(error)
        else:
            self._step()

    def _step(self, error: BaseException | None = None) -> None:
        if self.done():
            raise InvalidStateError(f"_step(): already done: {self!r}, {error!r}")
        if self._must_cancel:
            if not issubclass(type(error), CancelledError):
                error = self._make_cancelled_error()
            self._must_cancel = False
        self._waits_for = None
        before, current.task = current.task, self
        try:
            self._advance(error)
        finally:
            current.task = before

    def _advance(self, error: BaseException | None) -> None:
        try:
            waited = self._coro.send(None) if error is None else self._coro.throw(error)
        except StopIteration as stop:
            if self._must_cancel:  # asked for by the coroutine itself, in its last step
                self._must_cancel = False
                super().cancel(self._message)
            else:
                super().set_result(stop.value)
        except CancelledError as cancelled:
            self._cancelled_error = cancelled
            super().cancel()
        except (KeyboardInterrupt, SystemExit) as raised:
            super().set_exception(raised)
            raise
        except BaseException as raised:
            super().set_exception(raised)
            if issubclass(type(raised), Denial):
                current.denied.append(self)
        else:
            self._wait_for(waited)

    def _wait_for(self, waited: Any) -> None:
        if waited is None:
            self._loop.call_soon(self._step)
        elif not isfuture(waited):
            self._fail(f"Task got bad yield: {waited!r}")
        elif waited._loop is not self._loop:
            self._fail(f"Task {self!r} got Future {waited!r} attached to a different loop")
        elif waited is self:
            self._fail(f"Task cannot await on itself: {self!r}")
        else:
            waited.add_done_callback(self._wake)
            self._waits_for = waited
            if self._must_cancel and waited.cancel(msg=self._message):
                self._must_cancel = False

    def _fail(self, text: str) -> None:
        self._loop.call_soon(self._step, RuntimeError(text))


def create_task(coro: Any, *, name: Any = None, context: Any = None) -> Any:
    """A task of the running loop."""
    return running_loop().create_task(coro, name=name)


def current_task(loop: Any = None) -> Any:
    """The task that runs, or None."""
    if loop is None:
        loop = running_loop()
    return current.task if loop is current.running else None


def all_tasks(loop: Any = None) -> set[Any]:
    """The tasks of a loop that are not done."""
    return set(unfinished(running_loop() if loop is None else loop))


def unfinished(loop: Any) -> list[Any]:
    """The tasks of `loop` that are not done, in the order in which they were made."""
    tasks = []
    for number, task in list(current.tasks.items()):
        if task.done():
            del current.tasks[number]
        elif task._loop is loop:
            tasks.append(task)
    return tasks


def raise_denials(loop: Any) -> None:
    """Raise the first denial of a task of `loop` that the program has not asked for."""
    tasks = [task for task in current.denied if task._loop is loop]
    current.denied[:] = [task for task in current.denied if task._loop is not loop]
    for task in tasks:
        if task._unseen:
            task.result()


def ensure_future(coro_or_future: Any, *, loop: Any = None) -> Any:
    """A future as it is, anything else that can be awaited as a task."""
    if isfuture(coro_or_future):
        if loop is not None and loop is not coro_or_future.get_loop():
            raise ValueError(
                "The future belongs to a different loop than the one specified as the loop argument"
            )
        return coro_or_future
    coro = coro_or_future if iscoroutine(coro_or_future) else _awaiting(coro_or_future)
    try:
        return (current.find_loop() if loop is None else loop).create_task(coro)
    except RuntimeError:
        coro.close()
        raise


def _awaiting(awaitable: Any) -> Any:
    if not has_method(type(awaitable), "__await__"):
        raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")
    return _drive(awaitable)


async def _drive(awaitable: Any) -> Any:
    return await awaitable


def iscoroutine(obj: object) -> bool:
    """True for a coroutine; before 3.12 for a generator, too."""
    return issubclass(type(obj), _COROUTINES)


def iscoroutinefunction(func: Any) -> bool:
    """True for an `async def` function."""
    function = func.__func__ if type(func) is types.MethodType else func
    return type(function) is types.FunctionType and bool(
        function.__code__.co_flags & _COROUTINE_FUNCTION
    )


@types.coroutine
def _pause() -> Generator[Any, None, None]:
    yield


def finish_late(future: Any, result: Any = None) -> None:
    """Give `future` its result, unless it was cancelled."""
    if not future.cancelled():
        future.set_result(result)


async def sleep(delay: float, result: Any = None) -> Any:
    """Let others run until `delay` seconds of the loop's clock have passed."""
    if delay <= 0:
        await _pause()
        return result
    if _3_13 and math.isnan(delay):
        raise ValueError("Invalid delay: NaN (not a number)")
    loop = running_loop()
    future = loop.create_future()
    handle = loop.call_later(delay, finish_late, future, result)
    try:
        return await future
    finally:
        handle.cancel()
