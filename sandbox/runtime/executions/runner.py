"""Running submissions: one in a thread, many in one thread (`series`), or under asyncio."""

import threading
import weakref
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue

from sandbox.errors import SandboxError
from sandbox.result import Result
from sandbox.runtime.caller.pool import Pool
from sandbox.runtime.caller.supervisor_handle import Lease
from sandbox.runtime.executions.execution import Execution
from sandbox.runtime.executions.permits import Permits
from sandbox.runtime.executions.record import ExecutionRecord, Submission
from sandbox.runtime.executions.series import Series
from sandbox.runtime.executions.services import serve
from sandbox.runtime.executions.verdict import Setting, judge
from sandbox.runtime.executions.waiting import wait

_SUSPICIOUS_SECONDS = 0.5


class Runner:
    """Runs at most `workers` submissions at once. Thread-safe.

    What never needed a child comes as its `Result`, and is given back as it is.
    """

    def __init__(self, pool: Pool, setting: Setting, workers: int) -> None:
        self._pool, self._setting, self.workers = pool, setting, workers
        self._permits = Permits(workers)
        self._renew()

    def run(self, submission: Submission | Result) -> Result:
        """Run one submission to its result. Raises SandboxError."""
        return self.execute(submission)[1]

    def execute(self, submission: Submission | Result) -> tuple[ExecutionRecord, Result]:
        """Run like `run`, and return everything that is known of the execution as well."""
        if isinstance(submission, Result):
            return ExecutionRecord(), submission
        has_slot = self.take_slot(wait=False) or self.wait_for_slot()
        try:
            lease, execution = self.begin(submission)
            try:
                while not execution.done:
                    wait([execution])
                    serve(execution)
            finally:
                self.end(lease, execution)
            record = self.settle(execution)
        finally:
            if has_slot:
                self.give_slot()
        return record, self.judged(record, submission)

    def run_in_order(self, submissions: Iterable[Submission | Result]) -> Iterator[Result]:
        """Yield the results of `submissions` in order, read only a little ahead of what was taken.

        Raises, at its place, what there is instead of a result.
        """
        for outcome in Series(self, iter(submissions), stops=True).outcomes():
            assert isinstance(outcome, Result)
            yield outcome

    def run_all_in_order(
        self, submissions: Iterable[Submission | Result]
    ) -> Iterator[Result | SandboxError]:
        """Yield like `run_in_order`, with a fault in the place of its result."""
        return Series(self, iter(submissions), stops=False).outcomes()

    async def arun(self, submission: Submission | Result) -> Result:
        """`run` for asyncio. A cancelled job's child is killed."""
        from sandbox.runtime.executions import aio  # asyncio takes longer to import than the rest

        if isinstance(submission, Result):
            return submission
        if submission.services:  # a service may block: the loop must not
            return await aio.in_thread_if(True, self.run, submission)
        async with self._permits.here():
            lease, execution = self.begin(submission)
            try:
                await aio.drive(execution)
            finally:
                self.end(lease, execution)
            lost = execution.record.lost
            record = await aio.in_thread_if(lost, self.settle, execution)
        return self.judged(record, submission)

    def after_fork(self) -> None:
        """Forget, in a fork of the caller, what is in flight: it belongs to the parent."""
        for execution in self._in_flight():
            execution.forget()
        self._renew()
        self._pool.after_fork()

    def _renew(self) -> None:
        # Written in C: an interrupt inside threading.Semaphore, which is Python, can leave its lock
        # taken for ever.
        self._slots: SimpleQueue[None] = SimpleQueue()
        for _ in range(self.workers):
            self._slots.put(None)
        self._executions = weakref.WeakValueDictionary[int, Execution]()

    def take_slot(self, *, wait: bool = True) -> bool:
        """Wait until fewer than `workers` run; False where they do and this is not to wait.

        A thread that has a slot must not wait for another: two of them would wait for ever.
        A KeyboardInterrupt may strike where a slot is taken and no code knows it yet. So a thread
        that waits long looks at what really runs; it gives back the slot that it goes without.
        """
        while True:
            try:
                self._slots.get(wait, _SUSPICIOUS_SECONDS)
                return True
            except Empty:
                if not wait:
                    return False
                read = [execution for execution in self._in_flight() if not execution.unread]
                if len(read) < self.workers:
                    return True

    def wait_for_slot(self) -> bool:
        """Take a slot; False for a thread that has an execution in flight itself.

        It goes without: it is in the middle of a `map`, or in a service, and what it waited for
        would wait for it.
        """
        me = threading.get_ident()
        if any(execution.thread == me for execution in self._in_flight()):
            return False
        return self.take_slot()

    def give_slot(self) -> None:
        """Let the next one have it."""
        if self._slots.qsize() < self.workers:  # two may have gone without the same lost one
            self._slots.put(None)

    def _in_flight(self) -> list[Execution]:
        # Of the references, which are copied in one step: other threads begin and end meanwhile.
        known = [reference() for reference in self._executions.valuerefs()]
        return [execution for execution in known if execution is not None and not execution.done]

    # -- one execution

    def begin(self, submission: Submission) -> tuple[Lease, Execution]:
        """Start `submission`. Raises SandboxError, SandboxClosed."""
        lease, execution = self._pool.begin(submission)
        self._executions[id(execution)] = execution
        return lease, execution

    def end(self, lease: Lease, execution: Execution) -> None:
        """Give up what `begin` gave, whatever it is doing."""
        execution.close()
        self._executions.pop(id(execution), None)
        record = execution.record
        self._pool.give_back(lease, lost=record.lost or record.hung)

    def settle(self, execution: Execution) -> ExecutionRecord:
        """Return what is known, after a second attempt where the supervisor was lost.

        There is none once a service was called: it was told things, and gave answers, that belong
        to the first attempt. A caller that lent services starts anew, with new ones. Raises
        SandboxError.
        """
        record, submission = execution.record, execution.submission
        if not record.lost:
            return record
        if record.called:
            self._pool.check_open(submission)
            raise SandboxError(
                f"{submission.name}: its supervisor was lost after it had already called a service:"
                " it is not run again, as services remember the first attempt"
            )
        return self._pool.run_alone(submission)

    def judged(self, record: ExecutionRecord, submission: Submission) -> Result:
        """Return the result of what is known. Raises SandboxError if it has none."""
        return judge(record, submission.limits, self._setting, submission.name)
