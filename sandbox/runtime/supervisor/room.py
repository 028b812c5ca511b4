"""How much a child may have: of memory, by what its supervisor has, of threads and descriptors."""

from __future__ import annotations  # a class that is named in one would be found there

import os
import resource
from dataclasses import dataclass, replace

from sandbox.kernel import limits
from sandbox.policy.plan import Plan
from sandbox.runtime.supervisor.jail import Jail, LayerMissing, has_threads

THREAD_STACK_MIB = 8  # as on Linux by custom, on top of the memory, as the first one's stack is
RESERVE_MIB = 5  # what the final frame needs when the guest has used up all else
_MIB = 1 << 20
_DESCRIPTORS = 64  # of a child without the language layer; each may hold a pipe's 64 KiB


@dataclass(frozen=True, slots=True)
class OwnMemory:
    """The supervisor's own memory, which its children start with."""

    address_space_bytes: int
    resident_bytes: int
    data_bytes: int

    @classmethod
    def read(cls, statm: int) -> OwnMemory:
        """Read an open /proc/self/statm (proc(5)); it stays readable when the root is empty."""
        pages = os.pread(statm, 128, 0).split()
        size = resource.getpagesize()
        return cls(int(pages[0]) * size, int(pages[1]) * size, int(pages[5]) * size)


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """The supervisor's files in /proc, opened before its root is empty."""

    statm: int
    oom: int | None  # what is forked inherits what it says

    @classmethod
    def open(cls) -> OwnFiles:
        """Open the files. Raises OSError when there is no /proc."""
        try:
            oom = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        except OSError:
            oom = None
        return cls(os.open("/proc/self/statm", os.O_RDONLY), oom)


def memory_bounds(plan: Plan, jail: Jail, own: OwnMemory) -> tuple[int, int] | None:
    """Return (RLIMIT_DATA, RLIMIT_AS) of a child in bytes: inherited, plus the policy's memory.

    RLIMIT_DATA holds the heap: private writable memory, but not the stack, nor what is mapped with
    MAP_GROWSDOWN or MAP_SHARED. For these RLIMIT_AS has the room of one whole stack.
    """
    if "rlimits" not in jail.active:
        return None
    room = (plan.limits.memory_mib + RESERVE_MIB + plan.threads * THREAD_STACK_MIB) * _MIB
    bounds = own.data_bytes + room, own.address_space_bytes + jail.stack_bytes + room
    for name, bound in zip(("RLIMIT_DATA", "RLIMIT_AS"), bounds, strict=True):
        _, hard = resource.getrlimit(getattr(resource, name))
        if hard != resource.RLIM_INFINITY and hard < bound:
            have, want = hard // _MIB, bound // _MIB
            reason = f"the caller's hard limit {name} is {have} MiB, and {want} MiB are needed"
            raise LayerMissing("rlimits", reason)
    return bounds


def tighten_memory(plan: Plan, jail: Jail, pid: int, less: int) -> None:
    """Take `less` bytes from the memory of child `pid`, and what that means for its stack.

    Raises OSError if the child has ended.
    """
    if "rlimits" not in jail.active:
        return
    tighter = replace(plan.limits, memory_mib=plan.limits.memory_mib - (less >> 20))
    stack = min(jail.stack_bytes, tighter.stack_bytes)
    room = {
        resource.RLIMIT_DATA: less,
        resource.RLIMIT_AS: less + jail.stack_bytes - stack,
        resource.RLIMIT_STACK: jail.stack_bytes - stack,
    }
    for limit, fewer in room.items():
        bound = resource.prlimit(pid, limit)[0] - fewer
        resource.prlimit(pid, limit, (bound, bound))


def beyond_language(plan: Plan, jail: Jail, slots: int) -> limits.Room:
    """Return what a child may have without the language layer; nothing with it.

    Tasks are counted by uid in a user namespace: exactly where each child has one of its own. Where
    they share one, all together have room for what each may have.
    """
    if not plan.opens:
        return limits.NO_ROOM
    tasks = 0
    if has_threads(plan, jail):
        tasks = 1 + plan.threads if jail.child_uids else 3 + slots * (1 + plan.threads)
    file_kib = plan.limits.stdin_kib
    if jail.scratch is not None:  # else it is none once the input is written
        file_kib = max(file_kib, jail.scratch.kib)
    return limits.Room(_DESCRIPTORS, tasks, file_kib << 10)
