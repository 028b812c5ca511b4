"""Jobs of many clients on one sandbox: so many at once, so many waiting, each with two chances.

Of the places clients get their turn, of the queue and of memory their share.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from sandbox.errors import CONFIGURATION, PolicyError, SandboxError
from sandbox.integrations.server.admission.memory_budget import Budget
from sandbox.integrations.server.admission.turns import Turns
from sandbox.integrations.server.admission.visits import current
from sandbox.integrations.server.bodies.answers import Rendered, rendered
from sandbox.integrations.server.endpoints.requests import answer, within_answers
from sandbox.integrations.server.metrics import Metrics
from sandbox.integrations.server.settings import Settings
from sandbox.job import Job
from sandbox.result import Result
from sandbox.runtime.caller.ahead import Sealed, carry_out
from sandbox.runtime.caller.client import Sandbox

_T = TypeVar("_T")


class Full(Exception):
    """No room for another job, or none came free in time."""


class TooMuch(Exception):
    """A batch is larger than the server takes, or its results than an answer may be."""


class JobQueue:
    """Runs jobs. All of it in one event loop, without a thread per job."""

    def __init__(self, sandbox: Sandbox, settings: Settings, metrics: Metrics) -> None:
        self.sandbox, self._settings, self._metrics = sandbox, settings, metrics
        limits = sandbox.policy.limits
        self.value_items = min(settings.value_items, limits.value_items)
        self.most_of_call = {
            "value_items": self.value_items,
            "output_kib": min(settings.value_kib, limits.output_kib),
        }
        self.queue = Budget(settings.jobs)
        self.running = 0
        self.turns = Turns(sandbox.workers)
        self.budget = Budget(settings.held_bytes)
        metrics.watch("held_bytes", "Bytes of requests and answers", lambda: self.budget.held)
        metrics.watch("jobs_held", "Jobs that run or wait", lambda: self.queue.held)
        metrics.watch("jobs_running", "Jobs that run", lambda: self.running)

    @contextlib.contextmanager
    def admitted(self, count: int = 1) -> Iterator[None]:
        """Hold room for `count` jobs to the block's end. Raises Full at once if there is none."""
        client = current.get().client
        if not self.queue.has_room(client, count):
            raise Full(f"{self.queue.held} jobs are held, of at most {self.queue.most}")
        with self.queue.share(client) as share:
            share.add(count)
            yield

    async def run(self, job: Job | Sealed, sandbox: Sandbox | None = None) -> Result:
        """Run `job` and return its result. Raises Full, SandboxError, ValueError and TypeError.

        Another `sandbox` than the queue's has no workers of its own here: a job in it takes the
        place of one.
        """
        with self.admitted():
            async with self.place(self._settings.wait_seconds):
                return await self._counted(job, sandbox or self.sandbox)

    async def run_all(self, jobs: list[Job | Sealed]) -> list[Rendered]:
        """Return a `BatchItem` for each of `jobs` as JSON.

        Raises as `run` does, and TooMuch if they are larger than an answer may be.
        """
        total = 0

        async def one(job: Job | Sealed) -> Rendered:
            nonlocal total
            async with self.place(None):
                made = await rendered(await self._item(job))
            total += sum(map(len, made))
            if total > self._settings.answer_bytes:
                raise TooMuch(f"the results have more than {self._settings.answer_bytes} bytes")
            return made

        return await self.in_turn([partial(one, job) for job in jobs])

    async def _item(self, job: Job | Sealed) -> dict[str, Any]:
        try:
            return {"result": answer(await self._counted(job, self.sandbox)), "fault": None}
        except PolicyError:
            raise
        except SandboxError as error:
            return {"result": None, "fault": str(error)}

    async def in_turn(self, calls: Sequence[Callable[[], Awaitable[_T]]]) -> list[_T]:
        """Make `calls` and return what each gives; each takes a worker's place when it needs one.

        As many are begun at once as can run. Raises Full, TooMuch, and what they raise.
        """
        if len(calls) > self.queue.largest_share:  # there is no use in trying again
            raise TooMuch(f"{len(calls)} jobs at once, of at most {self.queue.largest_share}")
        turns = asyncio.Semaphore(self.sandbox.workers)

        async def one(call: Callable[[], Awaitable[_T]]) -> _T:
            async with turns:
                return await call()

        with self.admitted(len(calls)):
            return await _gathered([asyncio.ensure_future(one(call)) for call in calls])

    @contextlib.asynccontextmanager
    async def place(self, wait_seconds: float | None) -> AsyncIterator[None]:
        """Hold a worker's place to the end of the block. Raises Full if none comes free in time."""
        begun, visit = time.monotonic(), current.get()
        async with contextlib.AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self.turns.turn(visit.client, wait_seconds))
            except TimeoutError:
                raise Full(f"no worker came free within {wait_seconds:g} seconds") from None
            self._metrics.waited(time.monotonic() - begun)
            if not visit.share.has_room():  # for answers that it does not take
                raise Full("the server holds too much for this client")
            self.running += 1
            try:
                yield
            finally:
                self.running -= 1

    async def _counted(self, job: Job | Sealed, sandbox: Sandbox) -> Result:
        try:
            result = await self._twice(job, sandbox)
        except SandboxError as error:
            if not isinstance(error, PolicyError):
                self._metrics.ended(None)
            raise
        self._metrics.ended(result)
        return result

    async def _twice(self, job: Job | Sealed, sandbox: Sandbox) -> Result:
        try:
            return await self._once(job, sandbox)
        except CONFIGURATION:
            raise
        except SandboxError:  # the machine's fault may be over
            return await self._once(job, sandbox)

    async def _once(self, job: Job | Sealed, sandbox: Sandbox) -> Result:
        if isinstance(job, Job):
            job = within_answers(job, self.most_of_call)
        return await carry_out(sandbox, job)


async def _gathered(tasks: "list[asyncio.Task[_T]]") -> list[_T]:
    """Return what all of `tasks` gave; end all if one raises or the caller is cancelled."""
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
