"""Children from fork to grave, as the supervisor keeps them."""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import contextlib
import errno
import math
import os
import resource
import signal
import struct
import time
from collections import deque
from dataclasses import dataclass

from sandbox.kernel.timers import CpuTimer, cpu_seconds
from sandbox.policy.plan import Plan
from sandbox.runtime.supervisor import room
from sandbox.runtime.supervisor.forker_link import ForkerLost, Link
from sandbox.runtime.supervisor.jail import Jail
from sandbox.runtime.wire import protocol

CPU_SIGNAL = signal.SIGRTMIN
# After its time is up a child may send what it has printed: this much CPU or wall time.
_LAST_WORDS_CPU_SECONDS = 0.005
_LAST_WORDS_WALL_SECONDS = 0.25
_STRAY_SECONDS, _STRAY_STEPS = 0.01, 100  # for a child to see that its job pipe has ended


@dataclass(slots=True, eq=False)
class Child:
    """One child. `channel` is None until it is handed over."""

    pid: int  # 0 until the forker's answer is read
    slot: int
    job: int
    result: int
    channel: _socket.socket | None = None
    timer: CpuTimer | None = None
    cause: bytes = protocol.BY_ITSELF
    error: int = 0  # of its fork
    kill_at: float | None = None
    stopped_at: float = 0.0  # of its CPU time, in seconds
    cpu_end: float = math.inf  # of its CPU time: where its limit is
    look_at: float | None = None  # when its CPU clock is to be looked at


