"""Children from fork to grave, as the supervisor keeps them."""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import contextlib
import math
import os
import resource
import signal
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from sandbox.interpreter import asking
from sandbox.kernel import descriptors
from sandbox.kernel.steps import Step
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.kernel.timers import CpuTimer, cpu_seconds
from sandbox.policy.plan import Plan
from sandbox.runtime import jail as jails
from sandbox.runtime import protocol
from sandbox.runtime.confinement import Cell, checklist, confine
from sandbox.runtime.jail import Jail, OwnFiles

CPU_SIGNAL = signal.SIGRTMIN
# After its time is up a child may send what it has printed: this much CPU or wall time.
_LAST_WORDS_CPU_SECONDS = 0.005
_LAST_WORDS_WALL_SECONDS = 0.25
_CHILD_OOM, _OWN_OOM = b"1000", b"500"  # the guest first, the trainer (0) last


@dataclass(slots=True, eq=False)
class Child:
    """One child. `channel` is None until it is handed over."""

    pid: int
    slot: int
    job: int
    result: int
    channel: _socket.socket | None = None
    timer: CpuTimer | None = None
    cause: bytes = protocol.BY_ITSELF
    kill_at: float | None = None
    stopped_at: float = 0.0  # of its CPU time, in seconds
    cpu_end: float = math.inf  # of its CPU time: where its limit is
    look_at: float | None = None  # when its CPU clock is to be looked at


