"""The futures of `asyncio`, and what of its state is one for the whole program."""

import itertools
import sys
import types
from collections.abc import Callable, Generator
from typing import Any
from weakref import WeakValueDictionary

from sandbox.language.guest.clock import Clock
from sandbox.language.guest.ends.denials import Denial

PENDING, CANCELLED, FINISHED = "PENDING", "CANCELLED", "FINISHED"
_BAD_STOP = "StopIteration interacts badly with generators and cannot be raised into a Future"
# Before 3.13 `set_exception` refuses a StopIteration; from then on it takes an error that tells.
_TAKES_STOP = sys.version_info >= (3, 13)


class Current:
    """The state of the one program of a process."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.find_loop: Callable[[], Any] = running_loop  # `events` has a better one
        self.reset()

    def reset(self) -> None:
        """As at the start of a program."""
        self.running: Any = None  # the loop that runs
        self.task: Any = None  # the task that runs
        self.loop: Any = None  # the loop that was set
        self.was_set = False  # by `set_event_loop`, be it to None
        self.names = itertools.count(1)  # of tasks without a name
        self.order = itertools.count()
        # Tasks that may not be done, by the order in which they were made.
        self.tasks: WeakValueDictionary[int, Any] = WeakValueDictionary()
        self.denied: list[Any] = []  # tasks that ended with a denial


class CancelledError(BaseException):
    """The task was cancelled."""


class InvalidStateError(Exception):
    """The future has no result yet, or has one already."""


def running_loop() -> Any:
    """The loop that runs. Raises RuntimeError if none does."""
    if current.running is None:
        raise RuntimeError("no running event loop")
    return current.running


current = Current()


def is_limit(error: BaseException) -> bool:
    """True for an error that must end the program although no task waits for it.

    That is how a program ends itself, a limit of the whole program, and a denial: the program must
    not go on as if nothing were.
    """
    ends = (SystemExit, KeyboardInterrupt, MemoryError, RecursionError, Denial)
    return issubclass(type(error), ends)


class Future:
    """A result that will come."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, *, loop: Any = None) -> None:
        self._loop = current.find_loop() if loop is None else loop
        self._state = PENDING
        self._result: Any = None
        self._exception: BaseException | None = None
        self._traceback: types.TracebackType | None = None
        self._callbacks: list[Callable[[Any], Any]] = []
        self._message: Any = None  # of the cancellation
        self._cancelled_error: CancelledError | None = None
        self._unseen = False  # an exception that the program has not asked for

    def __repr__(self) -> str:
        return f"<{' '.join([type(self).__name__, *self._told()])}>"

    def _told(self) -> list[str]:
        told = [self._state.lower()]
        if self._state == FINISHED:
            error = self._exception
            told.append(f"result={self._result!r}" if error is None else f"exception={error!r}")
        return told

    def get_loop(self) -> Any:
        """The loop."""
        return self._loop

    def done(self) -> bool:
        """True once there is a result, an exception or a cancellation."""
        return self._state != PENDING

    def cancelled(self) -> bool:
        """True if it was cancelled."""
        return self._state == CANCELLED

    def result(self) -> Any:
        """The result, or the exception raised."""
        error = self._outcome("Result is not set.")
        if error is not None:
            raise BaseException.with_traceback(error, self._traceback)
        return self._result

    def exception(self) -> BaseException | None:
        """The exception, or None."""
        return self._outcome("Exception is not set.")

    def _outcome(self, missing: str) -> BaseException | None:
        if self._state == CANCELLED:
            raise self._make_cancelled_error()
        if self._state != FINISHED:
            raise InvalidStateError(missing)
        self._unseen = False
        return self._exception

    def _make_cancelled_error(self) -> CancelledError:
        """The error that ended the task, once; then new ones."""
        error, self._cancelled_error = self._cancelled_error, None
        if error is None:
            error = CancelledError(*([] if self._message is None else [self._message]))
        return error

    def set_result(self, result: Any) -> None:
        """Finish with a result. Raises InvalidStateError if it is done."""
        if self._state != PENDING:
            raise InvalidStateError("invalid state")
        self._result = result
        self._state = FINISHED
        self._schedule()

    def set_exception(self, exception: Any) -> None:
        """Finish with an exception. Raises InvalidStateError if it is done."""
        if self._state != PENDING:
            raise InvalidStateError("invalid state")
        if issubclass(type(exception), type):
            exception = exception()
        if not issubclass(type(exception), BaseException):
            raise TypeError("invalid exception object")
        if issubclass(type(exception), StopIteration):
            exception = _told_of_stop(exception)
        self._exception, self._traceback = exception, exception.__traceback__
        self._state, self._unseen = FINISHED, True
        self._schedule()

    def cancel(self, msg: Any = None) -> bool:
        """Finish with a cancellation; False if it is done."""
        self._unseen = False
        if self._state != PENDING:
            return False
        self._state, self._message = CANCELLED, msg
        self._schedule()
        return True

    def _schedule(self) -> None:
        callbacks = self._callbacks[:]
        self._callbacks[:] = []
        for callback in callbacks:
            self._loop.call_soon(callback, self)

    def add_done_callback(self, callback: Callable[[Any], Any], *, context: Any = None) -> None:
        """Have the loop call `callback` with this future once it is done."""
        if self._state != PENDING:
            self._loop.call_soon(callback, self)
        else:
            self._callbacks.append(callback)

    def remove_done_callback(self, callback: Callable[[Any], Any]) -> int:
        """Do not call `callback`; returns how often it was to be called."""
        kept = [item for item in self._callbacks if item != callback]
        removed = len(self._callbacks) - len(kept)
        self._callbacks[:] = kept
        return removed

    def __await__(self) -> Generator[Any, None, Any]:
        if not self.done():
            yield self
        if not self.done():
            raise RuntimeError("await wasn't used with future")
        return self.result()

    __iter__ = __await__


def _told_of_stop(stop: BaseException) -> BaseException:
    if not _TAKES_STOP:
        raise TypeError(_BAD_STOP)
    error = RuntimeError(_BAD_STOP)
    error.__cause__ = error.__context__ = stop
    return error


def isfuture(obj: object) -> bool:
    """True for a future."""
    return issubclass(type(obj), Future)
