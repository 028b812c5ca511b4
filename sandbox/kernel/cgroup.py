"""One cgroup v2 per sandbox, where the host delegates one. cgroups(7), cgroup-v2.rst of Linux."""

import contextlib
import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc/self")
_SYSTEMD = Path("/run/systemd/system")  # is there where systemd manages the tree, sd_booted(3)
_MARKS = ("user.delegate", "trusted.delegate")  # what systemd sets on a group that it leaves alone
_NEEDED = {"memory", "pids", "cpu"}
_PERIOD_MICROSECONDS = 100_000  # the kernel's own default
_REMOVALS, _REMOVAL_SECONDS = 100, 0.01  # the kernel lets go of what was killed a little later
_counter = itertools.count()


class Group:
    """A cgroup directory of ours. The kernel counts everything below it together."""

    def __init__(self, path: Path) -> None:
        """Make the directory. Raises OSError."""
        path.mkdir()
        self._path = path
        self.description = ""

    def limit(self, *, memory_bytes: int, processes: int, cpus: int) -> None:
        """Bound what all processes of the group use together. Raises OSError."""
        self._set("memory.max", memory_bytes)
        self._set("pids.max", processes)
        self._set("cpu.max", f"{cpus * _PERIOD_MICROSECONDS} {_PERIOD_MICROSECONDS}")
        with contextlib.suppress(OSError):  # no swap accounting: nothing to limit
            self._set("memory.swap.max", 0)
        self.description = (
            f"{memory_bytes >> 20} MiB, {processes} processes and {cpus} processors for the sandbox"
        )

    def take(self, pid: int) -> bool:
        """Move process `pid`, and so what it forks from here on, into the group; say if it is."""
        try:
            self._set("cgroup.procs", pid)
        except OSError:
            return False
        return True

    def remove(self) -> None:
        """Kill what is left and remove the directory. Safe to call twice."""
        with contextlib.suppress(OSError):
            self._set("cgroup.kill", 1)
        for _ in range(_REMOVALS):
            if not self._is_populated():
                break
            time.sleep(_REMOVAL_SECONDS)
        with contextlib.suppress(OSError):
            self._path.rmdir()

    def _is_populated(self) -> bool:
        with contextlib.suppress(OSError):
            return "populated 1" in (self._path / "cgroup.events").read_text()
        return False

    def _set(self, name: str, value: int | str) -> None:
        (self._path / name).write_text(str(value))


def make(*, memory_bytes: int, processes: int, cpus: int, proc: Path = _PROC) -> Group | None:
    """Make a group with these limits where one is delegated to this process; None elsewhere."""
    parent = delegated(proc)
    if parent is None:
        return None
    try:
        group = Group(parent / f"restricted-execution-{os.getpid()}-{next(_counter)}")
    except OSError:
        return None
    try:
        group.limit(memory_bytes=memory_bytes, processes=processes, cpus=cpus)
    except OSError:
        group.remove()
        return None
    return group


def delegated(proc: Path = _PROC) -> Path | None:
    """Return the directory where this process may make groups: beside its own group, or in it.

    A group other than the root either has processes or hands controllers down, never both, so it
    is beside its own group for all but the root's. `proc` is /proc/self, or what stands for it.
    """
    with contextlib.suppress(OSError, StopIteration, ValueError):
        top, own = _own_group(proc)
        for path in [own.parent] * (own != top) + [own]:
            if _is_ours(path) and _hands_down(path):
                return path
    return None


def _own_group(proc: Path) -> tuple[Path, Path]:
    """Return the root of the tree as this process sees it, and the group that it is in."""
    lines = (proc / "cgroup").read_text().splitlines()
    own = next(line[3:] for line in lines if line.startswith("0::"))
    root, point = next(_mounts(proc))
    if ".." in own.split("/"):
        raise ValueError("this process is in a group that it cannot see")
    return Path(point), Path(point) / os.path.relpath(own, root)


def _mounts(proc: Path) -> Iterator[tuple[str, str]]:
    """Yield (root, mount point) of each cgroup2 file system. proc_pid_mountinfo(5)."""
    for line in (proc / "mountinfo").read_text().splitlines():
        mount, _, kind = line.partition(" - ")
        if kind.startswith("cgroup2 "):
            fields = mount.split(" ")
            yield fields[3], fields[4]


def _is_ours(path: Path) -> bool:
    """Say whether this process may write there, and systemd, if it manages the tree, leaves it.

    https://systemd.io/CGROUP_DELEGATION
    """
    if not all(os.access(path / name, os.W_OK) for name in ("", "cgroup.procs")):
        return False
    return not _SYSTEMD.is_dir() or any(_mark(path, name) == b"1" for name in _MARKS)


def _mark(path: Path, name: str) -> bytes:
    try:
        return os.getxattr(path, name)
    except OSError:
        return b""


def _hands_down(path: Path) -> bool:
    """Say whether groups below `path` have the needed controllers, enabled here if need be."""
    control = path / "cgroup.subtree_control"
    missing = _NEEDED - set(control.read_text().split())
    if missing:
        try:
            control.write_text(" ".join(f"+{name}" for name in sorted(missing)))
        except OSError:  # it lacks one, or has processes of its own
            return False
    return set(control.read_text().split()) >= _NEEDED
