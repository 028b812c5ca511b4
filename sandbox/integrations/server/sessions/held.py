"""One session of a client's, how many there may be, and what is said where there is none."""

import asyncio
import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.integrations.server.admission.visits import current
from sandbox.integrations.server.jobs import Full
from sandbox.policy.limits import Limits
from sandbox.runtime.sessions.session import Session

_ID_BYTES = 24  # 192 random bits


class Unknown(Exception):
    """No session of this client has such an id."""


class TooManySessions(Exception):
    """The client has as many sessions as it may."""


class Gone(Exception):
    """A session that is no more."""

    def __init__(self, ended: str, why: str) -> None:
        super().__init__(why)
        self.ended = ended


@dataclass(eq=False, kw_only=True)
class Held:
    """One session. It belongs to the client whose request made it."""

    session: Session
    options: Mapping[str, Any]
    limits: Limits
    parent: "Held | None" = None  # what it was forked from
    id: str = field(default_factory=lambda: secrets.token_urlsafe(_ID_BYTES))
    owner: str = field(default_factory=lambda: current.get().owner)
    client: str = field(default_factory=lambda: current.get().client)  # whose share it is of
    marks: dict[str, None] = field(default_factory=dict)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0  # requests that use it, or wait for that
    running: int = 0  # threads that are in it
    calls: int = 0  # threads that have been
    used_at: float = field(default_factory=time.monotonic)

    @property
    def root(self) -> "Held":
        """The session that was begun, with which all of its branches end."""
        return self if self.parent is None else self.parent.root

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep it from being evicted, to the end of the block."""
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1
            self.used_at = time.monotonic()

    def idle_seconds(self, now: float) -> float:
        """Return for how long nobody has used it."""
        return 0.0 if self.waiting else now - self.used_at


class Quota:
    """So many sessions of one client, and of all clients together."""

    def __init__(self, of_client: int, of_all: int) -> None:
        self._of_client, self._of_all = of_client, of_all
        self._has = Counter[str]()

    @contextlib.contextmanager
    def room(self, count: int) -> Iterator[None]:
        """Take room for `count` sessions, which they keep if the block makes them.

        Raises TooManySessions, Full.
        """
        client = current.get().client
        if self._has[client] + count > self._of_client:
            raise TooManySessions(
                f"this client may have {self._of_client} sessions at a time: close one first"
            )
        if self._has.total() + count > self._of_all:
            raise Full(f"the server has room for {self._of_all} sessions: try again")
        self._has[client] += count
        try:
            yield
        except BaseException:
            self.give_back(client, count)
            raise

    def give_back(self, client: str, count: int = 1) -> None:
        """Give back the room of `count` sessions of `client`."""
        self._has[client] -= count
        if not self._has[client]:
            del self._has[client]
