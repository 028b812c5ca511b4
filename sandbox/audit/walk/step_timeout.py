"""Time that one step of a walk may take: of waiting, and of computing."""

import signal
from collections.abc import Callable

# Seconds between two ticks: of the clock, as a machine may be busy, and of CPU time, as a step that
# does the same a million times would.
_TICKS = {signal.SIGALRM: (signal.ITIMER_REAL, 0.25), signal.SIGPROF: (signal.ITIMER_PROF, 0.04)}
_MOST = 4  # ticks of one kind in one step


class TooSlow(BaseException):
    """Raised into a step that has taken too long."""


def start() -> None:
    """Let this process tick: before it is confined, as the filter allows no timer to be set."""
    for number, (timer, seconds) in _TICKS.items():
        signal.signal(number, signal.SIG_IGN)  # until `watch`
        signal.setitimer(timer, seconds, seconds)


def watch(step: Callable[[], int | None]) -> None:
    """End long steps with TooSlow from now on; `step` says which one runs, None if none does."""
    for number in _TICKS:
        signal.signal(number, _handler(step))


def _handler(step: Callable[[], int | None]) -> Callable[..., None]:
    ticks, last = 0, None

    def tick(*_: object) -> None:
        nonlocal ticks, last
        now = step()
        ticks, last = ticks + 1 if now is not None and now == last else 0, now
        if ticks >= _MOST:
            raise TooSlow

    return tick
