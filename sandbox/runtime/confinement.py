"""The checklist: what a child gives up, in order, before it sees a byte of any job."""

import os
import signal
from typing import NamedTuple

from sandbox.kernel import descriptors, landlock, limits, privileges, seccomp
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD


class Cell(NamedTuple):
    """What confines one child; a layer that is off or missing on this host has None."""

    job: int
    result: int
    cpu_seconds: float
    memory_bounds: tuple[int, int] | None
    uid: int | None  # None: keep the supervisor's
    drop_privileges: bool
    landlock_ruleset: int | None
    syscall_filter: bytes | None
    close_descriptors: bool
    rehearse: bool  # nobody waits for this child yet: it may run the rehearsal


def confine(cell: Cell) -> None:
    """Give up everything the policy does not grant. One way; raises OSError if a step fails."""
    os.setsid()  # kill(0, ...) means the process group: it must be the child's own
    if cell.uid is not None:  # while the capability for it is still there
        privileges.become(cell.uid, cell.uid)
    if cell.drop_privileges:
        privileges.set_capabilities()
        privileges.forbid_new_privileges()
        privileges.set_dumpable(dumpable=False)  # a change of uid reset it
        privileges.check_dropped()
    privileges.die_with_parent(signal.SIGKILL)  # a change of uid forgets it
    if cell.landlock_ruleset is not None:  # its descriptor is closed below
        landlock.restrict_self(cell.landlock_ruleset)
    if cell.close_descriptors:
        descriptors.keep_only(cell.job, cell.result, as_job=JOB_FD, as_result=RESULT_FD)
    else:
        descriptors.place(cell.job, cell.result, as_job=JOB_FD, as_result=RESULT_FD)
    if cell.memory_bounds is not None:  # no descriptor may be opened from here on
        limits.give_up(cpu_seconds=cell.cpu_seconds, memory_bounds=cell.memory_bounds)
    if cell.syscall_filter is not None:  # last: it denies most of the calls used above
        seccomp.install(cell.syscall_filter)
