"""Closing descriptors, keeping numbers for some, making one. close_range(2), dup(2)."""

import itertools
import os
import resource

from sandbox.kernel.libc import text
from sandbox.kernel.steps import AT_FDCWD, Step, carry_out, step

_LAST = 0xFFFFFFFF
_MFD_CLOEXEC, _MFD_ALLOW_SEALING = 1, 2


def close_all_but(*kept: int) -> list[Step]:
    """Close every descriptor but `kept`."""
    if not _HAS_CLOSE_RANGE:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        numbers = (number for number in range(limit) if number not in kept)
        return [step("close", number, must=None) for number in numbers]
    ends = [-1, *sorted(kept), _LAST + 1]
    gaps = [(before + 1, after - 1) for before, after in itertools.pairwise(ends)]
    return [step("close_range", *gap, 0) for gap in gaps if gap[0] <= gap[1]]


def make_file_in_memory(name: str) -> Step:
    """Make a file in memory at the lowest free number, to be sealed when it is written.

    Its bytes are bounded by RLIMIT_FSIZE. memfd_create(2).
    """
    return step("memfd_create", text(name.encode()), _MFD_CLOEXEC | _MFD_ALLOW_SEALING)


def open_for_writing(path: str) -> Step:
    """Open `path` for writing at the lowest free number. openat(2)."""
    return step("openat", AT_FDCWD, text(path.encode()), os.O_WRONLY | os.O_CLOEXEC)


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
