"""The keeper of a session: it has states forked, feeds them, times them, ends and reaps them.

It is the first process of the session's PID namespace, so that none outlives it. It is confined as
a child is, but for the calls that it needs for all this, and reads nothing of what states say: it
hands their bytes on to the caller.
"""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import os
import select
import signal
import struct
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn

from sandbox.interpreter.vault import asking
from sandbox.kernel import namespaces, timers
from sandbox.kernel.states import FORK, JOB, MADE
from sandbox.kernel.steps import Step, carry_out
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.kernel.timers import CpuTimer, cpu_seconds
from sandbox.runtime.wire import cells, protocol

_CPU_SIGNAL = signal.SIGRTMIN
_LAST_WORDS_CPU_SECONDS, _LAST_WORDS_WALL_SECONDS = 0.005, 0.25
_IDLE_CPU_SECONDS = 0.5  # of a state that has nothing to do: an honest one uses none
_READ_BYTES = 1 << 16
_MOST_UNSENT = 1 << 18  # bytes for a caller that does not read: beyond it no state is read
_DRAINING_READS = 1 << 12
_FIRST = 0  # the state that there is at the start
_CREDENTIALS = struct.Struct("@3i")


class State:
    """One state: a process with a guest in it, or on its way to being one."""

    def __init__(self, number: int, socket: _socket.socket) -> None:
        self.number, self.socket, self.pid = number, socket, 0
        self.unsent: deque[memoryview] = deque()
        self.timer: CpuTimer | None = None
        self.cause = protocol.BY_ITSELF
        self.before = self.stopped_at = 0.0  # of its CPU clock
        self.budget = 0.0  # CPU seconds of a cell that came before the state was made
        self.kill_at: float | None = None
        self.is_open = True


