"""What is needed of the host before anything is started."""

import os
import sys

from sandbox.errors import SandboxError, SandboxUnavailable


def check_platform() -> None:
    """Raises SandboxUnavailable anywhere but on Linux, SandboxError without a /proc of one's own.

    What processes do is read in /proc by their numbers: those of another PID namespace would be
    those of other processes.
    """
    if not sys.platform.startswith("linux"):
        raise SandboxUnavailable(
            "process",
            f"guests are confined by the Linux kernel, and this is {sys.platform}",
            "Run it on Linux: a container or a virtual machine will do.",
        )
    try:
        known_as = os.readlink("/proc/self")
    except OSError:
        known_as = ""
    if known_as != str(os.getpid()):
        what = "belongs to another PID namespace" if known_as else "is not mounted"
        raise SandboxError(
            f"/proc {what}: mount one of this process's own (mount -t proc proc /proc; with"
            " unshare: --mount-proc)"
        )
