"""The child's end of the result pipe: frames out, and what must still get out of a dying child."""

import ctypes
import signal
import struct
from collections.abc import Callable
from typing import NoReturn

from sandbox.interpreter import asking
from sandbox.interpreter.vault import Last
from sandbox.kernel.libc import leak
from sandbox.runtime import protocol

_SA_SIGINFO, _SA_ONSTACK, _SA_RESETHAND = 0x4, 0x08000000, 0x80000000
_ALTERNATE_STACK_BYTES = 256 << 10
_NEAR_BYTES = 2 << 20  # the guard gap below a stack is 1 MiB
_FAULT_ADDRESS = 2  # si_addr in siginfo_t, counted in words


class Reporter:
    """Writes frames. Exactly one final frame, after which the process ends."""

    def __init__(self) -> None:
        self.pending: Callable[[], bytes] = bytes  # takes what is printed but not yet sent
        self.reserve: bytes | None = None
        self.stack = (0, 0)  # the lowest address that it may reach, and its top

    def start(self, session: bool, stack_bytes: int) -> None:
        """Count CPU time and memory from here on, and put memory aside for the final frame.

        `stack_bytes` is how far the stack may grow, if that is less than in the supervisor.
        """
        low, high = self.stack
        self.stack = max(low, high - stack_bytes), high
        self.reserve = bytes(1 << 20)  # comes zeroed from the kernel: address space, no pages
        asking.begin(session)

    def send(self, kind: bytes, payload: bytes) -> None:
        """Write one frame, whole."""
        asking.send(kind, payload)

    def finish(
        self, status: str, error: str = "", traceback: str = "", value: str = ""
    ) -> NoReturn:
        """Send what is printed and the final frame, and end. `value` is JSON text already.

        The vault believes a success only where the caller is the frame that runs the program.
        """
        self.reserve = None
        asking.finish(status, error, traceback, value, self.pending())

    def flush(self) -> None:
        """Send what is printed."""
        if data := self.pending():
            self.send(protocol.OUTPUT, data)

    def take_before_death(self) -> bytes:
        """From a signal, at any instruction: what is printed but not yet sent."""
        self.reserve = None
        return self.pending()


def install_last_words(reporter: Reporter, stack: tuple[int, int], last: Last) -> None:
    """Take SIGSEGV, SIGBUS, SIGABRT and SIGXCPU, once, in the supervisor; every child inherits it.

    A Python-level handler waits for the next bytecode, which a C call that never returns does not
    reach, and cannot run on a stack that is full. This one is C's: it runs at once, on a stack of
    its own. That may interrupt the interpreter anywhere; the process is about to die, and nothing
    trusted is in it, so the worst is that the last output is lost.
    """
    words = ctypes.POINTER(ctypes.c_size_t)
    reporter.stack = stack
    on_signal = _handler(reporter, last)
    callback = ctypes.CFUNCTYPE(None, ctypes.c_int, words, ctypes.c_void_p)(on_signal)
    alternate = (ctypes.c_char * _ALTERNATE_STACK_BYTES)()
    libc = ctypes.CDLL(None)
    own = struct.pack("@PiP", ctypes.addressof(alternate), 0, _ALTERNATE_STACK_BYTES)
    libc.sigaltstack(ctypes.create_string_buffer(own, len(own)), None)
    # struct sigaction of glibc and musl: handler, 128 bytes of mask, flags, restorer.
    handler = ctypes.cast(callback, ctypes.c_void_p).value
    for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGXCPU):
        # Of a fault only the first is taken: what repeats it, on return or in here, ends the child.
        once = 0 if number == signal.SIGXCPU else _SA_RESETHAND
        action = struct.pack("@P128sIP", handler, b"", _SA_SIGINFO | _SA_ONSTACK | once, 0)
        libc.sigaction(int(number), ctypes.create_string_buffer(action, len(action)), None)
    leak(callback, alternate)  # C holds their addresses


def _handler(reporter: Reporter, last: Last) -> Callable[..., None]:
    """What C calls. All that it uses it closes over: modules are empty when it is called."""
    out_of_time, aborts = int(signal.SIGXCPU), int(signal.SIGABRT)
    near, fault_address, output = _NEAR_BYTES, _FAULT_ADDRESS, protocol.OUTPUT
    dying = False

    def on_signal(number: int, info: "ctypes._Pointer[ctypes.c_size_t]", _context: int) -> None:
        nonlocal dying
        if dying and number != out_of_time:
            return
        dying = True
        if last.is_writing():  # a frame is half out
            return
        paused = last.pause()  # this may have come amid the vault's work
        last.send(output, reporter.take_before_death())
        if number in (out_of_time, aborts):
            last.resume(paused)
            return
        fault = info[fault_address]
        low, high = reporter.stack
        if -near < fault - low < near:
            last.finish("RECURSION_LIMIT", "recursion limit: the stack is full")
        if low < fault < high:  # it could not grow: address space is out
            last.finish("MEMORY_LIMIT", "memory limit: no room for the stack to grow")

    return on_signal


def stack_bounds(stack_bytes: int) -> tuple[int, int]:
    """(lowest address that the stack may reach, its top). Raises OSError without /proc."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip().endswith("[stack]"):
                top = int(line.split()[0].split("-")[1], 16)
                return top - stack_bytes, top
    raise OSError("no [stack] in /proc/self/maps")
