"""Stand-ins for `os` and `atexit`."""

import operator
import random
import sys
from collections.abc import Callable
from operator import index
from typing import Any, NoReturn

from sandbox.language.guest.context import Context
from sandbox.language.guest.files.content import status_of, told
from sandbox.language.guest.files.handles import FIRST_NUMBER
from sandbox.language.guest.files.paths import checked, fail
from sandbox.language.guest.files.tree import STARTING_NS
from sandbox.language.stdlib.files.os_files import fsdecode, fsencode, named

_EBADF = 9


def os(context: Context) -> dict[str, Any]:
    """The tree of the program, the standard streams by number, and an environment of its own."""
    state = context.state
    environment: dict[Any, Any] = {}

    drawn = random.Random(0)

    def urandom(size: int, /) -> bytes:
        count = operator.index(size)
        if count < 0:
            raise ValueError("negative argument not allowed")
        return drawn.randbytes(count)

    def _exit(status: int) -> NoReturn:
        state.exit_calls.clear()
        raise SystemExit(operator.index(status))

    return {
        **named(context),
        **_descriptors(context),
        "_exit": _exit,
        "fsencode": fsencode,
        "fsdecode": fsdecode,
        "urandom": urandom,
        "environ": environment,
        "getenv": lambda key, default=None: environment.get(key, default),
        "cpu_count": lambda: 1,
        "getpid": lambda: 1,
        "linesep": "\n",
        "name": "posix",
        "sep": "/",
    }


def _descriptors(context: Context) -> dict[str, Any]:
    """Make the functions of `os` that act on numbers of standard streams and of opened files."""
    state, descriptors = context.state, context.state.files.descriptors

    def read(fd: Any, n: Any, /) -> bytes:
        fd, n = index(fd), index(n)
        if fd == 0:
            data: bytes = state.stdin.buffer.read1(n)
            return data
        handle = descriptors.get(fd)
        if not handle.readable:
            fail(_EBADF)
        return handle.read(max(n, 0))

    def write(fd: Any, data: Any, /) -> int:
        fd = index(fd)
        if fd in (1, 2):
            target = state.stdout if fd == 1 else state.sys["__stderr__"]
            count: int = target.buffer.write(data)
            return count
        handle = descriptors.get(fd)
        if not handle.writable:
            fail(_EBADF)
        copy = bytes(memoryview(data))
        handle.write(copy)
        return len(copy)

    def open(path: Any, flags: Any, mode: Any = 0o777, *, dir_fd: Any = None) -> int:
        return state.files.open_descriptor(checked(path, "open"), index(flags))

    def fdopen(
        fd: Any,
        mode: Any = "r",
        buffering: Any = -1,
        encoding: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        if not isinstance(fd, int):
            kind = type(fd).__name__
            raise TypeError(f"invalid fd type ({kind}, expected integer)")
        named = (mode, buffering, encoding, *args)
        return state.files.open(state.standard_stream, fd, *named, **kwargs)

    def close(fd: Any) -> None:
        fd = index(fd)
        if fd >= FIRST_NUMBER or fd < 0:
            descriptors.close(descriptors.get(fd))

    def lseek(fd: Any, position: Any, whence: Any, /) -> int:
        return descriptors.get(index(fd)).seek(index(position), index(whence))

    def ftruncate(fd: Any, length: Any, /) -> None:
        descriptors.get(index(fd)).truncate(index(length))

    def fsync(fd: Any) -> None:
        if not 0 <= index(fd) < FIRST_NUMBER:
            descriptors.get(index(fd))

    def fstat(fd: Any) -> Any:
        fd = index(fd)
        if not 0 <= fd < FIRST_NUMBER:
            return status_of(descriptors.get(fd).node)
        size = len(state.stdin.buffer.peek()) if fd == 0 else 0
        return told(_FIFO, fd, 1, size, STARTING_NS)

    def isatty(fd: Any, /) -> bool:
        return index(fd) is None

    functions: tuple[Callable[..., Any], ...] = (
        *(read, write, open, fdopen, close, lseek, ftruncate, fsync, fstat, isatty),
    )
    return {**{function.__name__: function for function in functions}, "fdatasync": fsync}


_FIFO = 0o10600


def atexit(context: Context) -> dict[str, Any]:
    """Make the module: what is registered is called at the end of the program, the last first."""
    calls = context.state.exit_calls

    def register(func: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not callable(func):
            raise TypeError("the first argument must be callable")
        calls.append((func, args, kwargs))
        return func

    def unregister(func: Any, /) -> None:
        for call in [*calls]:
            if call[0] == func and call in calls:
                calls.remove(call)

    return {"register": register, "unregister": unregister}


_CAN_BE_TAKEN_BACK = sys.version_info < (3, 14)  # while others of them are called


def run_exit_calls(calls: list[Any]) -> None:
    """Call what was registered; what one raises stops none of the others, as in CPython."""
    for call in [*reversed(calls)]:
        if _CAN_BE_TAKEN_BACK and not any(call is each for each in calls):
            continue
        try:
            call[0](*call[1], **call[2])
        except BaseException:
            continue
    calls.clear()
