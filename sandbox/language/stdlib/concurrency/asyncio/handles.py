"""Handles of what the loop of `asyncio` is going to call."""

import types
from typing import Any

from sandbox.language.stdlib.concurrency.asyncio.future import is_limit


class Handle:
    """A callback that is going to be called, unless it is cancelled."""

    def __init__(self, callback: Any, args: Any, loop: Any, context: Any = None) -> None:
        self._callback = callback
        self._args = args
        self._loop = loop
        self._cancelled = False

    def __repr__(self) -> str:
        told = ["cancelled"] if self._cancelled else [_called(self._callback)]
        return f"<{' '.join([type(self).__name__, *told])}>"

    def cancel(self) -> None:
        """Do not call it."""
        self._cancelled = True
        self._callback = self._args = None

    def cancelled(self) -> bool:
        """True if it was cancelled."""
        return self._cancelled

    def _run(self) -> None:
        """Call it; an error of it goes to the loop's exception handler."""
        try:
            self._callback(*self._args)
        except BaseException as error:
            if is_limit(error):
                raise
            message = f"Exception in callback {_called(self._callback)}"
            told = {"message": message, "exception": error, "handle": self}
            self._loop.call_exception_handler(told)


class TimerHandle(Handle):
    """A callback that is going to be called at a time."""

    def __init__(
        self, when: float, callback: Any, args: Any, loop: Any, context: Any = None
    ) -> None:
        super().__init__(callback, args, loop, context)
        self._when = when
        self._scheduled = True

    def __lt__(self, other: Any) -> bool:
        return bool(self._when < other._when)

    def when(self) -> float:
        """The time, on the loop's clock."""
        return self._when

    def cancel(self) -> None:
        """Do not call it."""
        if self._scheduled and not self._cancelled:
            self._loop._timer_cancelled()
        super().cancel()

    def _leave(self) -> "TimerHandle":
        """Be in the heap no more."""
        self._scheduled = False
        return self


def _called(callback: object) -> str:
    function = callback.__func__ if type(callback) is types.MethodType else callback
    if type(function) is types.FunctionType:
        return f"{function.__qualname__}()"
    return repr(callback)
