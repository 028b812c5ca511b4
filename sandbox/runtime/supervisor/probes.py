"""Verify by trying: what each layer forbids is attempted from a child that has it."""

import mmap
import os
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from sandbox.interpreter.disarming.census import Count
from sandbox.interpreter.vault import asking
from sandbox.kernel import keyrings, namespaces
from sandbox.kernel.libc import syscall
from sandbox.kernel.limits import NO_ROOM
from sandbox.kernel.native_calls import STDIN_FD
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.runtime.child.confinement import Cell
from sandbox.runtime.supervisor.jail import Jail
from sandbox.runtime.wire import protocol

if TYPE_CHECKING:
    from sandbox.runtime.supervisor.children import ChildPool

_T = TypeVar("_T")
_SIGSYS_HELD = "the kernel killed it (SIGSYS)"


class Attempt(NamedTuple):
    """One thing tried; `held` says whether the layer stopped it."""

    layer: str
    attempt: str
    answer: str
    held: bool


_RUN_SHOWN = "map a file that is shown as code"
_WRITE_SHOWN = "write to a file that is shown"
_MAKE_A_QUEUE = "make a message queue"
_LEFT = "left"  # in the scratch directory of one child, for another to look for
CENSUS: Final = "reach a native function or type that is not on the list"
_CENSUS = "interpreter", CENSUS
_FEW = 20
_Trial = tuple[str, str, Callable[[], object]]


class Probe(NamedTuple):
    """An act of a child that a changed cell confines, and how to read the child's answer.

    `forgets` lets go first of what no program may find, as every child does that is for a job.
    """

    change: Callable[[Cell], Cell]
    act: Callable[[], object]
    read: Callable[[str], list[Attempt]]
    forgets: bool = False


def of_layers(jail: Jail) -> list[Probe]:
    """Try every active kernel layer.

    Three children, because one layer would answer for another: no descriptor can be opened under
    the limits, and the first forbidden call under the filter is the last.
    """
    trials, limited = _trials(jail), _under_limits(jail)
    probes = [
        Probe(_without_limits, lambda: _report(trials), lambda said: _read(said, _names(trials))),
        Probe(_without_filter, lambda: _report(limited), lambda said: _read(said, _names(limited))),
    ]
    if jail.syscall_filter is not None:
        probes.append(Probe(lambda cell: cell, _call_what_is_denied, _read_denial))
    return probes


def tried(
    probes: list[Probe], children: "ChildPool", first: Callable[[], _T]
) -> tuple[list[Attempt], _T]:
    """Make all attempts, and `first` last. Raises OSError, ForkerLost.

    The others are made beside the census, which takes as long, and one after the other: what one
    leaves behind, another looks for.
    """
    acts = dict(enumerate(probes, protocol.FIRST_PROBE))
    counting = {act: children.fork(act) for act, probe in acts.items() if probe.forgets}
    others = [act for act in acts if act not in counting]
    said = {act: children.examine(children.fork(act)) for act in others}
    made = first()
    said |= {act: children.examine(child) for act, child in counting.items()}
    return [attempt for act, probe in acts.items() for attempt in probe.read(said[act])], made


def _read_denial(report: str) -> list[Attempt]:
    held = report == f"signal {int(signal.SIGSYS)}"
    answer = _SIGSYS_HELD if held else report
    return [Attempt("seccomp", "kill(2), which is not on the list", answer, held)]


def of_census(count: Callable[[], Count]) -> Probe:
    """Have a child count what could be reached in it; what is on no list was not stopped."""

    def tell() -> None:
        found = count()
        unknown = ", ".join(found.unknown[:_FEW])
        answer = f"{found.natives} among {found.objects} objects"
        held = "0" if found.unknown else "1"
        row = (*_CENSUS, f"{answer}: {unknown}" if unknown else answer, held)
        asking.say("\t".join(row).encode())

    return Probe(_without_limits, tell, lambda said: _read(said, [_CENSUS]), forgets=True)


_NULLS = (1, 2)  # the device that takes what is written to them, see `Cell.null`


def _without_limits(cell: Cell) -> Cell:
    return cell._replace(memory_bounds=None, syscall_filter=None)


def _without_filter(cell: Cell) -> Cell:
    return cell._replace(syscall_filter=None, room=NO_ROOM)