class ChildPool:
    """Orders, ends and buries children."""

    def __init__(self, plan: Plan, jail: Jail, link: Link, slots: int) -> None:
        self._plan, self._jail, self._link = plan, jail, link
        self._forker: int | None = link.pid
        self._slots = [*reversed(range(slots))]
        self._ordered: deque[Child] = deque()  # whose pids are not known yet
        self.by_pid: dict[int, Child] = {}

    def fork(self, act: int) -> Child:
        """Fork a new child, on its way to being confined, or not even forked: see `know`.

        Raises OSError if this process has no room, ForkerLost.
        """
        if not self._slots:
            raise OSError(errno.EAGAIN, "every slot has a child")
        job_r, job_w = os.pipe()
        try:
            result_r, result_w = os.pipe()
        except OSError:
            os.close(job_r)
            os.close(job_w)
            raise
        child = Child(0, self._slots.pop(), job_w, result_r)
        try:
            self._link.order(act, child.slot, job_r, result_w)
        except OSError:
            self.discard(child)
            raise
        finally:  # this process keeps no end of a child's, above all none to write results to
            os.close(job_r)
            os.close(result_w)
        os.set_blocking(result_r, False)
        self._ordered.append(child)
        return child

    def know(self, child: Child) -> None:
        """Have the pid of `child`, which has shown that it was forked or that its pipe has ended.

        Raises OSError if the machine had no room to fork it, ForkerLost.
        """
        while not child.pid and not child.error:
            self._know_next()
        if child.error:
            raise OSError(child.error, f"clone: {os.strerror(child.error)}")

    def _know_next(self) -> None:
        answer, child = self._link.answer(), self._ordered.popleft()
        if answer > 0:
            child.pid = answer
            self.by_pid[answer] = child
        else:
            child.error = -answer

    def hand_over(self, child: Child, channel: _socket.socket, cpu: float, less: int) -> None:
        """Give `child` to a caller: its limits first, then the pipe ends. Raises OSError."""
        child.channel = channel
        if less:
            room.tighten_memory(self._plan, self._jail, child.pid, less)
        child.timer = CpuTimer(child.pid, CPU_SIGNAL, child.pid)
        child.timer.arm(cpu, _LAST_WORDS_CPU_SECONDS)
        before = cpu_seconds(child.pid)
        child.cpu_end = before + cpu
        child.look_at = time.monotonic() + cpu / (1 + self._plan.threads)
        ends = struct.pack("@2i", child.job, child.result)
        message = protocol.HANDED.pack(protocol.HANDOVER, child.pid, before)
        try:
            channel.sendmsg([message], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, ends)])
        finally:
            os.close(child.job)
            os.close(child.result)
            child.job = child.result = -1

    def out_of_time(self, pid: int) -> None:
        """Act on the CPU timer of `pid` that fired: first ask for the last words, then kill.

        It fires by the child's clock. When this process was late to ask, it fires again at once.
        """
        child = self.by_pid.get(pid)
        if child is None:
            return
        if child.cause != protocol.BY_CPU:
            child.stopped_at = cpu_seconds(pid)
            self.stop(child, protocol.BY_CPU)
        elif cpu_seconds(pid) - child.stopped_at >= _LAST_WORDS_CPU_SECONDS:
            self.kill(child)

    def stop(self, child: Child, cause: bytes) -> None:
        """Ask `child` to send what it has printed; `end_overdue` kills it if it does not end."""
        if child.kill_at is None:
            child.cause = cause
            child.kill_at = time.monotonic() + _LAST_WORDS_WALL_SECONDS
            _signal(child.pid, signal.SIGXCPU)

    def kill(self, child: Child) -> None:
        """End `child`, and with it all of its PID namespace."""
        _signal(child.pid, signal.SIGKILL)

    def end_overdue(self) -> float | None:
        """End children that had their time; return seconds until the next may have, or None.

        The kernel looks at CPU timers on its ticks, so a child that sleeps over each meets none.
        The clock itself is exact. A thread uses no more of it than passes: a child is looked at
        when all of its threads could have used up what was left.
        """
        now, due = time.monotonic(), None
        for child in self.by_pid.values():
            if child.look_at is not None and child.look_at <= now:
                self._look(child, now)
            if child.kill_at is not None and child.kill_at <= now:
                self.kill(child)
            at = child.look_at if child.kill_at is None else child.kill_at
            if at is not None:
                left = max(at - now, 0.01)
                due = left if due is None else min(due, left)
        return due

    def _look(self, child: Child, now: float) -> None:
        left = child.cpu_end - cpu_seconds(child.pid)
        if left > 0:
            child.look_at = now + max(left / (1 + self._plan.threads), 0.01)
        else:
            child.look_at = None
            self.out_of_time(child.pid)

    def reap(self) -> list[tuple[Child, int, resource.struct_rusage]]:
        """Reap ended children; return (child, wait status, rusage) of each. Raises ForkerLost."""
        buried = []
        while True:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == self._forker:
                self._forker = None  # reaped: its pid may be another's by now
                raise ForkerLost
            while pid not in self.by_pid and self._ordered:
                self._know_next()
            if os.WIFSTOPPED(status):
                self._end_traced(pid)
                continue
            child = self.by_pid.pop(pid, None)
            if child is not None:
                self.discard(child)
                buried.append((child, status, usage))
        return buried

    def _end_traced(self, pid: int) -> None:
        """Kill `pid`, which asked to be traced by its parent (ptrace(2)) and has stopped for it.

        Only such stops are told without being asked for, and nothing but this ends them.
        """
        child = self.by_pid.get(pid)
        if child is not None and child.cause == protocol.BY_ITSELF:
            child.cause = protocol.BY_TRACE
        _signal(pid, signal.SIGKILL)

    def examine(self, child: Child) -> str:
        """Wait for the end of `child`; return what it wrote, or died of. Raises ForkerLost."""
        os.set_blocking(child.result, True)
        said = b"".join(iter(lambda: os.read(child.result, 1 << 16), b"")).decode(
            "utf-8", "replace"
        )
        self.know(child)
        _, status = os.waitpid(child.pid, 0)
        self.discard(self.by_pid.pop(child.pid))
        return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said

    def end_all(self) -> None:
        """Kill and reap the forker and every child."""
        if self._forker is not None:
            _signal(self._forker, signal.SIGKILL)
            os.waitpid(self._forker, 0)
        with contextlib.suppress(ForkerLost):
            while self._ordered:
                self._know_next()
        for child in self.by_pid.values():
            self.kill(child)
        for pid in list(self.by_pid):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self._reap_strays()

    def _reap_strays(self) -> None:
        """Reap children of which the forker did not come to tell: their job pipes end here."""
        while self._ordered:
            self.discard(self._ordered.pop())
        with contextlib.suppress(ChildProcessError):
            for _ in range(_STRAY_STEPS):
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    time.sleep(_STRAY_SECONDS)

    def discard(self, child: Child) -> None:
        """Let go of what there is of `child` in this process."""
        if child.timer is not None:
            child.timer.delete()
        for end in (child.job, child.result):
            if end >= 0:
                os.close(end)
        self._slots.append(child.slot)


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
