"""Landlock: deny every right that the running kernel knows, but to read what is shown.

landlock(7).
"""

import errno
import os
import stat
import struct
from collections.abc import Iterable

from sandbox.kernel.libc import buffer, syscall, text
from sandbox.kernel.steps import AT_FDCWD, Step, step

_VERSION_FLAG = 1
# Filesystem rights exist from bit 0 up: 13 with ABI 1, then one more each for refer (2),
# truncate (3) and ioctl_dev (5).
_FS_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3  # and never to execute
# WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG, MAKE_SYM, REFER,
# TRUNCATE: no device, socket or pipe is made, and none is given orders.
_KEEP_FILES = sum(1 << bit for bit in (1, 2, 3, 4, 5, 7, 8, 12, 13, 14))
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
    attributes = _attributes(version)
    ruleset = syscall("landlock_create_ruleset", buffer(attributes), len(attributes), 0)
    for path in shown:
        _grant(ruleset, path, _READ_FILE | _READ_DIR)
    for path in listed:
        _grant(ruleset, path, _READ_DIR)
    return ruleset


def _attributes(version: int, *, scopes: bool = True) -> bytes:
    """Return the attributes of a rule set that handles all that `version` knows. Raises OSError."""
    if version < 1:
        raise OSError(errno.ENOSYS, "landlock_create_ruleset: not available")
    rights = (1 << _FS_BITS[min(version, max(_FS_BITS))]) - 1
    network = _NET_TCP if version >= 4 else 0
    scope = _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL if version >= 6 and scopes else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    return struct.pack("<QQQ", rights, network, scope)[:size]


def domain_of_its_own(
    version: int,
    *,
    read: Iterable[str],
    listed: Iterable[str],
    written: Iterable[str],
    device: str,
    free: int,
) -> list[Step]:
    """Make the steps by which a process denies itself every right but those to a few directories.

    Below `read` it may read, below `listed` list, below `written` do all that file work needs, and
    read and write `device`. One that mounts before it is restricted cannot be below another's
    domain, as that forbids to mount; and what it has mounted no rule set made before it could know.
    `free` is the lowest free descriptor as the steps begin; none is left open. Raises OSError.
    """
    attributes = _attributes(version)
    rights = struct.unpack_from("<Q", attributes)[0]
    rows = [(path, _READ_FILE | _READ_DIR) for path in read]
    rows += [(path, _READ_DIR) for path in listed]
    rows += [(path, _KEEP_FILES & rights) for path in written]
    rows.append((device, _READ_FILE | _WRITE_FILE))
    opened = free + 1
    steps = [step("landlock_create_ruleset", buffer(attributes), len(attributes), 0)]
    for path, granted in rows:
        rule = buffer(struct.pack("=Qi", granted, opened))
        steps += [
            step("openat", AT_FDCWD, text(path.encode()), os.O_PATH),
            step("landlock_add_rule", free, _PATH_BENEATH, rule, 0),
            step("close", opened),
        ]
    return [*steps, step("landlock_restrict_self", free, 0), step("close", free)]


def deny_all_but_signals(version: int) -> list[Step]:
    """Make the steps by which a process denies itself files and TCP, and may end its children."""
    attributes = _attributes(version, scopes=False)
    ruleset = syscall("landlock_create_ruleset", buffer(attributes), len(attributes), 0)
    return [restrict_self(ruleset), step("close", ruleset)]


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