class Keeper:
    """Serves one caller, by commands on one pipe and events on another."""

    def __init__(self, first: State, most_states: int, signals: int) -> None:
        self._states = {_FIRST: first}
        self._by_pid = {first.pid: first}
        self._by_socket: dict[int, State] = {}
        self._most, self._signals = most_states, signals
        self._commands = bytearray()
        self._unsent: deque[memoryview] = deque()
        self._unsent_bytes = 0
        self._poll = select.poll()
        self._poll.register(JOB_FD, select.POLLIN)
        self._poll.register(signals, select.POLLIN)
        self._is_waiting_to_write = self._is_full = False
        self._watch(first)

    def serve(self) -> NoReturn:
        """Serve until the caller is gone, or says what is no command."""
        while True:
            for descriptor, event in self._poll.poll(self._timeout()):
                if descriptor == JOB_FD:
                    self._on_commands()
                elif descriptor == self._signals:
                    self._on_signals()
                elif descriptor == RESULT_FD:
                    self._write()
                else:
                    self._on_state(descriptor, event)

    def _timeout(self) -> float | None:
        now, due = time.monotonic(), None
        for state in list(self._states.values()):
            if state.kill_at is not None:
                left = state.kill_at - now
                if left <= 0:
                    self._kill(state)
                    left = _LAST_WORDS_WALL_SECONDS
                due = left if due is None else min(due, left)
        return None if due is None else due * 1000 + 1

    # -- the caller

    def _on_commands(self) -> None:
        data = os.read(JOB_FD, _READ_BYTES)
        if not data:
            sys.exit()
        self._commands += data
        size = cells.COMMAND.size
        while len(self._commands) >= size:
            kind, number, other, cpu, length = cells.COMMAND.unpack_from(self._commands)
            if len(self._commands) < size + length:
                break
            payload = bytes(self._commands[size : size + length])
            del self._commands[: size + length]
            self._obey(kind, number, other, cpu, payload)

    def _obey(self, kind: bytes, number: int, other: int, cpu: float, payload: bytes) -> None:
        state = self._states.get(number)
        if state is None:
            return  # it has ended, and the caller is told
        if kind == cells.FORK:
            self._fork(state, other)
        elif kind == cells.CELL:
            self._feed(state, JOB + payload)
            if state.pid:
                self._time(state, cpu)
            else:
                state.budget = cpu
        elif kind == cells.SAY:
            self._feed(state, payload)
        elif kind == cells.REST:
            used = cpu_seconds(state.pid) - state.before
            self._tell(cells.RESTED, number, cells.SECONDS.pack(min(used, 1e9)))
            self._time(state, _IDLE_CPU_SECONDS)
        elif kind == cells.STOP:
            self._stop(state, protocol.BY_STOP)
        elif kind == cells.DROP:
            state.cause = protocol.BY_HANGUP
            self._kill(state)
        else:
            sys.exit("a command that no caller gives")

    def _tell(self, kind: bytes, number: int, payload: bytes) -> None:
        self._unsent.append(memoryview(cells.EVENT.pack(kind, number, len(payload)) + payload))
        self._unsent_bytes += cells.EVENT.size + len(payload)
        self._write()

    def _write(self) -> None:
        while self._unsent:
            piece = self._unsent.popleft()
            try:
                count = os.write(RESULT_FD, piece)
            except BlockingIOError:
                count = 0
            except BrokenPipeError:
                sys.exit()
            self._unsent_bytes -= count
            if count < len(piece):
                self._unsent.appendleft(piece[count:])
                break
        waits = bool(self._unsent)
        if waits is not self._is_waiting_to_write:
            self._is_waiting_to_write = waits
            if waits:
                self._poll.register(RESULT_FD, select.POLLOUT)
            else:
                self._poll.unregister(RESULT_FD)
        is_full = self._unsent_bytes >= _MOST_UNSENT
        if is_full is not self._is_full:
            self._is_full = is_full
            for state in self._by_socket.values():
                self._listen(state)

    # -- states

    def _watch(self, state: State) -> None:
        self._by_socket[state.socket.fileno()] = state
        self._listen(state)

    def _listen(self, state: State) -> None:
        wanted = 0 if self._is_full else select.POLLIN
        if state.unsent and state.pid:
            wanted |= select.POLLOUT
        if state.is_open:
            self._poll.register(state.socket.fileno(), wanted)

    def _fork(self, source: State, number: int) -> None:
        """Send `source` the socket of its fork. Whether there is one is heard on that."""
        if number in self._states or len(self._states) >= self._most:
            self._gone(number, protocol.BY_ITSELF, cells.NO_ROOM)
            return
        ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        ours.setblocking(False)
        ours.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 1)
        state = self._states[number] = State(number, ours)
        end = struct.pack("@i", theirs.fileno())
        try:
            source.socket.sendmsg([FORK], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, end)])
        except OSError:  # it has ended, or takes nothing: the fork has no other end
            pass
        theirs.close()
        self._watch(state)

    def _on_state(self, descriptor: int, event: int) -> None:
        state = self._by_socket.get(descriptor)
        if state is None:
            return
        if event & select.POLLOUT:
            self._send(state)
        if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
            if state.pid:
                self._read(state)
            else:
                self._meet(state)

    def _meet(self, state: State) -> None:
        """Read the first byte of a fork: the kernel says which process it is."""
        room = _socket.CMSG_SPACE(_CREDENTIALS.size)
        try:
            data, control, _, _ = state.socket.recvmsg(1, room)
        except BlockingIOError:
            return
        except OSError:
            data, control = b"", []
        if data != MADE or len(control) != 1:
            self._forget(state)
            self._gone(state.number, protocol.BY_ITSELF, cells.NO_ROOM)
            return
        state.socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_PASSCRED, 0)
        state.pid = _CREDENTIALS.unpack(control[0][2][: _CREDENTIALS.size])[0]
        self._by_pid[state.pid] = state
        self._group(state)
        self._tell(cells.FORKED, state.number, cells.PID.pack(state.pid))
        self._time(state, state.budget or _IDLE_CPU_SECONDS)
        self._send(state)

    def _group(self, state: State) -> None:
        """Make `state` a process group, to which belongs what it forks by itself."""
        try:
            os.setpgid(state.pid, state.pid)
        except OSError:  # it has ended meanwhile
            return

    def _time(self, state: State, budget: float) -> None:
        if state.timer is None:
            try:
                state.timer = CpuTimer(state.pid, _CPU_SIGNAL, state.pid)
            except OSError:  # it has ended meanwhile
                return
        state.before = cpu_seconds(state.pid)
        state.timer.arm(budget, _LAST_WORDS_CPU_SECONDS)

    def _feed(self, state: State, data: bytes) -> None:
        state.unsent.append(memoryview(data))
        if state.pid:
            self._send(state)

    def _send(self, state: State) -> None:
        while state.unsent and state.is_open:
            piece = state.unsent.popleft()
            try:
                count = state.socket.send(piece)
            except BlockingIOError:
                count = 0
            except OSError:  # it has ended: its end will say why
                state.unsent.clear()
                break
            if count < len(piece):
                state.unsent.appendleft(piece[count:])
                break
        self._listen(state)

    def _read(self, state: State) -> None:
        try:
            data = state.socket.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._tell(cells.DATA, state.number, data)
        else:
            self._close(state)

    def _close(self, state: State) -> None:
        """Hear no more of a state: it says nothing more, whether it goes on or not."""
        if state.is_open:
            state.is_open = False
            self._poll.unregister(state.socket.fileno())
            del self._by_socket[state.socket.fileno()]
            state.socket.close()
            if state.kill_at is None:
                state.kill_at = time.monotonic() + _LAST_WORDS_WALL_SECONDS

    # -- ends

    def _on_signals(self) -> None:
        for number, pid in timers.read_signals(os.read(self._signals, 4096)):
            if number == _CPU_SIGNAL:
                self._out_of_time(pid)
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            state = self._by_pid.pop(pid, None)
            if state is not None:
                self._bury(state, status, usage)

    def _bury(self, state: State, status: int, usage: Any) -> None:
        used = max(usage.ru_utime + usage.ru_stime - state.before, 0.0)
        _signal_group(state.pid)
        for _ in range(_DRAINING_READS):
            if not state.is_open or not self._drain(state):
                break
        pack = cells.ENDED.pack(state.cause, status, used, usage.ru_maxrss << 10)
        self._forget(state)
        self._tell(cells.GONE, state.number, pack)

    def _drain(self, state: State) -> bool:
        try:
            data = state.socket.recv(_READ_BYTES)
        except OSError:
            return False
        if data:
            self._tell(cells.DATA, state.number, data)
        return bool(data)

    def _gone(self, number: int, cause: bytes, why: bytes) -> None:
        self._tell(cells.GONE, number, cells.ENDED.pack(why or cause, 0, 0.0, 0))

    def _forget(self, state: State) -> None:
        self._close(state)
        self._states.pop(state.number, None)
        if state.timer is not None:
            state.timer.delete()
            state.timer = None

    def _out_of_time(self, pid: int) -> None:
        """Act on a timer that fired: first ask for the last words, then kill."""
        state = self._by_pid.get(pid)
        if state is None:
            return
        if state.cause != protocol.BY_CPU:
            state.stopped_at = cpu_seconds(pid)
            self._stop(state, protocol.BY_CPU)
        elif cpu_seconds(pid) - state.stopped_at >= _LAST_WORDS_CPU_SECONDS:
            self._kill(state)

    def _stop(self, state: State, cause: bytes) -> None:
        """Ask a state to send what it has printed; it is killed a moment later."""
        if state.kill_at is None:
            state.cause = cause
            state.kill_at = time.monotonic() + _LAST_WORDS_WALL_SECONDS
            if state.pid:
                _send_signal(state.pid, signal.SIGXCPU)

    def _kill(self, state: State) -> None:
        state.kill_at = None
        if state.pid:
            _signal_group(state.pid)
            _send_signal(state.pid, signal.SIGKILL)
        else:  # it may be made yet, and meets a socket without another end
            self._forget(state)
            self._gone(state.number, state.cause, b"")


