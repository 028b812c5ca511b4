"""For TRL's `environment_factory`: an interpreter for each rollout, and a reward for its answer.

trainer = GRPOTrainer(model, environment_factory=CodeEnvironment, train_dataset=rows, args=config)

Needs nothing of TRL: an environment is a class with `reset`, `get_reward` and typed methods.
"""

import asyncio
import logging
import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from os import PathLike
from typing import Any, Unpack

from sandbox.errors import CONFIGURATION, SandboxError
from sandbox.grading.extraction import extract_code
from sandbox.grading.grade import grade
from sandbox.grading.options import GradeOptions, scored
from sandbox.grading.tests import Tests
from sandbox.grading.verdicts import Grade
from sandbox.integrations.columns import Choice, Reader
from sandbox.integrations.sessions.rollout import SESSIONS, Rollout
from sandbox.policy.limits import LimitOptions
from sandbox.policy.model import Policy

__all__ = ["CodeEnvironment"]

_log = logging.getLogger(__name__)


class CodeEnvironment:
    """One rollout's environment: the tools `run_python` and `submit`, and the reward.

    `run_python` is a session under `policy`: variables last from call to call, until `reset`. The
    reward is that of the program that was submitted last, by the tests of the rollout's row: 1.0 if
    all pass, else 0.0, or with `partial` the share that passes; 0.0 if none was submitted. It is
    None, which TRL leaves out of a group, where the row has no tests, or where the sandbox, the
    machine or a test failed; also where a fault of theirs reached the model in a call of a tool.

    TRL makes an instance without arguments: bind settings with `functools.partial`, or in a
    subclass whose `__init__` passes them on. `tests` is the column that has the tests, a dict from
    the parts of a form to columns, or None for the columns of the usual data sets; other columns
    are not looked at. `sessions` is how many interpreters a process has at a time: at least the
    rollouts of one generation. `limits` hold for each call of `run_python`; `grading` are options
    of `grade`, which has limits of its own.

    Instances are used again, and nothing closes them: the session ends at the next `reset`, when
    the instance is no more, or with the process.

    Raises PolicyError for a wrong policy, option or limit, ValueError for an unknown comparator.
    """

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
        self._rollout = Rollout(policy, sessions=sessions, **limits)
        self._choice, self._partial = tests, partial
        self._options = scored(grading or {}, partial=partial)
        self._tests: Tests | None = None
        self._graded: Future[Grade] | None = None

    def reset(self, **row: Any) -> str | None:
        """Begin a rollout: no variables, no answer, the tests of `row`.

        Raises ValueError if the row's tests are malformed.
        """
        self._rollout.reset()
        self._graded = None
        self._tests = Reader(self._choice).read(row, "the row")
        return None

    async def run_python(self, code: str) -> str:
        """
        Run Python code and get what it prints and the value of its last expression, or its error.

        Variables, functions and imports are kept from one call to the next. There are no files, no
        network and no third-party packages.

        Args:
            code: The Python code.

        Returns:
            What the code printed and the value of its last expression, or how it failed.
        """
        return await asyncio.to_thread(self._rollout.tell, code)

    async def submit(self, program: str) -> str:
        """
        Submit the program that solves the task. The last one that is submitted counts.

        Args:
            program: The whole program.

        Returns:
            That it was received.
        """
        if self._tests is not None:
            code = extract_code(program) if "```" in program else program
            self._graded = _graders.submit(code, self._tests, self._options)
        else:
            self._graded = None
        return "The program was submitted."

    def get_reward(self) -> float | None:
        """Return the reward of the rollout, None where there is no verdict.

        Raises PolicyError, SandboxUnavailable.
        """
        if self._rollout.fault:
            _tell(self._rollout.fault)
            return None
        if self._tests is None:
            return None
        if self._graded is None:
            return 0.0
        try:
            graded = self._graded.result()
        except CONFIGURATION:
            raise
        except SandboxError as error:
            _tell(str(error))
            return None
        return graded.fraction if self._partial else graded.score


def _tell(reason: str) -> None:
    _log.warning("a rollout has no reward: %.300s", reason)


class _Graders:
    """Threads that grade what was submitted, while other rollouts go on. Begun at the first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None
        os.register_at_fork(after_in_child=self._after_fork)

    def submit(self, code: str, tests: Tests, options: Any) -> "Future[Grade]":
        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="grade")
            return self._threads.submit(grade, code, tests, **options)

    def _after_fork(self) -> None:
        self._lock, self._threads = threading.Lock(), None


_graders = _Graders()
