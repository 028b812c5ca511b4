"""How many jobs may be in flight in an event loop; asyncio is imported by whoever has a loop."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class Permits:
    """An owner's permits: `count` that may be in flight in each event loop at once."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._of_loop: dict[asyncio.AbstractEventLoop, asyncio.Semaphore] = {}

    def here(self) -> "asyncio.Semaphore":
        """Return the semaphore of the running loop."""
        import asyncio

        for loop in list(self._of_loop):
            if loop.is_closed():
                self._of_loop.pop(loop, None)
        return self._of_loop.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._count))