def _trials(jail: Jail) -> list[_Trial]:
    own = (JOB_FD, RESULT_FD, STDIN_FD, *(_NULLS if jail.scratch is not None else ()))
    table: list[_Trial] = [
        (
            "descriptors",
            "fstat of every other descriptor",
            lambda: _any_open_descriptor(own),
        ),
        ("privileges", "setresuid(0, 0, 0)", lambda: os.setresuid(0, 0, 0)),
        ("privileges", "mount a file system", namespaces.mount_scratch),
        ("privileges", "keep a key in the session keyring", keyrings.keep_a_key),
        ("namespaces", "open a file of the host, /etc/passwd", lambda: os.open("/etc/passwd", 0)),
        ("namespaces", "open /proc/self/status", lambda: os.open("/proc/self/status", 0)),
        ("namespaces", "be another pid than 1", _see_other_pids),
        ("namespaces", _MAKE_A_QUEUE, namespaces.make_message_queue),
        *((("namespaces", _RUN_SHOWN, lambda: _map_as_code(jail)),) if jail.shown else ()),
        *((("namespaces", _WRITE_SHOWN, lambda: _write_to(jail)),) if jail.shown else ()),
        ("landlock", "open the root directory", lambda: os.open("/", os.O_RDONLY)),
        ("landlock", "signal the supervisor", lambda: _signal(jail.own_pids[0])),
        ("landlock", "signal the forker", lambda: _signal(jail.own_pids[1])),
    ]
    if jail.scratch is not None:
        table += _of_scratch(jail)
    if jail.ipc_namespaces:  # each child has one, and what it makes is its own
        table = [row for row in table if row[1] != _MAKE_A_QUEUE]
    return [row for row in table if row[0] in jail.active]


def _under_limits(jail: Jail) -> list[_Trial]:
    table: list[_Trial] = [
        ("rlimits", "open a descriptor", os.pipe),
        ("rlimits", "fork", _fork),
        ("rlimits", "map 1 TiB", lambda: mmap.mmap(-1, 1 << 40)),
    ]
    if jail.scratch is not None:  # another child than the one that tries `_of_scratch`
        table.append(("namespaces", "see a file of another child", lambda: os.stat(_LEFT)))
    return [row for row in table if row[0] in jail.active]


def _of_scratch(jail: Jail) -> list[_Trial]:
    """Try to get out of a child's file system, and past its bounds."""
    scratch = jail.scratch
    assert scratch is not None
    outside = sorted({"/", *(os.path.dirname(path) for path in jail.shown)})
    return [
        ("namespaces", "write outside of the scratch directory", lambda: _write_below(outside)),
        ("namespaces", "change a file that is shown", lambda: os.utime(_file_of(jail))),
        ("namespaces", "exceed the size of the scratch directory", lambda: _fill(scratch.kib)),
        ("namespaces", "map a file of the scratch directory as code", _map_own_as_code),
        ("landlock", "make a pipe in the scratch directory", lambda: os.mkfifo("pipe")),
    ]


def _write_below(folders: list[str]) -> None:
    for act in (os.mkdir, lambda path: os.open(path, os.O_CREAT | os.O_WRONLY)):
        for folder in folders:
            try:
                act(os.path.join(folder, "probe"))
            except OSError as error:
                answer = error
            else:
                return
    raise answer


def _fill(kib: int) -> None:
    descriptor = os.open(_LEFT, os.O_CREAT | os.O_WRONLY)
    try:
        os.posix_fallocate(descriptor, 0, (kib + 8) << 10)
    finally:
        os.close(descriptor)


def _map_own_as_code() -> None:
    descriptor = os.open(_LEFT, os.O_CREAT | os.O_RDWR)
    os.ftruncate(descriptor, 1)
    mmap.mmap(descriptor, 1, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)


def _call_what_is_denied() -> None:
    syscall("kill", os.getpid(), 0)
    os.write(RESULT_FD, b"the call was let through")


def _report(trials: list[_Trial]) -> None:
    lines = []
    for layer, what, trial in trials:
        try:
            trial()
        except (OSError, ValueError) as error:
            lines.append(f"{layer}\t{what}\t{error}\t1")
        else:
            lines.append(f"{layer}\t{what}\tit worked\t0")
    os.write(RESULT_FD, "\n".join(lines).encode())


def _names(trials: list[_Trial]) -> list[tuple[str, str]]:
    return [(layer, what) for layer, what, _ in trials]


def _read(report: str, wanted: list[tuple[str, str]]) -> list[Attempt]:
    """Read what a child said of all that was `wanted`; if it did not, nothing of it held."""
    rows = [line.split("\t") for line in report.splitlines()]
    if [tuple(row[:2]) for row in rows] != wanted or any(len(row) != 4 for row in rows):
        said = f"the child that was to try it said: {report[:500] or 'nothing'}"
        answer = report if report == protocol.BY_KILL else said
        return [Attempt(layer, what, answer, held=False) for layer, what in wanted]
    return [Attempt(layer, what, answer, held == "1") for layer, what, answer, held in rows]


def _any_open_descriptor(known: tuple[int, ...]) -> None:
    for number in range(256):
        if number not in known:
            try:
                os.fstat(number)
            except OSError:
                continue
            return
    raise OSError(9, "every one is closed")


def _map_as_code(jail: Jail) -> None:
    descriptor = os.open(_file_of(jail), os.O_RDONLY)
    mmap.mmap(descriptor, 1, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)


def _write_to(jail: Jail) -> None:
    os.open(_file_of(jail), os.O_RDWR)


def _file_of(jail: Jail) -> str:
    return next(path for path in jail.shown if path.endswith(".py"))


def _see_other_pids() -> None:
    if os.getpid() == 1:
        raise OSError(3, "the child is pid 1 of a namespace of its own")


def _signal(pid: int) -> None:
    os.kill(pid if os.getpid() != 1 else -1, 0)


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)
