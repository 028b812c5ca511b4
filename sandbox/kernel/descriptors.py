"""Closing descriptors. close_range(2), dup(2)."""

import os
import resource

from sandbox.kernel.steps import Step, carry_out, step

_LAST = 0xFFFFFFFF


def place(job: int, result: int, *, as_job: int, as_result: int) -> list[Step]:
    """Move the two pipe ends to fixed numbers. Neither may be one of those numbers."""
    if {job, result} & {as_job, as_result}:
        raise ValueError("a pipe end sits where the other one goes")
    return [step("dup3", job, as_job, 0), step("dup3", result, as_result, 0)]


def close_all_but(first: int, second: int) -> list[Step]:
    """Close every descriptor but two neighbours."""
    if not _HAS_CLOSE_RANGE:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        numbers = (number for number in range(limit) if number not in (first, second))
        return [step("close", number, must=None) for number in numbers]
    return [step("close_range", 0, first - 1, 0), step("close_range", second + 1, _LAST, 0)]


def reserve(*numbers: int) -> None:
    """Occupy those of `numbers` that are free, so that no other open takes them."""
    for number in numbers:
        try:
            os.fstat(number)
        except OSError:
            os.dup2(0, number, inheritable=False)


def _try_close_range() -> bool:
    try:
        carry_out([step("close_range", _LAST, _LAST, 0)])
    except OSError:  # before Linux 5.9, or refused by a container's filter
        return False
    return True


_HAS_CLOSE_RANGE = _try_close_range()
