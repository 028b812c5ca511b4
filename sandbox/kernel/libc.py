"""The C library and raw system calls, through ctypes."""

import ctypes
import errno
import os

from sandbox.kernel.numbers import NUMBERS


class Native:
    """The means to call C. In a holder, so that a child can let go of all of it at once."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        self.library = library
        # 64-bit slots for all: a variadic int would leave the upper half of a register undefined.
        self.step = library.syscall
        self.step.restype = ctypes.c_long
        self.step.argtypes = [ctypes.c_long] * 7
        self.keep = ctypes.pythonapi.Py_IncRef
        self.keep.argtypes = [ctypes.py_object]
        # What the interpreter does around a fork where it has threads (Python/C API, PyOS_*).
        api = ctypes.pythonapi
        self.around_fork = api.PyOS_BeforeFork, api.PyOS_AfterFork_Parent, api.PyOS_AfterFork_Child
        for each in self.around_fork:
            each.argtypes, each.restype = [], None
        self.stderr_buffer = (ctypes.c_char * (64 << 10))()
        self.scratch = (ctypes.c_char * SCRATCH_BYTES)()  # for what a call reads and writes
        self.scratch_at = ctypes.addressof(self.scratch)


SCRATCH_BYTES = 256
_M_ARENA_MAX = -8
native = Native()
_UNUSED = (0,) * 6


def syscall(name: str, *arguments: "int | ctypes.Array[ctypes.c_char]") -> int:
    """Make the system call `name` with integers, or memory of `buffer` or `text` for pointers.

    Raises OSError with the call's name when the kernel refuses, or ENOSYS when this machine's table
    has no such call.
    """
    return invoke(name, *[a if isinstance(a, int) else ctypes.addressof(a) for a in arguments])


def invoke(name: str, *numbers: int) -> int:
    """Call as `syscall`, with integers only, for calls of each execution: no object is made.

    Each object that a supervisor makes or looks at after a fork is on a page that it copies.
    """
    answer = int(native.step(_number_of(name), *numbers, *_UNUSED[len(numbers) :]))
    if answer < 0:
        raise _refused(name)
    return answer


def _number_of(name: str) -> int:
    number = NUMBERS.get(name)
    if number is None:
        raise OSError(errno.ENOSYS, f"{name}: {os.strerror(errno.ENOSYS)}")
    return number


def _refused(name: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"{name}: {os.strerror(code)}")


def prctl(option: int, *arguments: int) -> int:
    """Call prctl(2), unused arguments zero as the kernel demands. Raises OSError."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return syscall("prctl", option, *padded)


def buffer_standard_error() -> None:
    """Keep what C code says to standard error in memory, as setvbuf(3) can.

    An interpreter that is out of memory falls back to C's stderr: a system call that would end a
    child, whose true end is then never told. `_exit` writes none of it out.
    """
    stream = ctypes.c_void_p.in_dll(native.library, "stderr")
    native.library.setvbuf(stream, native.stderr_buffer, 0, len(native.stderr_buffer))


def give_back_memory() -> None:
    """Give the end of the heap back to the kernel, where the C library can: glibc's malloc_trim(3).

    What is left there is cleared, and so written to, for each large object that begins in it.
    """
    if hasattr(native.library, "malloc_trim"):
        native.library.malloc_trim(0)


def keep_one_heap() -> None:
    """Have all threads share one heap, where the C library has others: glibc's mallopt(3)."""
    if hasattr(native.library, "mallopt"):
        native.library.mallopt(_M_ARENA_MAX, 1)


def all_memory() -> "memoryview[int]":
    """Return the memory of this process, by address. What it has is native control."""
    return memoryview((ctypes.c_char * (1 << 48)).from_address(0)).cast("B")


def buffer(content: bytes, size: int = 0) -> "ctypes.Array[ctypes.c_char]":
    """Make memory for C, `size` bytes or as many as `content` has, beginning with `content`."""
    made = (ctypes.c_char * (size or len(content)))()
    made.raw = content
    return made


def text(content: bytes) -> "ctypes.Array[ctypes.c_char]":
    """Return `content` as C has it, with a zero at its end."""
    return buffer(content, len(content) + 1)


def leak(*objects: object) -> None:
    """Keep `objects` for good without an object that leads to them."""
    for o in objects:
        native.keep(o)
