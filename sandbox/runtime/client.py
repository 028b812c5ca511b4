"""`Sandbox`: the caller's side. Safe from threads, from asyncio and after a fork."""

import contextlib
import hashlib
import os
import threading
import time
import weakref
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from sandbox.errors import SandboxError
from sandbox.policy.model import Policy
from sandbox.result import Result
from sandbox.runtime import aio, capacity
from sandbox.runtime.execution import Execution, Order, Transcript, wait
from sandbox.runtime.job import Job
from sandbox.runtime.launch import Supervisor, check_platform
from sandbox.runtime.orders import Clerk, TooLarge
from sandbox.runtime.pool import Pool
from sandbox.runtime.verdict import Setting, judge

_COMPILED_KEPT = 32
_AHEAD = 4  # results that may wait for an earlier one in `map`, per worker
_all: "weakref.WeakSet[Sandbox]" = weakref.WeakSet()


class Sandbox:
    """Runs untrusted programs under one policy.

    `policy` is a shipped policy's name, a path to a .toml file, or a `Policy`. `workers` is how many
    programs run at once; by default one per processor, fewer if memory would not suffice.
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
        self.workers = capacity.workers(workers, plan.limits.memory_mib)
        self._clerk = Clerk(plan, wait_for_exit=measure == "kernel" or not plan.language)
        self._pool = Pool(
            plan, spares=self.workers, recycle_after=recycle_after, rehearse=plan.language
        )
        hello = self._pool.open().hello
        self.layers: dict[str, str] = hello["active"]
        self._setting = Setting(
            policy=plan.name, layers=tuple(self.layers), resident_bytes=hello["resident_bytes"]
        )
        self._renew_locks()
        self._compiled: OrderedDict[bytes, bytes | Result] = OrderedDict()
        _all.add(self)
        self._finalizer = weakref.finalize(self, self._pool.close)

    def run(self, code: str, stdin: str = "", **limits: float) -> Result:
        """Run `code` once. Keyword arguments tighten limits (`cpu_seconds=0.5`), never widen them.

        Raises SandboxError for a fault of the sandbox, PolicyError for a wider limit.
        """
        bounds = self._clerk.limits(limits)
        try:
            order = self._clerk.run(code, stdin, bounds)
        except TooLarge as error:
            return self._refused(error)
        return self._judge(self._carry_out(order), order, bounds)

    def call(
        self,
        code: str,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **limits: float,
    ) -> Result:
        """Run `code`, then call its function `entry`; `Result.value` is what it returned.

        Arguments and value are plain data: JSON types and tuples, which come back as lists; the
        keys of a dict come back as strings. Raises ValueError for other arguments.
        """
        bounds = self._clerk.limits(limits)
        try:
            order = self._clerk.call(code, entry, args, kwargs or {}, bounds)
        except TooLarge as error:
            return self._refused(error)
        return self._judge(self._carry_out(order), order, bounds)

    def run_many(self, code: str, stdins: Iterable[str], **limits: float) -> list[Result]:
        """Run one program on many inputs: compiled once, a fresh child for each."""
        compiled = self._compile(code)
        if isinstance(compiled, Result):
            return [compiled for _ in stdins]
        bounds = self._clerk.limits(limits)
        orders = (self._try_order(code, stdin, bounds, compiled) for stdin in stdins)
        return list(self._in_order((order, bounds) for order in orders))

    def map(self, jobs: Iterable[Job], *, progress: bool = False) -> Iterator[Result]:
        """The results of `jobs`, in their order, as they come.

        Lazy: reads `jobs` only a little ahead of what was taken. `progress` shows a tqdm bar.
        """
        results = self._in_order(self._order_of(job) for job in jobs)
        if not progress:
            return results
        from tqdm import tqdm

        return iter(tqdm(results, total=len(jobs) if hasattr(jobs, "__len__") else None, unit="run"))

    async def arun(self, code: str, stdin: str = "", **limits: float) -> Result:
        """`run` for asyncio: no thread, cancellable; a cancelled job's child is killed."""
        return await self._arun(Job(code, stdin, limits=limits))

    async def acall(
        self,
        code: str,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **limits: float,
    ) -> Result:
        """`call` for asyncio."""
        return await self._arun(Job(code, "", entry, args, kwargs or {}, limits))

    async def amap(self, jobs: Iterable[Job], *, progress: bool = False) -> AsyncIterator[Result]:
        """`map` for asyncio."""
        async for result in aio.in_order(self._arun, jobs, self.workers * _AHEAD, progress):
            yield result

    def close(self) -> None:
        """End the supervisor and every child. What is in flight raises SandboxError. Idempotent."""
        self._pool.close()
        _all.discard(self)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- one execution

    def _judge(self, transcript: Transcript, order: Order, limits: Any) -> Result:
        return judge(transcript, limits, self._setting, order.name)

    def _refused(self, error: TooLarge) -> Result:
        return self._clerk.refused(error, self._setting.layers)

    def _order_of(self, job: Job) -> tuple[Order | Result, Any]:
        bounds = self._clerk.limits(job.limits)
        try:
            if job.entry is not None:
                return self._clerk.call(job.code, job.entry, job.args, job.kwargs, bounds), bounds
            return self._clerk.run(job.code, job.stdin, bounds), bounds
        except TooLarge as error:
            return self._refused(error), bounds

    def _try_order(self, code: str, stdin: str, bounds: Any, compiled: bytes) -> Order | Result:
        try:
            return self._clerk.run(code, stdin, bounds, compiled)
        except TooLarge as error:
            return self._refused(error)

    def _carry_out(self, order: Order) -> Transcript:
        with self._slots:
            with self._execution(order) as execution:
                while not execution.done:
                    wait([execution])
            return self._finished(execution)

    @contextlib.contextmanager
    def _execution(self, order: Order) -> Iterator[Execution]:
        supervisor, execution = self._begin(order)
        try:
            yield execution
        finally:
            self._end(supervisor, execution)

    def _begin(self, order: Order) -> tuple[Supervisor, Execution]:
        supervisor, execution = self._pool.begin(order)
        self._executions.add(execution)
        return supervisor, execution

    def _end(self, supervisor: Supervisor, execution: Execution) -> None:
        execution.close()
        self._executions.discard(execution)
        self._pool.give_back(supervisor, lost=execution.transcript.lost)

    def _finished(self, execution: Execution) -> Transcript:
        if execution.transcript.lost:
            return self._pool.run_alone(execution.order)
        return execution.transcript

    def _compile(self, code: str) -> bytes | Result:
        """The program compiled by a child that does nothing else; opaque bytes, kept for a while."""
        key = hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            if key in self._compiled:
                self._compiled.move_to_end(key)
                return self._compiled[key]
        bounds = self._clerk.limits({})
        try:
            order = self._clerk.compile(code, bounds)
        except TooLarge as error:
            return self._refused(error)
        transcript = self._carry_out(order)
        result = self._judge(transcript, order, bounds)
        answer = transcript.code if result.ok and transcript.code else result
        with self._lock:
            self._compiled[key] = answer
            while len(self._compiled) > _COMPILED_KEPT:
                self._compiled.popitem(last=False)
        return answer

    # -- many at once, one thread

    def _in_order(self, orders: Iterable[tuple[Order | Result, Any]]) -> Iterator[Result]:
        """Run up to `workers` orders at a time and yield their results in order."""
        source = iter(orders)
        queue: deque[_Place] = deque()
        running: list[_Place] = []
        try:
            while True:
                while len(running) < self.workers and len(queue) < self.workers * _AHEAD:
                    place = self._next_place(source)
                    if place is None:
                        break
                    queue.append(place)
                    if place.execution is not None:
                        running.append(place)
                if not queue:
                    return
                if queue[0].result is not None:
                    yield from self._yield_first(queue, running)
                    continue
                self._wait(running)
        finally:
            for place in running:
                self._leave(place)

    def _next_place(self, source: Iterator[tuple[Order | Result, Any]]) -> "_Place | None":
        item = next(source, None)
        if item is None:
            return None
        order, limits = item
        if isinstance(order, Result):
            return _Place(None, None, limits, order)
        self._slots.acquire()
        try:
            return _Place(*self._begin(order), limits, None)
        except BaseException:
            self._slots.release()
            raise

    def _yield_first(self, queue: "deque[_Place]", running: "list[_Place]") -> Iterator[Result]:
        result = queue.popleft().result
        assert result is not None
        before = time.monotonic()
        yield result
        # While the consumer worked nobody read the pipes: not the guests' fault.
        for place in running:
            assert place.execution is not None
            place.execution.excuse(time.monotonic() - before)

    def _wait(self, running: "list[_Place]") -> None:
        executions = [place.execution for place in running if place.execution is not None]
        wait(executions)
        for place in [p for p in running if p.execution is not None and p.execution.done]:
            running.remove(place)
            self._leave(place)
            assert place.execution is not None
            transcript = self._finished(place.execution)
            place.result = self._judge(transcript, place.execution.order, place.limits)

    def _leave(self, place: "_Place") -> None:
        assert place.supervisor is not None
        assert place.execution is not None
        self._end(place.supervisor, place.execution)
        self._slots.release()

    # -- asyncio

    async def _arun(self, job: Job) -> Result:
        order, limits = self._order_of(job)
        if isinstance(order, Result):
            return order
        async with aio.permit(self, self.workers):
            supervisor, execution = self._begin(order)
            try:
                await aio.drive(execution)
            finally:
                self._end(supervisor, execution)
            transcript = await aio.in_thread_if(
                execution.transcript.lost, self._finished, execution
            )
        return self._judge(transcript, order, limits)

    # -- forks

    def _renew_locks(self) -> None:
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(self.workers)
        self._executions: set[Execution] = set()

    def _after_fork(self) -> None:
        for execution in self._executions:
            execution.forget()
        self._renew_locks()
        self._pool.after_fork()


class _Place:
    """One order's place in the queue of `map`."""

    __slots__ = ("execution", "limits", "result", "supervisor")

    def __init__(
        self,
        supervisor: Supervisor | None,
        execution: Execution | None,
        limits: Any,
        result: Result | None,
    ) -> None:
        self.supervisor, self.execution = supervisor, execution
        self.limits, self.result = limits, result


def _after_fork_in_child() -> None:
    for sandbox in list(_all):
        sandbox._after_fork()


def close_all() -> None:
    """Close every open sandbox of this process."""
    for sandbox in list(_all):
        with contextlib.suppress(SandboxError):
            sandbox.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
