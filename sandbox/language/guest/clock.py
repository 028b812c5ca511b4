"""Time that passes by itself and by sleeping; sleeping takes none."""

import time
from typing import Any


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
        if not isinstance(seconds, (int, float)):
            if not hasattr(type(seconds), "__float__"):
                kind = type(seconds).__name__
                raise TypeError(f"{kind!r} object cannot be interpreted as an integer")
            seconds = float(seconds)
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.slept += seconds

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return time.monotonic() + self.slept

    def advance_to(self, moment: float) -> None:
        """Sleep until `monotonic()` says `moment`."""
        self.slept += max(0.0, moment - self.monotonic())
