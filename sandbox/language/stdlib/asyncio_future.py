"""The futures of `asyncio`."""

import itertools
from collections.abc import Callable, Generator
from typing import Any

from sandbox.language.guest.clock import Clock


class Current:
    """The loop that is set, the program's clock, and the numbers of tasks without a name."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.loop: Any = None
        self.numbers = itertools.count(1)


current = Current()  # of the one program of a process


def running_loop() -> Any:
    """The loop that runs."""
    if current.loop is None or not current.loop.is_running():
        raise RuntimeError("no running event loop")
    return current.loop


class CancelledError(BaseException):
    """The task was cancelled."""


class InvalidStateError(Exception):
    """The future has no result yet, or has one already."""


class Future:
    """A result that will come."""

    def __init__(self, *, loop: Any = None) -> None:
        self._loop = loop if loop is not None else running_loop()
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
        error = self._error("Exception is not set.")
        if isinstance(error, CancelledError):
            raise error
        return error

    def _error(self, missing: str = "Result is not set.") -> BaseException | None:
        if self._outcome is None:
            raise InvalidStateError(missing)
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
