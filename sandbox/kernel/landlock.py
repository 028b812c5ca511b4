"""Landlock: deny every right that the running kernel knows, but to read what is shown.

landlock(7).
"""

import errno
import os
import stat
import struct
from collections.abc import Iterable

from sandbox.kernel.libc import buffer, syscall
from sandbox.kernel.steps import Step, step

_VERSION_FLAG = 1
# Filesystem rights exist from bit 0 up: 13 with ABI 1, then one more each for refer (2),
# truncate (3) and ioctl_dev (5).
_FS_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3  # and never to execute
_PATH_BENEATH = 1
_NET_TCP = 0b11  # bind, connect: ABI 4
_SCOPE_ABSTRACT_UNIX_SOCKET, _SCOPE_SIGNAL = 1, 2  # ABI 6


def abi() -> int:
    """Return the Landlock ABI of this kernel; 0 when it is absent, disabled or forbidden."""
    try:
        return syscall("landlock_create_ruleset", 0, 0, _VERSION_FLAG)
    except OSError:
        return 0


def promises(version: int) -> str:
    """Say what an ABI denies, in words."""
    parts = ["files"] + ["TCP"] * (version >= 4) + ["abstract sockets and signals"] * (version >= 6)
    return f"ABI {version}: " + ", ".join(parts)


def deny_all_ruleset(version: int, shown: Iterable[str] = (), listed: Iterable[str] = ()) -> int:
    """Make a descriptor of a rule set that handles every right and grants reading `shown` alone.

    `shown` are paths of files and of directories, with all that is below; of what is below `listed`
    the names may be read. One that this process cannot open is not granted. Raises OSError.
    """
    if version < 1:
        raise OSError(errno.ENOSYS, "landlock_create_ruleset: not available")
    rights = (1 << _FS_BITS[min(version, max(_FS_BITS))]) - 1
    attributes = struct.pack(
        "<QQQ",
        rights,
        _NET_TCP if version >= 4 else 0,
        _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL if version >= 6 else 0,
    )
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = syscall("landlock_create_ruleset", buffer(attributes), size, 0)
    for path in shown:
        _grant(ruleset, path, _READ_FILE | _READ_DIR)
    for path in listed:
        _grant(ruleset, path, _READ_DIR)
    return ruleset


def _grant(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH)
    except (FileNotFoundError, PermissionError):
        return
    try:
        is_directory = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        rights &= _READ_FILE | (_READ_DIR if is_directory else 0)
        rule = buffer(struct.pack("=Qi", rights, descriptor))
        syscall("landlock_add_rule", ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)


def restrict_self(ruleset: int) -> Step:
    """Put this process below `ruleset`, for good. Needs no_new_privs."""
    return step("landlock_restrict_self", ruleset, 0)
