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
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandbox.interpreter.vault import asking
from sandbox.kernel.scratch.mounting import FOLDERS, WORKING_DIRECTORY
from sandbox.kernel.syscall_sets import RESULT_FD
from sandbox.language.guest.collector import Collector
from sandbox.language.guest.own_modules import LOADED
from sandbox.policy.limits import Limits
from sandbox.runtime.child.job_files import TooManyFiles
from sandbox.runtime.wire import files
from sandbox.runtime.wire.protocol import FILE

_WILD = ("*", "?")
_OPENED = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_MOST_DESCRIPTORS = 256
_NO_LIMIT = 1 << 62
_STREAMS = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair)
# Here, as a program may put others into the module.
_open, _close, _read, _write = os.open, os.close, os.read, os.write
_lstat, _fstat, _scandir, _mkdir = os.lstat, os.fstat, os.scandir, os.mkdir
_objects, _is_regular, _is_directory = gc.get_objects, stat.S_ISREG, stat.S_ISDIR


def settle() -> None:
    """Load what this needs from files that no child can read."""
    "x".encode("utf-8", "strict")


def place(given: Mapping[str, Any]) -> None:
    """Write the files of a job: the caller has checked their names. Raises OSError.

    Before any code of the guest's runs, so that there is no link to follow.
    """
    for name, content in given.items():
        path = _path(name)
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


def _path(name: str) -> bytes:
    return (name if name.startswith("/") else f"{WORKING_DIRECTORY}/{name}").encode()


def send(fetch: Sequence[str], limits: Limits, output: Collector) -> None:
    """Send a frame of each regular file that `fetch` names, in the order of their names.

    What threads that go on still print is dropped: a frame of `output` amid one of these is none.

    Names that no result can have are left out, and so are links and what cannot be read. Raises
    TooManyFiles, before anything is sent.
    """
    _flush_open_files()
    _free_descriptors()
    output.send()
    output.begin(list.clear, _NO_LIMIT, sys.exit)
    chosen: dict[str, int] = {}
    for name, size in _named(fetch):
        chosen[name] = size
        if len(chosen) > limits.files_count:
            raise TooManyFiles(f"files limit: more than {limits.files_count:,} files to come back")
    if sum(chosen.values()) > limits.files_kib << 10:
        raise TooManyFiles(f"files limit: more than {limits.files_kib} KiB of files to come back")
    for name in sorted(chosen):
        content = _content(_path(name), chosen[name])
        if content is not None:
            asking.send(FILE, files.packed(name, content))


def _flush_open_files() -> None:
    """Write out what open files hold back, as the end of a process does.

    What the program's namespace led to is closed by now. A stream of text hands on to a buffer.
    """
    for kind in _STREAMS:
        for found in [o for o in _objects() if type(o) is kind]:
            try:
                if not found.closed and found.writable():
                    found.flush()
            except Exception:  # as CPython does with what fails at its end: it goes on
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


def _named(fetch: Sequence[str]) -> Iterator[tuple[str, int]]:
    wild = [pattern for pattern in fetch if any(char in pattern for char in _WILD)]
    for name in fetch:
        if name not in wild and (size := _size_of(name)) is not None:
            yield name, size
    for folder in FOLDERS:
        prefix = "" if folder == WORKING_DIRECTORY else f"{folder}/"
        below = [each for each in wild if each[:1] == prefix[:1] or not (prefix or each[0] == "/")]
        if below:
            yield from _matching(folder.encode(), prefix, below)


def _size_of(name: str) -> int | None:
    """Return the bytes of the regular file `name`; None for all else, or if a link leads there."""
    parts = _path(name).split(b"/")[1:]
    at = b""
    try:
        for part in parts[:-1]:
            at += b"/" + part
            if not _is_directory(_lstat(at).st_mode):
                return None
        found = _lstat(at + b"/" + parts[-1])
    except OSError:
        return None
    return found.st_size if _is_regular(found.st_mode) else None


def _matching(top: bytes, prefix: str, wild: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Walk without recursion, and no deeper than a name may be: a path then is short enough."""
    todo = [(top, prefix)]
    while todo:
        above, begin = todo.pop()
        for entry in _entries(above):
            name = begin + _text(entry.name)
            if files.wrong_name(name):
                continue
            try:
                found = _lstat(entry.path)
            except OSError:
                continue
            if _is_directory(found.st_mode):
                todo.append((entry.path, f"{name}/"))
            elif _is_regular(found.st_mode) and files.is_named(name, wild):
                yield name, found.st_size


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


def _content(path: bytes, size: int) -> bytes | None:
    """Read a regular file, as much as was counted of it; None if it is none any more."""
    try:
        opened = _open(path, _OPENED)
    except OSError:
        return None
    try:
        if not _is_regular(_fstat(opened).st_mode):
            return None
        pieces = []
        while size and (piece := _read(opened, min(size, 1 << 20))):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)
    except OSError:
        return None
    finally:
        _close(opened)
