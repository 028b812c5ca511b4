"""Stand-ins for `time`, `random`, `threading` and `queue`: no waiting, no chance, no threads."""

from operator import index
from typing import Any

from sandbox.interpreter.vault import asking
from sandbox.language.guest.clock import FixedClock
from sandbox.language.guest.context import Context

_OLDEST = 2  # generation of the collector
_SECONDS = ("time", "monotonic", "perf_counter")


def time(context: Context) -> dict[str, Any]:
    """The clocks, with virtual sleep."""
    import time as real

    clock = context.state.clock
    if isinstance(clock, FixedClock):
        from sandbox.language.stdlib.system.fixed_time import fixed_time

        return fixed_time(clock)

    def moved(read: Any, scale: int) -> Any:
        if scale == 1:
            return lambda: read() + clock.slept
        return lambda: read() + int(clock.slept * scale)

    table: dict[str, Any] = {name: moved(getattr(real, name), 1) for name in _SECONDS}
    table |= {f"{name}_ns": moved(getattr(real, f"{name}_ns"), 1_000_000_000) for name in _SECONDS}
    for name, function in table.items():
        function.__name__ = name
    table["sleep"] = clock.sleep
    return table


def random(context: Context) -> dict[str, Any]:
    """A generator of its own, in the same state in every child."""
    import random as real

    class Random(real.Random):
        def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
            return super().__new__(cls, 0)  # type: ignore[call-arg]

        def __init__(self, x: Any = None) -> None:
            super().__init__(0 if x is None else x)

        def seed(self, a: Any = None, version: int = 2) -> None:
            super().seed(0 if a is None else a, version)

    Random.__module__, Random.__qualname__ = "random", "Random"
    generator = Random()
    names = context.plan.modules.get("random", ())
    return {name: getattr(generator, name) for name in names if hasattr(generator, name)} | {
        "Random": Random
    }


def gc(context: Context) -> dict[str, Any]:
    """`collect`, and switches that do nothing."""

    def collect(generation: Any = 2) -> int:
        generation = index(generation)
        if not 0 <= generation <= _OLDEST:
            raise ValueError("invalid generation")
        return asking.collect(generation)

    return {
        "collect": collect,
        "disable": lambda: None,
        "enable": lambda: None,
        "freeze": lambda: None,
        "isenabled": lambda: True,
    }


def resource(context: Context) -> dict[str, Any]:
    """Limits that programs raise for their recursion: ours stay as they are."""
    return {
        "RLIMIT_AS": 9,
        "RLIMIT_DATA": 2,
        "RLIMIT_STACK": 3,
        "RLIM_INFINITY": -1,
        "getrlimit": lambda resource: (-1, -1),
        "setrlimit": lambda resource, limits: None,
    }
