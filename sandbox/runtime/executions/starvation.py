"""Telling a guest that waits from a machine that does not let it run."""

import contextlib
import time

from sandbox.runtime.executions.process_state import is_stopped, state_of
from sandbox.runtime.executions.record import ExecutionRecord

STEP_SECONDS = 0.25  # of a clock that is taken in steps; also how long a loop may look away
FIRST_STEP_SECONDS = 0.02


class OwnTime:
    """The wall-clock time that a guest had for itself, taken in steps.

    Of each step two kinds of time do not count: what the guest waited for an answer, and the longer
    of the time in which its loop was elsewhere and the time that the scheduler kept from the guest.
    The longer and not their sum: where the machine stands still, they are the same seconds.
    """

    __slots__ = (
        "_absent",
        "_own",
        "_pid",
        "_served",
        "_settled_at",
        "_started_at",
        "_waited",
        "excused",
        "stopped",
    )

    def __init__(self, pid: int, now: float) -> None:
        self._pid = pid
        self._started_at = self._settled_at = now
        self._own = 0.0
        self._waited: float | None = None  # not looked up yet
        self._absent = self._served = 0.0  # in the step that has begun
        self.excused = 0.0  # in all: seconds in which the machine is not to blame either
        self.stopped = 0.0  # of the guest's own: something outside had stopped it (SIGSTOP)

    @property
    def is_nobodys(self) -> bool:
        """True until it is known which process is timed."""
        return self._pid < 0

    def follow(self, pid: int) -> None:
        """Time the process `pid`, of which no pid was known so far."""
        self._pid = pid

    def excuse(self, seconds: float, *, served: bool) -> None:
        """Excuse the guest `seconds` that it waited for an answer, or was not looked after."""
        self.excused += seconds
        if served:
            self._served += seconds
        else:
            self._absent += seconds

    def elapsed(self, now: float) -> float:
        """Return the seconds since the start, no matter which process had them."""
        return now - self._started_at

    def take(self, now: float) -> None:
        """End the step that has begun, if it is long enough."""
        if now - self._settled_at >= STEP_SECONDS:
            self.seconds(now)

    def seconds(self, now: float) -> float:
        """Return the guest's own seconds up to `now`. Ends a step, which reads a file of /proc.

        The first is to be short: what the scheduler kept from the child in it is told by no
        difference, as the child may have waited before it had a job.
        """
        step, starved = now - self._settled_at, 0.0
        waited = waited_seconds(self._pid, self.elapsed(now))
        if waited is not None:
            if self._waited is not None:
                starved = min(max(waited - self._waited, 0.0), step)
            self._waited = waited
        own = max(step - self._served - max(self._absent, starved), 0.0)
        self._own += own
        if is_stopped(self._pid):
            self.stopped += own
        self._settled_at = now
        self._absent = self._served = 0.0
        return self._own

    def note(self, record: ExecutionRecord, wall_seconds: float) -> None:
        """Note in `record` what has passed by now. A verdict that comes after the limit is none."""
        now = time.monotonic()
        own = record.wall_seconds = self.elapsed(now)
        if own > wall_seconds / 2:  # else it makes no difference, and is not looked up
            own = self.seconds(now)
        record.own_seconds, record.out_of_wall = own, own >= wall_seconds
        record.stopped_seconds = self.stopped

    def is_starved(self, now: float, wall_seconds: float) -> bool:
        """Return True where the machine had no time for the guest so long that it is given up."""
        patience = max(10 * wall_seconds, wall_seconds + 60)
        return self.elapsed(now) >= patience + self.excused


def waited_seconds(pid: int, elapsed: float) -> float | None:
    """Return seconds that process `pid` was ready to run and another had the processor.

    From /proc/<pid>/schedstat (proc(5)). Where the kernel does not keep it: all of `elapsed` if the
    process is ready to run now, none if it sleeps. None for a process that is no more.
    """
    with (
        contextlib.suppress(OSError, ValueError, IndexError),
        open(f"/proc/{pid}/schedstat") as counters,
    ):
        return int(counters.read().split()[1]) / 1e9
    state = state_of(pid)
    if not state:
        return None
    return elapsed if state == "R" else 0.0
