"""The supervisor behind one sandbox: started, recycled, replaced when it is lost."""

import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.errors import SandboxClosed, SandboxError
from sandbox.policy.plan import Plan
from sandbox.runtime import launch
from sandbox.runtime.execution import Execution, wait
from sandbox.runtime.launch import Supervisor
from sandbox.runtime.services import serve
from sandbox.runtime.transcript import Order, Transcript

_START_ATTEMPTS = 3


class Pool:
    """Hands out the current supervisor. Thread-safe; a fork of the caller starts its own."""

    def __init__(self, plan: Plan, *, spares: int, recycle_after: int, rehearse: bool) -> None:
        self._plan, self._spares, self._rehearse = plan, spares, rehearse
        self._recycle_after = recycle_after
        self._lock = threading.Lock()
        self._current: Supervisor | None = None
        self._closed = False

    def open(self) -> Supervisor:
        """Start the first supervisor now. Raises SandboxUnavailable, SandboxError."""
        with self._lock:
            return self._live()

    def close(self) -> None:
        """End the supervisor; what is in flight ends with SandboxError."""
        with self._lock:
            self._closed = True
            current, self._current = self._current, None
        if current is not None:
            current.stop()

    def after_fork(self) -> None:
        """In a fork of the caller: the parent keeps its supervisor, this process starts its own."""
        self._lock = threading.Lock()
        current, self._current = self._current, None
        if current is not None:
            current.abandon()

    def begin(self, order: Order) -> tuple[Supervisor, Execution]:
        """Start `order` on the current supervisor. Raises SandboxError, SandboxClosed."""
        for _ in range(_START_ATTEMPTS):
            supervisor = self._checkout()
            try:
                return supervisor, self._start(supervisor, order)
            except OSError as error:  # it ended; nobody has seen the job yet
                self.give_back(supervisor, lost=True)
                last = error
        raise SandboxError(f"{order.name}: every supervisor ended at once: {last}")

    def _start(self, supervisor: Supervisor, order: Order) -> Execution:
        """On a child that was asked for earlier if there is one: the supervisor need not wake."""
        limits = self._plan.limits
        usual = order.cpu_seconds == limits.cpu_seconds and not order.less_memory_bytes
        execution = self._start_asked(supervisor, order) if usual else None
        if execution is None:
            execution = Execution(
                supervisor.request(order.cpu_seconds, order.less_memory_bytes), order
            )
        if usual and len(supervisor.asked) < self._spares:
            # For the next job, while this one runs. A failure concerns that job, not this one.
            with contextlib.suppress(OSError):
                supervisor.asked.append(supervisor.request(limits.cpu_seconds, 0))
        return execution

    def _start_asked(self, supervisor: Supervisor, order: Order) -> Execution | None:
        while True:
            try:
                channel = supervisor.asked.popleft()
            except IndexError:
                return None
            execution = Execution(channel, order)
            if execution.start_if_ready():
                return execution

    def give_back(self, supervisor: Supervisor, *, lost: bool) -> None:
        """An execution on `supervisor` is over; `lost` if the supervisor is."""
        with self._lock:
            supervisor.in_flight -= 1
            if lost and supervisor is self._current:
                self._current = None
            supervisor.retired = supervisor.retired or lost
            idle = supervisor.retired and supervisor.in_flight == 0
        if idle:
            supervisor.stop()

    def run_alone(self, order: Order) -> Transcript:
        """Run `order` on a supervisor that serves nothing else.

        Raises SandboxError, naming the job, if that supervisor is lost as well.
        """
        if self._closed:
            raise SandboxClosed(f"{order.name}: the sandbox was closed while it ran")
        with self._private(order) as supervisor:
            try:
                channel = supervisor.request(order.cpu_seconds, order.less_memory_bytes)
                execution = Execution(channel, order)
                while not execution.done:
                    wait([execution])
                    serve(execution)
            except OSError as error:
                raise SandboxError(
                    f"{order.name}: a second supervisor was lost: {error}"
                ) from error
        if execution.transcript.lost:
            raise SandboxError(f"{order.name}: two supervisors were lost while it ran")
        return execution.transcript

    @contextmanager
    def _private(self, order: Order) -> Iterator[Supervisor]:
        try:
            supervisor = launch.start(self._plan, spares=1, rehearse=False)
        except SandboxError as error:
            raise SandboxError(f"{order.name}: its supervisor was lost, then {error}") from error
        try:
            yield supervisor
        finally:
            supervisor.stop()

    def _checkout(self) -> Supervisor:
        with self._lock:
            supervisor = self._live()
            supervisor.served += 1
            supervisor.in_flight += 1
            if supervisor.served >= self._recycle_after:
                # Children of one supervisor share its address layout: a guest that learnt it could
                # tell a later one. A new supervisor has a new layout.
                supervisor.retired = True
                self._current = None
        return supervisor

    def _live(self) -> Supervisor:
        if self._closed:
            raise SandboxClosed("the sandbox is closed")
        if self._current is None:
            self._current = launch.start(self._plan, spares=self._spares, rehearse=self._rehearse)
        return self._current
