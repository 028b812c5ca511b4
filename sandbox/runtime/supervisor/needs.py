"""Try, before a supervisor takes a job, that its inherited limits have room for its needs."""

from __future__ import annotations  # a class that is named in one would be found there

import errno
import os
import signal

from sandbox.kernel import limits, timers
from sandbox.runtime.supervisor.jail import LayerMissing

_DESCRIPTORS, _DESCRIPTORS_PER_SPARE = 256, 8  # as many as it lets itself have
_OWN_DESCRIPTORS = 10
_CHANNELS_PER_WORKER = 3  # of the job that runs, of one asked for ahead, of one just over
_FOR_A_FORK, _PER_CHILD = 4, 2  # the ends of two pipes, and one of each until it is handed over
_TIMERS = {
    errno.EAGAIN: "raise the limit of pending signals (`ulimit -i`), which counts timers of all"
    " processes of this user",
    errno.ENOSYS: "run on a kernel with CONFIG_POSIX_TIMERS",
    errno.EPERM: "let the container's seccomp profile permit timer_create",
}


def descriptors(spares: int, workers: int, sessions: int) -> int:
    """Bound this process's descriptors; return how many jobless children they suffice for.

    Raises LayerMissing if not even for one.
    """
    have = limits.bound_descriptors(_DESCRIPTORS + _DESCRIPTORS_PER_SPARE * spares + sessions)
    least = _OWN_DESCRIPTORS + _CHANNELS_PER_WORKER * workers + _FOR_A_FORK + sessions
    if have < least:
        raise LayerMissing(
            "process",
            f"it may have {have} file descriptors, and {workers} workers{_and(sessions)} need"
            f" {least}: raise the limit (`ulimit -n`), or use fewer workers",
        )
    return 1 + (have - least) // _PER_CHILD


def _and(sessions: int) -> str:
    return f" with {sessions} sessions" if sessions else ""


def cpu_timers(workers: int) -> None:
    """Make as many timers at once as jobs may run, and delete them. Raises LayerMissing."""
    made: list[timers.CpuTimer] = []
    try:
        for _ in range(workers):
            made.append(timers.CpuTimer(os.getpid(), signal.SIGRTMIN, 0))
    except OSError as error:
        remedy = _TIMERS.get(error.errno or 0, "report this with the kernel's version")
        reason = f"no timer for each of {workers} workers ({error.args[-1]}): {remedy}"
        raise LayerMissing("process", reason) from error
    finally:
        for timer in made:
            timer.delete()
