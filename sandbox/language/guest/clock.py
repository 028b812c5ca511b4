"""Time that passes by itself and by sleeping; sleeping takes none."""

import math
import time
from typing import Any

from sandbox.language.guards.classes.class_origin import has_method

_SECOND = 1_000_000_000
_set = object.__setattr__  # a clock refuses every store, also by its own methods


class Clock:
    """One for a whole program, so that all its clocks agree."""

    __slots__ = ("slept",)
    slept: float

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Set the clock as at the start of a program."""
        _set(self, "slept", 0.0)

    def sleep(self, seconds: Any, /) -> None:
        """Move every clock of the guest on."""
        _set(self, "slept", self.slept + _length(seconds))

    def monotonic(self) -> float:
        """Return the seconds since some moment."""
        return time.monotonic() + self.slept

    def advance_to(self, moment: float) -> None:
        """Sleep until `monotonic()` says `moment`."""
        _set(self, "slept", self.slept + max(0.0, float(moment) - self.monotonic()))


class FixedClock(Clock):
    """A clock that starts at a constant and moves by its readings, and by what sleeping asks for.

    Every reading takes a millisecond, so that a program that waits for a moment in a loop comes to
    its end; one by an event loop takes a microsecond, so that the order of timers stays.
    """

    START_NS = 1_735_689_600 * _SECOND  # 2025-01-01 00:00:00 UTC
    READING_NS = 1_000_000
    LOOP_NS = 1_000

    __slots__ = ("passed_ns", "worked_ns")
    passed_ns: int
    worked_ns: int

    def reset(self) -> None:
        """Set the clock as at the start of a program."""
        super().reset()
        self._move(0, 0)

    def sleep(self, seconds: Any, /) -> None:
        """Move every clock of the guest on, but for the one of CPU time."""
        self._move(self.passed_ns + int(_length(seconds) * _SECOND), self.worked_ns)

    def monotonic_ns(self) -> int:
        """Return the nanoseconds since the program began, a reading later."""
        self._pass(self.READING_NS)
        return self.passed_ns

    def time_ns(self) -> int:
        """Return the nanoseconds since the epoch, a reading later."""
        return self.START_NS + self.monotonic_ns()

    def process_time_ns(self) -> int:
        """Return the nanoseconds that the program did not sleep, a reading later."""
        self._pass(self.READING_NS)
        return self.worked_ns

    def monotonic(self) -> float:
        """Return the seconds since the program began, as an event loop asks."""
        self._pass(self.LOOP_NS)
        return self.passed_ns / _SECOND

    def advance_to(self, moment: float) -> None:
        """Sleep until `monotonic()` says `moment`."""
        self._move(max(self.passed_ns, math.ceil(float(moment) * _SECOND)), self.worked_ns)

    def _pass(self, nanoseconds: int) -> None:
        self._move(self.passed_ns + nanoseconds, self.worked_ns + nanoseconds)

    def _move(self, passed_ns: int, worked_ns: int) -> None:
        _set(self, "passed_ns", passed_ns)
        _set(self, "worked_ns", worked_ns)


def _length(seconds: Any) -> float:
    """Return a sleep's seconds, checked as by `time.sleep`: a plain number, not a program's own."""
    kind = type(seconds)
    if kind is not int and kind is not float:
        if not has_method(kind, "__float__"):
            raise TypeError(f"{kind.__name__!r} object cannot be interpreted as an integer")
        seconds = float(seconds)
    length: float = seconds
    if length < 0:
        raise ValueError("sleep length must be non-negative")
    return length
