"""What the children of a policy that grants files need beside the rest.

Imported only by a supervisor whose children have a file system of their own.
"""

from __future__ import annotations  # a class that is named in one would be found there

import os
import sys

from sandbox.kernel import landlock
from sandbox.kernel.namespaces import NOBODY
from sandbox.kernel.scratch import calls, mounting
from sandbox.kernel.steps import Step, carry_out
from sandbox.kernel.syscall_sets import RESULT_FD
from sandbox.policy.plan import Scratch
from sandbox.runtime.child import scratch_files
from sandbox.runtime.supervisor.jail import Jail

RULES = calls.RULES
_HOME = mounting.WORKING_DIRECTORY
_FREE_FD = RESULT_FD + 1  # in a child the lowest one: it has what its forker keeps, and its pipes


def mounting_steps(jail: Jail, scratch: Scratch, uid: int | None) -> list[Step]:
    """Make the steps by which a child that will have `uid` mounts its file system."""
    own = NOBODY if uid is None else uid
    return mounting.mounting(
        size_kib=scratch.kib,
        count=scratch.count,
        uid=own,
        gid=own,
        aside=mounting.links(jail.shown),
    )


def domain_steps(jail: Jail) -> list[Step]:
    """Make the steps of a child's own Landlock domain; none where the layer is not active.

    What is shown is granted by the directories of the new root that hold it: they have nothing
    else, and are no directories of the host's.
    """
    if not jail.landlock_version:
        return []
    shown = {os.path.dirname(mounting.place_of(path)) for path in jail.shown}
    listed = {mounting.place_of(path) for path in jail.listed} - shown
    return landlock.domain_of_its_own(
        jail.landlock_version,
        read=sorted(shown - {"/"}),
        listed=sorted(listed),
        written=mounting.FOLDERS,
        device=mounting.NULL,
        free=_FREE_FD,
    )


def restrict_supervisor(jail: Jail) -> None:
    """Restrict this process, now that the forker is none of its children: it may end its own."""
    if jail.landlock_version:
        carry_out(landlock.deny_all_but_signals(jail.landlock_version))


def furnish() -> None:
    """Let children find their directories: in their environment, and modules in the first one."""
    os.environ["HOME"] = os.environ["PWD"] = _HOME
    os.environ["TMPDIR"] = "/tmp"
    sys.path.insert(0, _HOME)
    scratch_files.settle()
