"""Sealed keyrings in the place of the caller's. keyrings(7), session-keyring(7), keyctl(2)."""

import errno

from sandbox.kernel.libc import syscall
from sandbox.kernel.steps import Step, step

_GET_KEYRING_ID, _JOIN_SESSION_KEYRING, _SETPERM = 0, 1, 5
_SESSION, _USER, _USER_SESSION = -3, -4, -5
# No kernel support, or refused by a container's filter, which children inherit.
_ABSENT = (errno.ENOSYS, errno.EPERM)


def leave_session() -> None:
    """Join a new session keyring that nobody may search, read or add a key to, for good.

    It is inherited over fork: one for a supervisor and all of its children. A process can still
    join another new one, which is its own. Does nothing where there are no keyrings. Raises OSError
    if the old keyring stays.
    """
    try:
        syscall("keyctl", _JOIN_SESSION_KEYRING, 0)
    except OSError as error:
        if error.errno not in _ABSENT or _is_there():
            raise
        return
    syscall("keyctl", _SETPERM, _SESSION, 0)  # its owner needs a permission to give any back
    if _is_there():
        raise OSError(errno.EPERM, "keyctl: the session keyring could not be sealed")


def seal_user() -> list[Step]:
    """Seal the keyrings of this process's uid in its user namespace, for every process there.

    Only for a user namespace of ours: on the host it would take them from their owner.
    """
    rings = (_USER, _USER_SESSION)
    return [
        *(step("keyctl", _SETPERM, ring, 0, must=None) for ring in rings),  # fails if it is sealed
        *(step("keyctl", _GET_KEYRING_ID, ring, 1, must=False) for ring in rings),
    ]


def find_session() -> int:
    """The number of this process's session keyring. Raises OSError if it has none, or no way in."""
    return syscall("keyctl", _GET_KEYRING_ID, _SESSION, 0)


def _is_there() -> bool:
    try:
        find_session()
    except OSError:
        return False
    return True
