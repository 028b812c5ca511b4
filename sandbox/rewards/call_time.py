"""The time that one call of a reward function may take, and whose fault it is if it was over."""

import time

from sandbox.errors import SandboxError
from sandbox.runtime.caller.pool import lost_supervisors

_LEAST_SECONDS = 0.05  # that a child has of the clock: no limit may be zero


class CallTime:
    """Runs from when all that a call needs is there.

    What the sandbox or the machine failed meanwhile took of it: then nobody knows whether the
    function would have been in time.
    """

    def __init__(self, seconds: float) -> None:
        self.begin(seconds)

    def begin(self, seconds: float) -> float:
        """Count from now on. Gives `seconds` back."""
        self.deadline = time.monotonic() + seconds
        self._lost_before, self._has_failed = lost_supervisors(), False
        return seconds

    def is_over(self) -> bool:
        """True if there is none left."""
        return time.monotonic() > self.deadline

    def within(self, wall_seconds: float) -> float:
        """`wall_seconds`, or what is left if that is less."""
        return min(wall_seconds, max(self.deadline - time.monotonic(), _LEAST_SECONDS))

    def note_fault(self) -> None:
        """The sandbox or the machine has failed, and what it did is done again."""
        self._has_failed = True

    def check_fault(self) -> None:
        """Raise SandboxError if it is over, and not for what the function did alone."""
        failed = self._has_failed or lost_supervisors() != self._lost_before
        if failed and self.is_over():
            raise SandboxError("the sandbox failed amid the call, then budget_seconds were over")
