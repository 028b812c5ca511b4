"""The supervisor behind one sandbox: started, recycled, replaced when it is lost."""

import contextlib
import errno
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue

from sandbox.errors import SandboxClosed, SandboxError
from sandbox.policy.plan import Plan
from sandbox.runtime.caller import supervisor_handle
from sandbox.runtime.caller.remedies import NO_DESCRIPTOR
from sandbox.runtime.caller.supervisor_handle import Lease, SupervisorHandle
from sandbox.runtime.executions.execution import Execution
from sandbox.runtime.executions.record import ExecutionRecord, Submission
from sandbox.runtime.executions.services import serve
from sandbox.runtime.executions.waiting import wait

_START_ATTEMPTS = 3
_NO_END_SECONDS = 1e8  # of CPU time for a keeper, which bounds its states' itself
# This process, or the machine, has no more of something: the supervisor has nothing to do with it.
_OUT_OF_DESCRIPTORS = {errno.EMFILE, errno.ENFILE, errno.ETOOMANYREFS}
_SCARCE = {*_OUT_OF_DESCRIPTORS, errno.ENOMEM, errno.ENOBUFS}


_lost = SimpleQueue[None]()  # one for each; a number would be added to in several threads


def lost_supervisors() -> int:
    """Count how many supervisors of this process have been lost so far, or were as good as lost."""
    return _lost.qsize()