class Nursery:
    """Forks, ends and buries children."""

    def __init__(
        self,
        plan: Plan,
        jail: Jail,
        files: OwnFiles,
        live: Callable[[list[Step], bool], object],
        forget: Callable[[], object],
    ) -> None:
        self.forget = forget
        self._plan, self._jail, self._live = plan, jail, live
        self._statm, self._oom = files.statm, files.oom
        self._slots: list[int] = []
        self._next_slot = 0
        self._checklists: dict[tuple[int, bytes, bytes], list[Step]] = {}
        self.by_pid: dict[int, Child] = {}

    def fork(self, *, rehearse: bool = False) -> Child:
        """A new child, on its way to being confined. Raises OSError if the machine has no room."""
        slot = self._take_slot()
        return self._fork(slot, self._live, self._steps(slot), rehearse)

    def hand_over(self, child: Child, channel: _socket.socket, cpu: float, less: int) -> None:
        """Give `child` to a caller: its limits first, then the pipe ends. Raises OSError."""
        child.channel = channel
        if less:
            jails.tighten_memory(self._plan, self._jail, child.pid, less)
        child.timer = CpuTimer(child.pid, CPU_SIGNAL, child.pid)
        child.timer.arm(cpu, _LAST_WORDS_CPU_SECONDS)
        before = cpu_seconds(child.pid)
        child.cpu_end, child.look_at = before + cpu, time.monotonic() + cpu
        ends = struct.pack("@2i", child.job, child.result)
        message = protocol.HANDED.pack(protocol.HANDOVER, child.pid, before)
        try:
            channel.sendmsg([message], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, ends)])
        finally:
            os.close(child.job)
            os.close(child.result)
            child.job = child.result = -1

    def out_of_time(self, pid: int) -> None:
        """The CPU timer of `pid` fired: first ask for the last words, then kill.

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
        """End who had its time; seconds until the next may have had it, or None.

        The kernel looks at CPU timers on its ticks, so that who sleeps over each tick meets none.
        The clock itself is exact. One thread uses no more of it than passes: a child is looked at
        when it could have used up what was left, at its limit for the first time.
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
            child.look_at = now + max(left, 0.01)
        else:
            child.look_at = None
            self.out_of_time(child.pid)

    def bury(self) -> list[tuple[Child, int, resource.struct_rusage]]:
        """Reap whoever has ended: (child, wait status, rusage) each."""
        buried = []
        while self.by_pid:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if os.WIFSTOPPED(status):
                self._end_traced(pid)
                continue
            child = self.by_pid.pop(pid, None)
            if child is not None:
                self._release(child)
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

    def examine(
        self, change: Callable[[Cell], Cell], act: Callable[[], object], *, forget: bool = False
    ) -> str:
        """Run `act` in a child confined by the changed cell; what it wrote, or what it died of.

        `forget` lets go first of what no program may find, as every other child does.
        """

        def confine_and_act(steps: list[Step]) -> None:
            confine(steps)
            if forget:
                self.forget()
            act()

        slot = self._take_slot()
        child = self._fork(slot, confine_and_act, checklist(change(self._cell(slot))))
        os.set_blocking(child.result, True)
        said = b"".join(iter(lambda: os.read(child.result, 1 << 16), b"")).decode(
            "utf-8", "replace"
        )
        _, status = os.waitpid(child.pid, 0)
        self._release(self.by_pid.pop(child.pid))
        return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said

    def end_all(self) -> None:
        """Kill and reap every child."""
        for child in self.by_pid.values():
            self.kill(child)
        for pid in list(self.by_pid):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)

    def _release(self, child: Child) -> None:
        if child.timer is not None:
            child.timer.delete()
        for end in (child.job, child.result):
            if end >= 0:
                os.close(end)
        self._slots.append(child.slot)

    def _take_slot(self) -> int:
        if self._slots:
            return self._slots.pop()
        self._next_slot += 1
        return self._next_slot

    def _fork(self, slot: int, begin: Callable[..., object], *how: object) -> Child:
        """A child that calls `begin(*how)`."""
        job_r, job_w = os.pipe()
        result_r, result_w = os.pipe()
        # The ends go to their numbers here, so that a slot's checklist is always the same one.
        os.dup2(job_r, JOB_FD, inheritable=False)
        os.dup2(result_w, RESULT_FD, inheritable=False)
        os.close(job_r)
        os.close(result_w)
        try:
            pid = self._fork_process((job_w, result_r), begin, how)
        except OSError:
            os.close(job_w)
            os.close(result_r)
            self._slots.append(slot)
            raise
        finally:  # the supervisor keeps no end of a child's, above all none to write results to
            descriptors.occupy(JOB_FD, RESULT_FD)
        os.set_blocking(result_r, False)
        child = self.by_pid[pid] = Child(pid, slot, job_w, result_r)
        return child

    def _steps(self, slot: int) -> list[Step]:
        key = slot, *jails.OwnMemory.fields(self._statm)  # the rest is the same for all children
        if key not in self._checklists:
            self._checklists[key] = checklist(self._cell(slot))
        return self._checklists[key]

    def _fork_process(
        self,
        supervisors: tuple[int, int],
        begin: Callable[..., object],
        how: tuple[object, ...],
        end_child: Callable[[int], NoReturn] = asking.end,  # where no program can put another
    ) -> int:
        self._adjust_oom(_CHILD_OOM)
        try:
            pid = jails.fork(self._jail)
            if pid == 0:
                try:
                    for end in supervisors:  # with one of its own a child would wait for itself
                        os.close(end)
                    jails.know_own_pid(self._jail)
                    begin(*how)
                finally:  # never back into the supervisor's frames: again, if one was written to
                    while True:
                        try:
                            end_child(1)
                        except:  # noqa: E722 - a name could be made to mean something else
                            continue
        finally:
            self._adjust_oom(_OWN_OOM)
        return pid

    def _adjust_oom(self, score: bytes) -> None:
        if self._oom is not None:
            os.pwrite(self._oom, score, 0)

    def _cell(self, slot: int) -> Cell:
        plan, jail = self._plan, self._jail
        privileges = "privileges" in jail.active
        own = jails.OwnMemory.read(self._statm)
        return Cell(
            cpu_seconds=plan.limits.cpu_seconds,
            memory_bounds=jails.memory_bounds(plan, jail, own),
            uid=jails.child_uid(jail, slot) if privileges else None,
            drop_privileges=privileges,
            landlock_ruleset=jail.landlock_ruleset,
            syscall_filter=jail.syscall_filter,
            close_descriptors="descriptors" in jail.active,
        )


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
