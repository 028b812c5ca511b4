"""`concurrent.futures` in one thread: a task runs where it is submitted."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import Denial
from sandbox.language.stdlib.concurrency.threading import deadlock, public

PENDING, RUNNING, FINISHED = "PENDING", "RUNNING", "FINISHED"
CANCELLED, CANCELLED_AND_NOTIFIED = "CANCELLED", "CANCELLED_AND_NOTIFIED"
_CANCELLATIONS = (CANCELLED, CANCELLED_AND_NOTIFIED)
_TEXTS = {CANCELLED_AND_NOTIFIED: "cancelled"}
FIRST_COMPLETED = "FIRST_COMPLETED"
FIRST_EXCEPTION = "FIRST_EXCEPTION"
ALL_COMPLETED = "ALL_COMPLETED"


class Error(Exception):
    """Of futures."""


class CancelledError(Error):
    """The future was cancelled."""


class InvalidStateError(Error):
    """The future is done already."""


class Future:
    """The result of a task: what it gives or raises, or what the program sets."""

    def __init__(self) -> None:
        self._state = PENDING
        self._result: Any = None
        self._exception: BaseException | None = None
        self._done_callbacks: list[Callable[[Any], Any]] = []

    def __repr__(self) -> str:
        state = _TEXTS.get(self._state, self._state.lower())
        told = ""
        if self._state == FINISHED:
            error = self._exception
            value, verb = (self._result, "returned") if error is None else (error, "raised")
            told = f" {verb} {type(value).__name__}"
        return f"<{type(self).__name__} at {id(self):#x} state={state}{told}>"

    def result(self, timeout: float | None = None) -> Any:
        """The value, or the exception raised again. Denied where it would wait for ever."""
        self._wait(timeout)
        if self._exception is not None:
            raise self._exception
        return self._result

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The exception, or None. Denied where it would wait for ever."""
        self._wait(timeout)
        return self._exception

    def _wait(self, timeout: float | None) -> None:
        if self._state in _CANCELLATIONS:
            raise CancelledError
        if self._state != FINISHED:
            if timeout is None:
                raise deadlock("waiting for a future")
            raise TimeoutError

    def done(self) -> bool:
        """True once there is a result, an exception or a cancellation."""
        return self._state == FINISHED or self._state in _CANCELLATIONS

    def running(self) -> bool:
        """True while its task runs."""
        return self._state == RUNNING

    def cancelled(self) -> bool:
        """True if it was cancelled."""
        return self._state in _CANCELLATIONS

    def cancel(self) -> bool:
        """Have the task not run; False if it has begun."""
        if self._state in (RUNNING, FINISHED):
            return False
        if self._state == PENDING:
            self._end(CANCELLED)
        return True

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        """Call `fn` with this future once it is done."""
        if self.done():
            self._call(fn)
        else:
            self._done_callbacks.append(fn)

    def _end(self, state: str) -> None:
        self._state = state
        for callback in self._done_callbacks:
            self._call(callback)

    def _call(self, callback: Callable[[Any], Any]) -> None:
        """An error goes to a log in CPython: to nowhere, unless it must end the program."""
        try:
            callback(self)
        except (MemoryError, RecursionError):
            raise  # a limit of the whole program
        except Exception as error:
            if issubclass(type(error), Denial):
                raise

    def set_running_or_notify_cancel(self) -> bool:
        """Begin; False if it was cancelled. Raises RuntimeError if it has begun."""
        if self._state == CANCELLED:
            self._state = CANCELLED_AND_NOTIFIED
            return False
        if self._state != PENDING:
            raise RuntimeError("Future in unexpected state")
        self._state = RUNNING
        return True

    def set_result(self, result: Any) -> None:
        """Finish with a result. Raises InvalidStateError if it is done."""
        self._check_open()
        self._result = result
        self._end(FINISHED)

    def set_exception(self, exception: BaseException | None) -> None:
        """Finish with an exception. Raises InvalidStateError if it is done."""
        self._check_open()
        self._exception = exception
        self._end(FINISHED)

    def _check_open(self) -> None:
        if self.done():
            raise InvalidStateError(f"{self._state}: {self!r}")


class ThreadPoolExecutor:
    """Runs each task when it is submitted."""

    def __init__(self, max_workers: int | None = None, *args: Any, **options: Any) -> None:
        self.max_workers = max_workers
        self._is_shut_down = False

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Run it. Raises RuntimeError after `shutdown`."""
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = Future()
        future.set_running_or_notify_cancel()
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        return future

    def map(self, function: Callable[..., Any], *iterables: Any, **options: Any) -> Iterator[Any]:
        """Run all, in order."""
        futures = [self.submit(function, *args) for args in zip(*iterables, strict=False)]
        return (future.result() for future in futures)

    def shutdown(self, wait: bool = True, **options: Any) -> None:
        """Take no more tasks."""
        self._is_shut_down = True

    def __enter__(self) -> "ThreadPoolExecutor":
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()


class DoneAndNotDoneFutures(NamedTuple):
    """The two sets of futures that `wait` gives."""

    done: set[Future]
    not_done: set[Future]


def wait(fs: Any, timeout: Any = None, return_when: Any = ALL_COMPLETED) -> Any:
    """The futures that are done, and the others. Denied where it would wait for ever."""
    futures = list(fs)
    done = {future for future in futures if future.done()}
    others = set(futures) - done
    failed = return_when == FIRST_EXCEPTION and any(map(_has_failed, done))
    enough = not others or failed or (return_when == FIRST_COMPLETED and done)
    if not enough and timeout is None:
        raise deadlock("waiting for futures")
    return DoneAndNotDoneFutures(done, others)


def _has_failed(future: Any) -> bool:
    return not future.cancelled() and future.exception() is not None


def as_completed(fs: Any, timeout: Any = None) -> Iterator[Any]:
    """The futures that are done, in order. Denied where it would wait for ever."""
    futures = list(dict.fromkeys(fs))
    others = [future for future in futures if not future.done()]
    yield from (future for future in futures if future.done())
    if others:
        if timeout is None:
            raise deadlock("waiting for futures")
        raise TimeoutError(f"{len(others)} (of {len(futures)}) futures unfinished")


def futures(context: Context) -> dict[str, Any]:
    """By name."""
    home = "concurrent.futures._base"
    public(DoneAndNotDoneFutures, home)
    public(Error, home)
    classes = (CancelledError, Future, InvalidStateError)
    return {cls.__name__: public(cls, home) for cls in classes} | {
        "ALL_COMPLETED": ALL_COMPLETED,
        "FIRST_COMPLETED": FIRST_COMPLETED,
        "FIRST_EXCEPTION": FIRST_EXCEPTION,
        "ThreadPoolExecutor": public(ThreadPoolExecutor, "concurrent.futures.thread"),
        "TimeoutError": TimeoutError,
        "as_completed": as_completed,
        "wait": wait,
    }
