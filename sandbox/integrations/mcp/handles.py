"""The sessions that models have begun, by handle. All of it in one event loop."""

import asyncio
import contextlib
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from sandbox.errors import SessionLost
from sandbox.integrations.cell_threads import CellThreads
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.sessions.session import Session

_T = TypeVar("_T")
_HANDLE_BYTES = 16  # 128 random bits
_REMEMBERED = 1024  # sessions that ended, so that a model is told why


@dataclass(eq=False)
class _Held:
    owner: str
    session: Session
    root: Session
    waiting: int = 0  # calls that use it, or wait for that
    used_at: float = field(default_factory=time.monotonic)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Handles:
    """Begins sessions, at most `most` of one owner, branches among them: one more evicts another.

    A handle is found by its owner alone, and only one that is not in use is evicted.
    """

    def __init__(self, sandbox: Sandbox, most: int, limits: Mapping[str, Any]) -> None:
        self._sandbox, self._most, self._limits = sandbox, most, dict(limits)
        self._held: dict[str, _Held] = {}
        self._coming = Counter[str]()  # that begin now, by owner
        self._ended: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._threads = CellThreads(sandbox.workers)

    async def begin(self, owner: str, on_error: str) -> str:
        """Begin a session and return its handle. Raises SandboxError, ValueError."""
        begin = partial(self._sandbox.session, on_error=on_error, **self._limits)
        async with self._room(owner, 1):
            session = await self._threads.run(begin, unwanted=Session.close)
            return self._add(_Held(owner, session, session))

    async def fork(self, owner: str, handle: str, count: int) -> list[str]:
        """Make `count` branches; return their handles. Raises as `use`, and ValueError."""
        if not 1 <= count < self._most:
            raise ValueError(f"count must be at least 1 and less than {self._most}")
        with self._in_use(owner, handle) as held:
            async with self._room(owner, count):
                fork = partial(Session.fork, count=count)
                made = await self.use(owner, handle, fork, unwanted=_close_all)
                return [self._add(_Held(owner, session, held.root)) for session in made]

    async def use(
        self,
        owner: str,
        handle: str,
        call: Callable[[Session], _T],
        *,
        unwanted: Callable[[_T], object] = lambda _: None,
    ) -> _T:
        """Return what `call` gives, in a thread, once it is its turn.

        Raises SessionLost for a handle that `owner` has not or has no more, and what it raises.
        """
        with self._in_use(owner, handle) as held:
            async with held.turn:
                work, interrupt = partial(call, held.session), held.session.interrupt
                return await self._threads.run(work, interrupt, unwanted=unwanted)

    @contextlib.contextmanager
    def _in_use(self, owner: str, handle: str) -> Iterator[_Held]:
        """Find a session, and keep it from being evicted to the end of the block."""
        held = self._find(owner, handle)
        held.waiting += 1
        try:
            yield held
        finally:
            held.waiting -= 1
            held.used_at = time.monotonic()

    async def close(self, owner: str, handle: str) -> None:
        """End a session, and the branches of one that was begun. Raises SessionLost."""
        held = self._find(owner, handle)
        self._forget(held, "it was closed")
        await self._threads.control(held.session.interrupt)
        await self._threads.control(held.session.close)

    def _add(self, held: _Held) -> str:
        handle = secrets.token_urlsafe(_HANDLE_BYTES)
        self._held[handle] = held
        return handle

    def _find(self, owner: str, handle: str) -> _Held:
        held = self._held.get(handle)
        if held is not None and held.owner == owner:
            if held.session.is_alive:
                return held
            self._forget(held, "its process is no more")
        why = self._ended.get((owner, handle[:100]), "there is none by this handle")
        raise SessionLost(f"no such session: {why}. Begin another one")

    def _forget(self, held: _Held, why: str) -> None:
        """Forget a session that ends, and its branches where it was begun here."""
        is_root = held.session is held.root
        for handle, each in list(self._held.items()):
            if each is held or (is_root and each.root is held.root):
                del self._held[handle]
                self._ended[each.owner, handle] = why
        while len(self._ended) > _REMEMBERED:
            self._ended.popitem(last=False)

    @contextlib.asynccontextmanager
    async def _room(self, owner: str, count: int) -> AsyncIterator[None]:
        """Have room for `count` more. Raises SessionLost if all are in use."""
        self._coming[owner] += count
        try:
            while self._count(owner) + self._coming[owner] > self._most:
                await self._evict(owner)
            yield
        finally:
            self._coming[owner] -= count

    def _count(self, owner: str) -> int:
        for held in list(self._held.values()):
            if not held.session.is_alive:
                self._forget(held, "its process is no more")
        return sum(held.owner == owner for held in self._held.values())

    async def _evict(self, owner: str) -> None:
        """End what `owner` has not used for the longest: no session under a branch in use."""
        own = [held for held in self._held.values() if held.owner == owner]
        roots_in_use = [held.root for held in own if held.waiting]
        idle = [held for held in own if not held.waiting and held.session not in roots_in_use]
        if not idle:
            raise SessionLost(f"no room for another session: {self._most} are in use")
        oldest = min(idle, key=lambda held: held.used_at)
        why = f"it was evicted: more than {self._most} at a time, and it was idle for the longest"
        self._forget(oldest, why)
        await self._threads.control(partial(oldest.session.end, why))


def _close_all(sessions: list[Session]) -> None:
    for each in sessions:
        each.close()
