"""The files of a job without the language layer: in the child's own file system in memory.

All of it is done by the child itself, with the child's own rights, before and after its program: a
program that has taken its process over can show nothing but what it could have printed. What an
honest program leaves is taken with care all the same: no link is followed, nothing but regular
files is opened, and what is read is bounded by what was counted.
"""

import errno
import gc
import io
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kernel.scratch.mounting import FOLDERS, WORKING_DIRECTORY
from sandbox.kernel.syscall_sets import RESULT_FD
from sandbox.language.guest.own_modules import LOADED
from sandbox.language.guest.world import World
from sandbox.runtime.child.job_files import path_of

_OPENED = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_MOST_DESCRIPTORS = 256
_STREAMS = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair)
# Here, as a program may put others into the module.
_open, _close, _read, _write = os.open, os.close, os.read, os.write
_lstat, _fstat, _scandir, _mkdir = os.lstat, os.fstat, os.scandir, os.mkdir
_unlink = os.unlink
_objects, _is_regular, _is_directory = gc.get_objects, stat.S_ISREG, stat.S_ISDIR
_File = tuple[bytes, int]  # its path, and how many bytes of it were counted


def settle() -> None:
    """Load what this needs from files that no child can read."""
    "x".encode("utf-8", "strict")


class FileSystem:
    """A child's own file system, as a store of a job's files (`job_files.Store`)."""

    def __init__(self, world: World) -> None:
        self._state = world.state

    def place(self, given: Mapping[str, Any]) -> None:
        """Write the files of a job: the caller has checked their names. Raises OSError.

        Before any code of the guest's runs, so that there is no link to follow.
        """
        for name, content in given.items():
            path = path_of(name).encode()
            _make_above(path)
            made = _open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
            try:
                rest = memoryview(content)
                while rest:
                    rest = rest[_write(made, rest) :]
            finally:
                _close(made)
        # A look of before would be believed: the clock of files is too coarse to tell it is older.
        sys.path_importer_cache.pop(WORKING_DIRECTORY, None)
        _unload_what_stands_behind(given)

    def replace(self, given: Mapping[str, Any]) -> None:
        """Write files of a session's caller over what there may be. Raises OSError.

        A link in their place goes, and not what it leads to.
        """
        for name in given:
            try:
                _unlink(path_of(name).encode())
            except FileNotFoundError:
                continue
        self.place(given)

    def expect_fetching(self) -> None:
        """Have what the program has open written as its objects go."""
        self._state.noticing = True

    def settle(self) -> None:
        """See `Store`; and have a descriptor free to read with."""
        _flush_open_files()
        _free_descriptors()

    def file(self, path: str) -> _File | None:
        """Return the regular file at `path`; None for all else, or if a link leads there."""
        parts = path.encode().split(b"/")[1:]
        at = b""
        try:
            for part in parts[:-1]:
                at += b"/" + part
                if not _is_directory(_lstat(at).st_mode):
                    return None
            found = _lstat(path)
        except OSError:
            return None
        return (path.encode(), found.st_size) if _is_regular(found.st_mode) else None

    def directory(self, path: str) -> bytes:
        """Return `path`: one of the folders that every child has."""
        return path.encode()

    def below(self, directory: bytes) -> Iterator[tuple[str, Any, bool]]:
        """See `Store`."""
        for entry in _entries(directory):
            try:
                found = _lstat(entry.path)
            except OSError:
                continue
            if _is_directory(found.st_mode):
                yield _text(entry.name), entry.path, True
            elif _is_regular(found.st_mode):
                yield _text(entry.name), (entry.path, found.st_size), False

    def size(self, file: _File) -> int:
        """See `Store`."""
        return file[1]

    def content(self, file: _File) -> bytes | None:
        """Read a regular file, as much as was counted of it; None if it is none any more."""
        path, left = file
        try:
            opened = _open(path, _OPENED)
        except OSError:
            return None
        try:
            if not _is_regular(_fstat(opened).st_mode):
                return None
            pieces = []
            while left and (piece := _read(opened, min(left, 1 << 20))):
                pieces.append(piece)
                left -= len(piece)
            return b"".join(pieces)
        except OSError:
            return None
        finally:
            _close(opened)


def _unload_what_stands_behind(given: Mapping[str, Any]) -> None:
    """Let a module of the job's come before the library's, as a script's directory does.

    CPython would not have loaded the other by then; a supervisor may have.
    """
    tops = {
        name.removesuffix(".py").removesuffix("/__init__") for name in given if name[-3:] == ".py"
    }
    for name in [name for name in sys.modules if name.partition(".")[0] in tops - LOADED]:
        del sys.modules[name]


def _make_above(path: bytes) -> None:
    parts = path.split(b"/")[2:-1]
    at = b"/" + path.split(b"/")[1]
    for part in parts:
        at += b"/" + part
        try:
            _mkdir(at, 0o755)
        except FileExistsError:
            continue


def _flush_open_files() -> None:
    """Write out what open files hold back, as the end of a process does.

    What the program's namespace led to is closed by now. A stream of text hands on to a buffer.
    """
    for kind in _STREAMS:
        for found in [o for o in _objects() if type(o) is kind]:
            try:
                if not found.closed and found.writable():
                    found.flush()
            except BaseException:  # as CPython does with what fails at its end: it goes on
                continue


def _free_descriptors() -> None:
    """Close what the program left open, where there is no number left to open a file with."""
    try:
        _close(_open(FOLDERS[0], _OPENED))
        return
    except OSError as error:
        if error.errno != errno.EMFILE:
            return
    for number in range(_MOST_DESCRIPTORS):
        if number != RESULT_FD:
            try:
                _close(number)
            except OSError:
                continue


def _entries(path: bytes) -> "list[os.DirEntry[bytes]]":
    """List a directory; one that cannot be read, or is none any more, has nothing."""
    try:
        with _scandir(path) as found:
            return list(found)
    except OSError:
        return []


def _text(name: bytes) -> str:
    """Return a file's name as text; one that is not UTF-8 gets a control character, and no name."""
    try:
        return name.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return "\x00"
