"""The file system in memory of each child of a policy that grants files: what its making takes.

Imported only by a supervisor of such a policy.
"""

from __future__ import annotations  # a class that is named in one would be found there

import os
import sys

from sandbox.kernel import landlock, namespaces
from sandbox.kernel.namespaces import NOBODY
from sandbox.kernel.scratch import calls, mounting
from sandbox.kernel.steps import Step, carry_out
from sandbox.kernel.syscall_sets import RESULT_FD
from sandbox.policy.plan import Scratch
from sandbox.runtime.child import scratch_files

_FREE_FD = RESULT_FD + 1  # in a child the lowest one: it has what its forker keeps, and its pipes


class Directory:
    """Knows what the steps of supervisor and children are where each child has a file system."""

    rules = calls.RULES
    null = mounting.NULL

    def __init__(self, scratch: Scratch) -> None:
        self.kib, self.count = scratch.kib, scratch.count

    def enter(self, shown: tuple[str, ...]) -> namespaces.Identity:
        """Enter namespaces as `namespaces.enter` does, with the places that children mount on."""
        return namespaces.enter(shown, mounting.FOLDERS, mounting.place_of, (mounting.NULL,))

    def mounting(self, uid: int | None, shown: tuple[str, ...]) -> list[Step]:
        """Make the steps by which a child that will have `uid` mounts its file system."""
        own = NOBODY if uid is None else uid
        return mounting.mounting(
            size_kib=self.kib, count=self.count, uid=own, gid=own, aside=mounting.links(shown)
        )

    def domain(
        self, version: int, shown: tuple[str, ...], listed: tuple[str, ...]
    ) -> tuple[Step, ...]:
        """Make the steps of a child's own Landlock domain; none where the layer is not active.

        What is shown is granted by the directories of the new root that hold it: they have nothing
        else, and are no directories of the host's.
        """
        if not version:
            return ()
        holders = {os.path.dirname(mounting.place_of(path)) for path in shown}
        names = {mounting.place_of(path) for path in listed} - holders
        steps = landlock.domain_of_its_own(
            version,
            read=sorted(holders - {"/"}),
            listed=sorted(names),
            written=mounting.FOLDERS,
            device=mounting.NULL,
            free=_FREE_FD,
        )
        return tuple(steps)

    def restrict_supervisor(self, version: int) -> None:
        """Restrict this process, now that the forker is none of its children: it ends its own."""
        if version:
            carry_out(landlock.deny_all_but_signals(version))

    def furnish(self) -> None:
        """Let children find their directories: in the environment, and modules in the first."""
        os.environ["HOME"] = os.environ["PWD"] = mounting.WORKING_DIRECTORY
        os.environ["TMPDIR"] = "/tmp"
        sys.path.insert(0, mounting.WORKING_DIRECTORY)
        sys.dont_write_bytecode = True  # which a program would find beside its modules, and fetch
        scratch_files.settle()
