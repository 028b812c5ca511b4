"""The checklist: what a child gives up, in order, before it sees a byte of any job."""

import ctypes
import signal
from typing import NamedTuple

from sandbox.kernel import descriptors, keyrings, landlock, limits, privileges, seccomp, timers
from sandbox.kernel.steps import Step, carry_out, step
from sandbox.kernel.syscall_sets import COMMAND_FD, JOB_FD, RESULT_FD


class Cell(NamedTuple):
    """The confinement of one child; a layer that is off or missing on this host has None."""

    cpu_seconds: float
    memory_bounds: tuple[int, int] | None
    drop_privileges: bool
    landlock_ruleset: int | None
    syscall_filter: "ctypes.Array[ctypes.c_char] | None"
    close_descriptors: bool
    room: limits.Room = limits.NO_ROOM
    has_input: bool = False  # descriptor 0 is a file in memory, for standard input
    null: str | None = None  # the device that is then 1 and 2: else files of the program's were
    tick_seconds: float | None = None  # of CPU time, until it is told to look for garbage
    own_domain: tuple[Step, ...] = ()  # instead of the rule set: what the child mounted is in none


def identity(uid: int | None) -> list[Step]:
    """Become `uid`, while the capability for it is still there: before the checklist.

    None keeps the uid that there is.
    """
    if uid is None:
        return []
    return [*privileges.become(uid, uid), *keyrings.seal_user()]  # an earlier child may have had it


def checklist(cell: Cell) -> list[Step]:
    """Make the steps that give up what is not granted. One way; none goes on after a failure.

    Made in the supervisor; `confine` is what the child does with it. Raises OSError for a call that
    this machine does not have.
    """
    steps = [step("setsid")]  # kill(0, ...) means the process group: it must be the child's own
    if cell.drop_privileges:
        steps.append(privileges.set_capabilities())
        steps.append(privileges.forbid_new_privileges())
        steps.append(privileges.not_dumpable())  # after the change of uid, which resets it
        steps.append(privileges.stay_dropped())
    steps.append(privileges.die_with_parent(signal.SIGKILL))  # a change of uid forgets it
    if cell.landlock_ruleset is not None:  # its descriptor is closed below
        steps.append(landlock.restrict_self(cell.landlock_ruleset))
    steps += cell.own_domain
    if cell.close_descriptors:
        steps += descriptors.close_all_but(JOB_FD, RESULT_FD)
    else:
        steps.append(step("close", COMMAND_FD))
    if cell.has_input:  # the lowest number is free now, and it is 0
        steps.append(descriptors.make_file_in_memory("stdin"))
        if cell.null is not None and cell.close_descriptors:
            steps += [descriptors.open_for_writing(cell.null)] * 2
    if cell.memory_bounds is not None:  # no descriptor beyond the room may be opened from here on
        steps += limits.give_up(
            cpu_seconds=cell.cpu_seconds, memory_bounds=cell.memory_bounds, room=cell.room
        )
    if cell.tick_seconds is not None:
        steps.append(timers.tick(cell.tick_seconds))
    if cell.syscall_filter is not None:  # last: it denies most of the calls above
        steps.append(seccomp.install(cell.syscall_filter))
    return steps


confine = carry_out
