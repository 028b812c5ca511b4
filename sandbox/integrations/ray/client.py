"""`RaySandbox`: a `Sandbox` on every node of a Ray cluster, for one caller."""

import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeVar, Unpack, overload

from sandbox.grading.grade import read_rows
from sandbox.grading.options import RowOptions, Settings, without_policy
from sandbox.grading.tests import Tests, UnreadTests
from sandbox.grading.verdicts import Grade, masked, summed_up
from sandbox.integrations.ray.cluster import Cluster, connect
from sandbox.integrations.ray.dispatch import Dispatch
from sandbox.integrations.ray.node import Failure, Raised, Setup, is_fault, version
from sandbox.job import Job, Jobs, Options, Services, as_job
from sandbox.policy.model import Policy
from sandbox.result import Result
from sandbox.runtime.caller.capacity import check_workers
from sandbox.runtime.caller.fault import Fault, gives_faults
from sandbox.runtime.caller.progress import progress_bar, with_bar

_T = TypeVar("_T")


class RaySandbox:
    """Runs untrusted programs on every node of a Ray cluster that has logical processors.

    One actor per node holds that node's `Sandbox`. Nodes that join are taken up. A job whose node
    is lost is run again on another, at most `attempts` times, the last time in an actor of its own;
    results come once and in order.

    `policy`, `measure` and `recycle_after` are those of `Sandbox`. `address` is where the cluster
    is, as `ray.init` takes it; by default the one that this process is connected to, or what
    `ray.init()` finds or starts, and it stays connected. `workers` is how many programs run at once
    on each node; by default as many as Ray counts processors there, fewer if the machine has fewer
    or memory would not suffice. `num_cpus` is what each actor reserves of them: nothing by default,
    so that it starts beside a trainer that has reserved all. `wait_seconds` is how long jobs wait
    for a node while there is none; then each that waits is a fault, until one is back.

    Raises ImportError without Ray; PolicyError, SandboxUnavailable and SandboxError as `Sandbox`
    does, with the node named. Thread-safe.
    """

    def __init__(
        self,
        policy: "str | PathLike[str] | Policy" = "strict",
        address: str | None = None,
        *,
        workers: int | None = None,
        measure: str = "child",
        recycle_after: int = 10_000,
        num_cpus: float = 0,
        attempts: int = 3,
        wait_seconds: float = 60.0,
    ) -> None:
        check_workers(workers)
        if attempts < 1:
            raise ValueError("attempts must be at least 1")
        self.policy = Policy.load(policy)
        self._ray = connect(address)
        self._attempts, self._wait_seconds = attempts, wait_seconds
        setup = Setup(self.policy, workers, measure, recycle_after, version())
        self._cluster = Cluster(self._ray, setup, num_cpus=num_cpus)
        self._finalizer = weakref.finalize(self, self._cluster.close)
        try:
            self._cluster.open()
        except BaseException:
            self.close()
            raise

    @property
    def nodes(self) -> dict[str, int]:
        """The nodes that take jobs now, by address and id, and how many each runs at once."""
        return {member.name: member.workers for member in self._cluster.members()}

    def run(self, code: str, stdin: str = "", **options: Unpack[Options]) -> Result:
        """Call `Sandbox.run` on the node with the least to do, with its options.

        Services cannot cross: ValueError.
        """
        return self._one(Job.of(code, options, stdin=stdin))

    def call(
        self,
        code: str,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Call `Sandbox.call` on the node with the least to do, with its options but services."""
        return self._one(Job.of(code, options, entry=entry, args=args, kwargs=kwargs or {}))

    def run_many(
        self, code: str, stdins: Iterable[str], **options: Unpack[Options]
    ) -> list[Result]:
        """Run one program on many inputs: compiled once on each node, a fresh child for each."""
        _refuse(options.get("services"))
        return list(self._results("run_many", {"code": code, **options}, stdins))

    def call_many(
        self,
        code: str,
        entry: str,
        arguments: Iterable[Sequence[Any]],
        **options: Unpack[Options],
    ) -> list[Result]:
        """Call one function with each of `arguments`: compiled once on each node."""
        _refuse(options.get("services"))
        shared = {"code": code, "entry": entry, **options}
        return list(self._results("call_many", shared, arguments))

    @overload
    def map(
        self, jobs: Jobs, *, progress: bool = False, on_fault: Literal["raise"] = "raise"
    ) -> Iterator[Result]: ...

    @overload
    def map(
        self, jobs: Jobs, *, progress: bool = False, on_fault: Literal["yield"]
    ) -> Iterator[Result | Fault]: ...

    def map(
        self, jobs: Jobs, *, progress: bool = False, on_fault: str = "raise"
    ) -> Iterator[Result] | Iterator[Result | Fault]:
        """Yield the results of `jobs`, in their order, as they come.

        Lazy: reads `jobs` only a little ahead of what was taken, so they may be endless. `progress`
        shows a tqdm bar. `on_fault` is that of `Sandbox.map`: a job for which the sandbox failed,
        or whose node was lost `attempts` times, raises its SandboxError at its place, or with
        `"yield"` is a `Fault` there. All else that `Sandbox.map` raises is raised, with the node
        named, after the results of all jobs before it. Raises ValueError for another `on_fault`.
        """
        results: Iterator[Result] | Iterator[Result | Fault]
        if gives_faults(on_fault):
            results = self._with_faults(jobs)
        else:
            results = self._results("map", {}, _checked(jobs))
        return with_bar(results, jobs) if progress else results

    def _with_faults(self, jobs: Jobs) -> Iterator[Result | Fault]:
        given = deque[Job]()
        for outcome in self._dispatch("map", {}).in_order(_noted(_checked(jobs), given)):
            if not isinstance(outcome, Failure):
                given.popleft()
                yield outcome
            elif isinstance(outcome, Raised) or not is_fault(outcome.error):
                raise outcome.error
            else:
                yield Fault(given.popleft(), outcome.error)

    def grade_many(
        self,
        rows: Iterable[tuple[str, Any]],
        *,
        progress: bool = False,
        **options: Unpack[RowOptions],
    ) -> list[Grade]:
        """Return the grades of `rows`, in order: `grade_many` under this policy, on all nodes.

        `options` are those of `grade`, but for `policy`: TypeError. A row whose node was lost
        `attempts` times is masked. A `comparator` of yours is pickled.
        """
        Settings.of({**without_policy(options), "policy": self.policy})
        given = read_rows(rows)
        first = {key: (code, tests) for code, tests, key in reversed(given)}
        keys = list(dict.fromkeys(key for _, _, key in given))
        outcomes = self._dispatch("grade", dict(options)).in_order([first[key] for key in keys])
        grades: dict[bytes, Grade] = {}
        with progress_bar(len(keys), unit="row", shown=progress) as bar:
            for key, outcome in zip(keys, outcomes, strict=True):
                grades[key] = _graded(outcome, first[key][1])
                bar.update()
        return [grades[key] for _, _, key in given]

    def close(self) -> None:
        """End every actor and what it runs; jobs in flight raise SandboxClosed. Idempotent.

        Ray stays connected; `ray.shutdown()` ends that.
        """
        self._finalizer()

    def __enter__(self) -> "RaySandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _one(self, job: Job) -> Result:
        [result] = self.map([job])
        return result

    def _results(self, kind: str, shared: dict[str, Any], jobs: Iterable[Any]) -> Iterator[Result]:
        for outcome in self._dispatch(kind, shared).in_order(jobs):
            if isinstance(outcome, Failure):
                raise outcome.error
            yield outcome

    def _dispatch(self, kind: str, shared: dict[str, Any]) -> Dispatch:
        return Dispatch(
            self._ray,
            self._cluster,
            (kind, shared),
            attempts=self._attempts,
            wait_seconds=self._wait_seconds,
        )


def _noted(jobs: Iterable[Job], given: deque[Job]) -> Iterator[Job]:
    for job in jobs:
        given.append(job)
        yield job


def _checked(jobs: Jobs) -> Iterator[Job]:
    for job in map(as_job, jobs):
        _refuse(job.services)
        yield job


def _refuse(services: Services | None) -> None:
    if services:
        raise ValueError(
            "services are functions of this process, which a program on another node cannot call:"
            " use Sandbox for programs that need them"
        )


def _graded(outcome: Any, tests: Tests | UnreadTests | None) -> Grade:
    if not isinstance(outcome, Failure):
        return outcome  # type: ignore[no-any-return]
    if not is_fault(outcome.error):
        raise outcome.error
    total = tests.total if tests else 0
    return summed_up([masked(str(outcome.error))] * total, total, executions=0)
