"""Runs a function in confined forks of this process: what a walk calls may block, print or exit.

The same jail and the same checklist that guests get, from `sandbox.runtime`; every kernel layer
that this host has is used, seccomp is required. For a process of its own, never for the caller's.
"""

import mmap
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from sandbox.audit.walk import step_timeout
from sandbox.kernel import descriptors, libc, limits, namespaces
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.policy.layers import LAYERS, OFF, OPTIONAL, REQUIRED
from sandbox.policy.plan import Plan
from sandbox.runtime.child.confinement import Cell, checklist, confine, identity
from sandbox.runtime.supervisor import jail as jails
from sandbox.runtime.supervisor import room

CPU_SECONDS = 300.0  # of one fork: a bound for what escapes the watch
MEMORY_MIB = 1536
_STUCK_SECONDS = 20.0  # without a new step: in C code, where no signal handler runs
_REQUIRED = ("process", "rlimits", "descriptors", "privileges", "seccomp")
_DESCRIPTORS = 64


class ForkEnd(NamedTuple):
    """End of a fork: what it wrote, and if it did not end by itself, what ended it."""

    data: bytes
    cause: str  # empty, "stuck", "signal N" or "status N"


class Containment:
    """Make it once, after every import: nothing can be opened any more."""

    def __init__(self, plan: Plan) -> None:
        """Raises `sandbox.runtime.supervisor.jail.LayerMissing`, and OSError."""
        descriptors.occupy(JOB_FD, RESULT_FD)
        limits.bound_descriptors(_DESCRIPTORS)
        sys.addaudithook(_refuse_names_of_programs)
        libc.buffer_standard_error()
        statm = os.open("/proc/self/statm", os.O_RDONLY)
        layers = {name: REQUIRED if name in _REQUIRED else OPTIONAL for name in LAYERS}
        layers |= {
            "cgroup": OFF,
            "interpreter": OFF,
            "language": REQUIRED if plan.language else OFF,
        }
        wide = replace(plan.limits, memory_mib=MEMORY_MIB, cpu_seconds=CPU_SECONDS)
        self._plan = replace(plan, layers=layers, limits=wide, require_any=())
        self._jail = jails.enter(self._plan, "")
        self._jail.pid_namespaces = False  # what is stuck is killed one by one, from here
        self._statm = statm
        # Shared with the forks: the number of the step.
        self._counter = memoryview(mmap.mmap(-1, 8)).cast("q")

    @property
    def layers(self) -> tuple[str, ...]:
        """The kernel layers that hold the forks."""
        return tuple(self._jail.active)

    def begin_step(self, number: int) -> None:
        """Note in a fork the step that comes next, so that a step that ends the fork is known."""
        self._counter[0] = number

    def last_step(self) -> int:
        """Return the step that the last fork began last."""
        return self._counter[0]

    def run(self, act: Callable[[], None], *, ticks: bool) -> ForkEnd:
        """Run `act` in a fork; what it writes to RESULT_FD comes back.

        With `ticks` the fork can watch its steps, see `patience`.
        """
        reading, writing = os.pipe()
        os.dup2(writing, RESULT_FD, inheritable=False)
        os.close(writing)
        self.begin_step(0)
        steps = [*identity(jails.child_uid(self._jail, 0)), *checklist(self._cell())]
        pid = namespaces.fork(pid_namespace=False)
        if pid == 0:
            try:
                if ticks:
                    step_timeout.start()
                confine(steps)
                act()
            finally:
                os._exit(1)
        descriptors.occupy(RESULT_FD)
        try:
            return self._watch(pid, reading)
        finally:
            os.close(reading)

    def _watch(self, pid: int, reading: int) -> ForkEnd:
        data, stuck = b"", False
        poll = select.poll()
        poll.register(reading, select.POLLIN)
        step, since = -1, time.monotonic()
        while True:
            if poll.poll(200):
                chunk = os.read(reading, 1 << 16)
                if not chunk:
                    break
                data += chunk
                since = time.monotonic()
            if self.last_step() != step:
                step, since = self.last_step(), time.monotonic()
            elif time.monotonic() - since > _STUCK_SECONDS:
                stuck = True
                os.kill(pid, signal.SIGKILL)
                break
        _, status = os.waitpid(pid, 0)
        if stuck:
            return ForkEnd(data, "stuck")
        code = os.waitstatus_to_exitcode(status)
        return ForkEnd(data, f"signal {-code}" if code < 0 else f"status {code}" if code else "")

    def _cell(self) -> Cell:
        own = room.OwnMemory.read(self._statm)
        jail = self._jail
        return Cell(
            cpu_seconds=CPU_SECONDS,
            memory_bounds=room.memory_bounds(self._plan, jail, own),
            drop_privileges=True,
            landlock_ruleset=jail.landlock_ruleset,
            syscall_filter=jail.syscall_filter,
            close_descriptors=True,
        )


def _refuse_names_of_programs(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse to open the file "<program>", as CPython does to show the line of a syntax error."""
    if event == "open" and isinstance(arguments[0], str) and arguments[0][:1] == "<":
        raise FileNotFoundError(arguments[0])
