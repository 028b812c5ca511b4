"""Jobs of many clients on one sandbox: so many at once, so many waiting, each with two chances."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TypeVar

from sandbox.errors import PolicyError, SandboxClosed, SandboxError, SandboxUnavailable
from sandbox.integrations.server.bodies import answer
from sandbox.integrations.server.ledger import Ledger
from sandbox.integrations.server.metrics import Metrics
from sandbox.integrations.server.settings import Settings
from sandbox.integrations.server.wire import write_json
from sandbox.result import Result
from sandbox.runtime.client import Sandbox
from sandbox.runtime.job import Job

_T = TypeVar("_T")
_SAME_AGAIN = (PolicyError, SandboxClosed, SandboxUnavailable)


class Full(Exception):
    """No room for another job, or none came free in time."""


class TooMuch(Exception):
    """A batch is larger than the server takes, or its results than an answer may be."""


class Jobs:
    """Runs jobs. All of it in one event loop, without a thread per job."""

    def __init__(self, sandbox: Sandbox, settings: Settings, metrics: Metrics) -> None:
        self.sandbox, self._settings, self._metrics = sandbox, settings, metrics
        self.value_items = min(settings.value_items, sandbox.policy.limits.value_items)
        self.held = 0
        self.running = 0
        self._places = asyncio.Semaphore(sandbox.workers)
        self.ledger = Ledger(settings.held_bytes)
        metrics.watch("held_bytes", "Bytes of requests and answers", lambda: self.ledger.held)
        metrics.watch("jobs_held", "Jobs that run or wait", lambda: self.held)
        metrics.watch("jobs_running", "Jobs that run", lambda: self.running)

    @property
    def is_full(self) -> bool:
        """True if not even one more job is taken."""
        return self.held >= self._settings.jobs

    @contextmanager
    def admitted(self, count: int = 1) -> Iterator[None]:
        """Room for `count` jobs, to the end of the block. Raises Full at once if there is none."""
        if self.held + count > self._settings.jobs:
            raise Full(f"{self.held} jobs are held, of at most {self._settings.jobs}")
        self.held += count
        try:
            yield
        finally:
            self.held -= count

    async def run(self, job: Job) -> Result:
        """The result of `job`. Raises Full, SandboxError, ValueError and TypeError."""
        with self.admitted():
            async with self.place(self._settings.wait_seconds):
                return await self._counted(job)

    async def run_all(self, jobs: list[Job]) -> list[Result | SandboxError]:
        """A result for each of `jobs`, or the fault that left it without. Raises as `run` does,
        and TooMuch if the results are larger than an answer may be."""
        with self.ledger.account() as account:

            async def one(job: Job) -> Result | SandboxError:
                try:
                    result = await self._counted(job)
                except PolicyError:
                    raise
                except SandboxError as error:
                    return error
                account.add(len(write_json(answer(result))))  # all of it is sent, some twice
                if account.held > self._settings.answer_bytes:
                    raise TooMuch(f"the results have more than {self._settings.answer_bytes} bytes")
                return result

            return await self.in_turn([partial(one, job) for job in jobs])

    async def in_turn(self, calls: Sequence[Callable[[], Awaitable[_T]]]) -> list[_T]:
        """What each of `calls` gives, each at a worker's place.

        As many wait at once as can run, so that others get their turn between them. Raises Full,
        TooMuch, and what they raise.
        """
        if len(calls) > self._settings.jobs:  # there is no use in trying again
            raise TooMuch(f"{len(calls)} jobs at once, of at most {self._settings.jobs}")
        turns = asyncio.Semaphore(self.sandbox.workers)

        async def one(call: Callable[[], Awaitable[_T]]) -> _T:
            async with turns, self.place(None):
                return await call()

        with self.admitted(len(calls)):
            return await _gathered([asyncio.ensure_future(one(call)) for call in calls])

    @asynccontextmanager
    async def place(self, wait_seconds: float | None) -> AsyncIterator[None]:
        """A worker's place, to the end of the block. Raises Full if none comes free in time."""
        begun = time.monotonic()
        try:
            async with asyncio.timeout(wait_seconds):
                await self._places.acquire()
        except TimeoutError:
            raise Full(f"no worker came free within {wait_seconds:g} seconds") from None
        self._metrics.waited(time.monotonic() - begun)
        self.running += 1
        try:
            if self.ledger.is_full:  # of answers that clients do not take
                raise Full("the server holds too much")
            yield
        finally:
            self.running -= 1
            self._places.release()

    async def _counted(self, job: Job) -> Result:
        try:
            result = await self._twice(job)
        except SandboxError as error:
            if not isinstance(error, PolicyError):
                self._metrics.ended(None)
            raise
        self._metrics.ended(result)
        return result

    async def _twice(self, job: Job) -> Result:
        try:
            return await self._once(job)
        except _SAME_AGAIN:
            raise
        except SandboxError:  # the machine's fault may be over
            return await self._once(job)

    async def _once(self, job: Job) -> Result:
        if job.entry is None:
            return await self.sandbox.arun(job.code, job.stdin, **job.limits)
        limits = {"value_items": self.value_items, **job.limits}
        if limits["value_items"] > self.value_items:
            raise PolicyError(f"value_items: this server takes at most {self.value_items}")
        return await self.sandbox.acall(job.code, job.entry, job.args, job.kwargs, **limits)


async def _gathered(tasks: "list[asyncio.Task[_T]]") -> list[_T]:
    """What all of `tasks` gave; none is left behind if one raises or the caller is cancelled."""
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
