"""The state of a process, as the kernel tells it: whether something outside has stopped it."""

import contextlib
import math
import time

STOPPED_SECONDS = 5.0  # after which a supervisor that is stopped counts as lost
_LOOK_SECONDS = 0.25
_STOPPED = ("T", "t")  # by a signal, by a debugger


def state_of(pid: int) -> str:
    """Return the letter of process `pid`, from /proc/<pid>/stat (proc(5)); "" if there is none."""
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/stat", "rb") as line:
        return line.read().rpartition(b")")[2].split()[0].decode()
    return ""


def is_stopped(pid: int) -> bool:
    """Return True if process `pid` does nothing until another process lets it go on."""
    return state_of(pid) in _STOPPED


class Watch:
    """Tells processes of which one is stopped for good from such as are let go on soon."""

    __slots__ = ("_due", "_pids", "_since")

    def __init__(self, *pids: int) -> None:
        self._pids = pids
        self._since = math.inf
        self._due = time.monotonic() + _LOOK_SECONDS  # most are over by then

    def is_stopped(self, now: float) -> bool:
        """Return True if one was stopped at each look of the last `STOPPED_SECONDS`. Ask often."""
        if now >= self._due:
            self._due = now + _LOOK_SECONDS
            self._since = min(self._since, now) if any(map(is_stopped, self._pids)) else math.inf
        return now - self._since >= STOPPED_SECONDS
