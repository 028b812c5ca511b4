"""The keeper of a session: it has states forked, feeds them, times them, ends and reaps them.

It is the first process of the session's PID namespace, so that none outlives it. It is confined as
a child is, but for the calls that it needs for all this, and reads nothing of what states say: it
hands their bytes on to the caller.
"""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import os
import resource
import select
import sys
import time
from typing import Any, NoReturn

from sandbox.kernel import timers
from sandbox.kernel.sessions.states import JOB, MADE
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.runtime.keeper.caller import Caller
from sandbox.runtime.keeper.state import CPU_SIGNAL, LAST_WORDS_SECONDS, State
from sandbox.runtime.wire import cells, protocol

_IDLE_CPU_SECONDS = 2.0  # of a state that has nothing to do but to fork: its page tables, copied
_READ_BYTES = 1 << 16
_DRAINING_READS = 1 << 12  # of a state that has ended: a process that it forked may go on writing
FIRST = 0  # the state that there is at the start


class Keeper:
    """Serves one caller, by commands on one pipe and events on another."""

    def __init__(self, first: State, most_states: int, signals: int, *, threads: bool) -> None:
        self._states = {FIRST: first}
        self._by_pid = {first.pid: first}
        self._by_socket: dict[int, State] = {}
        self._most, self._signals, self._threads = most_states, signals, threads
        self._poll = select.poll()
        self._caller, self._was_full = Caller(self._poll), False
        _, self._processes = resource.getrlimit(resource.RLIMIT_NPROC)  # its states have the same
        self._poll.register(signals, select.POLLIN)
        self._watch(first)
        first.make_group()
        first.time(_IDLE_CPU_SECONDS)

    def serve(self) -> NoReturn:
        """Serve until the caller is gone, or says what is no command."""
        while True:
            for descriptor, event in self._poll.poll(self._timeout()):
                if descriptor == JOB_FD:
                    for command in self._caller.commands():
                        self._obey(*command)
                elif descriptor == self._signals:
                    self._on_signals()
                elif descriptor == RESULT_FD:
                    self._caller.write()
                    self._throttle()
                elif descriptor in self._by_socket:
                    self._on_state(self._by_socket[descriptor], event)

    def _timeout(self) -> float | None:
        """End states that had their time; return milliseconds until the next may have."""
        now, due = time.monotonic(), None
        for state in list(self._states.values()):
            if state.kill_at is not None:
                left = state.kill_at - now
                if left <= 0:
                    self._kill(state)
                    left = LAST_WORDS_SECONDS
                due = left if due is None else min(due, left)
        return None if due is None else due * 1000 + 1

    def _obey(self, kind: bytes, number: int, other: int, cpu: float, payload: bytes) -> None:
        state = self._states.get(number)
        if state is None:
            if kind == cells.FORK:
                self._refuse(other, cells.NO_STATE)
            return  # it has ended, and the caller is told
        if kind == cells.FORK:
            self._fork(state, other)
        elif kind == cells.CELL:
            state.budget, state.has_cell = cpu, True
            if state.pid:
                state.time(cpu)
                self._forbid_forks(state)
                self._tell(cells.FORKED, number, cells.PID.pack(state.pid))
            state.feed(JOB)
            state.feed(payload)
            self._listen(state)
        elif kind == cells.SAY:
            if state.waits_to_be_fed:  # an honest one reads each answer before it asks again
                self._silence(state)
                return
            state.feed(payload)
            self._listen(state)
        elif kind == cells.REST:
            state.has_cell = False
            self._tell(cells.RESTED, number, cells.SECONDS.pack(min(state.used(), 1e9)))
            state.time(_IDLE_CPU_SECONDS)
            if self._threads:  # by the same limit it may have forked
                state.end_strays()
        elif kind == cells.STOP:
            state.stop(protocol.BY_STOP)
        elif kind == cells.DROP:
            state.cause = protocol.BY_HANGUP
            self._kill(state)
            self._states.pop(number, None)  # it takes a moment to go, and no other's place
        else:
            sys.exit("a command that no caller gives")

    def _tell(self, kind: bytes, number: int, payload: bytes) -> None:
        self._caller.tell(kind, number, payload)
        self._throttle()

    def _throttle(self) -> None:
        """Read no state while the caller has much to read, and all again when it has not."""
        if self._caller.is_full is not self._was_full:
            self._was_full = self._caller.is_full
            for state in self._by_socket.values():
                self._listen(state)

    # -- states

    def _watch(self, state: State) -> None:
        self._by_socket[state.socket.fileno()] = state
        self._listen(state)

    def _listen(self, state: State) -> None:
        if state.is_open:
            wanted = 0 if self._was_full else select.POLLIN
            wanted |= select.POLLOUT if state.waits_to_be_fed else 0
            self._poll.register(state.socket.fileno(), wanted)

    def _fork(self, source: State, number: int) -> None:
        if number in self._states or len(self._states) >= self._most:
            self._refuse(number, cells.NO_ROOM)
            return
        ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        ours.setblocking(False)
        state = self._states[number] = State(number, ours, source=source.number)
        state.expect_name()
        source.time(_IDLE_CPU_SECONDS)  # each fork takes it some
        source.permit_forks(self._processes, self._processes)
        source.forks_to_come += 1
        source.order_fork(theirs)
        self._watch(state)

    def _forbid_forks(self, state: State) -> None:
        """Have no fork made but between cells, at an order of this process."""
        if not self._threads:
            state.permit_forks(0, self._processes)

    def _refuse(self, number: int, cause: bytes) -> None:
        self._tell(cells.GONE, number, cells.ENDED.pack(cause, 0, 0.0, 0))

    def _on_state(self, state: State, event: int) -> None:
        if event & select.POLLOUT:
            state.send()
            self._listen(state)
        if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
            if state.pid:
                self._read(state)
            else:
                self._meet(state)

    def _meet(self, state: State) -> None:
        is_made = state.take_name(MADE)
        if is_made is None:
            return
        source = self._states.get(state.source)
        if source is not None:
            source.forks_to_come -= 1
            if not source.forks_to_come:
                self._forbid_forks(source)
        if not is_made or state.pid in self._by_pid:
            self._forget(state)
            self._reap()
            is_there = source is not None and source.is_open and not source.has_hung_up()
            self._refuse(state.number, cells.NO_ROOM if is_there else cells.NO_STATE)
        else:
            self._by_pid[state.pid] = state
            state.make_group()
            self._forbid_forks(state)
            state.time(state.budget or _IDLE_CPU_SECONDS)
            self._tell(cells.FORKED, state.number, cells.PID.pack(state.pid))
            state.send()
            self._listen(state)

    def _read(self, state: State) -> None:
        data = state.read(_READ_BYTES)
        if data and state.has_cell:
            self._tell(cells.DATA, state.number, data)
        elif data:
            self._silence(state)
        elif data is not None:
            self._close(state)

    def _silence(self, state: State) -> None:
        """End a state that says what no honest one says; hear no more of it."""
        state.cause = cells.NOISE
        self._close(state)
        state.kill()

    def _close(self, state: State) -> None:
        """Hear no more of a state: it says nothing more, whether it goes on or not."""
        if state.is_open:
            state.is_open = False
            self._poll.unregister(state.socket.fileno())
            del self._by_socket[state.socket.fileno()]
            state.socket.close()
            if state.kill_at is None:
                state.kill_at = time.monotonic() + LAST_WORDS_SECONDS

    # -- ends

    def _on_signals(self) -> None:
        for number, pid in timers.read_signals(os.read(self._signals, 4096)):
            if number == CPU_SIGNAL and pid in self._by_pid:
                self._by_pid[pid].out_of_time()
        self._reap()

    def _reap(self) -> None:
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
        state.kill()
        for _ in range(_DRAINING_READS):
            data = state.read(_READ_BYTES) if state.is_open and state.has_cell else b""
            if not data:
                break
            self._tell(cells.DATA, state.number, data)
        used, peak = state.used(usage.ru_utime + usage.ru_stime), usage.ru_maxrss << 10
        self._forget(state)
        self._tell(cells.GONE, state.number, cells.ENDED.pack(state.cause, status, used, peak))

    def _kill(self, state: State) -> None:
        if state.pid:
            state.kill()
        else:  # it may be made yet, and meets a socket without another end
            self._forget(state)
            self._tell(cells.GONE, state.number, cells.ENDED.pack(state.cause, 0, 0.0, 0))

    def _forget(self, state: State) -> None:
        self._close(state)
        self._states.pop(state.number, None)
        state.delete_timer()
