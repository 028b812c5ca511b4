"""`/get_reward`, the interface that OpenRLHF has for a reward on another machine."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sandbox.grading.bench import Bench
from sandbox.grading.grade import grade_rows
from sandbox.grading.preambles import CALLS
from sandbox.integrations.openrlhf import rate
from sandbox.integrations.server.bodies import Text
from sandbox.integrations.server.jobs import Jobs
from sandbox.integrations.server.labels import bounded
from sandbox.policy.model import Policy


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
    """Grades in threads, as many at once as there are workers: grading may block."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._threads = ThreadPoolExecutor(jobs.sandbox.workers, "grading")

    async def grade(self, body: RewardBody) -> dict[str, Any]:
        """The rewards. Raises SandboxError if one of the queries has none, Full, ValueError.

        A query without a verdict leaves all without an answer: OpenRLHF asks again some times, and
        has no word for a reward that is not there.
        """
        if not len(body.query) == len(body.prompts) == len(body.labels):
            raise ValueError("query, prompts and labels are lists of the same length")
        policy = self._jobs.sandbox.policy
        rows = zip(body.query, body.prompts, body.labels, strict=True)
        rated = await self._jobs.in_turn([partial(self._rate, row, policy) for row in rows])
        names = rated[0]["extra_logs"] if rated else ()
        rewards = [figures["rewards"][0] for figures in rated]
        logs = {name: [figures["extra_logs"][name][0] for figures in rated] for name in names}
        return {"rewards": rewards, "scores": rewards, "extra_logs": logs}

    async def _rate(self, row: tuple[str, str, Any], policy: Policy) -> dict[str, Any]:
        query, prompt, label = row
        bench = Bench(policy, {"value_items": self._jobs.value_items}, CALLS)

        def run() -> dict[str, Any]:
            grading = partial(grade_rows, bench, workers=1)
            return rate([(query, prompt, bounded(label))], grading=grading)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, run)
        finally:
            bench.end()  # if the client left, its thread is free for others
