"""`Sandbox`: the caller's side. Safe from threads, from asyncio and after a fork."""

import contextlib
import math
import os
import weakref
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, TypeVar, Unpack, overload

from sandbox.errors import CONFIGURATION, SandboxError
from sandbox.job import Job, Jobs, Options, as_job
from sandbox.policy.model import Policy
from sandbox.result import Result
from sandbox.runtime.caller import capacity
from sandbox.runtime.caller.compiled import Compiler
from sandbox.runtime.caller.fault import Fault, gives_faults
from sandbox.runtime.caller.host import check_platform
from sandbox.runtime.caller.pool import Pool
from sandbox.runtime.caller.progress import with_bar
from sandbox.runtime.caller.submission import Terms, submit
from sandbox.runtime.executions.record import Submission
from sandbox.runtime.executions.runner import Runner
from sandbox.runtime.executions.verdict import Setting
from sandbox.runtime.sessions.begins_sessions import BeginsSessions
from sandbox.runtime.sessions.open_sessions import Sessions

_AHEAD = 4  # tasks of `amap` that may wait for an earlier one, per worker
_T = TypeVar("_T")
_open: "weakref.WeakSet[Sandbox]" = weakref.WeakSet()


class Sandbox(BeginsSessions):
    """Runs untrusted programs under one policy.

    `policy` is a shipped policy's name, a path to a .toml file, or a `Policy`. `workers` is how
    many programs run at once; by default one per processor, fewer if memory would not suffice.
    `measure="kernel"` waits for every child's end and takes its figures from the kernel, which a
    guest cannot forge; `"child"` returns at the final frame. `recycle_after` is the number of
    executions after which a fresh supervisor, with a new address layout, takes over. At most
    `sessions` sessions are open at a time: one more evicts the one that has been idle for the
    longest, and one that is idle for `session_idle_seconds` is evicted when another begins.

    Raises PolicyError, TypeError and ValueError for a wrong argument, SandboxUnavailable if this
    host cannot provide a layer that the policy requires, and SandboxError. Nothing that a guest
    does raises.

        with Sandbox("contest", workers=4) as sandbox:
            result = sandbox.run("print(sum(map(int, input().split())))", "1 2", cpu_seconds=1)
    """

    def __init__(
        self,
        policy: "str | PathLike[str] | Policy" = "strict",
        workers: int | None = None,
        *,
        measure: str = "child",
        recycle_after: int = 10_000,
        sessions: int = 64,
        session_idle_seconds: float = math.inf,
    ) -> None:
        check_platform()
        if measure not in ("child", "kernel"):
            raise ValueError(f"measure must be 'child' or 'kernel', not {measure!r}")
        if recycle_after < 1:
            raise ValueError("recycle_after must be at least 1")
        self.policy = Policy.load(policy)
        plan = self.policy.plan()
        self.workers = capacity.workers(workers, plan)
        self._pool = Pool(plan, spares=self.workers, recycle_after=recycle_after)
        hello = self._pool.open().hello
        self.layers: dict[str, str] = hello["active"]
        setting = Setting(
            policy=plan.name, layers=tuple(self.layers), resident_bytes=hello["resident_bytes"]
        )
        waits = measure == "kernel" or not plan.language
        no_scratch = ""
        if "namespaces" not in self.layers:
            no_scratch = hello["missing"].get("namespaces", "they are off")
        self._terms = Terms(plan, setting, wait_for_exit=waits, no_scratch=no_scratch)
        self._runner = Runner(self._pool, setting, self.workers)
        self._sessions = Sessions(self._terms, hello, sessions, session_idle_seconds)
        self._compiler = Compiler(self._terms, self._runner)
        _open.add(self)
        self._finalizer = weakref.finalize(self, self._pool.close)

    def run(self, code: str, stdin: str = "", **options: Unpack[Options]) -> Result:
        """Run `code` once, with `stdin` as its standard input, and return how it ended.

        Limits are keyword arguments in the units of their names (`cpu_seconds=0.5`,
        `memory_mib=64`); they tighten the policy's, never widen them.

        Under a policy that grants services, `services` are functions of the caller, by name, that
        the guest can call with plain data and get plain data from; the guest's clocks stand still
        meanwhile. What they are given is untrusted. `preamble` is source that runs before the
        program, in its namespace: imports that the program may rely on; `postamble`, which counts
        as no source of the program's, runs after it. Each is compiled by itself: neither changes a
        line number of the program, or closes what it left open.

        Raises SandboxError for a fault of the sandbox, PolicyError for a wider or unknown limit or
        for services that it does not grant, TypeError for what is no text.

            result = sandbox.run("print(int(input()) + 1)", "41", cpu_seconds=1)
            assert result.ok and result.output == "42\\n"
        """
        return self.run_job(Job.of(code, options, stdin=stdin))

    def run_job(self, job: Job) -> Result:
        """Run one `Job`, as `run` and `call` do with their arguments. Raises as they do."""
        return self._runner.run(self._submitted(as_job(job)))

    def call(
        self,
        code: str,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Run `code`, then call its function `entry`; `Result.value` is what it returned.

        Arguments and value are plain data: JSON types and tuples, which come back as lists; the
        keys of a dict come back as strings. `options` are those of `run`. Raises as `run` does, and
        ValueError for other arguments.

            sandbox.call("def double(n): return 2 * n", "double", [21]).value  # 42
        """
        return self.run_job(Job.of(code, options, entry=entry, args=args, kwargs=kwargs or {}))

    def run_many(
        self, code: str, stdins: Iterable[str], **options: Unpack[Options]
    ) -> list[Result]:
        """Run one program on many inputs: compiled once, a fresh child for each.

        `options` are those of `run`; it is remembered what a program was compiled to. The results
        come in the order of `stdins`. Raises as `run` does.
        """
        return self._many(Job.of(code, options), [{"stdin": stdin} for stdin in stdins])

    def call_many(
        self,
        code: str,
        entry: str,
        arguments: Iterable[Sequence[Any]],
        **options: Unpack[Options],
    ) -> list[Result]:
        """Call one function with each of `arguments`: compiled once, a fresh child for each.

        The rest is as in `call` and `run_many`.
        """
        return self._many(Job.of(code, options, entry=entry), [{"args": a} for a in arguments])

    def _many(self, job: Job, each: Sequence[Mapping[str, Any]]) -> list[Result]:
        compiled = self._compiler.compile(job.program)
        if isinstance(compiled, Result):
            return [compiled for _ in each]
        jobs = (replace(job, **fields) for fields in each)
        submissions = (submit(job, self._terms, code=compiled) for job in jobs)
        return list(self._runner.run_in_order(submissions))

    def _submitted(self, job: Job) -> Submission | Result:
        after = self._compiler.compile_again(job.postamble) if job.postamble else b""
        return submit(job, self._terms, after=after)

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
        """Return the results of `jobs` in their order, lazily. A str is the job of that program.

        Lazy: reads `jobs` only a little ahead of what was taken. `progress` shows a tqdm bar, none
        by default. `on_fault` is what becomes of a job for which the sandbox failed: `"raise"`, the
        default, raises its SandboxError at its place and ends the iteration; `"yield"` gives a
        `Fault` there and goes on.

        Either way what is no job, what `jobs` itself raises and what every later job would meet as
        well (PolicyError, SandboxClosed, SandboxUnavailable) is raised at its place, after the
        results of all jobs before it. Raises ValueError for another `on_fault`.

            for job, result in zip(jobs, sandbox.map(jobs, on_fault="yield"), strict=True):
                rewards.append(None if isinstance(result, Fault) else float(result.ok))
        """
        results: Iterator[Result] | Iterator[Result | Fault]
        if gives_faults(on_fault):
            given = deque[Job]()
            outcomes = self._runner.run_all_in_order(self._submissions(jobs, given))
            results = (_fault_of(given.popleft(), outcome) for outcome in outcomes)
        else:
            results = self._runner.run_in_order(self._submissions(jobs))
        return with_bar(results, jobs) if progress else results

    def _submissions(
        self, jobs: Jobs, given: deque[Job] | None = None
    ) -> Iterator[Submission | Result]:
        for each in jobs:
            job = as_job(each)
            submission = submit(job, self._terms)
            if given is not None:
                given.append(job)
            yield submission

    async def arun(self, code: str, stdin: str = "", **options: Unpack[Options]) -> Result:
        """`run` for asyncio, with its options: no thread, cancellable; then its child is killed.

        With services a thread runs it, as a service may block.
        """
        return await self._runner.arun(self._submitted(Job.of(code, options, stdin=stdin)))

    async def acall(
        self,
        code: str,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """`call` for asyncio, with its options."""
        call = {"entry": entry, "args": args, "kwargs": kwargs or {}}
        return await self._runner.arun(self._submitted(Job.of(code, options, **call)))

    @overload
    def amap(
        self, jobs: Jobs, *, progress: bool = False, on_fault: Literal["raise"] = "raise"
    ) -> AsyncIterator[Result]: ...

    @overload
    def amap(
        self, jobs: Jobs, *, progress: bool = False, on_fault: Literal["yield"]
    ) -> AsyncIterator[Result | Fault]: ...

    async def amap(
        self, jobs: Jobs, *, progress: bool = False, on_fault: str = "raise"
    ) -> AsyncIterator[Any]:
        """`map` for asyncio."""
        from sandbox.runtime.executions import aio

        gives, given = gives_faults(on_fault), deque[Job]()
        submissions, ahead = self._submissions(jobs, given), self.workers * _AHEAD
        raised = CONFIGURATION if gives else SandboxError
        in_order = aio.in_order(self._runner.arun, submissions, ahead, progress)
        async with contextlib.aclosing(in_order) as outcomes:
            async for outcome in outcomes:
                job = given.popleft()
                if isinstance(outcome, raised):
                    raise outcome
                yield _fault_of(job, outcome)

    def close(self) -> None:
        """End the supervisor and every child. What is in flight raises SandboxError. Idempotent."""
        self._finalizer.detach()
        self._sessions.close()
        self._pool.close()
        _open.discard(self)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _after_fork(self) -> None:
        self._sessions.after_fork()
        self._compiler.after_fork()
        self._runner.after_fork()


def close_all() -> None:
    """Close every open sandbox of this process."""
    for sandbox in list(_open):
        with contextlib.suppress(SandboxError):
            sandbox.close()


def _fault_of(job: Job, outcome: Result | SandboxError) -> Result | Fault:
    return Fault(job, outcome) if isinstance(outcome, SandboxError) else outcome


def _after_fork_in_child() -> None:
    for sandbox in list(_open):
        sandbox._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
