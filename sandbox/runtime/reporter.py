"""The child's end of the result pipe: frames out, and what must still get out of a dying child."""

import ctypes
import os
import resource
import signal
import struct
import time
from collections.abc import Callable
from typing import NoReturn

from sandbox.kernel.syscall_sets import RESULT_FD
from sandbox.runtime import protocol
from sandbox.runtime.plain import quote

_write, _exit = os.write, os._exit
_SA_SIGINFO, _SA_ONSTACK = 0x4, 0x08000000
_ALTERNATE_STACK_BYTES = 256 << 10
_NEAR_BYTES = 2 << 20  # the guard gap below a stack is 1 MiB
_ERROR_CHARS, _TRACEBACK_CHARS = 8 << 10, 64 << 10


class Reporter:
    """Writes frames. Exactly one final frame, after which the process ends."""

    def __init__(self) -> None:
        self._writing = False
        self._started_cpu = time.process_time()
        self._base_rss = _peak_rss()
        self.pending: Callable[[], None] = _nothing  # flushes what is printed but not yet sent
        self.reserve: bytes | None = None

    def start(self) -> None:
        """Count CPU time and memory from here on, and put memory aside for the final frame."""
        self.reserve = bytes(1 << 20)  # comes zeroed from the kernel: address space, no pages
        self._base_rss = _peak_rss()
        self._started_cpu = time.process_time()

    def send(self, kind: bytes, payload: bytes) -> None:
        """Write one frame, whole."""
        self._writing = True
        data = memoryview(protocol.frame(kind, payload))
        while data:
            data = data[_write(RESULT_FD, data) :]
        self._writing = False

    def finish(
        self, status: str, error: str = "", traceback: str = "", value: str = ""
    ) -> NoReturn:
        """Send the final frame and end. `value` is JSON text already."""
        self.reserve = None
        cpu = time.process_time() - self._started_cpu
        peak = max(_peak_rss() - self._base_rss, 0)
        text = (
            f'{{"status":"{status}","cpu":{cpu:.6f},"peak":{peak}'
            f',"error":{quote(error[:_ERROR_CHARS])}'
            f',"traceback":{quote(traceback[-_TRACEBACK_CHARS:])}'
            f',"value":{value or "null"}}}'
        )
        self.send(protocol.FINAL, text.encode("ascii"))
        _exit(0)

    def flush_before_death(self) -> None:
        """From a signal, at any instruction: send what is printed, if no frame is half out."""
        if not self._writing:
            self.reserve = None
            self.pending()


def _nothing() -> None:
    return None


def _peak_rss() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class LastWords:
    """C-level handlers, installed once in the supervisor and inherited by every child.

    A Python-level handler waits for the next bytecode, which a C call that never returns does not
    reach, and cannot run on a stack that is full. These run at once, on a stack of their own. That
    may interrupt the interpreter anywhere; the process is about to die, and nothing trusted is in
    it, so the worst is that the last output is lost.
    """

    def __init__(self, reporter: Reporter, stack: tuple[int, int]) -> None:
        self._reporter = reporter
        self._stack_low, self._stack_high = stack
        self._dying = False
        self._alternate = (ctypes.c_char * _ALTERNATE_STACK_BYTES).from_buffer(
            bytearray(_ALTERNATE_STACK_BYTES)
        )
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        self._callback = prototype(self._on_signal)  # kept: C holds its address

    def install(self) -> None:
        """Take SIGSEGV, SIGBUS and SIGXCPU."""
        libc = ctypes.CDLL(None)
        stack = struct.pack("@PiP", ctypes.addressof(self._alternate), 0, _ALTERNATE_STACK_BYTES)
        libc.sigaltstack(ctypes.create_string_buffer(stack, len(stack)), None)
        # struct sigaction of glibc and musl: handler, 128 bytes of mask, flags, restorer.
        handler = ctypes.cast(self._callback, ctypes.c_void_p).value
        action = struct.pack("@P128siP", handler, b"", _SA_SIGINFO | _SA_ONSTACK, 0)
        buffer = ctypes.create_string_buffer(action, len(action))
        for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGXCPU):
            libc.sigaction(int(number), buffer, None)

    def _on_signal(self, number: int, info: int, _context: int) -> None:
        if number == signal.SIGXCPU:
            self._dying = True
            self._reporter.flush_before_death()
            return
        fault = ctypes.c_size_t.from_address(info + 16).value
        signal.signal(number, signal.SIG_DFL)  # returning repeats the fault, then for good
        if self._dying:
            return
        self._dying = True
        self._reporter.flush_before_death()
        if abs(fault - self._stack_low) < _NEAR_BYTES:
            self._reporter.finish("RECURSION_LIMIT", "recursion limit: the stack is full")
        if self._stack_low < fault < self._stack_high:  # it could not grow: address space is out
            self._reporter.finish("MEMORY_LIMIT", "memory limit: no room for the stack to grow")


def stack_bounds(stack_bytes: int) -> tuple[int, int]:
    """(lowest address that the stack may reach, its top). Raises OSError without /proc."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip().endswith("[stack]"):
                top = int(line.split()[0].split("-")[1], 16)
                return top - stack_bytes, top
    raise OSError("no [stack] in /proc/self/maps")
