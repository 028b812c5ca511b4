"""Telling a guest that waits from a machine that does not let it run."""

import contextlib


def waited_seconds(pid: int, elapsed: float) -> float:
    """How long process `pid` was ready to run and another process had the processor.

    From /proc/<pid>/schedstat (proc(5)). Where the kernel does not keep it: all of `elapsed` if the
    process is ready to run now, none if it sleeps.
    """
    with (
        contextlib.suppress(OSError, ValueError, IndexError),
        open(f"/proc/{pid}/schedstat") as counters,
    ):
        return int(counters.read().split()[1]) / 1e9
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/stat") as line:
        state = line.read().rpartition(")")[2].split()[0]
        return elapsed if state == "R" else 0.0
    return 0.0


def patience_seconds(wall_seconds: float) -> float:
    """After this a starved child is given up: a fault of the machine, not a verdict."""
    return max(10 * wall_seconds, wall_seconds + 60)
