"""Budgets of memory and of places in the queue: one sum, and a share for each client."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_TIMES_FREE = 4


class Budget:
    """The amount of one thing that all requests hold, of at most `most`, and each client's part.

    A client may hold four times as much as is then still free, and no more: alone four fifths of
    all, two that take what they can four ninths each. So there is always some for another one, and
    nothing is set apart that no client uses (dynamic thresholds: Choudhury and Hahne, 1998).
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self._of = Counter[str]()

    @property
    def largest_share(self) -> int:
        """The most that one client can hold, where there is no other."""
        return max(self.most * _TIMES_FREE // (_TIMES_FREE + 1), 1)

    def has_room(self, client: str, count: int = 1) -> bool:
        """Return False if `client` would hold more than its share with `count` more."""
        if not self.held:
            return count <= self.largest_share
        free = self.most - self.held - count
        return self._of[client] + count <= _TIMES_FREE * free

    def add(self, client: str, count: int) -> None:
        """Have `client` hold `count` more; fewer, if it is negative."""
        self.held += count
        self._of[client] += count
        if not self._of[client]:
            del self._of[client]

    @contextmanager
    def share(self, client: str) -> "Iterator[Share]":
        """Yield what one request of `client` holds, given back at the end of the block."""
        share = Share(self, client)
        try:
            yield share
        finally:
            share.add(-share.held)


class Share:
    """The amount that one request holds."""

    def __init__(self, budget: Budget, client: str) -> None:
        self._budget, self._client = budget, client
        self.held = 0

    def has_room(self, count: int = 1) -> bool:
        """Return False if its client would hold more than it may with `count` more."""
        return self._budget.has_room(self._client, count)

    def add(self, count: int) -> None:
        """Have the request hold `count` more bytes; fewer, if it is negative."""
        self.held += count
        self._budget.add(self._client, count)
