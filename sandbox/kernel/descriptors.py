"""Closing descriptors, and keeping numbers for some. close_range(2), dup(2)."""

import os
import resource

from sandbox.kernel.steps import Step, carry_out, step

_LAST = 0xFFFFFFFF


def close_all_but(first: int, second: int) -> list[Step]:
    """Close every descriptor but two neighbours."""
    if not _HAS_CLOSE_RANGE:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        numbers = (number for number in range(limit) if number not in (first, second))
        return [step("close", number, must=None) for number in numbers]
    return [step("close_range", 0, first - 1, 0), step("close_range", second + 1, _LAST, 0)]


def occupy(*numbers: int) -> None:
    """Make `numbers` copies of descriptor 0, so that no other open takes them."""
    for number in numbers:
        os.dup2(0, number, inheritable=False)


def _try_close_range() -> bool:
    try:
        carry_out([step("close_range", _LAST, _LAST, 0)])
    except OSError:  # before Linux 5.9, or refused by a container's filter
        return False
    return True


_HAS_CLOSE_RANGE = _try_close_range()
