"""Capabilities, no_new_privs, uids. capabilities(7), credentials(7)."""

import struct
from collections.abc import Iterable

from sandbox.kernel.libc import buffer, prctl
from sandbox.kernel.steps import Step, step

CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SETPCAP = 5, 6, 7, 8
CAP_SYS_ADMIN, CAP_SYS_RESOURCE = 21, 24

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_CAP_VERSION_3 = 0x20080522
_CAP_LIMIT = 64


def set_capabilities(keep: Iterable[int] = ()) -> Step:
    """Set permitted and effective to `keep`, inheritable and ambient to empty."""
    mask = sum(1 << capability for capability in keep)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    header = buffer(struct.pack("<Ii", _CAP_VERSION_3, 0))
    data = buffer(struct.pack("<6I", low, low, 0, high, high, 0))
    return step("capset", header, data)


def empty_bounding_set() -> None:
    """Keep later execs from capabilities. Needs CAP_SETPCAP; without it there is none to gain."""
    for capability in range(_CAP_LIMIT):
        try:
            prctl(_PR_CAPBSET_DROP, capability)
        except (PermissionError, OSError):
            return  # EPERM: may not; EINVAL: past the last one
    prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)


def forbid_new_privileges() -> Step:
    """Keep execs from gaining privileges; also what lets an ordinary user install a filter."""
    return step("prctl", _PR_SET_NO_NEW_PRIVS, 1)


def not_dumpable() -> Step:
    """Allow no ptrace, no core file; /proc/<pid> belongs to root. A change of uid resets it."""
    return step("prctl", _PR_SET_DUMPABLE, 0)


def die_with_parent(signal: int) -> Step:
    """Ask for `signal` when the parent ends. A change of uid forgets it: it comes after."""
    return step("prctl", _PR_SET_PDEATHSIG, signal)


def become(uid: int, gid: int) -> list[Step]:
    """Take `uid` and `gid` for good, without supplementary groups."""
    return [
        step("setgroups", 0, 0),
        step("setresgid", gid, gid, gid),
        step("setresuid", uid, uid, uid),
    ]


def stay_dropped() -> Step:
    """Try to take back what was given up: the attempt must fail."""
    return step("setresuid", 0, 0, 0, must=False)
