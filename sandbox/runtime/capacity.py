"""How many children this host has room for."""

import os

import psutil

from sandbox.errors import SandboxError

_SHARE = 0.8  # of the memory that is there; the rest is the trainer's and the kernel's


def workers(wanted: int | None, memory_mib: int) -> int:
    """`wanted` if the host's memory suffices for it; by default one per usable processor.

    Raises ValueError for less than one and SandboxError if the children could together use more
    memory than the host has: the kernel would then end some for no fault of theirs.
    """
    try:
        total = psutil.virtual_memory().total
    except OSError as error:
        raise SandboxError(f"the host's memory cannot be read: {error}") from error
    room = max(int(total * _SHARE) // (memory_mib << 20), 1)
    if wanted is None:
        return min(len(os.sched_getaffinity(0)), room)
    if wanted < 1:
        raise ValueError(f"workers must be at least 1, not {wanted}")
    if wanted > room:
        raise SandboxError(
            f"{wanted} workers of {memory_mib} MiB each do not fit into this host's memory:"
            f" use at most {room}, or a policy with a smaller memory_mib"
        )
    return wanted
