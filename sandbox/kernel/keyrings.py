"""Sealed keyrings in the place of the caller's. keyrings(7), session-keyring(7), keyctl(2)."""

import errno
from collections.abc import Callable

from sandbox.kernel.libc import syscall, text
from sandbox.kernel.steps import Step, step

_GET_KEYRING_ID, _JOIN_SESSION_KEYRING, _SETPERM = 0, 1, 5
_SESSION, _USER, _USER_SESSION = -3, -4, -5
# No kernel support, or refused by a container's filter, which children inherit.
_ABSENT = (errno.ENOSYS, errno.EPERM)


def leave_session() -> bool:
    """Join a new session keyring that no process may search or add a key to, for good.

    It is inherited over fork: one for a supervisor and all of its children. A process can still
    join another new one, which is its own. False where there are no keyrings to be had, for this
    process and what it forks. Raises OSError if the old keyring stays.
    """
    try:
        syscall("keyctl", _JOIN_SESSION_KEYRING, 0)
    except OSError as error:
        if error.errno == errno.EDQUOT:
            reason = "keyctl: this user has no room for another keyring: raise kernel.keys.maxkeys"
            raise OSError(errno.EDQUOT, reason) from error
        if error.errno not in _ABSENT or _works(_find):
            raise
        return False
    syscall("keyctl", _SETPERM, _SESSION, 0)  # its owner needs a permission to give any back
    if _works(keep_a_key):
        raise OSError(errno.EPERM, "keyctl: the session keyring could not be sealed")
    return True


def seal_user() -> list[Step]:
    """Seal the keyrings of this process's uid in its user namespace, for every process there.

    Only for a user namespace of ours: on the host it would take them from their owner.
    """
    rings = (_USER, _USER_SESSION)
    return [
        *(step("keyctl", _SETPERM, ring, 0, must=None) for ring in rings),  # fails if it is sealed
        *(step("keyctl", _GET_KEYRING_ID, ring, 1, must=False) for ring in rings),
    ]


def keep_a_key() -> None:
    """Add a key to this process's session keyring. Raises OSError."""
    words = [text(word) for word in (b"user", b"probe", b"x")]
    syscall("add_key", *words, 1, _SESSION)


def _find() -> None:
    syscall("keyctl", _GET_KEYRING_ID, _SESSION, 0)


def _works(act: Callable[[], None]) -> bool:
    try:
        act()
    except OSError:
        return False
    return True
