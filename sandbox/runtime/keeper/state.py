"""One state of a session, as its keeper holds it: its socket, its clock, its end."""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import os
import resource
import signal
import struct
import time
from collections import deque

from sandbox.kernel.sessions.states import FORK
from sandbox.kernel.timers import CpuTimer, cpu_seconds
from sandbox.runtime.wire import protocol

CPU_SIGNAL = signal.SIGRTMIN
LAST_WORDS_SECONDS = 0.25  # of time for a state to send what it has printed, once it is to end
_LAST_WORDS_CPU_SECONDS = 0.005
_CREDENTIALS = struct.Struct("@3i")


class State:
    """One state: a process with a guest in it, or on its way to being one."""

    def __init__(self, number: int, socket: _socket.socket, pid: int = 0, source: int = 0) -> None:
        self.number, self.socket, self.pid = number, socket, pid
        self.source = source  # the number of the state that it is forked of
        self.cause = protocol.BY_ITSELF
        self.forks_to_come = 0  # that it was ordered to make
        self.budget = 0.0  # CPU seconds of a cell that came before the state was made
        self.kill_at: float | None = None
        self.is_open = True
        self.has_cell = False  # one that runs: else it has nothing to say
        self._unsent: deque[memoryview] = deque()
        self._timer: CpuTimer | None = None
        self._before = self._stopped_at = 0.0  # of its CPU clock

    @property
    def waits_to_be_fed(self) -> bool:
        """True if it has not taken yet all that it was given."""
        return bool(self._unsent) and self.pid > 0

    # -- its socket

    def expect_name(self) -> None:
        """Have the kernel say which process writes the first byte."""
        self.socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 1)

    def take_name(self, said: bytes) -> bool | None:
        """Take the first byte; return True if it is `said`, None if there is none yet."""
        try:
            data, control, _, _ = self.socket.recvmsg(1, _socket.CMSG_SPACE(_CREDENTIALS.size))
        except BlockingIOError:
            return None
        except OSError:
            return False
        if data != said or len(control) != 1:
            return False
        self.socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 0)
        pid = int(_CREDENTIALS.unpack(control[0][2][: _CREDENTIALS.size])[0])
        if not _is_living_child(pid):  # another process has spoken for it
            return False
        self.pid = pid
        return True

    def permit_forks(self, soft: int, hard: int) -> None:
        """Let it fork while its user has fewer than `soft` processes: RLIMIT_NPROC.

        It cannot raise it by itself: its filter lets it read limits alone.
        """
        try:
            resource.prlimit(self.pid, resource.RLIMIT_NPROC, (soft, hard))
        except OSError:  # it has ended meanwhile
            return

    def order_fork(self, end: _socket.socket) -> None:
        """Send it the socket of its fork, and close that here. Whether it forks, that one tells."""
        packed = struct.pack("@i", end.fileno())
        try:
            self.socket.sendmsg([FORK], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, packed)])
        except OSError:  # it has ended, or takes nothing: the fork has no other end
            return
        finally:
            end.close()

    def feed(self, data: bytes) -> None:
        """Give it `data`, now or when it takes it."""
        self._unsent.append(memoryview(data))
        if self.pid:
            self.send()

    def send(self) -> None:
        """Send what it takes at once."""
        while self._unsent and self.is_open:
            piece = self._unsent.popleft()
            try:
                count = self.socket.send(piece)
            except BlockingIOError:
                count = 0
            except OSError:  # it has ended: its end will say why
                self._unsent.clear()
                return
            if count < len(piece):
                self._unsent.appendleft(piece[count:])
                return

    def read(self, size: int) -> bytes | None:
        """Return what it says, None for nothing now, empty at the end."""
        try:
            return self.socket.recv(size)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def has_hung_up(self) -> bool:
        """Return True if it has closed its socket, as the end of a process does first."""
        try:
            return not self.socket.recv(1, _socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    # -- its clock

    def time(self, budget: float) -> None:
        """Let it use `budget` seconds of CPU time from here on."""
        try:
            if self._timer is None:
                self._timer = CpuTimer(self.pid, CPU_SIGNAL, self.pid)
            self._before = cpu_seconds(self.pid)
            self._timer.arm(budget, _LAST_WORDS_CPU_SECONDS)
        except OSError:  # it has ended meanwhile, which is told elsewhere
            return

    def used(self, total: float | None = None) -> float:
        """Return the CPU seconds since then; `total` are those of its life, if it has ended."""
        return max((cpu_seconds(self.pid) if total is None else total) - self._before, 0.0)

    def out_of_time(self) -> None:
        """Act on its timer, which fired: first ask for the last words, then kill."""
        if self.cause != protocol.BY_CPU:
            self._stopped_at = cpu_seconds(self.pid)
            self.stop(protocol.BY_CPU)
        elif cpu_seconds(self.pid) - self._stopped_at >= _LAST_WORDS_CPU_SECONDS:
            self.kill()

    # -- its end

    def make_group(self) -> None:
        """Make it a process group, to which belongs what it forks by itself."""
        try:
            os.setpgid(self.pid, self.pid)
        except OSError:  # it has ended meanwhile
            return

    def end_strays(self) -> None:
        """Kill what it forked by itself: all of its group but itself, which leaves it meanwhile."""
        try:
            os.setpgid(self.pid, os.getpid())
            _send_signal(-self.pid, signal.SIGKILL)
            os.setpgid(self.pid, self.pid)
        except OSError:  # it has ended meanwhile
            return

    def stop(self, cause: bytes) -> None:
        """Ask it to send what it has printed; it is killed a moment later."""
        if self.kill_at is None:
            self.cause = cause
            self.kill_at = time.monotonic() + LAST_WORDS_SECONDS
            if self.pid:
                _send_signal(self.pid, signal.SIGXCPU)

    def kill(self) -> None:
        """Kill it, and what it forked by itself."""
        self.kill_at = None
        _send_signal(-self.pid, signal.SIGKILL)
        _send_signal(self.pid, signal.SIGKILL)

    def delete_timer(self) -> None:
        """Free the kernel's timer."""
        if self._timer is not None:
            self._timer.delete()
            self._timer = None


def _is_living_child(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False


def _send_signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return
