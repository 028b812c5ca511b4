"""Carrying out orders: one in a thread, many in one thread, or under asyncio."""

import asyncio
import contextlib
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue

from sandbox.policy.plan import Limits
from sandbox.result import Result
from sandbox.runtime import aio
from sandbox.runtime.execution import Execution, wait
from sandbox.runtime.launch import Supervisor
from sandbox.runtime.orders import Item
from sandbox.runtime.pool import Pool
from sandbox.runtime.services import serve
from sandbox.runtime.transcript import Order, Transcript
from sandbox.runtime.verdict import Setting, judge

_SUSPICIOUS_SECONDS = 0.5
_AHEAD = 4  # results that may wait for an earlier one, per worker


class Runner:
    """Runs at most `workers` orders at once. Thread-safe."""

    def __init__(self, pool: Pool, setting: Setting, workers: int) -> None:
        self._pool, self._setting, self.workers = pool, setting, workers
        self._renew()

    def run(self, item: Item) -> Result:
        """The result of one order. Raises SandboxError."""
        return self.transcribe(item)[1]

    def transcribe(self, item: Item) -> tuple[Transcript, Result]:
        """Like `run`, with everything that is known of the execution."""
        order, limits = item
        if isinstance(order, Result):
            return Transcript(), order
        has_slot = self._take_slot(wait=False) or self._wait_for_slot()
        try:
            supervisor, execution = self._begin(order)
            try:
                while not execution.done:
                    wait([execution])
                    serve(execution)
            finally:
                self._end(supervisor, execution)
            transcript = self._settle(execution)
        finally:
            if has_slot:
                self._give_slot()
        return transcript, judge(transcript, limits, self._setting, order.name)

    def run_in_order(self, items: Iterable[Item]) -> Iterator[Result]:
        """The results of `items` in order, read only a little ahead of what was taken."""
        source, queue = iter(items), deque[_Place]()
        waiting: deque[tuple[Order, _Place]] = deque()  # one at most, for a slot
        running: list[_Running] = []
        try:
            while True:
                self._fill(source, queue, waiting, running)
                if not queue:
                    return
                if queue[0].result is None:
                    self._advance(running)
                else:
                    before = time.monotonic()
                    for one in running:
                        one.execution.unread = True
                    yield queue.popleft().result  # type: ignore[misc]
                    for one in running:  # not the guests' fault
                        one.execution.unread = False
                        one.execution.excuse(time.monotonic() - before)
        finally:
            for one in running:
                self._leave(one)

    async def arun(self, item: Item) -> Result:
        """`run` for asyncio. A cancelled job's child is killed."""
        order, limits = item
        if isinstance(order, Result):
            return order
        if order.services:  # a service may block: the loop must not
            return await asyncio.to_thread(self.run, item)
        async with aio.permit(self, self.workers):
            supervisor, execution = self._begin(order)
            try:
                await aio.drive(execution)
            finally:
                self._end(supervisor, execution)
            lost = execution.transcript.lost
            transcript = await aio.in_thread_if(lost, self._settle, execution)
        return judge(transcript, limits, self._setting, order.name)

    def after_fork(self) -> None:
        """In a fork of the caller: what is in flight belongs to the parent."""
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

    def _take_slot(self, *, wait: bool = True) -> bool:
        """Wait until fewer than `workers` run; False where they do and this is not to wait.

        Whoever has a slot must not wait for another: two of them would wait for ever.
        A KeyboardInterrupt may strike where a slot is taken and nobody knows it yet. So whoever
        waits long looks at what really runs; the slot that he goes without is given back by him.
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

    def _wait_for_slot(self) -> bool:
        """Take a slot; False for a thread that has an execution in flight itself.

        It goes without: it is in the middle of a `map`, or in a service, and what it waited for
        would wait for it.
        """
        me = threading.get_ident()
        if any(execution.thread == me for execution in self._in_flight()):
            return False
        return self._take_slot()

    def _give_slot(self) -> None:
        if self._slots.qsize() < self.workers:  # two may have gone without the same lost one
            self._slots.put(None)

    def _in_flight(self) -> list[Execution]:
        # Of the references, which are copied in one step: other threads begin and end meanwhile.
        known = [reference() for reference in self._executions.valuerefs()]
        return [execution for execution in known if execution is not None and not execution.done]

    # -- one execution

    def _begin(self, order: Order) -> tuple[Supervisor, Execution]:
        supervisor, execution = self._pool.begin(order)
        self._executions[id(execution)] = execution
        return supervisor, execution

    def _end(self, supervisor: Supervisor, execution: Execution) -> None:
        execution.close()
        self._executions.pop(id(execution), None)
        self._pool.give_back(supervisor, lost=execution.transcript.lost)

    def _settle(self, execution: Execution) -> Transcript:
        """What is known, after a second attempt where the supervisor was lost."""
        if execution.transcript.lost:
            return self._pool.run_alone(execution.order)
        return execution.transcript

    # -- many in one thread

    def _fill(
        self,
        source: Iterator[Item],
        queue: "deque[_Place]",
        waiting: "deque[tuple[Order, _Place]]",
        running: "list[_Running]",
    ) -> None:
        while len(running) < self.workers:
            if not waiting and not self._read(source, queue, waiting):
                return
            if waiting:
                has_slot = self._take_slot(wait=False)
                if not has_slot and running:
                    return
                has_slot = has_slot or self._wait_for_slot()
                running.append(self._enter(*waiting.popleft(), has_slot))

    def _read(
        self,
        source: Iterator[Item],
        queue: "deque[_Place]",
        waiting: "deque[tuple[Order, _Place]]",
    ) -> bool:
        """Take one more of `source` into `queue`; False at its end, or if that is full."""
        item = next(source, None) if len(queue) < self.workers * _AHEAD else None
        if item is None:
            return False
        order, limits = item
        place = _Place(limits)
        queue.append(place)
        if isinstance(order, Result):
            place.result = order
        else:
            waiting.append((order, place))
        return True

    def _enter(self, order: Order, place: "_Place", has_slot: bool) -> "_Running":
        """With a slot taken, which is given back if it cannot be used."""
        try:
            return _Running(*self._begin(order), place, has_slot)
        except BaseException:
            if has_slot:
                self._give_slot()
            raise

    def _advance(self, running: "list[_Running]") -> None:
        wait([one.execution for one in running])
        for one in running:
            serve(one.execution)
        for one in [one for one in running if one.execution.done]:
            running.remove(one)
            self._leave(one)
            transcript, order = self._settle(one.execution), one.execution.order
            one.place.result = judge(transcript, one.place.limits, self._setting, order.name)

    def _leave(self, one: "_Running") -> None:
        with contextlib.ExitStack() as stack:
            if one.has_slot:
                stack.callback(self._give_slot)
            self._end(one.supervisor, one.execution)


class _Place:
    """One order's place in the queue of results."""

    __slots__ = ("limits", "result")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.result: Result | None = None


class _Running:
    """An execution in flight, and where its result goes."""

    __slots__ = ("execution", "has_slot", "place", "supervisor")

    def __init__(
        self, supervisor: Supervisor, execution: Execution, place: _Place, has_slot: bool
    ) -> None:
        self.supervisor, self.execution = supervisor, execution
        self.place, self.has_slot = place, has_slot
