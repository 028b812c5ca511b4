"""Timers on a process's CPU clock, and signals as descriptors.

timer_create(2), setitimer(2), signalfd(2).
"""

import math
import signal
import struct
import time
from collections.abc import Iterable

from sandbox.kernel.libc import buffer, invoke, native, syscall
from sandbox.kernel.steps import Step, step

_SFD_NONBLOCK, _SFD_CLOEXEC = 0o4000, 0o2000000
_CPUCLOCK_SCHED = 2
_ITIMER_PROF = 2
_SIGINFO_BYTES = 128
_SIGEVENT_BYTES = 64
_SIGSET_BYTES = 8


def cpu_clock(pid: int) -> int:
    """Return the id of the CPU clock of process `pid`, as clock_getcpuclockid(3) makes it."""
    return ~pid << 3 | _CPUCLOCK_SCHED


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that process `pid` has used; infinity if ended. clock_gettime(2)."""
    try:
        return time.clock_gettime(cpu_clock(pid))
    except OSError:
        return math.inf


class CpuTimer:
    """Sends this process `signum` with `token` each time process `pid` has burnt its budget."""

    __slots__ = ("_id",)

    def __init__(self, pid: int, signum: int, token: int) -> None:
        """Make the timer, unarmed. Raises OSError."""
        # struct sigevent: value, signo, notify (SIGEV_SIGNAL is 0), padding. Then the timer's id.
        scratch, at = native.scratch, native.scratch_at
        struct.pack_into("@qii48xi", scratch, 0, token, signum, 0, 0)
        invoke("timer_create", cpu_clock(pid), at, at + _SIGEVENT_BYTES)
        (self._id,) = struct.unpack_from("@i", scratch, _SIGEVENT_BYTES)

    def arm(self, first_seconds: float, then_seconds: float) -> None:
        """Fire after `first_seconds` more of the process's CPU time, then every `then_seconds`."""
        spec = *_timespec(then_seconds), *_timespec(first_seconds)
        struct.pack_into("@4q", native.scratch, 0, *spec)
        invoke("timer_settime", self._id, 0, native.scratch_at)

    def delete(self) -> None:
        """Free the kernel's timer."""
        invoke("timer_delete", self._id)


def _timespec(seconds: float) -> tuple[int, int]:
    nanoseconds = max(round(seconds * 1e9), 1)  # zero would disarm
    return divmod(nanoseconds, 1_000_000_000)


def tick(seconds: float) -> Step:
    """Prepare to send this process SIGPROF each time that it has used `seconds` of CPU time more.

    The kernel looks on its own ticks, so it may be late by one of these, and forgets it in a fork.
    """
    every = divmod(round(seconds * 1e6), 1_000_000)
    return step("setitimer", _ITIMER_PROF, buffer(struct.pack("@4q", *every, *every)), 0)


def signal_descriptor(signals: Iterable[int]) -> int:
    """Block `signals`, and only those, whatever this process was started with.

    Returns a non-blocking descriptor that reads them. Raises OSError.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, signals)
    return blocked_signals(signals)


def blocked_signals(signals: Iterable[int]) -> int:
    """Return a non-blocking descriptor that reads `signals`, which are blocked. Raises OSError."""
    mask = sum(1 << (number - 1) for number in signals)
    wanted = buffer(struct.pack("@Q", mask))
    return syscall("signalfd4", -1, wanted, _SIGSET_BYTES, _SFD_NONBLOCK | _SFD_CLOEXEC)


def read_signals(data: bytes) -> list[tuple[int, int]]:
    """Return (signal, token) of each whole record in what was read from a signal descriptor."""
    whole = len(data) - len(data) % _SIGINFO_BYTES
    # struct signalfd_siginfo: ssi_signo at 0, ssi_int at 44.
    return list(struct.iter_unpack("@I40xi80x", data[:whole]))
