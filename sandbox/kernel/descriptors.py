"""Closing descriptors. close_range(2)."""

import fcntl
import os

from sandbox.kernel.libc import syscall

_LAST = 0xFFFFFFFF
_ABOVE = 16  # clear of the fixed numbers


def keep_only(job: int, result: int, *, as_job: int, as_result: int) -> None:
    """Close everything but the two pipe ends, moved to fixed numbers. Raises OSError."""
    place(job, result, as_job=as_job, as_result=as_result)
    _close(0, min(as_job, as_result) - 1)
    _close(max(as_job, as_result) + 1, _LAST)


def place(job: int, result: int, *, as_job: int, as_result: int) -> None:
    """Move the two pipe ends to fixed numbers, over whatever is there. Raises OSError."""
    # Through copies first: either end may sit where the other one goes.
    job_copy, result_copy = (fcntl.fcntl(end, fcntl.F_DUPFD, _ABOVE) for end in (job, result))
    os.dup2(job_copy, as_job)
    os.dup2(result_copy, as_result)
    for end in {job, result, job_copy, result_copy} - {as_job, as_result}:
        os.close(end)


def _close(first: int, last: int) -> None:
    try:
        syscall("close_range", first, last, 0)
    except OSError:  # before Linux 5.9, or refused by a container's filter
        os.closerange(first, min(last + 1, os.sysconf("SC_OPEN_MAX")))
