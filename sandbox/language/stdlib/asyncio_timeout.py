"""`asyncio.timeout`: a block that is cancelled when its time is over."""

from typing import Any

from sandbox.language.stdlib.asyncio_future import CancelledError, running_loop

_CREATED, _ACTIVE, _EXPIRING, _EXPIRED, _FINISHED = (
    *("created", "active", "expiring", "expired", "finished"),
)


class Timeout:
    """Cancels the task that entered it at a moment of the loop's clock, or never for None."""

    def __init__(self, when: float | None) -> None:
        self._when = when
        self._state = _CREATED
        self._task: Any = None
        self._turn = 0

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
        self._turn += 1
        if when is not None:
            loop, turn = running_loop(), self._turn
            if when <= loop.time():
                loop.call_soon(self._expire, turn)
            else:
                loop.call_at(when, self._expire, turn)

    def _expire(self, turn: int) -> None:
        if turn == self._turn and self._state == _ACTIVE:
            self._state = _EXPIRING
            self._task.cancel()

    def __repr__(self) -> str:
        moment = None if self._when is None else round(self._when, 3)
        shown = f" when={moment}" if self._state == _ACTIVE else ""
        return f"<Timeout [{self._state}]{shown}>"

    async def __aenter__(self) -> "Timeout":
        if self._state != _CREATED:
            raise RuntimeError("Timeout has already been entered")
        task = running_loop().running
        if task is None:
            raise RuntimeError("Timeout should be used inside a task")
        self._state, self._task = _ACTIVE, task
        self.reschedule(self._when)
        return self

    async def __aexit__(self, kind: Any, error: Any, _: Any) -> None:
        if self._state == _ACTIVE:
            self._state = _FINISHED
        elif self._state == _EXPIRING:
            self._state = _EXPIRED
            if isinstance(error, CancelledError):
                raise TimeoutError from error
            self._task.uncancel()


def timeout(delay: float | None) -> Timeout:
    """A block that is given `delay` seconds, then cancelled; its end is a TimeoutError."""
    return Timeout(None if delay is None else running_loop().time() + delay)


Timeout.__module__ = "asyncio"
