"""One cgroup v2 per sandbox, where the host delegates one. cgroups(7)."""

import contextlib
import itertools
import os
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_NEEDED = {"memory", "pids"}
_counter = itertools.count()


class Group:
    """A cgroup directory of ours. The kernel counts everything below it together."""

    def __init__(self, path: Path, memory_bytes: int, processes: int) -> None:
        """Make the directory and set its limits. Raises OSError."""
        path.mkdir()
        self._path = path
        try:
            self._set("memory.max", memory_bytes)
            self._set("pids.max", processes)
            with contextlib.suppress(OSError):  # no swap accounting: nothing to limit
                self._set("memory.swap.max", 0)
        except OSError:
            self.remove()
            raise
        self.description = f"{memory_bytes >> 20} MiB and {processes} processes for the sandbox"

    def add(self, pid: int) -> None:
        """Move process `pid`, and so what it forks from here on, into the group. Raises OSError."""
        self._set("cgroup.procs", pid)

    def out_of_memory_kills(self) -> int:
        """How many processes the kernel ended here for lack of memory."""
        with contextlib.suppress(OSError):
            for line in (self._path / "memory.events").read_text().splitlines():
                name, _, count = line.partition(" ")
                if name == "oom_kill":
                    return int(count)
        return 0

    def remove(self) -> None:
        """Kill what is left and remove the directory. Safe to call twice."""
        with contextlib.suppress(OSError):
            self._set("cgroup.kill", 1)
        with contextlib.suppress(OSError):
            self._path.rmdir()

    def _set(self, name: str, value: int) -> None:
        (self._path / name).write_text(str(value))


def make(memory_bytes: int, processes: int) -> Group | None:
    """A group below this process's own, or None where the host delegates none."""
    parent = delegated()
    if parent is None:
        return None
    try:
        name = f"restricted-execution-{os.getpid()}-{next(_counter)}"
        return Group(parent / name, memory_bytes, processes)
    except OSError:
        return None


def delegated() -> Path | None:
    """The writable cgroup of this process that hands memory and pids down to its children."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line[3:] for line in lines if line.startswith("0::"))
        path = _ROOT / own.lstrip("/")
        handed_down = set((path / "cgroup.subtree_control").read_text().split())
    except (OSError, StopIteration):
        return None
    return path if handed_down >= _NEEDED and os.access(path, os.W_OK) else None
