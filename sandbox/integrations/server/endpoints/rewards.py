"""`/get_reward`, the interface that OpenRLHF has for a reward on another machine."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from sandbox.errors import SandboxClosed, SandboxError
from sandbox.grading.comparators import COMPARATORS, Comparator
from sandbox.grading.grade import grade_rows
from sandbox.grading.options import Settings
from sandbox.grading.sandboxes import Sandboxes
from sandbox.grading.tests import Tests
from sandbox.integrations.openrlhf import figures_of
from sandbox.integrations.server.admission.visits import current
from sandbox.integrations.server.bodies.helpers import Helpers, TooDear
from sandbox.integrations.server.bodies.labels import read_row
from sandbox.integrations.server.endpoints.requests import Text
from sandbox.integrations.server.jobs import JobQueue

_T = TypeVar("_T")
_COMPARATOR = "lcb"
_LOOK_SECONDS = 0.5  # how often a thread that waits looks whether it should
_COMPARED_HERE_CHARS = 1 << 16  # within a millisecond or two; what is longer has a helper


class RewardBody(BaseModel):
    """Prompts with their completions, the prompts alone, and tests as grading reads them."""

    model_config = ConfigDict(extra="ignore", strict=True)

    query: list[Text]
    prompts: list[Text]
    labels: list[Any]


class RewardAnswer(BaseModel):
    """One figure per query in each list."""

    rewards: list[float]
    scores: list[float]
    extra_logs: dict[str, list[float]] = Field(default_factory=dict)


class Rewards:
    """Grades in threads, as many at once as there are workers: grading may block.

    What is read and compared of whatever length is so in helpers, as a thread keeps the event loop
    waiting as long as one step of it takes.
    """

    def __init__(self, jobs: JobQueue, helpers: Helpers) -> None:
        self._jobs, self._helpers = jobs, helpers
        # A row that has given its place to another client keeps its thread.
        self._threads = ThreadPoolExecutor(jobs.queue.most, "grading")

    async def grade(self, body: RewardBody) -> dict[str, Any]:
        """Return the rewards. Raises SandboxError if a query has none, Full, ValueError.

        A query without a verdict leaves all without an answer: OpenRLHF asks again some times, and
        has no word for a reward that is not there.
        """
        if not len(body.query) == len(body.prompts) == len(body.labels):
            raise ValueError("query, prompts and labels are lists of the same length")
        rows = zip(body.query, body.prompts, body.labels, strict=True)
        rated = await self._jobs.in_turn([partial(self._rate, *row) for row in rows])
        names = rated[0]["extra_logs"] if rated else ()
        rewards = [figures["rewards"][0] for figures in rated]
        logs = {name: [figures["extra_logs"][name][0] for figures in rated] for name in names}
        return {"rewards": rewards, "scores": rewards, "extra_logs": logs}

    async def _rate(self, query: str, prompt: str, label: Any) -> dict[str, Any]:
        try:
            row = await self._helpers.run(current.get().client, read_row, query, prompt, label)
        except TooDear as error:
            raise ValueError(f"a label or a query: {error}") from None
        sandboxes = _EndingSandboxes(self._jobs, asyncio.get_running_loop())
        try:
            async with self._jobs.place(None):  # not held while a helper reads
                run = partial(self._graded, sandboxes, row)
                return await asyncio.get_running_loop().run_in_executor(self._threads, run)
        finally:
            sandboxes.end()  # if the client left, its thread is free for others

    def _graded(
        self, sandboxes: "_EndingSandboxes", row: tuple[str, Tests | None]
    ) -> dict[str, Any]:
        compare = Comparator(
            text=partial(self._compared, sandboxes), value=COMPARATORS[_COMPARATOR].value
        )
        return figures_of(
            grade_rows(sandboxes, [row], comparator=compare, early_stop=True, workers=1)
        )

    def _compared(self, sandboxes: "_EndingSandboxes", actual: str, expected: str) -> bool:
        if len(actual) + len(expected) <= _COMPARED_HERE_CHARS:
            return compared(actual, expected)
        try:
            return sandboxes.wait_for(
                self._helpers.run(sandboxes.client, compared, actual, expected)
            )
        except TooDear:  # where what was expected takes so long, nothing can be said of a program
            raise SandboxError("the output takes too long to compare") from None


def compared(actual: str, expected: str) -> bool:
    """Return what the comparator says of a text; in a helper where it is long."""
    return COMPARATORS[_COMPARATOR].text(actual, expected)


class _EndingSandboxes(Sandboxes):
    """The sandboxes of one row. Between two tests its place goes to a client that has fewer."""

    def __init__(self, jobs: JobQueue, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(
            Settings.of({"policy": jobs.sandbox.policy, "value_items": jobs.value_items})
        )
        self._jobs, self._loop = jobs, loop
        self.client = current.get().client

    def check(self) -> None:
        """Check as any sandboxes do; called in a thread, before each test."""
        super().check()
        if self._jobs.turns.is_wanted(self.client):
            self.wait_for(self._jobs.turns.renew(self.client))

    def wait_for(self, waiting: Coroutine[Any, Any, _T]) -> _T:
        """Return what the event loop gives for `waiting`.

        Raises SandboxClosed if the client does not wait for the row.
        """
        future = asyncio.run_coroutine_threadsafe(waiting, self._loop)
        while not future.done():
            wait([future], timeout=_LOOK_SECONDS)
            try:
                super().check()
            except SandboxClosed:
                future.cancel()
                raise
        return future.result()
