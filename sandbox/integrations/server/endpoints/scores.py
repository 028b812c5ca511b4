"""`/score`: reward functions that the server was started with, each contained."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sandbox.errors import RewardError
from sandbox.grading.block import ending
from sandbox.integrations.server.endpoints.requests import Text
from sandbox.integrations.server.jobs import JobQueue
from sandbox.integrations.server.metrics import Metrics
from sandbox.rewards.arguments import FORWARDED
from sandbox.rewards.batches import part_of, slices
from sandbox.rewards.contained import ContainedReward

_OURS = ("self", "completions", "prompts", *FORWARDED)  # no names for columns
_LONGEST_MESSAGE = 2000  # characters of a function's own
_PARTS_PER_WORKER = 4  # so that no part keeps a worker for long
_log = logging.getLogger(__name__)


class ScoreBody(BaseModel):
    """Completions for the reward function `reward`, with their prompts and columns of a data set.

    Each list has an item for every completion, in its order.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    reward: Text
    completions: list[Any]
    prompts: list[Any] | None = None
    columns: dict[str, list[Any]] = Field(default_factory=dict)

    def arguments(self) -> dict[str, list[Any]]:
        """As a reward function takes them. Raises ValueError if there are fewer of one, or more."""
        if taken := sorted(self.columns.keys() & set(_OURS)):
            raise ValueError(f"no column can be called {taken[0]!r} here")
        prompts = {} if self.prompts is None else {"prompts": self.prompts}
        given = {**prompts, **self.columns}
        count = len(self.completions)
        for name, values in given.items():
            if len(values) != count:
                raise ValueError(f"{len(values)} of {name[:40]!r} for {count} completions")
        return {"completions": self.completions, **given}


class ScoreAnswer(BaseModel):
    """A reward for each completion, and how many of them are null, which is no verdict."""

    rewards: list[float | None]
    masked: int


class Scores:
    """Calls reward functions in threads. A call has a worker's place for as long as it runs.

    A batch whose rewards depend on their own rows alone is parted, and each part takes its turn.
    """

    def __init__(
        self, jobs: JobQueue, rewards: Mapping[str, ContainedReward], metrics: Metrics
    ) -> None:
        self._jobs, self._rewards, self._metrics = jobs, rewards, metrics
        self._workers = jobs.sandbox.workers
        self._threads = ThreadPoolExecutor(self._workers, "score")
        self._largest = Counter[str]()  # batches that each function has been tried on
        for name in rewards:
            metrics.scored(name, [])  # each figure is there before it happens
            metrics.score_failed(name, 0)

    @property
    def names(self) -> list[str]:
        """The names that clients can ask for."""
        return sorted(self._rewards)

    async def score(self, body: ScoreBody) -> dict[str, Any]:
        """Return the rewards; null where the sandbox or the machine failed twice.

        Raises ValueError for what is no request, RewardError if the function fails, Full.
        """
        reward = self._rewards.get(body.reward)
        if reward is None:
            known = ", ".join(self.names) or "none"
            raise ValueError(f"no reward {body.reward[:40]!r}: there are {known}")
        rows, count = body.arguments(), len(body.completions)
        parts = [part_of(rows, count, part) for part in self._parts(body.reward, count)]
        try:
            given = await self._jobs.in_turn([partial(self._placed, reward, p) for p in parts])
        except RewardError as error:
            self._metrics.score_failed(body.reward, count)
            _log.warning("reward %s failed: %.2000r", body.reward, str(error))
            raise ValueError(error.args[0][:_LONGEST_MESSAGE]) from None
        rewards = [each for part in given for each in part]
        if len(parts) == 1 and len(set(rewards)) > 1:  # of equal ones nothing is learnt
            self._largest[body.reward] = max(self._largest[body.reward], count)
        self._metrics.scored(body.reward, rewards)
        return {"rewards": rewards, "masked": rewards.count(None)}

    def _parts(self, name: str, count: int) -> Iterable[slice]:
        """Return the parts of `count` rows.

        All are one part where it is not known, for as many, that they may be parted.
        """
        if not count:
            return ()
        if self._rewards[name].row_wise and count < 2 * self._largest[name]:
            return slices(count, self._workers * _PARTS_PER_WORKER)
        return (slice(0, count),)

    async def _placed(self, reward: ContainedReward, rows: Mapping[str, Any]) -> list[float | None]:
        async with self._jobs.place(None):
            return await self._called(reward, rows)

    async def _called(self, reward: ContainedReward, rows: Mapping[str, Any]) -> list[float | None]:
        """Return what `reward` gives.

        If the client leaves, the call is ended, and has its place until then.
        """
        try:
            with ending():
                call = partial(copy_context().run, reward, **rows)
                running = asyncio.get_running_loop().run_in_executor(self._threads, call)
                await asyncio.wait({running})
        except asyncio.CancelledError:
            await asyncio.gather(running, return_exceptions=True)
            raise
        return running.result()
