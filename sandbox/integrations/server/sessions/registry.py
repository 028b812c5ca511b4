"""The sessions of all clients: in the event loop, with a thread for a cell that runs, none between.

A session belongs to the token of who began it. Each cell takes a place in the queue and a worker's
place, as any job; cells of one session follow each other.
"""

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

from sandbox.errors import SessionLost
from sandbox.integrations.cell_threads import CellThreads
from sandbox.integrations.server.admission.visits import current
from sandbox.integrations.server.endpoints.requests import held_to
from sandbox.integrations.server.jobs import Full, JobQueue
from sandbox.integrations.server.metrics import Metrics
from sandbox.integrations.server.sessions.held import Gone, Held, Quota, Unknown
from sandbox.integrations.server.settings import Settings
from sandbox.policy.tighten import tighten
from sandbox.runtime.sessions.session import Session

_T = TypeVar("_T")
_REMEMBERED = 4096  # sessions that ended, so that their clients are told how
_AGAIN_SECONDS = 0.05  # until a cell is interrupted again, which may just have begun
_INTERRUPT_SECONDS = 10.0  # for a cell to end
_LEAST_SWEEP_SECONDS = 0.05


class _End(NamedTuple):
    owner: str
    ended: str
    why: str


class HeldSessions:
    """Begins sessions, finds and ends them. All of it in one event loop."""

    def __init__(self, jobs: JobQueue, settings: Settings, metrics: Metrics) -> None:
        self._jobs, self._settings, self._metrics = jobs, settings, metrics
        self._sandbox = jobs.sandbox
        self._held: dict[str, Held] = {}
        self._quota = Quota(settings.client_sessions, settings.sessions)
        self._gone: OrderedDict[str, _End] = OrderedDict()
        self._threads = CellThreads(self._sandbox.workers)
        self._ending: set[asyncio.Task[None]] = set()
        self._sweep: asyncio.TimerHandle | None = None
        metrics.watch("sessions", "Sessions that are open", lambda: len(self._held))

    def __len__(self) -> int:
        return len(self._held)

    # -- their beginning

    async def begin(self, limits: Mapping[str, float], total: float | None, **own: Any) -> Held:
        """Begin a session. Raises Full, TooManySessions, PolicyError, SandboxError."""
        inside: Any = held_to(self._jobs.most_of_call, limits)
        tightened = tighten(self._sandbox.policy.plan().limits, inside)
        make = partial(self._sandbox.session, cpu_seconds_total=total, **own, **inside)
        with self._quota.room(1), self._jobs.admitted():
            async with self._jobs.place(self._settings.wait_seconds):
                session = await self._threads.run(make, unwanted=Session.close)
            held = Held(session=session, options=own, limits=tightened)
            self._add(held)
        return held

    async def whole(self, call: Callable[[], _T], interrupt: Callable[[], object]) -> _T:
        """Return what `call` gives, which begins a session of its own and ends it. Raises as it."""
        client = current.get().client
        with self._jobs.admitted():
            async with self._jobs.place(self._settings.wait_seconds):
                with self._quota.room(1):
                    given = await self._threads.run(call, interrupt)
                self._quota.give_back(client)
                return given

    async def fork(self, source: Held, count: int) -> list[Held]:
        """Make `count` branches of `source`, which belong to the same client. Raises as `use`."""
        own: Any = {"options": source.options, "limits": source.limits, "parent": source}
        with self._quota.room(count):
            fork = partial(source.session.fork, count)
            made = await self.use(source, fork, unwanted=_close_all)
            self._check(source)
            branches = [Held(session=session, **own) for session in made]
            for each in branches:
                self._add(each)
        return branches

    def _add(self, held: Held) -> None:
        self._held[held.id] = held
        self._metrics.begun(1)
        self._watch_idle()

    # -- their use

    def find(self, name: str) -> Held:
        """Return the session whose id is `name`. Raises Unknown, Gone."""
        owner, held = current.get().owner, self._held.get(name)
        if held is not None and held.owner == owner:
            if held.session.is_alive:
                return held
            self._note_end(held, "lost", "the session was lost: its process is no more")
        end = self._gone.get(name)
        if end is not None and end.owner == owner:
            raise Gone(end.ended, end.why)
        raise Unknown("this client has no such session")

    async def use(
        self,
        held: Held,
        call: Callable[[], _T],
        *,
        unwanted: Callable[[_T], object] = lambda _: None,
    ) -> _T:
        """Return what `call` gives, in a thread, once it is its turn.

        If the client leaves, what runs is interrupted, and what came of it is `unwanted`. Raises
        Full, Gone, SandboxError, and what it raises.
        """
        with self._jobs.admitted(), held.in_use():
            async with self._turn(held), self._jobs.place(self._settings.wait_seconds):
                self._check(held)
                held.running += 1
                held.calls += 1
                try:
                    interrupt = held.session.interrupt
                    return await self._threads.run(call, interrupt, unwanted=unwanted)
                except SessionLost as error:
                    if not held.session.is_alive:
                        self._note_end(held, "lost", str(error))
                    self._check(held)
                    raise
                finally:
                    held.running -= 1
                    if not held.session.is_alive:
                        self._note_end(held, "lost", "a cell has ended the session with itself")

    def _check(self, held: Held) -> None:
        if held.id not in self._held:
            end = self._gone.get(held.id, _End("", "lost", "the session is no more"))
            raise Gone(end.ended, end.why)

    @contextlib.asynccontextmanager
    async def _turn(self, held: Held) -> AsyncIterator[None]:
        seconds = self._settings.wait_seconds
        try:
            async with asyncio.timeout(seconds):
                await held.turn.acquire()
        except TimeoutError:
            raise Full(f"the session was busy for {seconds:g} seconds") from None
        try:
            yield
        finally:
            held.turn.release()

    async def interrupt(self, held: Held) -> bool:
        """Interrupt the cell that runs; return False if none does."""
        was_running, calls = held.running > 0, held.calls
        deadline = time.monotonic() + _INTERRUPT_SECONDS
        while held.running and held.calls == calls and time.monotonic() < deadline:
            await self._threads.control(held.session.interrupt)
            await asyncio.sleep(_AGAIN_SECONDS)
        return was_running

    # -- their end

    async def close(self, held: Held) -> None:
        """End a session, what runs in it, and its branches."""
        await asyncio.shield(self._end(held, "closed", "the session was closed"))

    def _end(self, held: Held, ended: str, why: str) -> "asyncio.Task[None]":
        self._note_end(held, ended, why)
        task = asyncio.ensure_future(self._stop(held, f"{ended}: {why}"))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return task

    async def _stop(self, held: Held, why: str) -> None:
        while held.running:
            await self._threads.control(held.session.interrupt)
            await asyncio.sleep(_AGAIN_SECONDS)
        await self._threads.control(partial(held.session.end, why))

    def _note_end(self, held: Held, ended: str, why: str) -> None:
        """Know a session as ended, and with the first of a tree its branches."""
        if self._held.pop(held.id, None) is None:
            return
        self._quota.give_back(held.client)
        self._gone[held.id] = _End(held.owner, ended, why)
        if len(self._gone) > _REMEMBERED:
            self._gone.popitem(last=False)
        self._metrics.session_ended(ended)
        for each in [each for each in self._held.values() if held is each.root]:
            self._note_end(each, ended, f"{why}; this was a branch of it")

    def _watch_idle(self) -> None:
        if self._sweep is None and self._held:
            now, most = time.monotonic(), self._settings.session_idle_seconds
            soonest = min(most - each.idle_seconds(now) for each in self._held.values())
            seconds = max(soonest, _LEAST_SWEEP_SECONDS)
            self._sweep = asyncio.get_running_loop().call_later(seconds, self._evict)

    def _evict(self) -> None:
        """End what nobody has used for long; a session with branches after the last of them."""
        self._sweep, now = None, time.monotonic()
        most = self._settings.session_idle_seconds
        why = f"nobody had used the session for {most:g} seconds"
        idle = [each for each in self._held.values() if each.idle_seconds(now) >= most]
        in_use = {each.root for each in self._held.values() if each not in idle}
        for each in idle:
            if not each.session.is_alive:
                self._note_end(each, "lost", "the session was lost: its process is no more")
            elif each not in in_use:
                self._end(each, "evicted", why)
        self._watch_idle()


def _close_all(sessions: list[Session]) -> None:
    for each in sessions:
        each.close()
