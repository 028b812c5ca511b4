"""The forker: the process that children are forked from, at the supervisor's command.

It holds the finished world and does nothing else, so that it changes few pages between two forks:
each of them is one to copy. The supervisor is its parent and the parent of all children: it
watches, ends and reaps them, and the pages that it writes to meanwhile are shared with none.
"""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import os
import signal
from collections.abc import Callable
from typing import NoReturn

from sandbox.interpreter.vault import asking
from sandbox.kernel import descriptors, namespaces, privileges
from sandbox.kernel.siblings import Siblings
from sandbox.kernel.steps import Step, carry_out
from sandbox.kernel.syscall_sets import COMMAND_FD, JOB_FD, RESULT_FD
from sandbox.policy.plan import Plan
from sandbox.runtime.child import garbage
from sandbox.runtime.child.confinement import Cell, checklist, identity
from sandbox.runtime.supervisor import jail as jails
from sandbox.runtime.supervisor import room
from sandbox.runtime.supervisor.jail import Jail
from sandbox.runtime.supervisor.room import OwnFiles, OwnMemory

Change = Callable[[Cell], Cell]
Act = Callable[[list[Step]], object]

_STDOUT, _STDERR = 1, 2  # lead nowhere; nothing else may have these numbers
_CHILD_OOM, _SUPERVISOR_OOM = b"1000", b"500"  # the guest first, the trainer (0) last
_ENDS = (JOB_FD, RESULT_FD)  # what a message's descriptors become: the lowest free numbers


class Forker:
    """The children to fork, their slots and acts. A child lets go of all of it at its start."""

    def __init__(self, plan: Plan, jail: Jail, slots: int) -> None:
        self.slots = min(slots, jail.child_uids or slots)
        self._plan, self._jail = plan, jail
        self._who = [_becoming(jail, slot) for slot in range(self.slots)]
        self._acts: list[Act] = []
        self._checklists: list[list[Step]] = []  # by act
        self._siblings = Siblings(COMMAND_FD, _ENDS, jails.forking(jail))

    def teach(self, acts: list[tuple[Change | None, Act]], memory: OwnMemory) -> None:
        """Learn what children may be told to do, and make their checklists, before the first fork.

        `memory` is what every child begins with. Raises LayerMissing.
        """
        cell = self._cell(memory)
        usual = checklist(cell)
        for change, act in acts:
            self._checklists.append(usual if change is None else checklist(change(cell)))
            self._acts.append(act)

    def separate(self, files: OwnFiles) -> tuple[int, int]:
        """Fork the forker, which serves for good; return its pid and our end of the command socket.

        Raises OSError.
        """
        ends = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        ours, theirs = (end.detach() for end in ends)
        del ends  # a socket in a frame of the forker's would be in one of each child's
        supervisor = os.getpid()
        _adjust_oom(files, _CHILD_OOM)
        try:
            pid = namespaces.fork(pid_namespace=False)
            if pid == 0:
                self._serve_alone(theirs, supervisor)
        finally:
            _adjust_oom(files, _SUPERVISOR_OOM)
        os.close(theirs)
        return pid, ours

    def _serve_alone(self, command: int, supervisor: int) -> NoReturn:
        try:
            self._keep_only(command)
            carry_out([privileges.die_with_parent(signal.SIGKILL)])
            if os.getppid() == supervisor:
                self._jail.own_pids.append(os.getpid())
                self._serve()
        finally:
            os._exit(1)

    def _keep_only(self, command: int) -> None:
        os.dup2(command, COMMAND_FD, inheritable=False)
        kept = [COMMAND_FD, _STDOUT, _STDERR]
        if self._jail.landlock_ruleset is not None:
            kept.append(self._jail.landlock_ruleset)
        carry_out(descriptors.close_all_but(*kept))

    def _serve(self) -> None:
        """Fork a child for each order, until the supervisor is gone or says what is no order."""
        order = self._siblings.fork()
        if order is not None:
            self._begin(*order)

    def _begin(
        self,
        act: int,
        slot: int,
        end_child: Callable[[int], NoReturn] = asking.end,  # where no program can put another
    ) -> NoReturn:
        try:
            jails.know_own_pid(self._jail)
            self._acts[act]([*self._who[slot], *self._checklists[act]])
        finally:  # never back into the forker's frames: again, if one was written to
            while True:
                try:
                    end_child(1)
                except:  # noqa: E722 - a name could be made to mean something else
                    continue

    def _cell(self, memory: OwnMemory) -> Cell:
        plan, jail = self._plan, self._jail
        scratch, own_domain = jail.scratch, tuple[Step, ...]()
        if scratch is not None:
            own_domain = scratch.domain(jail.landlock_version, jail.shown, jail.listed)
        return Cell(
            cpu_seconds=plan.limits.cpu_seconds,
            memory_bounds=room.memory_bounds(plan, jail, memory),
            drop_privileges="privileges" in jail.active,
            landlock_ruleset=jail.landlock_ruleset,
            syscall_filter=jail.syscall_filter,
            close_descriptors="descriptors" in jail.active,
            room=room.beyond_language(plan, jail, self.slots),
            has_input=plan.opens,
            tick_seconds=garbage.TICK_SECONDS if garbage.is_deferred(plan) else None,
            own_domain=own_domain,
            null=scratch.null if scratch is not None else None,
        )


def _becoming(jail: Jail, slot: int) -> list[Step]:
    """Make the steps before the checklist: what takes a capability that the child then lets go."""
    uid = jails.child_uid(jail, slot)
    mounting = [] if jail.scratch is None else jail.scratch.mounting(uid, jail.shown)
    return [*mounting, *identity(uid)]


def _adjust_oom(files: OwnFiles, score: bytes) -> None:
    if files.oom is not None:
        os.pwrite(files.oom, score, 0)
