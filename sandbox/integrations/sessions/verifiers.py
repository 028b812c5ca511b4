"""For verifiers: a toolset with an interpreter for each rollout, and a task whose answer is graded.

class MyTaskset(vf.Taskset[CodeTask, vf.TasksetConfig]):
    def load(self):
        return [CodeTask(CodeData(prompt="Add one.", tests={"inputs": […], "outputs": […]}))]
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

try:
    import verifiers.v1 as vf
except ImportError as error:
    raise ImportError(
        "sandbox.integrations.sessions.verifiers needs verifiers:"
        f" pip install 'verifiers>=0.4' ({error})"
    ) from error
from pydantic import Field

from sandbox.errors import SandboxError
from sandbox.grading.extraction import extract_code
from sandbox.grading.formats import read_tests
from sandbox.grading.grade import grade
from sandbox.grading.options import GradeOptions, scored
from sandbox.grading.verdicts import Verdict
from sandbox.integrations.sessions.rollout import Rollout
from sandbox.policy.limits import LimitOptions

__all__ = ["CodeData", "CodeTask", "CodeTaskConfig", "PythonToolset", "PythonToolsetConfig"]

_tool: Callable[[Any], Any] = vf.tool
_reward: Callable[[Any], Any] = vf.reward


class PythonToolsetConfig(vf.ToolsetConfig):  # type: ignore[misc]
    """The policy of the interpreter, and limits under it, for each call."""

    policy: str = "contest"
    cpu_seconds: float | None = None
    wall_seconds: float | None = None


class PythonToolset(vf.Toolset[PythonToolsetConfig, vf.State]):  # type: ignore[misc]
    """The tool `run_python(code)`: verifiers starts one server, and so one session, per rollout."""

    TOOL_PREFIX = None

    async def setup(self) -> None:
        """Check the settings. Raises PolicyError."""
        given = self.config.model_dump(include={"cpu_seconds", "wall_seconds"}, exclude_none=True)
        limits = cast(LimitOptions, given)
        self._rollout = Rollout(self.config.policy, sessions=1, **limits)

    @_tool
    async def run_python(self, code: str) -> str:
        """Run Python code and get what it prints and the value of its last expression, or its
        error. Variables, functions and imports are kept from one call to the next."""
        return await asyncio.to_thread(self._rollout.tell, code)


class CodeTaskConfig(vf.TaskConfig):  # type: ignore[misc]
    """How programs are graded, and the toolset's settings; `interpreter` is None for no tool."""

    partial: bool = False
    policy: str = "contest"
    interpreter: PythonToolsetConfig | None = Field(default_factory=PythonToolsetConfig)


class CodeData(vf.TaskData):  # type: ignore[misc]
    """A task with its tests, in a form of docs/grading.md."""

    tests: dict[str, Any] = Field(default_factory=dict)


class CodeTask(vf.Task[CodeData, vf.State, CodeTaskConfig]):  # type: ignore[misc]
    """A task that is answered by a program, the last one in the model's last reply.

    The reward `passed` is 1.0 if all tests pass, else 0.0, or with `partial` the share that passes.
    Without a verdict SandboxError is raised, which verifiers takes for an error of the rollout and
    for no reward.
    """

    @classmethod
    def toolsets(cls, config: CodeTaskConfig) -> list[Any]:
        """The interpreter, where there is one."""
        return [] if config.interpreter is None else [PythonToolset(config.interpreter)]

    @_reward
    async def passed(self, trace: Any) -> float:
        """Grade the program in the last reply."""
        options = GradeOptions(policy=self.config.policy)
        chosen = scored(options, partial=self.config.partial)
        tests, code = read_tests(self.data.tests), extract_code(trace.last_reply)
        graded = await asyncio.to_thread(lambda: grade(code, tests, **chosen))
        reward = graded.fraction if self.config.partial else graded.score
        if reward is None:
            reasons = (case.reason for case in graded.cases if case.verdict is Verdict.MASKED)
            raise SandboxError(next(reasons, "the task has no tests"))
        return reward


if __name__ == "__main__":
    PythonToolset.run()