class Pool:
    """Hands out the current supervisor. Thread-safe; a fork of the caller starts its own."""

    def __init__(self, plan: Plan, *, spares: int, recycle_after: int, sessions: int = 0) -> None:
        self._plan, self._spares, self._sessions = plan, spares, sessions
        self._recycle_after = recycle_after
        self._lock = threading.Lock()
        self._current: SupervisorHandle | None = None
        # To be ended: once all leases are given back, or because their start was interrupted.
        self._retired: list[SupervisorHandle] = []
        self._closed = False
        self._layers = frozenset[str]()  # of the first supervisor, and so of every other

    def open(self) -> SupervisorHandle:
        """Start the first supervisor now. Raises SandboxUnavailable, SandboxError."""
        with self._lock:
            return self._live()

    def close(self) -> None:
        """End every supervisor; what is in flight ends with SandboxError."""
        with self._lock:
            self._closed = True
            self._retire(self._current)
        for supervisor in list(self._retired):
            self._stop(supervisor)

    def after_fork(self) -> None:
        """Leave, in a fork of the caller, the parent its supervisor: this one starts its own."""
        self._lock = threading.Lock()
        self._retire(self._current)
        while self._retired:
            self._retired.pop().abandon()

    def begin(self, submission: Submission) -> tuple[Lease, Execution]:
        """Start `submission` on the current supervisor. Raises SandboxError, SandboxClosed."""
        for _ in range(_START_ATTEMPTS):
            lease = self._checkout()
            try:
                return lease, self._start(lease.supervisor, submission)
            except OSError as error:  # no child has seen the job yet
                self.give_back(lease, lost=error.errno not in _SCARCE)
                if error.errno in _SCARCE:
                    raise SandboxError(f"{submission.name}: {_scarcity(error)}") from error
                last = error  # it ended
        raise SandboxError(f"{submission.name}: every supervisor ended at once: {last}")

    def begin_session(self, name: str, less_bytes: int) -> tuple[Lease, socket.socket]:
        """Ask the current supervisor for a session's keeper; return the channel on which it comes.

        Raises SandboxError, SandboxClosed.
        """
        for _ in range(_START_ATTEMPTS):
            lease = self._checkout()
            try:
                return lease, lease.supervisor.request(_NO_END_SECONDS, less_bytes, session=True)
            except OSError as error:
                self.give_back(lease, lost=error.errno not in _SCARCE)
                if error.errno in _SCARCE:
                    raise SandboxError(f"{name}: {_scarcity(error)}") from error
                last = error
        raise SandboxError(f"{name}: every supervisor ended at once: {last}")

    def _start(self, supervisor: SupervisorHandle, submission: Submission) -> Execution:
        """Start on a child asked for earlier if there is one: the supervisor need not wake."""
        limits = self._plan.limits
        usual = (
            submission.limits.cpu_seconds == limits.cpu_seconds and not submission.less_memory_bytes
        )
        execution = self._start_asked(supervisor, submission) if usual else None
        if execution is None:
            execution = Execution(_asked_of(supervisor, submission), submission, *supervisor.pids)
        if usual and len(supervisor.asked) < self._spares:
            # For the next job, while this one runs. A failure concerns that job, not this one.
            with contextlib.suppress(OSError):
                supervisor.asked.append(supervisor.request(limits.cpu_seconds, 0))
        return execution

    def _start_asked(
        self, supervisor: SupervisorHandle, submission: Submission
    ) -> Execution | None:
        while True:
            try:
                channel = supervisor.asked.popleft()
            except IndexError:
                return None
            execution = Execution(channel, submission, *supervisor.pids)
            if execution.start_if_ready():
                return execution

    def give_back(self, lease: Lease, *, lost: bool) -> None:
        """End the lease of a finished execution; `lost` if its supervisor is, or as good as."""
        with self._lock:
            lease.supervisor.leases.discard(lease)
            if lost:
                if not self._closed:  # else it was ended
                    _lost.put(None)
                self._retire(lease.supervisor)
            idle = [s for s in self._retired if not s.leases and s is not self._current]
        for supervisor in idle:
            self._stop(supervisor)

    def check_open(self, submission: Submission) -> None:
        """Raise SandboxClosed if that is why `submission` has no verdict."""
        if self._closed:
            raise SandboxClosed(f"{submission.name}: the sandbox was closed while it ran")

    def run_alone(self, submission: Submission) -> ExecutionRecord:
        """Run `submission` on a supervisor that serves nothing else.

        Raises SandboxError, naming the job, if that supervisor is lost as well.
        """
        self.check_open(submission)
        with self._private(submission) as supervisor:
            try:
                channel = _asked_of(supervisor, submission)
                execution = Execution(channel, submission, *supervisor.pids)
                while not execution.done:
                    wait([execution])
                    serve(execution)
            except OSError as error:
                why = "a second supervisor was lost"
                what = _scarcity(error) if error.errno in _SCARCE else f"{why}: {error}"
                raise SandboxError(f"{submission.name}: {what}") from error
        if execution.record.lost:
            reason = execution.record.fault or "two supervisors were lost while it ran"
            raise SandboxError(f"{submission.name}: {reason}")
        return execution.record

    @contextmanager
    def _private(self, submission: Submission) -> Iterator[SupervisorHandle]:
        held: list[Lease] = []

        def begun(supervisor: SupervisorHandle) -> None:
            held.append(_lease(supervisor))
            self._retired.append(supervisor)

        try:
            supervisor = supervisor_handle.start(
                self._plan, spares=1, begun=begun, accept=self._accept
            )
        except SandboxError as error:
            raise SandboxError(
                f"{submission.name}: its supervisor was lost, then {error}"
            ) from error
        try:
            yield supervisor
        finally:
            held.clear()
            self._stop(supervisor)

    def _checkout(self) -> Lease:
        with self._lock:
            supervisor = self._live()
            lease = _lease(supervisor)
            supervisor.served += 1
            if supervisor.served >= self._recycle_after:
                # Children of one supervisor share its address layout: a guest that learnt it could
                # tell a later one. A new supervisor has a new layout.
                self._retire(supervisor)
        return lease

    def _live(self) -> SupervisorHandle:
        if self._closed:
            raise SandboxClosed("the sandbox is closed")
        if self._current is None:
            self._forget_ended()
            self._current = supervisor_handle.start(
                self._plan,
                spares=self._spares,
                sessions=self._sessions,
                begun=self._retired.append,
                accept=self._accept,
            )
            self._retired.remove(self._current)
        return self._current

    def _accept(self, supervisor: SupervisorHandle) -> None:
        """Raise SandboxError if `supervisor` has fewer layers than the first one had.

        What failed for a moment is no reason to go on behind less, and unseen.
        """
        active, missing = supervisor.hello["active"].keys(), supervisor.hello["missing"]
        self._layers = self._layers or frozenset(active)
        if lost := sorted(self._layers - active):
            reasons = "; ".join(f"{name} ({missing.get(name, 'off')})" for name in lost)
            raise SandboxError(
                f"a supervisor in the place of another has not all of its layers: {reasons}; no"
                " program runs behind fewer than there were when the sandbox opened"
            )

    def _forget_ended(self) -> None:
        """Reap supervisors whose start was interrupted: without a caller they end by themselves."""
        for supervisor in self._retired[:]:
            if not supervisor.leases and supervisor.process.poll() is not None:
                self._stop(supervisor)

    def _retire(self, supervisor: SupervisorHandle | None) -> None:
        """Give it no more jobs. It is listed until it has ended, whatever interrupts its end."""
        if supervisor is not None and supervisor not in self._retired:
            self._retired.append(supervisor)
        if supervisor is self._current:
            self._current = None

    def _stop(self, supervisor: SupervisorHandle) -> None:
        supervisor.stop()
        with contextlib.suppress(ValueError):  # another thread was faster
            self._retired.remove(supervisor)


def _lease(supervisor: SupervisorHandle) -> Lease:
    lease = Lease(supervisor)
    supervisor.leases.add(lease)
    return lease


def _scarcity(error: OSError) -> str:
    if error.errno in _OUT_OF_DESCRIPTORS:
        return f"{NO_DESCRIPTOR} [{error}]"
    return f"this process has no room for a job's channel: {error}; use fewer workers"


def _asked_of(supervisor: SupervisorHandle, submission: Submission) -> socket.socket:
    """Ask for a child with what of the limits the supervisor enforces."""
    return supervisor.request(submission.limits.cpu_seconds, submission.less_memory_bytes)
