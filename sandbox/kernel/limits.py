"""Resource limits. getrlimit(2)."""

import math
import resource

# What no child needs, whatever the policy says: zero of each.
_NONE = {
    resource.RLIMIT_CORE: "a core file would carry memory out",
    resource.RLIMIT_FSIZE: "no file may grow, should one ever be open",
    resource.RLIMIT_NPROC: "no fork and no thread, for all but real root",
    resource.RLIMIT_MEMLOCK: "no page may be pinned",
    resource.RLIMIT_MSGQUEUE: "no message queue",
    resource.RLIMIT_RTPRIO: "no real-time priority",
    resource.RLIMIT_NICE: "no better priority",
    resource.RLIMIT_SIGPENDING: "no queued signals",
    resource.RLIMIT_NOFILE: "no new descriptor; those that are open stay usable",
}


def give_up(*, cpu_seconds: float, memory_bounds: tuple[int, int]) -> None:
    """Limit this process for good; `memory_bounds` are bytes of heap and of address space.

    Raises OSError, ValueError.

    RLIMIT_CPU counts whole seconds and stands behind the supervisor's timer: one second later.
    """
    cpu = math.ceil(cpu_seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    heap, address_space = memory_bounds
    resource.setrlimit(resource.RLIMIT_DATA, (heap, heap))
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    for limit in _NONE:
        resource.setrlimit(limit, (0, 0))


def stack_bytes() -> int:
    """How far the stack of this process may grow."""
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return soft if soft != resource.RLIM_INFINITY else 1 << 30


def raise_stack(target_bytes: int) -> bool:
    """Raise the soft stack limit towards `target_bytes`; True if it changed.

    Holds from the next exec on: the gap below the stack is laid out then.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = target_bytes if hard == resource.RLIM_INFINITY else min(target_bytes, hard)
    if soft == wanted:
        return False
    resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
    return True
