"""The time that one call of a reward function may take, and whose fault it is if it was over."""

import time

from sandbox.errors import SandboxError
from sandbox.runtime.caller.pool import lost_supervisors

_LEAST_SECONDS = 0.05  # that a child has of the clock: no limit may be zero


class CallTime:
    """Runs from when all that a call needs is there.

    What the sandbox or the machine failed meanwhile took of it: then it is not known whether
    the function would have been in time.
    """

    def __init__(self, seconds: float) -> None:
        self.begin(seconds)

    def begin(self, seconds: float) -> float:
        """Count from now on, and return `seconds`."""
        self.deadline = time.monotonic() + seconds
        self._lost_before, self._has_failed = lost_supervisors(), False
        return seconds

    def is_over(self) -> bool:
        """Return True if the call has no time left."""
        return time.monotonic() > self.deadline

    def within(self, wall_seconds: float) -> float:
        """Return `wall_seconds`, or what is left of the time if that is less."""
        return min(wall_seconds, max(self.deadline - time.monotonic(), _LEAST_SECONDS))

    def note_fault(self) -> None:
        """Note that the sandbox or the machine has failed, and that what it did is done again."""
        self._has_failed = True

    def check_fault(self) -> None:
        """Raise SandboxError if the time is over, and not for what the function did alone."""
        failed = self._has_failed or lost_supervisors() != self._lost_before
        if failed and self.is_over():
            raise SandboxError("the sandbox failed amid the call, then budget_seconds were over")
