"""From what is known of an execution to its `Result`. Guest bytes are read here, only as text."""

import math
import os
import signal
from dataclasses import dataclass, replace
from typing import Any

from sandbox.errors import SandboxError
from sandbox.interpreter.vault.keys import HALFWAY, TRIPPED
from sandbox.policy.limits import Limits
from sandbox.result import Result, Status
from sandbox.runtime.executions.record import ExecutionRecord, Exit
from sandbox.runtime.wire import protocol
from sandbox.runtime.wire.trusted_json import TooLarge, read_plain
from sandbox.runtime.wire.untrusted_json import Bounds, too_much

_NEAR = 0.8
_ABORTED = 127  # the exit status of glibc's abort(3) in a process that no signal of its own ends
# What a process that can send no signal but the last of these may come to by what it does.
_OWN_SIGNALS = frozenset(
    (
        *(signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP),
        *(signal.SIGPIPE, signal.SIGXFSZ, signal.SIGSYS, signal.SIGABRT),
    )
)
_ENDING_SECONDS = 0.1  # of CPU time: more than it takes to free a gigabyte
_FINAL_KEYS = {"status", "cpu", "peak", "error", "traceback", "value"}
_CAUSED = {
    Status.CPU_LIMIT: "CPU limit: more than {cpu_seconds:g} s of CPU time",
    Status.WALL_LIMIT: "wall limit: more than {wall_seconds:g} s of wall-clock time",
}

