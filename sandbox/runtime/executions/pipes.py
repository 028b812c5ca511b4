"""Writing to a process that a guest may end: a failed write is an error, never a signal.

CPython ignores SIGPIPE, but programs that are to end quietly behind `| head` take that back, and a
handler of the caller's is not for a guest to run.
"""

import array
import contextlib
import os
import signal
import socket

_SIGPIPE = frozenset((signal.SIGPIPE,))
_WRITES_AT_ONCE = 4  # a child that reads as fast as it is fed would have its driver to itself


def write(descriptor: int, data: bytes | memoryview) -> int:
    """Call `os.write`; raise BrokenPipeError whatever this process has set for SIGPIPE.

    The signal comes to the thread that writes. It is kept out meanwhile, and what came is taken.
    """
    if signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN:
        return os.write(descriptor, data)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    waits_already = signal.SIGPIPE in signal.sigpending()
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGPIPE)
        return os.write(descriptor, data)
    finally:
        if not waits_already:
            signal.sigtimedwait(_SIGPIPE, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def write_some(descriptor: int, data: memoryview) -> memoryview:
    """Write to a pipe what it takes at once, at the most in a few calls; return the rest of `data`.

    Raises OSError if no process can read it.
    """
    with contextlib.suppress(BlockingIOError):
        for _ in range(_WRITES_AT_ONCE):
            data = data[write(descriptor, data) :]
            if not data:
                break
    return data


def send(channel: socket.socket, message: bytes, *descriptors: int) -> None:
    """Send `message` whole, and copies of `descriptors` with it. Raises OSError."""
    passed = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
    channel.sendmsg([message], [passed] if descriptors else [], socket.MSG_NOSIGNAL)
