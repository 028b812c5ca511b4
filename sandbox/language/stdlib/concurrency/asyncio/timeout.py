"""`asyncio.timeout`: a block that is cancelled when its time is over."""

import sys
from typing import Any

from sandbox.language.stdlib.concurrency.asyncio.future import (
    CancelledError,
    current,
    running_loop,
)

_CREATED, _ACTIVE, _EXPIRING, _EXPIRED, _FINISHED = (
    *("created", "active", "expiring", "expired", "finished"),
)
_3_13 = sys.version_info >= (3, 13)


class Timeout:
    """Cancels the task that entered it at a moment of the loop's clock, or never for None."""

    def __init__(self, when: float | None) -> None:
        self._when = when
        self._state = _CREATED
        self._task: Any = None
        self._handle: Any = None
        self._cancelling = 0  # requests that there were before

    def when(self) -> float | None:
        """The moment."""
        return self._when

    def expired(self) -> bool:
        """True if time was over before the block ended."""
        return self._state in (_EXPIRING, _EXPIRED)

    def reschedule(self, when: float | None) -> None:
        """Change the moment. Raises RuntimeError outside of the block."""
        if self._state == _CREATED:
            raise RuntimeError("Timeout has not been entered")
        if self._state != _ACTIVE:
            raise RuntimeError(f"Cannot change state of {self._state} Timeout")
        self._when = when
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        if when is not None:
            loop = running_loop()
            if when <= loop.time():
                self._handle = loop.call_soon(self._expire)
            else:
                self._handle = loop.call_at(when, self._expire)

    def _expire(self) -> None:
        self._task.cancel()
        self._state = _EXPIRING
        self._handle = None

    def __repr__(self) -> str:
        moment = None if self._when is None else round(self._when, 3)
        shown = f" when={moment}" if self._state == _ACTIVE else ""
        return f"<Timeout [{self._state}]{shown}>"

    async def __aenter__(self) -> "Timeout":
        if self._state != _CREATED:
            raise RuntimeError("Timeout has already been entered")
        task = current.task
        if task is None:
            raise RuntimeError("Timeout should be used inside a task")
        self._state, self._task = _ACTIVE, task
        self._cancelling = task.cancelling()
        self.reschedule(self._when)
        return self

    async def __aexit__(self, kind: Any, error: Any, _: Any) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        if self._state == _EXPIRING:
            self._state = _EXPIRED
            if self._task.uncancel() <= self._cancelling and error is not None:
                self._tell(error)
        elif self._state == _ACTIVE:
            self._state = _FINISHED

    def _tell(self, error: BaseException) -> None:
        """Say that it was the time: no other code has asked for a cancellation."""
        if type(error) is CancelledError or (_3_13 and issubclass(type(error), CancelledError)):
            raise TimeoutError from error
        if _3_13:
            _put_between(error)
            if issubclass(type(error), ExceptionGroup):
                for inner in BaseExceptionGroup.exceptions.__get__(error):
                    _put_between(inner)


def _put_between(error: BaseException) -> None:
    """Let what was raised while a cancellation was handled say that a timeout was."""
    while error.__context__ is not None:
        if issubclass(type(error.__context__), CancelledError):
            late = TimeoutError()
            late.__context__ = late.__cause__ = error.__context__
            error.__context__ = late
            return
        error = error.__context__


def timeout(delay: float | None) -> Timeout:
    """A block that is given `delay` seconds, then cancelled; its end is a TimeoutError."""
    return Timeout(None if delay is None else running_loop().time() + delay)


def timeout_at(when: float | None) -> Timeout:
    """A block that is given until `when`, on the loop's clock."""
    return Timeout(when)