def _signal_group(pid: int) -> None:
    """Kill what is in the process group of a state: itself, and what it forked by itself."""
    _send_signal(-pid, signal.SIGKILL)


def _send_signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def keep(
    before: list[Step],
    own: list[Step],
    most_states: int,
    be_first: Callable[[], NoReturn],
    end: Callable[[int], NoReturn] = asking.end,
) -> NoReturn:
    """Be confined by `before`, fork the first state, be confined by `own`, serve; never return.

    `be_first` is what the first state does, which has its socket as the ends of both pipes.
    """
    try:
        carry_out(before)
        signals = timers.blocked_signals({signal.SIGCHLD, _CPU_SIGNAL})
        ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        pid = namespaces.fork(pid_namespace=False)
        if pid == 0:
            ours.close()
            del ours
            os.close(signals)
            os.dup2(theirs.fileno(), JOB_FD, inheritable=False)
            os.dup2(theirs.fileno(), RESULT_FD, inheritable=False)
            theirs.close()
            del theirs
            be_first()
        theirs.close()
        carry_out(own)
        if ours.recv(1) != MADE:
            said = ours.recv(512).decode(errors="replace")
            raise OSError(f"the first state of a session could not be confined: {said}")
        ours.setblocking(False)
        os.set_blocking(RESULT_FD, False)
        first = State(_FIRST, ours)
        first.pid = pid
        keeper = Keeper(first, most_states, signals)
        keeper._group(first)
        keeper._time(first, _IDLE_CPU_SECONDS)
        os.write(RESULT_FD, protocol.READY)
        keeper.serve()
    except BaseException as error:
        if not isinstance(error, SystemExit):
            _say_why(error)
    finally:
        end(1)


def _say_why(error: BaseException) -> None:
    try:
        os.write(RESULT_FD, protocol.NOT_READY + f"{error}".encode()[:500])
    except OSError:
        return
