"""Capabilities, no_new_privs, uids. capabilities(7), credentials(7)."""

import ctypes
import os
import struct
from collections.abc import Iterable

from sandbox.kernel.libc import prctl, syscall

CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SETPCAP = 5, 6, 7, 8
CAP_SYS_ADMIN, CAP_SYS_RESOURCE = 21, 24

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_CAP_VERSION_3 = 0x20080522
_CAP_LIMIT = 64


def set_capabilities(keep: Iterable[int] = ()) -> None:
    """Permitted and effective become `keep`, inheritable and ambient empty. Raises OSError."""
    mask = sum(1 << capability for capability in keep)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    header = ctypes.create_string_buffer(struct.pack("<Ii", _CAP_VERSION_3, 0))
    data = ctypes.create_string_buffer(struct.pack("<6I", low, low, 0, high, high, 0))
    syscall("capset", header, data)


def empty_bounding_set() -> None:
    """No later exec can gain a capability. Needs CAP_SETPCAP; without it there is none to gain."""
    for capability in range(_CAP_LIMIT):
        try:
            prctl(_PR_CAPBSET_DROP, capability)
        except (PermissionError, OSError):
            return  # EPERM: may not; EINVAL: past the last one
    prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)


def forbid_new_privileges() -> None:
    """No exec gains privileges; also what lets an ordinary user install a filter."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def set_dumpable(*, dumpable: bool) -> None:
    """Not dumpable: no ptrace, no core file, and /proc/<pid> belongs to root."""
    prctl(_PR_SET_DUMPABLE, int(dumpable))


def die_with_parent(signal: int) -> None:
    """Ask for `signal` when the parent ends. A change of uid forgets it: call it after."""
    prctl(_PR_SET_PDEATHSIG, signal)


def become(uid: int, gid: int) -> None:
    """Take `uid` and `gid` for good, without supplementary groups. Raises OSError."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def check_dropped() -> None:
    """Try to take back what was given up; the attempt must fail. Raises PermissionError."""
    try:
        os.setresuid(0, 0, 0)
    except PermissionError:
        return
    except OSError:  # EINVAL: uid 0 does not exist in this namespace
        return
    if os.getuid() == 0:
        raise PermissionError("setresuid(0): worked after the privileges were dropped")
