"""The files of one of Inspect's samples, and the few commands about files that a tool may run.

They are bytes in the caller, given to each program and taken back; no file of the host is touched.
"""

import posixpath
from collections.abc import Callable, Sequence
from typing import NamedTuple

BOX, ROOTS = "/box", ("/box", "/tmp", "/mnt")
MOST_BYTES = 256 << 20


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    stdout: str = ""
    stderr: str = ""


class SampleFiles:
    """A tree of files below the working directory `/box`, `/tmp` and `/mnt`."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}  # by absolute path
        self._directories: set[str] = {"/", *ROOTS}
        self.denied: set[tuple[str, str]] = set()  # by path: "r" or "w", as `chmod` says

    def path(self, name: str, cwd: str | None = None) -> str:
        """Return the absolute path that `name` means."""
        return posixpath.normpath(posixpath.join(BOX, cwd or "", name)).replace("//", "/")

    def is_directory(self, path: str) -> bool:
        """Tell whether there is a directory of that path."""
        return path in self._directories

    def write(self, path: str, content: bytes) -> None:
        """Write a file. Raises IsADirectoryError, and PermissionError where there can be none."""
        if self.is_directory(path):
            raise IsADirectoryError(f"{path} is a directory")
        self._check(path, "w")
        if not path.startswith(tuple(f"{root}/" for root in ROOTS)):
            raise PermissionError(f"{path}: files may be written below {', '.join(ROOTS)} only")
        held = sum(map(len, self.contents.values())) - len(self.contents.get(path, b""))
        if held + len(content) > MOST_BYTES:
            raise PermissionError(f"{path}: a sample may have {MOST_BYTES >> 20} MiB of files")
        self.make_directory(posixpath.dirname(path))
        self.contents[path] = content

    def read(self, path: str) -> bytes:
        """Return a file's content. Raises IsADirectoryError, FileNotFoundError."""
        if self.is_directory(path):
            raise IsADirectoryError(f"{path} is a directory")
        if path not in self.contents:
            raise FileNotFoundError(f"{path}: no such file")
        self._check(path, "r")
        return self.contents[path]

    def _check(self, path: str, right: str) -> None:
        if (path, right) in self.denied:
            raise PermissionError(f"{path}: permission denied")

    def make_directory(self, path: str) -> None:
        """Make a directory and those above. Raises FileExistsError where a file is in the way."""
        if path in self.contents:
            raise FileExistsError(f"{path} is a file")
        if not self.is_directory(path):
            self.make_directory(posixpath.dirname(path))
            self._directories.add(path)

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory. Raises OSError."""
        if self.listed(path) or path in ("/", *ROOTS):
            raise OSError(f"{path} is not empty")
        self._directories.discard(path)

    def listed(self, path: str) -> list[str]:
        """Return the names in a directory, in order."""
        there = [*self.contents, *self._directories]
        return sorted(posixpath.basename(p) for p in there if posixpath.dirname(p) == path != p)

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it."""
        below = f"{path}/"
        for name in [name for name in self.contents if name == path or name.startswith(below)]:
            del self.contents[name]
            self.denied -= {(name, "r"), (name, "w")}
        keep = {"/", *ROOTS}
        self._directories = {
            d for d in self._directories if d in keep or not (d == path or d.startswith(below))
        }

    def given(self) -> dict[str, bytes]:
        """Return the files by the names that a job has for them."""
        return {name.removeprefix(f"{BOX}/"): content for name, content in self.contents.items()}

    def take(self, files: "dict[str, bytes]") -> None:
        """Take what a program has left in the place of what there was."""
        self.contents = {self.path(name): content for name, content in files.items()}
        for path in self.contents:
            self.make_directory(posixpath.dirname(path))


def _each(work: Callable[[str], object], names: Sequence[str], *, quiet: bool = False) -> Ended:
    failed = []
    for name in names:
        try:
            work(name)
        except OSError as error:
            failed.append(f"{error}\n")
    return Ended(bool(failed) and not quiet, stderr="" if quiet else "".join(failed))


def _split(args: Sequence[str]) -> tuple[str, list[str]]:
    """Return the letters of the options and the names."""
    flags = "".join(a[1:] for a in args if a.startswith("-") and a not in ("-", "--"))
    return flags, [a for a in args if not a.startswith("-")]


def run_command(
    files: SampleFiles, cmd: Sequence[str], stdin: bytes, cwd: str | None
) -> Ended | None:
    """Run one of the commands about files; None if `cmd` is another."""
    flags, names = _split(cmd[1:])
    paths = [files.path(name, cwd) for name in names]

    def remove(path: str) -> None:
        if files.is_directory(path) and "r" not in flags:
            raise IsADirectoryError(f"{path} is a directory")
        if "f" not in flags and not files.is_directory(path):
            files.read(path)
        files.remove(path)

    def touch(path: str) -> None:
        if not files.is_directory(path):
            files.write(path, files.contents.get(path, b""))

    name = posixpath.basename(cmd[0])
    if name == "rm":
        return _each(remove, paths, quiet="f" in flags)
    if name == "mkdir":
        return _each(files.make_directory, paths)
    if name == "rmdir":
        return _each(files.remove_directory, paths)
    if name == "touch":
        return _each(touch, paths)
    if name == "chmod" and len(cmd) > 2 and cmd[1] in ("+r", "+w", "-r", "-w"):
        sign, right = cmd[1][0], cmd[1][1]
        change = files.denied.discard if sign == "+" else files.denied.add
        return _each(lambda path: change((path, right)), [files.path(n, cwd) for n in cmd[2:]])
    if name == "ls":
        where = paths or [files.path("", cwd)]
        missing = [p for p in where if not files.is_directory(p)]
        if missing:
            return Ended(2, stderr=f"ls: {missing[0]}: no such directory\n")
        return Ended(0, "".join(f"{name}\n" for path in where for name in files.listed(path)))
    if name == "cat":
        try:
            content = b"".join(map(files.read, paths)) if paths else stdin
        except OSError as error:
            return Ended(1, stderr=f"cat: {error}\n")
        return Ended(0, content.decode("utf-8", "replace"))
    if name == "wc" and flags == "c" and not paths:
        return Ended(0, f"{len(stdin)}\n")
    if name == "echo":
        return Ended(0, " ".join(cmd[1:]) + "\n")
    if name == "printf" and cmd[1:2] == ["%s"]:
        return Ended(0, "".join(cmd[2:]))
    if name == "pwd":
        return Ended(0, files.path("", cwd) + "\n")
    if name in ("true", ":"):
        return Ended(0)
    return Ended(1) if name == "false" else None
