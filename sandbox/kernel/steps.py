"""System calls prepared beforehand and carried out in one tight loop.

A freshly forked child pays for every page of the interpreter that it touches first. So the parent
prepares the calls, arguments and buffers, and the child only makes them.
"""

import ctypes
import errno
import os
from collections.abc import Iterable
from typing import NamedTuple

from sandbox.kernel.libc import leak, native
from sandbox.kernel.numbers import NUMBERS

AT_FDCWD = -100  # of openat(2) and its like: a path is below the working directory


class Step(NamedTuple):
    """One system call: number and arguments, how it must end, and its name.

    Numbers only: an object that C memory belongs to would be a way to that memory.
    """

    call: tuple[int, ...]
    must: bool | None  # succeed, fail, or either
    name: str


def step(
    name: str, *arguments: "int | ctypes.Array[ctypes.c_char]", must: bool | None = True
) -> Step:
    """Prepare the system call `name`. Raises OSError (ENOSYS) if this machine's table lacks it."""
    number = NUMBERS.get(name)
    if number is None:
        raise OSError(errno.ENOSYS, f"{name}: {os.strerror(errno.ENOSYS)}")
    leak(*(a for a in arguments if not isinstance(a, int)))
    # An enum's member would have to be asked for its number, in each child.
    slots = [int(a) if isinstance(a, int) else ctypes.addressof(a) for a in arguments]
    return Step((number, *slots, *(0,) * (6 - len(slots))), must, name)


def carry_out(steps: Iterable[Step]) -> None:
    """Make the calls in order. Raises OSError at the first that does not end as it must."""
    for call, must, name in steps:
        if (native.step(*call) >= 0) is not must and must is not None:
            code = ctypes.get_errno() if must else 0
            raise OSError(code, f"{name}: {os.strerror(code) if must else 'it worked'}")
