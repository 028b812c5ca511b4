"""The C library and raw system calls, through ctypes."""

import ctypes
import errno
import os

from sandbox.kernel.numbers import NUMBERS

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long


def syscall(name: str, *arguments: object) -> int:
    """Make the system call `name` with integer or pointer `arguments`.

    Raises OSError with the call's name when the kernel refuses, or ENOSYS when this machine's table
    has no such call.
    """
    number = NUMBERS.get(name)
    if number is None:
        raise OSError(errno.ENOSYS, f"{name}: {os.strerror(errno.ENOSYS)}")
    # 64-bit slots for all: a variadic int would leave the upper half of a register undefined.
    slots = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    answer = int(_syscall(ctypes.c_long(number), *slots))
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return answer


def prctl(option: int, *arguments: int) -> int:
    """prctl(2), unused arguments zero as the kernel demands. Raises OSError."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return syscall("prctl", option, *padded)


def buffer_standard_error() -> None:
    """Keep what C code says to standard error in memory, as setvbuf(3) can.

    An interpreter that is out of memory falls back to C's stderr: a system call that would end a
    child, whose true end is then never told. `_exit` writes none of it out.
    """
    stream = ctypes.c_void_p.in_dll(_libc, "stderr")
    _libc.setvbuf(stream, _stderr_buffer, 0, len(_stderr_buffer))


def leak(*objects: object) -> None:
    """Keep `objects` for good without an object that leads to them."""
    for o in objects:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(o))


_stderr_buffer = ctypes.create_string_buffer(64 << 10)
