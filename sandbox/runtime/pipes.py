"""Writing to whom a guest may end: what becomes of it is an error, never a signal.

CPython ignores SIGPIPE, but programs that are to end quietly behind `| head` take that back, and a
handler of the caller's is not for a guest to run.
"""

import array
import os
import signal
import socket

_SIGPIPE = frozenset((signal.SIGPIPE,))


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


def send(channel: socket.socket, message: bytes, *descriptors: int) -> None:
    """Send `message` whole, and copies of `descriptors` with it. Raises OSError."""
    passed = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
    channel.sendmsg([message], [passed] if descriptors else [], socket.MSG_NOSIGNAL)
