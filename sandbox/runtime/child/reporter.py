"""The child's last words: its verdict, and what must still get out of a dying child."""

from __future__ import annotations  # evaluated, they would be looked up in a namespace

import ctypes
import signal
import struct
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, NoReturn

from sandbox.interpreter.vault import asking
from sandbox.interpreter.vault.handler import Handler
from sandbox.kernel.libc import leak

_SA_SIGINFO, _SA_ONSTACK, _SA_RESETHAND = 0x4, 0x08000000, 0x80000000
_ALTERNATE_STACK_BYTES = 256 << 10
_FAULTS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)


def report(status: str, error: str = "", traceback: str = "", value: str = "") -> NoReturn:
    """Send what is printed and the final frame, and end. `value` is JSON text already.

    The vault believes a success only where the caller is the frame that runs the program.
    """
    asking.finish(status, error, traceback, value)


def make_handler() -> Callable[[int, int, int], None]:
    """Make what C calls for a signal: it has nothing but the way to the vault.

    Where it fails C shows it to a hook of the program's. It asks no namespace for anything, calls
    nothing of the program's, and what it uses are defaults: a cell could be written.
    """

    def on_signal(
        number: int,
        info: int,
        _context: int,
        audit: Any = sys.audit,
        anything: type[BaseException] = BaseException,
    ) -> None:
        try:
            audit("sandbox.last_words", number, info)
        except anything:
            return

    return on_signal


def describe_handler(handler: Callable[[int, int, int], None], stack: tuple[int, int]) -> Handler:
    """Return what the vault knows of a handler. `stack` is what `stack_bounds` gives."""
    going_on = (int(signal.SIGXCPU), int(signal.SIGABRT))
    code: CodeType = handler.__code__
    return Handler(code, stack, going_on, int(signal.SIGXCPU))


def install_last_words(handler: Callable[[int, int, int], None]) -> None:
    """Take SIGSEGV, SIGBUS, SIGABRT and SIGXCPU, once, in the supervisor; every child inherits it.

    A Python-level handler waits for the next bytecode, which a C call that never returns does not
    reach, and cannot run on a stack that is full. This one is C's: it runs at once, on a stack of
    its own. That may interrupt the interpreter anywhere; the process is about to die, and nothing
    trusted is in it, so the worst is that the last output is lost.
    """
    callback = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t)(handler)
    alternate = (ctypes.c_char * _ALTERNATE_STACK_BYTES)()
    libc = ctypes.CDLL(None)
    own = struct.pack("@PiP", ctypes.addressof(alternate), 0, _ALTERNATE_STACK_BYTES)
    libc.sigaltstack(ctypes.create_string_buffer(own, len(own)), None)
    # struct sigaction of glibc and musl: handler, 128 bytes of mask, flags, restorer.
    address = ctypes.cast(callback, ctypes.c_void_p).value
    faults = sum(1 << number - 1 for number in _FAULTS).to_bytes(8, sys.byteorder)
    for number in (*_FAULTS, signal.SIGXCPU):
        # Of a fault only the first is taken: what repeats it, on return or in here, ends the child.
        # A handler without memory aborts; blocked, the fault by which abort(3) then ends pid 1 of a
        # namespace, which no SIGABRT of its own does, comes to no handler that would abort again.
        mask, once = (b"", 0) if number == signal.SIGXCPU else (faults, _SA_RESETHAND)
        action = struct.pack("@P128sIP", address, mask, _SA_SIGINFO | _SA_ONSTACK | once, 0)
        libc.sigaction(int(number), ctypes.create_string_buffer(action, len(action)), None)
    leak(callback, alternate)  # C holds their addresses


def stack_bounds(stack_bytes: int) -> tuple[int, int]:
    """Return (lowest address that the stack may reach, its top). Raises OSError without /proc."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip().endswith("[stack]"):
                top = int(line.split()[0].split("-")[1], 16)
                return top - stack_bytes, top
    raise OSError("no [stack] in /proc/self/maps")
