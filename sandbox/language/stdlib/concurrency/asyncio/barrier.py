"""`asyncio.Barrier`."""

from sandbox.language.stdlib.concurrency.asyncio.locks import (
    BrokenBarrierError,
    Condition,
    LoopBound,
)

_FILLING, _DRAINING, _RESETTING, _BROKEN = "filling", "draining", "resetting", "broken"


class Barrier(LoopBound):
    """Lets tasks through when there are as many as it has parties."""

    def __init__(self, parties: int) -> None:
        if parties < 1:
            raise ValueError("parties must be > 0")
        self._changed = Condition()
        self._parties = parties
        self._state = _FILLING
        self._count = 0

    def __repr__(self) -> str:
        waiting = "" if self.broken else f", waiters:{self.n_waiting}/{self.parties}"
        return self._text(f"{self._state}{waiting}", None)

    @property
    def parties(self) -> int:
        """Return the number of tasks that it takes to open the barrier."""
        return self._parties

    @property
    def n_waiting(self) -> int:
        """Return the number of tasks that wait."""
        return self._count if self._state == _FILLING else 0

    @property
    def broken(self) -> bool:
        """True after `abort()`."""
        return self._state == _BROKEN

    async def __aenter__(self) -> int:
        return await self.wait()

    async def __aexit__(self, *error: object) -> None:
        pass

    async def wait(self) -> int:
        """Wait for the others; returns a number from 0, by the order in which they came."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._state not in (_DRAINING, _RESETTING))
            if self._state == _BROKEN:
                raise BrokenBarrierError("Barrier aborted")
            try:
                number = self._count
                self._count += 1
                if number + 1 == self._parties:
                    self._become(_DRAINING)
                else:
                    await self._filled()
                return number
            finally:
                self._count -= 1
                self._leave()

    async def _filled(self) -> None:
        await self._changed.wait_for(lambda: self._state != _FILLING)
        if self._state in (_BROKEN, _RESETTING):
            raise BrokenBarrierError("Abort or reset of barrier")

    def _leave(self) -> None:
        if self._count == 0:
            drained = self._state in (_RESETTING, _DRAINING)
            self._become(_FILLING if drained else self._state)

    def _become(self, state: str) -> None:
        self._state = state
        self._changed.notify_all()

    async def reset(self) -> None:
        """Raise BrokenBarrierError in the tasks that wait."""
        async with self._changed:
            self._become(_RESETTING if self._count > 0 else _FILLING)

    async def abort(self) -> None:
        """Raise BrokenBarrierError in the tasks that wait, and in each that comes later."""
        async with self._changed:
            self._become(_BROKEN)
