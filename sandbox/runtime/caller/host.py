"""Needs of the host before anything is started, and the flags of its interpreter."""

import os
import sys

from sandbox.errors import SandboxError, SandboxUnavailable

# -s: no user site; -P: no path from the working directory; -S: no site hooks, the import path comes
# with the configuration. Not -I, which would ignore PYTHONHASHSEED.
_FLAGS = ("-s", "-P", "-S")
# From CPython 3.14 on, another process that may write to this one's memory can have it run a file
# (PEP 768). Nobody has a use for that here.
_NO_REMOTE = ("-X", "disable-remote-debug") if sys.version_info >= (3, 14) else ()


def check_platform() -> None:
    """Raise SandboxUnavailable but on Linux with a GIL, SandboxError without a /proc of one's own.

    What processes do is read in /proc by their numbers: those of another PID namespace would be
    those of other processes.
    """
    if not sys.platform.startswith("linux"):
        raise SandboxUnavailable(
            "process",
            f"guests are confined by the Linux kernel, and this is {sys.platform}",
            "Run it on Linux: a container or a virtual machine will do.",
        )
    if "t" in sys.abiflags:
        raise SandboxUnavailable(
            "process",
            "this Python is a free-threaded build, whose objects and counts of references are"
            " others than the interpreter's layers are made for",
            "Run it with a build that has the global interpreter lock: python3.14, no python3.14t.",
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


def interpreter_flags() -> list[str]:
    """Return flags to import as this interpreter does: nothing of the caller's own is found.

    Compiled modules are kept where the caller keeps its own, or not at all if it keeps none: most
    are imported by supervisors alone, each of which would compile them at its start.
    """
    kept = sys.pycache_prefix
    return [
        *_FLAGS,
        *_NO_REMOTE,
        *(["-B"] if sys.dont_write_bytecode else []),
        *(["-X", f"pycache_prefix={kept}"] if kept else []),
    ]
