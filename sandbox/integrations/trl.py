"""Rewards for TRL's trainers: what share of its tests a completion's program passes, and functions
of one's own that never run in the trainer.

Needs nothing of TRL: a reward function is a callable with a name. It is pickled to other processes,
called from any thread, with keywords only, and returns one number or None per completion.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Unpack

from sandbox.errors import PolicyError, SandboxClosed, SandboxError, SandboxUnavailable
from sandbox.grading.block import ending
from sandbox.grading.extraction import extract_code
from sandbox.grading.grade import grade_many
from sandbox.grading.options import GradeOptions, scored
from sandbox.grading.tests import Tests
from sandbox.grading.verdicts import Grade, Verdict
from sandbox.integrations.columns import Choice, Reader, rows_of
from sandbox.integrations.contained import located
from sandbox.rewards.contained import ContainedReward
from sandbox.rewards.load import load_all, load_reward
from sandbox.runtime.caller.capacity import check_workers

_CONFIGURATION = (PolicyError, SandboxClosed, SandboxUnavailable)  # the same again next time
_NO_COLUMNS = ("trainer_state", "log_extra", "environments")  # TRL passes them beside the columns
Metric = Callable[[str, float], None]
_log = logging.getLogger(__name__)
_NO_TESTS = "the row has no tests"
_Outcome = tuple[float | None, str]  # the reward, or None and why there is none


class CodeReward:
    """A reward function: 1.0 if a completion's program passes its row's tests, else 0.0.

    None, which TRL leaves out of a group, where a row has no tests or the sandbox, the machine or a
    test failed; the log says how many and why. No sandbox starts before the first call, so it can
    be pickled, forked and spawned; calls may come from any thread.

    `tests`: the column that has them, in a form of docs/grading.md; or a dict from the parts of a
    form to columns, as in `{"test": "unit_tests", "entry_point": "function"}`; or None for the
    columns of HumanEval, MBPP, APPS, open-r1 and their like.
    `partial`: the reward is the share of tests passed, and not all or nothing; then all are run.
    `mask_weaker`: None for rows whose tests must share a process with the program.
    `extract`: makes the program of a completion; `str` takes a text as it is.
    `workers`: how many programs run at once; one per processor by default.
    `name`: `__name__`, under which TRL logs the reward.
    `options`: those of `grade`, limits among them (`cpu_seconds=2`). `early_stop` is on unless
    `partial`: a score needs no further test after the first failure, a fraction does.

    Raises ValueError for an unknown comparator, PolicyError for a wrong policy, option or limit.

        trainer = GRPOTrainer(model, reward_funcs=CodeReward(partial=True, cpu_seconds=2), ...)
    """

    def __init__(
        self,
        tests: Choice = None,
        *,
        partial: bool = False,
        mask_weaker: bool = False,
        extract: Callable[[Any], str] = extract_code,
        workers: int | None = None,
        name: str = "code_reward",
        **options: Unpack[GradeOptions],
    ) -> None:
        check_workers(workers)
        self._options = scored(options, partial=partial)
        self.__name__ = name
        self._choice, self._workers = tests, workers
        self._partial, self._mask_weaker, self._extract = partial, mask_weaker, extract

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        completion_ids: Any = None,
        *,
        log_metric: Metric | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the rewards of `completions`, texts or conversations, whose rows are in `columns`.

        Raises ValueError if a column is missing or of another length, or a row's tests are
        malformed; SandboxUnavailable, PolicyError. Nothing that a completion has in it raises.
        """
        columns = {name: column for name, column in columns.items() if name not in _NO_COLUMNS}
        if prompts is not None:
            columns["prompt"] = prompts
        reader = Reader(self._choice)
        rows = rows_of(columns, len(completions), self._choice)
        tests = [reader.read(row, f"row {number}") for number, row in enumerate(rows)]
        outcomes = self._outcomes(list(map(self._program, completions)), tests)
        self._tell(outcomes, log_metric)
        return [reward for reward, _ in outcomes]

    def check(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Return how many of `rows`, a data set, have tests.

        Raises ValueError for the first that is malformed: better before a training than in it.
        """
        reader = Reader(self._choice)
        read = (reader.read(row, f"row {number}") for number, row in enumerate(rows))
        return sum(tests is not None and tests.total > 0 for tests in read)

    def _program(self, completion: Any) -> str | SandboxError:
        try:
            program = self._extract(completion)
        except Exception as error:  # of a shape that no trainer gives: no fault of the model
            return SandboxError(f"the completion cannot be read: {type(error).__name__}: {error}")
        if isinstance(program, str):
            return program
        return SandboxError(f"extract gave no text but a {type(program).__name__}")

    def _outcomes(
        self, programs: Iterable[str | SandboxError], tests: Iterable[Tests | None]
    ) -> list[_Outcome]:
        pairs = list(zip(programs, tests, strict=True))
        grades = iter(self._grades([pair for pair in pairs if _has_both(*pair)]))
        return [
            self._outcome(next(grades)) if _has_both(*pair) else _nothing(*pair) for pair in pairs
        ]

    def _grades(self, rows: list[Any]) -> Iterable[Grade | SandboxError]:
        try:
            return grade_many(rows, workers=self._workers, **self._options)
        except _CONFIGURATION:
            raise
        except SandboxError as error:  # none of them could be graded
            return [error] * len(rows)

    def _outcome(self, grade: Grade | SandboxError) -> _Outcome:
        if isinstance(grade, SandboxError):
            return None, str(grade)
        if grade.weaker and self._mask_weaker:
            return None, "its tests would share a process with the program"
        if grade.masked:
            reasons = (case.reason for case in grade.cases if case.verdict is Verdict.MASKED)
            return None, next(reasons, _NO_TESTS)
        return (grade.fraction if self._partial else grade.score), ""

    def _tell(self, outcomes: Sequence[_Outcome], log_metric: Metric | None) -> None:
        """Say what share of the rows has no reward; why, if they have tests."""
        if log_metric is not None and outcomes:
            share = sum(reward is None for reward, _ in outcomes) / len(outcomes)
            log_metric(f"{self.__name__}/masked", share)
        told = {reason for reward, reason in outcomes if reward is None} - {_NO_TESTS}
        if told:
            count = sum(reason in told for _, reason in outcomes)
            _log.warning(
                "%s masks %d of %d completions, for %.300r",
                self.__name__,
                count,
                len(outcomes),
                sorted(told)[0],
            )


def _has_both(program: str | SandboxError, tests: Tests | None) -> bool:
    return isinstance(program, str) and tests is not None


def _nothing(program: str | SandboxError, tests: Tests | None) -> _Outcome:
    return None, _NO_TESTS if tests is None else str(program)


async def code_reward(
    prompts: Sequence[Any] | None = None,
    completions: Sequence[Any] = (),
    completion_ids: Any = None,
    *,
    reward: CodeReward | None = None,
    **columns: Any,
) -> list[float | None]:
    """Call `CodeReward` as a coroutine, which TRL runs beside its other asynchronous rewards.

    Its settings are bound: `functools.partial(code_reward, reward=CodeReward(partial=True))`.
    """
    function = CodeReward() if reward is None else reward
    with ending():  # a thread cannot be cancelled, and asyncio waits for it
        return await asyncio.to_thread(function, prompts, completions, completion_ids, **columns)


def contained_rewards(*sources: "str | PathLike[str]", **options: Any) -> list[ContainedReward]:
    """Load reward functions for `reward_funcs` that run in children only, never in the trainer.

        GRPOTrainer(model, reward_funcs=contained_rewards("format.py", "tests.py::accuracy"), ...)

    Each of `sources` is the path of a file (a `Path`, or a text of one line that ends in `.py`),
    that with `::` and the name of a function behind it, or the text itself. Without a name all
    reward functions of the source are taken, in its order: those with a parameter `completions`
    that no other function of the source uses. `options` are those of `load_reward`, for all.

    A function's fault ends the training with RewardError; a fault of the sandbox or the machine,
    which is tried twice, masks the rows with None, and TRL leaves them out of their groups. Where
    TRL is to wait for a function beside others, take `reward.as_coroutine()`.

    Raises what `load_reward` does.
    """
    found: list[ContainedReward] = []
    for source in sources:
        where, named = located(source)
        found += (
            [load_reward(where, name=named, **options)] if named else load_all(where, **options)
        )
    return found
