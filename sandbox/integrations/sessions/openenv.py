"""For OpenEnv: an environment whose actions are cells of Python, its server and its client.

uvicorn sandbox.integrations.sessions.openenv:app --factory
"""

from os import PathLike
from typing import Any, Unpack

try:
    from openenv.core.client_types import StepResult
    from openenv.core.env_client import EnvClient
    from openenv.core.env_server import (
        Action,
        Environment,
        Observation,
        State,
        create_fastapi_app,
    )
except ImportError as error:
    raise ImportError(
        "sandbox.integrations.sessions.openenv needs the extra 'openenv':"
        f" pip install 'restricted-execution[openenv]' ({error})"
    ) from error

from sandbox.errors import CONFIGURATION, SandboxError
from sandbox.grading.extraction import extract_code
from sandbox.grading.grade import grade
from sandbox.grading.options import GradeOptions, scored
from sandbox.grading.tests import Tests
from sandbox.integrations.columns import Choice, Reader
from sandbox.integrations.sessions.rollout import SESSIONS, Rollout
from sandbox.policy.limits import LimitOptions
from sandbox.policy.model import Policy

__all__ = ["PythonAction", "PythonClient", "PythonEnvironment", "PythonObservation", "app"]


class PythonAction(Action):  # type: ignore[misc]
    """A cell to run or, with `submit`, the program that answers the task and ends the episode."""

    code: str
    submit: bool = False


class PythonObservation(Observation):  # type: ignore[misc]
    """What a cell printed and the value of its last expression, or how it failed.

    `reward` is that of a program that was submitted; None where there is no verdict. Then, and
    wherever the sandbox or the machine has failed, `metadata` has the reason as `fault`.
    """

    output: str = ""


class PythonState(State):  # type: ignore[misc]
    """OpenEnv's state: `episode_id`, and `step_count`, the cells so far."""


class PythonEnvironment(Environment[PythonAction, PythonObservation, PythonState]):  # type: ignore[misc]
    """A session for each episode, and a reward for the program that is submitted.

    `reset` takes the columns of a row; the tests of the task are among them, in a form of
    docs/grading.md, chosen by `tests` as `CodeReward` does. Without tests the reward is None.
    `limits` hold for each cell; `grading` are options of `grade`. `sessions` is how many episodes a
    process has at a time; one more ends the one that has been idle for the longest.

    Raises PolicyError for a wrong policy, option or limit; `reset` ValueError for malformed tests.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        policy: "str | PathLike[str] | Policy" = "contest",
        *,
        tests: Choice = None,
        partial: bool = False,
        sessions: int = SESSIONS,
        grading: GradeOptions | None = None,
        **limits: Unpack[LimitOptions],
    ) -> None:
        super().__init__()
        self._rollout = Rollout(policy, sessions=sessions, **limits)
        self._choice, self._partial = tests, partial
        self._options = scored(grading or {}, partial=partial)
        self._tests: Tests | None = None
        self._state = PythonState()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **row: Any
    ) -> PythonObservation:
        """Begin an episode: no variables, the tests of `row`, if it has any. No seed is used."""
        self._rollout.reset()
        self._tests = Reader(self._choice).read(row, "the row") if row else None
        self._state = PythonState(episode_id=episode_id)
        return PythonObservation()

    def step(
        self, action: PythonAction, timeout_s: float | None = None, **_: Any
    ) -> PythonObservation:
        """Run a cell, for `timeout_s` at most where the limit is longer; or grade a program."""
        self._state.step_count += 1
        if action.submit:
            return self._graded(action.code)
        output = self._rollout.tell(action.code, wall_seconds=timeout_s)
        return PythonObservation(output=output, metadata=self._faults())

    @property
    def state(self) -> PythonState:
        """The episode's name and the number of its steps."""
        return self._state

    def close(self) -> None:
        """End the session; OpenEnv calls it as the client goes."""
        self._rollout.close()

    def _faults(self) -> dict[str, Any]:
        return {"fault": self._rollout.fault} if self._rollout.fault else {}

    def _graded(self, program: str) -> PythonObservation:
        reward: float | None = None
        if self._tests is not None and not self._rollout.fault:
            code = extract_code(program) if "```" in program else program
            try:
                graded = grade(code, self._tests, **self._options)
                reward = graded.fraction if self._partial else graded.score
            except CONFIGURATION:
                raise
            except SandboxError as error:
                self._rollout.fault = str(error)
        return PythonObservation(done=True, reward=reward, metadata=self._faults())


class PythonClient(EnvClient[PythonAction, PythonObservation, PythonState]):  # type: ignore[misc]
    """The client of a `PythonEnvironment`'s server; `.sync()` gives one that blocks.

    async with PythonClient(base_url="http://127.0.0.1:8000") as client:
        await client.reset(inputs=["1\\n"], outputs=["2\\n"])
        result = await client.step(PythonAction(code="x = 20\\nx + 1"))
    """

    def _step_payload(self, action: PythonAction) -> dict[str, Any]:
        return dict(action.model_dump())

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        told = payload.get("observation", {})
        reward, done = payload.get("reward"), bool(payload.get("done", False))
        observation = PythonObservation(**{**told, "reward": reward, "done": done})
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> PythonState:
        return PythonState(**payload)


def app(**settings: Any) -> Any:
    """Return the server's application; `settings` are those of `PythonEnvironment`.

    It admits as many episodes at a time as there are `sessions`. It has no access control: whoever
    reaches it can run programs, in the sandbox.
    """
    PythonEnvironment(**settings)  # a wrong setting ends the server, not an episode

    def made() -> PythonEnvironment:
        return PythonEnvironment(**settings)

    most = int(settings.get("sessions", SESSIONS))
    return create_fastapi_app(made, PythonAction, PythonObservation, max_concurrent_envs=most)
