"""The start of a supervisor and its forker: a finished world in a process without powers."""

from __future__ import annotations  # a class that is named in one would be found there

import gc
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sandbox.interpreter.disarming.disarm import Armories
from sandbox.kernel import descriptors, libc, limits, timers
from sandbox.kernel.steps import Step
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.language.guards.attributes.sealing import seal
from sandbox.policy.plan import Plan
from sandbox.runtime.child import child
from sandbox.runtime.child.confinement import confine
from sandbox.runtime.child.reporter import stack_bounds
from sandbox.runtime.keeper.checklists import SessionChecklists
from sandbox.runtime.supervisor import channels, needs, preparation, probes, room
from sandbox.runtime.supervisor import jail as jails
from sandbox.runtime.supervisor.children import CPU_SIGNAL
from sandbox.runtime.supervisor.forker import Act, Change, Forker
from sandbox.runtime.supervisor.heap import fill_gaps
from sandbox.runtime.supervisor.preparation import Prepared

_SLOTS, _SLOTS_PER_WORKER = 64, 16  # more children than can be alive at once


class Start:
    """A process that is ready to be split. A child lets go of all of it, as of its forker.

    No variable has what a child is to let go of: frames can be kept by a guest that comes by one.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        """Prepare all. Raises LayerMissing and whatever else keeps a supervisor from starting."""
        self.plan = plan = Plan.from_dict(config["plan"])
        workers, sessions = config["workers"], config["sessions"]
        self.room: int = needs.descriptors(config["spares"], workers, sessions)
        self.spares = min(config["spares"], self.room)
        limits.have_all_cpu_time()
        descriptors.occupy(JOB_FD, RESULT_FD)  # before anything else is open
        libc.buffer_standard_error()
        ready = preparation.prepare(plan, stack_bounds(limits.stack_bytes()), config["show"])
        preparation.warm_up(ready, plan)
        scratch = _scratch(plan)  # its module, while there are files to import it from
        self.caller = channels.watch(config["caller"])
        self.files = room.OwnFiles.open()
        self.signals = timers.signal_descriptor({signal.SIGCHLD, CPU_SIGNAL})
        self.jail = jails.enter(plan, config["cgroup"], ready.shown, scratch)
        if self.jail.scratch is not None:
            self.jail.scratch.furnish()
        elif scratch is not None:  # there can be none
            self.plan = plan = replace(plan, scratch=None)
        preparation.forget_folders()
        self.jail.own_pids.append(os.getpid())
        needs.cpu_timers(config["workers"])
        seal(ready.world)  # C code sets an attribute of each text file that is opened: none is now
        armories = Armories()
        self.forker = Forker(plan, self.jail, _slots(config["workers"]) + config["sessions"])
        self.sessions = SessionChecklists(plan, self.jail, self.forker.slots)
        holders = [self, self.forker, self.sessions]
        self.probes = preparation.give_up(plan, ready, armories, holders)
        self.probes += probes.of_layers(self.jail)
        fill_gaps(pools=not plan.packages)
        gc.freeze()
        gc.disable()
        self.forker.teach(
            _acts(plan, ready, armories.drop, self.sessions, self.probes),
            room.OwnMemory.read(self.files.statm),  # last: it is what the forker has, too
        )

    def split(self) -> tuple[int, int]:
        """Fork the forker. Returns its pid and this end of its command socket. Raises OSError."""
        pid, command = self.forker.separate(self.files)
        self.jail.own_pids.append(pid)
        for kept_for_children in (JOB_FD, RESULT_FD, self.files.oom, self.jail.landlock_ruleset):
            if kept_for_children is not None:
                os.close(kept_for_children)
        if self.jail.scratch is not None:
            self.jail.scratch.restrict_supervisor(self.jail.landlock_version)
        return pid, command


def _scratch(plan: Plan) -> Any:
    if plan.scratch is None:
        return None
    from sandbox.runtime.supervisor.scratch import Directory

    return Directory(plan.scratch)


def _slots(workers: int) -> int:
    return _SLOTS + _SLOTS_PER_WORKER * workers


def _acts(
    plan: Plan,
    ready: Prepared,
    forget: Callable[[], object],
    sessions: SessionChecklists,
    tried: list[probes.Probe],
) -> list[tuple[Change | None, Act]]:
    """Return the acts that children are told to do, in the order of the numbers in `protocol`."""

    def run(steps: list[Step]) -> None:
        child.live(steps, plan, ready.world, "", forget)

    def warm_up(steps: list[Step]) -> None:
        child.live(steps, plan, ready.world, ready.program, forget)

    def keep(steps: list[Step]) -> None:
        sessions.keep(steps, plan, ready.world, forget)

    def trying(probe: probes.Probe) -> Act:
        def act(steps: list[Step]) -> None:
            confine(steps)
            if probe.forgets:
                forget()
            probe.act()

        return act

    own = [(None, run), (None, warm_up), (sessions.part, keep)]
    return [*own, *((probe.change, trying(probe)) for probe in tried)]
