"""Stand-ins for the names of `time` that read a clock, under a policy that is `deterministic`."""

import time as real
from collections.abc import Callable
from typing import Any

from sandbox.language.guest.clock import FixedClock

_SECOND = 1_000_000_000


def fixed_time(clock: FixedClock) -> dict[str, Any]:
    """Every name of `time` that the language layer supports and that reads a clock."""
    table: dict[str, Any] = {"sleep": clock.sleep}
    for name, read in (
        ("time", clock.time_ns),
        ("monotonic", clock.monotonic_ns),
        ("perf_counter", clock.monotonic_ns),
        ("process_time", clock.process_time_ns),
    ):
        table |= _both(name, read)

    def now() -> float:
        return clock.time_ns() / _SECOND

    def gmtime(seconds: float | None = None, /) -> Any:
        return real.gmtime(now() if seconds is None else seconds)

    def localtime(seconds: float | None = None, /) -> Any:
        return real.localtime(now() if seconds is None else seconds)

    def ctime(seconds: float | None = None, /) -> str:
        return real.ctime(now() if seconds is None else seconds)

    def asctime(*moment: Any) -> str:
        return real.asctime(*moment or (localtime(),))

    def strftime(format: str, *moment: Any) -> str:
        return real.strftime(format, *moment or (localtime(),))

    functions: list[Callable[..., Any]] = [gmtime, localtime, ctime, asctime, strftime]
    return table | {
        function.__name__: _named(function.__name__, function) for function in functions
    }


def perf_counter(clock: FixedClock) -> Callable[[], float]:
    """Make the clock that `timeit` counts by."""
    made: Callable[[], float] = _both("perf_counter", clock.monotonic_ns)["perf_counter"]
    return made


def _both(name: str, read: Callable[[], int]) -> dict[str, Any]:
    """A clock in seconds and in nanoseconds."""
    in_ns = f"{name}_ns"
    return {name: _named(name, lambda: read() / _SECOND), in_ns: _named(in_ns, lambda: read())}


def _named(name: str, function: Any) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "time"
    function.__doc__ = getattr(real, name).__doc__
    return function
