"""Count the children that this host has room for."""

import os

from sandbox.errors import SandboxError
from sandbox.policy.plan import Plan

_WITH_PACKAGES_MIB = 320  # the same with all packages of `science`: 278 were seen
_THREAD_STACK_MIB = 8
_INTERPRETER_MIB = 48  # what a child starts with, should it write to all of it: 24 to 46 were seen
_INODE_BYTES = 2 << 10  # of the kernel's for a file in memory with a long name: 1.6 KiB were seen
_SHARE = 0.8  # of the memory that is there; the rest is the trainer's and the kernel's


def child_bytes(plan: Plan) -> int:
    """Return the most bytes one child can hold: interpreter, `memory_mib` and a full stack.

    The kernel counts a stack apart from the heap. A program that runs away fills one of them.
    Without the language layer there are the stacks of threads and, in files, the input and what the
    program writes: each of these takes memory of the kernel's for itself, too.
    """
    limits = plan.limits
    interpreter = _WITH_PACKAGES_MIB if plan.packages else _INTERPRETER_MIB
    mib = interpreter + limits.memory_mib + plan.threads * _THREAD_STACK_MIB
    file = 0 if not plan.opens else limits.stdin_kib << 10
    if plan.scratch is not None:
        file += (plan.scratch.kib << 10) + plan.scratch.count * _INODE_BYTES
    return (mib << 20) + limits.stack_bytes + file


def check_workers(wanted: object) -> None:
    """Raise TypeError for what is no number of workers, ValueError for less than one."""
    if wanted is None:
        return
    if not isinstance(wanted, int) or isinstance(wanted, bool):
        raise TypeError(f"workers must be an int, or None for one per processor, not {wanted!r}")
    if wanted < 1:
        raise ValueError(f"workers must be at least 1, not {wanted}")


def workers(wanted: int | None, plan: Plan) -> int:
    """Return `wanted` if the host's memory suffices for it; by default one per usable processor.

    Raises TypeError for what is no int, ValueError for less than one, and SandboxError if the
    children could together use more memory than the host has: the kernel would then end some for no
    fault of theirs.
    """
    check_workers(wanted)
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except OSError as error:
        raise SandboxError(f"the host's memory cannot be read: {error}") from error
    each, limits = child_bytes(plan), plan.limits
    room = max(int(total * _SHARE) // each, 1)
    if wanted is None:
        return min(len(os.sched_getaffinity(0)), room)
    if wanted > room:
        raise SandboxError(
            f"{wanted} workers of {each >> 20} MiB each (the interpreter, memory_mib, and a stack"
            f" of {limits.stack_bytes >> 20} MiB) do not fit into this host's memory:"
            f" use at most {room}, or a policy with a smaller memory_mib"
        )
    return wanted
