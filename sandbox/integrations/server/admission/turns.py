"""Places that clients wait for in turn: a free one goes to the client that has the fewest."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_Line = OrderedDict[asyncio.Future[None], None]


class Turns:
    """So many `places`. A client that asks for many waits behind one that asks for few.

    While there are others, no client has all: the last free place is kept for one that has none, if
    any other has asked within `recent_seconds`.
    """

    def __init__(self, places: int, recent_seconds: float = 10.0) -> None:
        self._free, self._recent_seconds = places, recent_seconds
        self._asked: OrderedDict[str, float] = (
            OrderedDict()
        )  # when each did last; latest at the end
        self._later: asyncio.TimerHandle | None = None
        self._lines: dict[str, _Line] = {}  # each client's own; none is empty
        self._has = Counter[str]()

    @asynccontextmanager
    async def turn(self, client: str, wait_seconds: float | None = None) -> AsyncIterator[None]:
        """Hold a place to the end of the block. Raises TimeoutError if none comes free in time."""
        async with asyncio.timeout(wait_seconds):
            await self._take(client)
        try:
            yield
        finally:
            self._give_back(client)

    def is_wanted(self, client: str) -> bool:
        """Return True if another waits that has fewer places than `client`. From any thread."""
        has = self._has[client]
        return any(self._has[other] < has for other in list(self._lines))

    async def renew(self, client: str) -> None:
        """Let go of a place for clients with fewer, and wait for the next before its others."""
        self._free += 1
        self._hand_out()
        self._forget(client)
        try:
            await self._take(client, is_first=True)
        except BaseException:
            self._owe(client)
            raise

    async def _take(self, client: str, *, is_first: bool = False) -> None:
        loop = asyncio.get_running_loop()
        place = loop.create_future()
        self._asked[client] = loop.time()
        self._asked.move_to_end(client)
        line = self._lines.setdefault(client, OrderedDict())
        line[place] = None
        line.move_to_end(place, last=not is_first)
        self._hand_out()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # given at the same moment
                self._give_back(client)
            else:
                self._leave(client, place)
            raise

    def _give_back(self, client: str) -> None:
        self._free += 1
        self._forget(client)
        self._hand_out()

    def _forget(self, client: str) -> None:
        self._has[client] -= 1
        if not self._has[client]:
            del self._has[client]

    def _owe(self, client: str) -> None:
        """Note that a place is let go of twice, and was taken once."""
        self._free -= 1
        self._has[client] += 1

    def _leave(self, client: str, place: "asyncio.Future[None]") -> None:
        line = self._lines.get(client, OrderedDict())
        line.pop(place, None)  # passed over already, if one came free after it was cancelled
        if not line:
            self._lines.pop(client, None)

    def _hand_out(self) -> None:
        while self._free > 0 and self._lines:
            client = min(self._lines, key=self._has.__getitem__)
            if self._free == 1 and self._has[client] and (seconds := self._kept_seconds(client)):
                self._look_again(seconds)
                return
            line = self._lines.pop(client)
            place, _ = line.popitem(last=False)
            if line:
                self._lines[client] = line  # behind the clients that have as few places
            if not place.cancelled():
                self._free -= 1
                self._has[client] += 1
                place.set_result(None)

    def _kept_seconds(self, client: str) -> float:
        """Return for how many seconds the last place is kept for clients other than `client`."""
        now = asyncio.get_running_loop().time()
        while self._asked and next(iter(self._asked.values())) + self._recent_seconds <= now:
            self._asked.popitem(last=False)
        others = (asked for other, asked in reversed(self._asked.items()) if other != client)
        return max(next(others, now - self._recent_seconds) + self._recent_seconds - now, 0.0)

    def _look_again(self, seconds: float) -> None:
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(seconds, self._hand_out)
