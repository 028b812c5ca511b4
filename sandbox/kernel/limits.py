"""Resource limits. getrlimit(2)."""

import errno
import math
import resource
import struct
from typing import NamedTuple

from sandbox.kernel.libc import buffer
from sandbox.kernel.steps import Step, step

# How far the kernel's count of CPU time, by ticks, may be ahead of its exact clock.
_TICKS_RUN_AHEAD = 2

# What no child needs, whatever the policy says: zero of each.
_NONE = {
    resource.RLIMIT_CORE: "a core file would carry memory out",
    resource.RLIMIT_MEMLOCK: "no page may be pinned",
    resource.RLIMIT_MSGQUEUE: "no message queue",
    resource.RLIMIT_RTPRIO: "no real-time priority",
    resource.RLIMIT_NICE: "no better priority",
}


class Room(NamedTuple):
    """Grants a child resources that none has under the language layer: each is 0 there."""

    descriptors: int = 0  # numbers below it; those that are open stay usable
    tasks: int = 0  # processes and threads of its uid, for all but real root
    file_bytes: int = 0  # a file may grow, should one ever be open for writing
    timers: int = 0  # and signals that wait, of its uid


NO_ROOM = Room()


def give_up(
    *, cpu_seconds: float | None, memory_bounds: tuple[int, int], room: Room = NO_ROOM
) -> list[Step]:
    """Limit this process for good; `memory_bounds` are bytes of heap and of address space.

    None of CPU seconds leaves the limit that there is.
    """
    heap, address_space = memory_bounds
    stack = stack_bytes()
    bounds = {
        resource.RLIMIT_DATA: (heap, heap),
        resource.RLIMIT_AS: (address_space, address_space),
        resource.RLIMIT_STACK: (stack, stack),  # it is set already, but could be raised
        resource.RLIMIT_NOFILE: (room.descriptors, room.descriptors),
        resource.RLIMIT_NPROC: (room.tasks, room.tasks),
        resource.RLIMIT_FSIZE: (room.file_bytes, room.file_bytes),
        resource.RLIMIT_SIGPENDING: (room.timers, room.timers),
        **dict.fromkeys(_NONE, (0, 0)),
    }
    if cpu_seconds is not None:
        bounds = {resource.RLIMIT_CPU: _cpu_bounds(cpu_seconds), **bounds}
    return [
        step("prlimit64", 0, limit, buffer(struct.pack("@QQ", *bound), 16))
        for limit, bound in bounds.items()
    ]


def bound_descriptors(count: int) -> int:
    """Allow this process `count` descriptors, or fewer if its hard limit says so; return how many.

    Where close_range(2) is missing, a child has to close each number that could be open.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    bound = count if hard == resource.RLIM_INFINITY else min(count, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (bound, hard))
    return bound


def have_all_cpu_time() -> None:
    """Lift this process's soft limit of CPU time, meant for the process that started it."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))


def check_cpu_time(cpu_seconds: float) -> None:
    """Raise OSError if `give_up` could not set a limit for `cpu_seconds`: it can only lower."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    need = _cpu_bounds(cpu_seconds)[1]
    if hard != resource.RLIM_INFINITY and hard < need:
        have = f"the caller's hard limit RLIMIT_CPU is {hard} s"
        raise OSError(errno.EPERM, f"{have}, and {need} s are needed")


def _cpu_bounds(cpu_seconds: float) -> tuple[int, int]:
    """Return soft and hard limit, in whole seconds, far behind the supervisor's timer.

    The timer goes by the exact clock, while this limit counts ticks: a process that has the
    processor at a tick is charged for all of it, and a busy machine charged 12 s for 9.5. It kills,
    and says to no process why.
    """
    cpu = math.ceil(_TICKS_RUN_AHEAD * cpu_seconds) + 1
    return cpu, cpu + 1


def stack_bytes() -> int:
    """Return the bytes to which the stack of this process may grow."""
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return soft if soft != resource.RLIM_INFINITY else 1 << 30
