"""`Sandbox`: the caller's side. Safe from threads, from asyncio and after a fork."""

import contextlib
import os
import weakref
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence, Sized
from os import PathLike
from typing import Any, Literal, TypeVar, overload

from sandbox.errors import CONFIGURATION, SandboxError
from sandbox.policy.model import Policy
from sandbox.result import Result
from sandbox.runtime.caller import capacity
from sandbox.runtime.caller.compiled import Compiler
from sandbox.runtime.caller.fault import Fault, gives_faults
from sandbox.runtime.caller.host import check_platform
from sandbox.runtime.caller.pool import Pool
from sandbox.runtime.caller.submission import Clerk, Item
from sandbox.runtime.executions import aio
from sandbox.runtime.executions.runner import Runner
from sandbox.runtime.executions.verdict import Setting
from sandbox.runtime.wire.job import Job, Services

_AHEAD = 4  # tasks of `amap` that may wait for an earlier one, per worker
_T = TypeVar("_T")
_open: "weakref.WeakSet[Sandbox]" = weakref.WeakSet()


class Sandbox:
    """Runs untrusted programs under one policy.

    `policy` is a shipped policy's name, a path to a .toml file, or a `Policy`. `workers` is how
    many programs run at once; by default one per processor, fewer if memory would not suffice.
    `measure="kernel"` waits for every child's end and takes its figures from the kernel, which a
    guest cannot forge; `"child"` returns at the final frame. `recycle_after` is the number of
    executions after which a fresh supervisor, with a new address layout, takes over.

    Raises PolicyError, SandboxUnavailable if this host cannot provide a layer that the policy
    requires, and SandboxError. Nothing that a guest does raises.
    """

    def __init__(
        self,
        policy: "str | PathLike[str] | Policy" = "strict",
        workers: int | None = None,
        *,
        measure: str = "child",
        recycle_after: int = 10_000,
    ) -> None:
        check_platform()
        if measure not in ("child", "kernel"):
            raise ValueError(f"measure must be 'child' or 'kernel', not {measure!r}")
        if recycle_after < 1:
            raise ValueError("recycle_after must be at least 1")
        self.policy = Policy.load(policy)
        plan = self.policy.plan()
        self.workers = capacity.workers(workers, plan.limits)
        self._pool = Pool(plan, spares=self.workers, recycle_after=recycle_after)
        hello = self._pool.open().hello
        self.layers: dict[str, str] = hello["active"]
        setting = Setting(
            policy=plan.name, layers=tuple(self.layers), resident_bytes=hello["resident_bytes"]
        )
        self._clerk = Clerk(plan, setting, wait_for_exit=measure == "kernel" or not plan.language)
        self._runner = Runner(self._pool, setting, self.workers)
        self._compiler = Compiler(self._clerk, self._runner)
        _open.add(self)
        self._finalizer = weakref.finalize(self, self._pool.close)

    def run(
        self,
        code: str,
        stdin: str = "",
        *,
        services: Services | None = None,
        preamble: str = "",
        postamble: str = "",
        **limits: float,
    ) -> Result:
        """Run `code` once. Keyword arguments tighten limits (`cpu_seconds=0.5`), never widen them.

        Under a policy that grants a session, `services` are functions of the caller, by name, that
        the guest can call with plain data and get plain data from; the guest's clocks stand still
        meanwhile. What they are given is untrusted. `preamble` is source that runs before the
        program, in its namespace: imports that the program may rely on; `postamble`, which counts
        as no source of the program's, runs after it. Each is compiled by itself: neither changes a
        line number of the program, or closes what it left open.

        Raises SandboxError for a fault of the sandbox, PolicyError for a wider limit or for
        services without a session.
        """
        texts: dict[str, Any] = {"preamble": preamble, "postamble": postamble}
        texts["after"] = self._compiler.compile_again(postamble)
        return self._runner.run(self._clerk.run(code, stdin, limits, services=services, **texts))

    def call(
        self,
        code: str,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        preamble: str = "",
        postamble: str = "",
        **limits: float,
    ) -> Result:
        """Run `code`, then call its function `entry`; `Result.value` is what it returned.

        Arguments and value are plain data: JSON types and tuples, which come back as lists; the
        keys of a dict come back as strings. Raises ValueError for other arguments.
        """
        texts: dict[str, Any] = {"preamble": preamble, "postamble": postamble}
        item = self._clerk.call(code, entry, args, kwargs or {}, limits, **texts)
        return self._runner.run(item)

    def run_many(
        self,
        code: str,
        stdins: Iterable[str],
        *,
        services: Services | None = None,
        preamble: str = "",
        postamble: str = "",
        **limits: float,
    ) -> list[Result]:
        """Run one program on many inputs: compiled once, a fresh child for each.

        `services` are those of `run`; it is remembered what a program was compiled to.
        """
        compiled = self._compiler.compile(code, preamble, postamble)
        if isinstance(compiled, Result):
            return [compiled for _ in stdins]
        options: dict[str, Any] = {"code": compiled, "services": services}
        texts: dict[str, Any] = {"preamble": preamble, "postamble": postamble}
        items = (self._clerk.run(code, stdin, limits, **options, **texts) for stdin in stdins)
        return list(self._runner.run_in_order(items))

    def call_many(
        self,
        code: str,
        entry: str,
        arguments: Iterable[Sequence[Any]],
        *,
        preamble: str = "",
        postamble: str = "",
        **limits: float,
    ) -> list[Result]:
        """Call one function with each of `arguments`: compiled once, a fresh child for each."""
        compiled = self._compiler.compile(code, preamble, postamble)
        if isinstance(compiled, Result):
            return [compiled for _ in arguments]
        texts: dict[str, Any] = {"preamble": preamble, "postamble": postamble}
        items = (
            self._clerk.call(code, entry, args, {}, limits, code=compiled, **texts)
            for args in arguments
        )
        return list(self._runner.run_in_order(items))

    @overload
    def map(
        self, jobs: Iterable[Job], *, progress: bool = False, on_fault: Literal["raise"] = "raise"
    ) -> Iterator[Result]: ...

    @overload
    def map(
        self, jobs: Iterable[Job], *, progress: bool = False, on_fault: Literal["yield"]
    ) -> Iterator[Result | Fault]: ...

    def map(
        self, jobs: Iterable[Job], *, progress: bool = False, on_fault: str = "raise"
    ) -> Iterator[Result] | Iterator[Result | Fault]:
        """The results of `jobs`, in their order, as they come.

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
            outcomes = self._runner.run_all_in_order(self._items(jobs, given))
            results = (_fault_of(given.popleft(), outcome) for outcome in outcomes)
        else:
            results = self._runner.run_in_order(self._items(jobs))
        return _with_bar(results, jobs) if progress else results

    def _items(self, jobs: Iterable[Job], given: deque[Job] | None = None) -> Iterator[Item]:
        for job in jobs:
            item = self._clerk.job(job)
            if given is not None:
                given.append(job)
            yield item

    async def arun(self, code: str, stdin: str = "", **limits: float) -> Result:
        """`run` for asyncio: no thread, cancellable; a cancelled job's child is killed."""
        return await self._runner.arun(self._clerk.run(code, stdin, limits))

    async def acall(
        self,
        code: str,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **limits: float,
    ) -> Result:
        """`call` for asyncio."""
        return await self._runner.arun(self._clerk.call(code, entry, args, kwargs or {}, limits))

    @overload
    def amap(
        self, jobs: Iterable[Job], *, progress: bool = False, on_fault: Literal["raise"] = "raise"
    ) -> AsyncIterator[Result]: ...

    @overload
    def amap(
        self, jobs: Iterable[Job], *, progress: bool = False, on_fault: Literal["yield"]
    ) -> AsyncIterator[Result | Fault]: ...

    async def amap(
        self, jobs: Iterable[Job], *, progress: bool = False, on_fault: str = "raise"
    ) -> AsyncIterator[Any]:
        """`map` for asyncio."""
        gives, given = gives_faults(on_fault), deque[Job]()
        items, ahead = self._items(jobs, given), self.workers * _AHEAD
        raised = CONFIGURATION if gives else SandboxError
        in_order = aio.in_order(self._runner.arun, items, ahead, progress)
        async with contextlib.aclosing(in_order) as outcomes:
            async for outcome in outcomes:
                job = given.popleft()
                if isinstance(outcome, raised):
                    raise outcome
                yield _fault_of(job, outcome)

    def close(self) -> None:
        """End the supervisor and every child. What is in flight raises SandboxError. Idempotent."""
        self._finalizer.detach()
        self._pool.close()
        _open.discard(self)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _after_fork(self) -> None:
        self._compiler.after_fork()
        self._runner.after_fork()


def close_all() -> None:
    """Close every open sandbox of this process."""
    for sandbox in list(_open):
        with contextlib.suppress(SandboxError):
            sandbox.close()


def _fault_of(job: Job, outcome: Result | SandboxError) -> Result | Fault:
    return Fault(job, outcome) if isinstance(outcome, SandboxError) else outcome


def _with_bar(results: Iterator[_T], jobs: Iterable[Job]) -> Iterator[_T]:
    from tqdm import tqdm

    yield from tqdm(results, total=len(jobs) if isinstance(jobs, Sized) else None, unit="run")


def _after_fork_in_child() -> None:
    for sandbox in list(_open):
        sandbox._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
