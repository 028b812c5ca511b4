"""Time that passes by itself and by sleeping; sleeping takes none."""

import math
import time
from typing import Any

_SECOND = 1_000_000_000


class Clock:
    """One for a whole program, so that all its clocks agree."""

    __slots__ = ("slept",)

    def __init__(self) -> None:
        self.slept = 0.0

    def reset(self) -> None:
        """As at the start of a program."""
        self.slept = 0.0

    def sleep(self, seconds: Any, /) -> None:
        """Move every clock of the guest on."""
        self.slept += _length(seconds)

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return time.monotonic() + self.slept

    def advance_to(self, moment: float) -> None:
        """Sleep until `monotonic()` says `moment`."""
        self.slept += max(0.0, moment - self.monotonic())


class FixedClock(Clock):
    """A clock that starts at a constant and moves by its readings, and by what sleeping asks for.

    Every reading takes a millisecond, so that a program that waits for a moment in a loop comes to
    its end; one by an event loop takes a microsecond, so that the order of timers stays.
    """

    START_NS = 1_735_689_600 * _SECOND  # 2025-01-01 00:00:00 UTC
    READING_NS = 1_000_000
    LOOP_NS = 1_000

    __slots__ = ("passed_ns", "worked_ns")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """As at the start of a program."""
        super().reset()
        self.passed_ns = self.worked_ns = 0

    def sleep(self, seconds: Any, /) -> None:
        """Move every clock of the guest on, but for the one of CPU time."""
        self.passed_ns += int(_length(seconds) * _SECOND)

    def monotonic_ns(self) -> int:
        """Nanoseconds since the program began, a reading later."""
        self._pass(self.READING_NS)
        return self.passed_ns

    def time_ns(self) -> int:
        """Nanoseconds since the epoch, a reading later."""
        return self.START_NS + self.monotonic_ns()

    def process_time_ns(self) -> int:
        """Nanoseconds that the program did not sleep, a reading later."""
        self._pass(self.READING_NS)
        return self.worked_ns

    def monotonic(self) -> float:
        """Seconds since the program began, as an event loop asks."""
        self._pass(self.LOOP_NS)
        return self.passed_ns / _SECOND

    def advance_to(self, moment: float) -> None:
        """Sleep until `monotonic()` says `moment`."""
        self.passed_ns = max(self.passed_ns, math.ceil(moment * _SECOND))

    def _pass(self, nanoseconds: int) -> None:
        self.passed_ns += nanoseconds
        self.worked_ns += nanoseconds


def _length(seconds: Any) -> Any:
    """Of a sleep, checked as `time.sleep` does."""
    if not isinstance(seconds, (int, float)):
        if not hasattr(type(seconds), "__float__"):
            kind = type(seconds).__name__
            raise TypeError(f"{kind!r} object cannot be interpreted as an integer")
        seconds = float(seconds)
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    return seconds
