"""Callable classes for `Dataset.map_batches` of Ray Data: an actor of Ray's for each of ours."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Unpack

from sandbox.errors import SandboxError
from sandbox.grading.options import RowOptions, Settings
from sandbox.integrations.ray.cluster import load_ray
from sandbox.integrations.ray.node import Failure, is_fault, work
from sandbox.job import Job, Options
from sandbox.policy.model import Policy
from sandbox.runtime.caller.client import Sandbox

_Batch = dict[str, Any]
_NO_PROGRAM = Failure(SandboxError("there is no text in the row's column of programs"))


class _Batches:
    """A sandbox, opened where Ray Data puts the actor.

    By default it runs as many programs at once as Ray gave the actor processors.
    """

    def __init__(self, policy: "str | PathLike[str] | Policy", workers: int | None) -> None:
        self._sandbox = Sandbox(policy, workers or _assigned_cpus())

    def _work(self, kind: str, jobs: Sequence[Any], **shared: Any) -> list[Any]:
        """Return a result for each job, or a `Failure` in its place. A wrong setup raises.

        A job that is None is of a row without a program.
        """
        given = [job for job in jobs if job is not None]
        outcomes = work(self._sandbox, kind, given, shared) if given else []
        for outcome in outcomes:
            if isinstance(outcome, Failure) and not is_fault(outcome.error):
                raise outcome.error
        rest = iter(outcomes)
        return [_NO_PROGRAM if job is None else next(rest) for job in jobs]


class BatchRunner(_Batches):
    """Runs the program of each row and adds the columns `output`, `error`, `status` and `fault`.

        dataset.map_batches(BatchRunner, compute=ray.data.ActorPoolStrategy(size=4))

    `code` and `stdin` name the columns with the programs and their standard input; `stdin=None` is
    none, as a null in it is. `workers` and `options` (`cpu_seconds=2`) are those of
    `Sandbox`. Where the sandbox failed, or the program is a null, `fault` says so and the other
    three are None: such a row has no verdict. Raises PolicyError, SandboxUnavailable, and KeyError
    for a missing column, which end the data set.
    """

    def __init__(
        self,
        policy: "str | PathLike[str] | Policy" = "strict",
        *,
        code: str = "code",
        stdin: str | None = "stdin",
        workers: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(policy, workers)
        self._code, self._stdin, self._options = code, stdin, options

    def __call__(self, batch: _Batch) -> _Batch:
        """Run one batch of Ray Data's default format, columns by name."""
        codes = batch[self._code]
        stdins = batch[self._stdin] if self._stdin else [""] * len(codes)
        jobs = [
            Job.of(str(code), self._options, stdin=_text(stdin)) if isinstance(code, str) else None
            for code, stdin in zip(codes, stdins, strict=True)
        ]
        outcomes = self._work("map", jobs)
        added: _Batch = {
            name: [getattr(outcome, name, None) for outcome in outcomes]
            for name in ("output", "status")
        }
        added["status"] = [None if status is None else str(status) for status in added["status"]]
        added["error"] = [None if _has_failed(each) else each.error for each in outcomes]
        return {**batch, **added, "fault": _faults(outcomes)}


class BatchGrader(_Batches):
    """Grades the program of each row and adds `score`, `fraction`, `masked` and `fault`.

        dataset.map_batches(BatchGrader, fn_constructor_kwargs={"tests": "tests"}, compute=actors)

    `code` and `tests` name the columns; tests are in a form of docs/grading.md, as JSON text or as
    the structures of an Arrow table. `options` and their defaults are those of `grade`:
    `fraction` needs `early_stop=False`. `score` and `fraction` are None
    where `masked`.
    """

    def __init__(
        self,
        policy: "str | PathLike[str] | Policy" = "contest",
        *,
        code: str = "code",
        tests: str = "tests",
        workers: int | None = None,
        **options: Unpack[RowOptions],
    ) -> None:
        Settings.of({**options, "policy": policy})
        super().__init__(policy, workers)
        self._code, self._tests, self._options = code, tests, options

    def __call__(self, batch: _Batch) -> _Batch:
        """Grade one batch of Ray Data's default format, columns by name."""
        rows = [
            (str(code), _plain(tests)) if isinstance(code, str) else None
            for code, tests in zip(batch[self._code], batch[self._tests], strict=True)
        ]
        outcomes = self._work("grade", rows, **self._options)
        added: _Batch = {
            name: [getattr(outcome, name, None) for outcome in outcomes]
            for name in ("score", "fraction")
        }
        added["masked"] = [_has_failed(outcome) or outcome.masked for outcome in outcomes]
        return {**batch, **added, "fault": _faults(outcomes)}


def _text(value: Any) -> str:
    """Return what a cell holds, as text; a null is nothing, and so is the NaN for one."""
    return "" if value is None or value != value else str(value)


def _plain(value: Any) -> Any:
    """Return what a column holds, without the types of numpy."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return _plain(value.tolist()) if hasattr(value, "tolist") else value


def _has_failed(outcome: Any) -> bool:
    return isinstance(outcome, Failure)


def _faults(outcomes: Sequence[Any]) -> list[str]:
    return [str(each.error) if _has_failed(each) else "" for each in outcomes]


def _assigned_cpus() -> int:
    """Return how many processors Ray gave this actor; 1 outside of Ray or if it counts fewer."""
    ray = load_ray()
    if not ray.is_initialized():
        return 1
    assigned = ray.get_runtime_context().get_assigned_resources()
    return max(int(assigned.get("CPU", 1)), 1)