_BROKEN = {
    protocol.BY_STOP: "it closed its result pipe and went on",
    protocol.BY_TRACE: "it asked to be traced, and stopped",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The setting that every result of one sandbox shares."""

    policy: str
    layers: tuple[str, ...]
    resident_bytes: int  # of the supervisor: what a child has before its first own page


@dataclass(frozen=True, slots=True)
class _Said:
    """A final frame's content, checked."""

    status: Status
    error: str = ""
    traceback: str = ""
    value: Any = None
    cpu_seconds: float = 0.0
    peak_bytes: int = 0


# Of a process that was ended, or would have been, what it sent of its files may be a part of them.
_WITH_FILES = (Status.OK, Status.ERROR, Status.DENIED, Status.RECURSION_LIMIT)


def judge(record: ExecutionRecord, limits: Limits, setting: Setting, name: str) -> Result:
    """Return the result of a finished execution. Raises SandboxError if it has none."""
    if record.fault:
        raise SandboxError(f"{name}: {record.fault}")
    said = _end_without_word(record, limits, setting.layers, name) or _parse(
        record.final or b"", limits
    )
    stdout = record.printed.text()
    ok = said.status is Status.OK
    cpu, peak = said.cpu_seconds, said.peak_bytes
    if record.exit is not None:
        cpu = record.exit.cpu_seconds
        peak = max(record.exit.peak_rss_bytes - setting.resident_bytes, 0)
    if said.status is Status.CRASHED and peak > _NEAR * (limits.memory_mib << 20):
        # CPython aborts where it finds no memory for an exception that says so.
        ended = said.error.removeprefix("crashed: ")
        said = _Said(Status.MEMORY_LIMIT, f"memory limit: {ended}, hardly any memory was left")
    return Result(
        output=stdout if ok else "",
        error="" if ok else said.error or str(said.status),
        status=said.status,
        stdout=stdout,
        stderr=record.complained.text(),
        value=said.value if ok else None,
        traceback=said.traceback,
        cpu_seconds=cpu,
        wall_seconds=record.wall_seconds,
        peak_memory_bytes=peak,
        exit_signal=_signal(record),
        measured="kernel" if record.exit is not None else "child",
        near_limit=_near(record, limits, said.status, cpu, peak),
        layers=setting.layers,
        policy=setting.policy,
        files=record.files if record.final is not None and said.status in _WITH_FILES else {},
    )


def _signal(record: ExecutionRecord) -> int | None:
    if record.exit is None or not os.WIFSIGNALED(record.exit.status):
        return None
    return os.WTERMSIG(record.exit.status)


def _near(record: ExecutionRecord, limits: Limits, status: Status, cpu: float, peak: int) -> bool:
    used = (
        cpu / limits.cpu_seconds,
        record.own_seconds / limits.wall_seconds,
        peak / (limits.memory_mib << 20),
        (record.printed.size + record.complained.size) / max(limits.output_kib << 10, 1),
    )
    return status.endswith("_LIMIT") or max(used) > _NEAR


def _end_without_word(
    record: ExecutionRecord, limits: Limits, layers: tuple[str, ...], name: str
) -> _Said | None:
    """Return the verdict that overrules or replaces the final frame; None to go by the frame."""
    if record.broke_protocol:
        return _Said(Status.VIOLATION, f"violation: {record.broke_protocol}")
    ended = record.exit
    if ended is not None and ended.cause == protocol.BY_CPU and record.final is None:
        return _caused(Status.CPU_LIMIT, limits)
    if record.out_of_wall:  # also where a final frame came, but too late
        _check_not_stopped(record, limits, layers, name)
        return _caused(Status.WALL_LIMIT, limits)
    if ended is None:
        if record.final is None:
            raise SandboxError(f"{name}: the child ended and nothing is known of how")
        return _held_to_its_word(_parse(record.final, limits), limits)
    number = os.WTERMSIG(ended.status) if os.WIFSIGNALED(ended.status) else 0
    # The kernel's figure has the last word: no timer sees a guest in time that sleeps over ticks.
    if number != signal.SIGSYS and _overran(record, ended, limits):
        return _caused(Status.CPU_LIMIT, limits)
    if number and _is_from_outside(number, layers):
        if record.final is not None:
            return None  # it was over
        told = f"something outside the sandbox ended the child by {_name_of(number)}"
        raise SandboxError(f"{name}: {told}")
    if number:
        return _by_signal(number, ended, record, name)
    return None if record.final is not None else _by_exit(record, ended, layers, name)


def _check_not_stopped(
    record: ExecutionRecord, limits: Limits, layers: tuple[str, ...], name: str
) -> None:
    """Raise SandboxError if a child met its wall limit as it was stopped, which it cannot itself.

    Without the filter of system calls it can.
    """
    stopped = record.stopped_seconds
    if "seccomp" in layers and record.own_seconds - stopped < limits.wall_seconds and stopped:
        told = f"something outside the sandbox stopped the child for {stopped:.1f} s"
        raise SandboxError(f"{name}: {told}")


def _overran(record: ExecutionRecord, ended: Exit, limits: Limits) -> bool:
    """Return True if the program itself used more than its CPU time.

    A process takes time to end, to free its memory above all. When it was over is its own word, in
    the final frame; that is taken where it differs from the kernel's figure by so little.
    """
    if ended.cpu_seconds < limits.cpu_seconds:
        return False
    said = _parse(record.final, limits) if record.final is not None else None
    if said is None or said.status is Status.VIOLATION or said.cpu_seconds >= limits.cpu_seconds:
        return True
    return ended.cpu_seconds - said.cpu_seconds > _ENDING_SECONDS


def _held_to_its_word(said: _Said, limits: Limits) -> _Said:
    """Hold a final frame against its own figure, where the caller did not wait for the kernel's.

    So the verdict does not depend on whether the timer or the frame came first. A violation stays.
    """
    if said.status is Status.VIOLATION or said.cpu_seconds < limits.cpu_seconds:
        return said
    cause = _caused(Status.CPU_LIMIT, limits)
    return replace(cause, cpu_seconds=said.cpu_seconds, peak_bytes=said.peak_bytes)


def _caused(status: Status, limits: Limits) -> _Said:
    text = _CAUSED[status].format(cpu_seconds=limits.cpu_seconds, wall_seconds=limits.wall_seconds)
    return _Said(status, text)


def _by_signal(number: int, ended: Exit, record: ExecutionRecord, name: str) -> _Said | None:
    if number == signal.SIGSYS:
        return _Said(Status.VIOLATION, "violation: a system call that the policy forbids")
    if number in (signal.SIGKILL, signal.SIGXCPU):
        if record.final is not None:
            return None  # it was over: we ended it
        if ended.cause in _BROKEN:
            return _Said(Status.VIOLATION, f"violation: {_BROKEN[ended.cause]}")
        raise SandboxError(
            f"{name}: something outside the sandbox killed the child (signal {number});"
            " most often the kernel, out of memory: give fewer workers or more memory"
        )
    return _Said(Status.CRASHED, f"crashed: the interpreter was ended by {_name_of(number)}")


def _is_from_outside(number: int, layers: tuple[str, ...]) -> bool:
    """Return True for a signal that no child of ours gets from itself, its like or the kernel.

    So for what a scheduler sends to all processes of a job. Without its filter a child can send it.
    """
    ours = (signal.SIGKILL, signal.SIGXCPU)  # as well as the kernel's: see `_by_signal`
    return "seccomp" in layers and number not in _OWN_SIGNALS and number not in ours


def _name_of(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else str(number)


def _by_exit(record: ExecutionRecord, ended: Exit, layers: tuple[str, ...], name: str) -> _Said:
    code = os.WEXITSTATUS(ended.status)
    if not record.fed:  # no exit status tells: a guest can choose its own
        raise SandboxError(f"{name}: the child ended before it had the job (exit status {code})")
    if code == TRIPPED and "interpreter" in layers:  # the program has no way to choose one
        return _Said(Status.VIOLATION, "violation: an event of the interpreter's that it hid")
    if code == _ABORTED and "interpreter" in layers:
        return _Said(Status.CRASHED, "crashed: the interpreter was ended by abort(3)")
    if code == HALFWAY and "interpreter" in layers:
        text = "memory limit: it was out amid the output, or where a text was compiled"
        return _Said(Status.MEMORY_LIMIT, text)
    text = f"exit: the program ended its process with status {code} before it was finished"
    return _Said(Status.ERROR, text)


def _parse(payload: bytes, limits: Limits) -> _Said:
    """Read a final frame. Whatever is wrong with it is the guest's doing."""
    most = Bounds(limits.output_kib << 10, limits.value_items, limits.value_depth)
    around = most._replace(items=most.items + len(_FINAL_KEYS), depth=most.depth + 1)
    try:
        data = read_plain(payload, around)
        if set(data) != _FINAL_KEYS:
            raise ValueError("wrong keys")
        error, traceback = data["error"], data["traceback"]
        if not isinstance(error, str) or not isinstance(traceback, str):
            raise TypeError("text expected")
        if not isinstance(data["cpu"], (int, float)) or not isinstance(data["peak"], int):
            raise TypeError("numbers expected")
        cpu, peak = float(data["cpu"]), data["peak"]
        if not math.isfinite(cpu) or cpu < 0 or not 0 <= peak < 1 << 50:
            raise ValueError("figures out of range")
        status = Status(data["status"])
    except TooLarge as error:  # which an honest child says itself, before it sends anything
        return _Said(Status.VIOLATION, f"violation: {too_much(error.key, most)}")
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return _Said(Status.VIOLATION, "violation: a final frame that no honest child sends")
    return _Said(status, _writable(error), _writable(traceback), data["value"], cpu, peak)


def _writable(text: str) -> str:
    """Escape lone surrogates, which would raise where the caller writes the text to a file."""
    return text.encode("utf-8", "backslashreplace").decode()
