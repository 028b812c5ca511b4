"""`/score`: reward functions that the server was started with, each contained."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sandbox.errors import RewardError
from sandbox.grading.bench import ending
from sandbox.integrations.server.bodies import Text
from sandbox.integrations.server.jobs import Jobs
from sandbox.integrations.server.metrics import Metrics
from sandbox.rewards.contained import ContainedReward

_OURS = ("self", "completions", "prompts")  # no names for columns
_LONGEST_MESSAGE = 2000  # characters of a function's own
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
    """Calls reward functions in threads. A call has a worker's place for as long as it runs."""

    def __init__(
        self, jobs: Jobs, rewards: Mapping[str, ContainedReward], metrics: Metrics
    ) -> None:
        self._jobs, self._rewards, self._metrics = jobs, rewards, metrics
        self._threads = ThreadPoolExecutor(jobs.sandbox.workers, "score")
        for name in rewards:
            metrics.scored(name, [])  # each figure is there before it happens
            metrics.score_failed(name, 0)

    @property
    def names(self) -> list[str]:
        """What clients can ask for."""
        return sorted(self._rewards)

    async def score(self, body: ScoreBody) -> dict[str, Any]:
        """The rewards; null where the sandbox or the machine failed twice.

        Raises ValueError for what is no request, RewardError if the function fails, Full.
        """
        reward = self._rewards.get(body.reward)
        if reward is None:
            known = ", ".join(self.names) or "none"
            raise ValueError(f"no reward {body.reward[:40]!r}: there are {known}")
        rows = body.arguments()
        with self._jobs.admitted(max(len(body.completions), 1)):
            async with self._jobs.place(None):
                try:
                    rewards = await self._called(reward, rows)
                except RewardError as error:
                    self._metrics.score_failed(body.reward, len(body.completions))
                    _log.warning("reward %s failed: %.2000r", body.reward, str(error))
                    raise ValueError(error.args[0][:_LONGEST_MESSAGE]) from None
        self._metrics.scored(body.reward, rewards)
        return {"rewards": rewards, "masked": rewards.count(None)}

    async def _called(self, reward: ContainedReward, rows: Mapping[str, Any]) -> list[float | None]:
        """What `reward` gives. If the client leaves it is ended, and has its place until then."""
        try:
            with ending():
                call = partial(copy_context().run, reward, **rows)
                running = asyncio.get_running_loop().run_in_executor(self._threads, call)
                await asyncio.wait({running})
        except asyncio.CancelledError:
            await asyncio.gather(running, return_exceptions=True)
            raise
        return running.result()
