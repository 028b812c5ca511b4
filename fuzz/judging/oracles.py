"""The oracles of what counts as an escape: a table of questions that are put to every execution.

None of them takes the guest's word for anything but what it must not be able to say.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from sandbox import Policy, Result, Sandbox, Status
from sandbox.runtime.caller import supervisor_handle

from ..targets import setups
from ..targets.arena import Arena, Evidence

# What the supervisor's timer, a busy machine and the last words may add to a limit.
_CPU_SLACK_SECONDS, _WALL_SLACK_SECONDS = 0.35, 5.0
_MEMORY_SLACK_MIB = 24  # the interpreter's own pages, copied when written
_DYING_SECONDS, _LOOK_SECONDS = 30.0, 0.25  # a busy machine takes long to end a process
_FORGED = "FORGED-"
_LIMITS = {
    Status.CPU_LIMIT,
    Status.WALL_LIMIT,
    Status.MEMORY_LIMIT,
    Status.OUTPUT_LIMIT,
    Status.RECURSION_LIMIT,
}


@dataclass(frozen=True, slots=True)
class Seen:
    """One execution, with all that is needed to judge it."""

    result: Result
    policy: Policy
    token: str
    arena: Arena
    deep: bool = False  # it fills the stack, which is not part of the policy's memory
    steady: bool = False  # a crash or a refusal by the kernel can only come of an escape

    @property
    def texts(self) -> list[str]:
        """All texts that came out."""
        result = self.result
        return [result.stdout, result.error, result.traceback, str(result.value)]


def outside(seen: Seen) -> list[Evidence]:
    """Return what canaries, witness files and listeners show."""
    return seen.arena.look(seen.token, seen.texts)


def capability(seen: Seen) -> list[Evidence]:
    """Report if the inspector found an object in the guest's hands that only the host has."""
    mark, text = seen.arena.mark, seen.result.traceback
    if not text.startswith(mark):
        return []
    return [Evidence("capability", text[len(mark) :].split("\n")[0])]


def status(seen: Seen) -> list[Evidence]:
    """Return where the parts of a result contradict one another."""
    result, wrong = seen.result, []
    # 9: a child that has sent its final frame may be ended by us while it tears itself down.
    if result.ok and result.exit_signal not in (None, 9):
        wrong.append(f"OK, yet signal {result.exit_signal} ended it")
    if result.ok and (result.error or result.output != result.stdout):
        wrong.append("OK with an error, or with two outputs")
    if not result.ok and (result.output or not result.error or result.value is not None):
        wrong.append(f"{result.status} with an output or a value, or without an error")
    if result.status is Status.VIOLATION and not result.error.startswith("violation"):
        wrong.append("a violation that is not named")
    try:
        "".join(seen.texts).encode()
    except UnicodeEncodeError:
        wrong.append("text that cannot be written to a file")
    return [Evidence("status", text) for text in wrong]


def forged(seen: Seen) -> list[Evidence]:
    """Return words that an attack wrote where they must not be believed."""
    result, word = seen.result, f"{_FORGED}{seen.token}"
    said = f"{result.value}{result.error}{result.traceback}{result.output}"
    if result.ok and word in said:
        return [Evidence("verdict", "a forged frame was believed")]
    return []


def reached(seen: Seen) -> list[Evidence]:
    """Report if a call that should have failed returned, and the kernel says its caller lived on.

    For effects that the kernel keeps to itself. The word is the program's, so it counts only with
    the kernel's: no signal ended the process, as the filter's would have.
    """
    result = seen.result
    if f"REACHED-{seen.token}" in result.stdout and result.exit_signal in (None, 9):
        return [Evidence("reached", "a forbidden call succeeded")]
    return []


def limits(seen: Seen) -> list[Evidence]:
    """Report if more was used than the policy allows, by the kernel's account where asked."""
    result, bounds, wrong = seen.result, seen.policy.limits.plain(), []
    if result.cpu_seconds > bounds.cpu_seconds + _CPU_SLACK_SECONDS:
        wrong.append(f"{result.cpu_seconds:.2f} s of CPU, {bounds.cpu_seconds:g} allowed")
    room = bounds.memory_mib + _MEMORY_SLACK_MIB + (bounds.stack_bytes >> 20 if seen.deep else 0)
    if result.peak_memory_bytes >> 20 > room:
        wrong.append(f"{result.peak_memory_bytes >> 20} MiB, {bounds.memory_mib} allowed")
    if len(result.stdout.encode("utf-8", "replace")) > bounds.output_kib << 10:
        wrong.append(f"{len(result.stdout)} characters, {bounds.output_kib} KiB allowed")
    if result.wall_seconds > bounds.wall_seconds + _WALL_SLACK_SECONDS:
        wrong.append(f"{result.wall_seconds:.1f} s, {bounds.wall_seconds:g} allowed")
    return [Evidence("limit", text) for text in wrong]


def past_language(seen: Seen) -> list[Evidence]:
    """Report if the interpreter crashed, or a layer below the language layer refused something."""
    if seen.steady and seen.result.status in (Status.CRASHED, Status.VIOLATION):
        return [Evidence("past language", seen.result.error)]
    return []


ORACLES: dict[str, Callable[[Seen], list[Evidence]]] = {
    "outside": outside,
    "capability": capability,
    "status": status,
    "forged": forged,
    "reached": reached,
    "limits": limits,
    "past language": past_language,
}


def judge(seen: Seen) -> list[Evidence]:
    """Return what every oracle says of one execution."""
    return [evidence for oracle in ORACLES.values() for evidence in oracle(seen)]


def held(status: Status) -> bool:
    """Say whether a limit ended the execution."""
    return status in _LIMITS


class Ledger:
    """The descriptors and processes before and after: what is left over is a find."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._descriptors = _open_descriptors()

    def differences(self) -> list[Evidence]:
        """Return what a stage has left behind. Call it when no job is in flight."""
        found = []
        more = _open_descriptors() - self._descriptors
        if more > _channels(self._sandbox):
            found.append(Evidence("descriptors", f"{more} more are open in the caller"))
        strays = _outliving(self._sandbox)
        if strays:
            found.append(Evidence("processes", f"{len(strays)} outlived their supervisor's care"))
        for process in strays:
            process.kill()
        return found


def supervisor_state(sandbox: Sandbox) -> dict[str, object]:
    """Return the state of the supervisor that only the supervisor itself may change."""
    process = psutil.Process(sandbox._pool.open().pid)
    with open(f"/proc/{process.pid}/limits", encoding="utf-8") as stream:
        limits = stream.read()
    return {
        "pid": process.pid,
        "nice": process.nice(),
        "affinity": tuple(process.cpu_affinity()),
        "limits": limits,
        "stopped": process.status() in (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE),
    }


def _open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _channels(sandbox: Sandbox) -> int:
    """Return how many descriptors a supervisor may hold open.

    They are for jobs to come, and a few for its replacement.
    """
    return 2 * sandbox.workers + 4


def _outliving(sandbox: Sandbox) -> list[psutil.Process]:
    """Return the stray processes that are still there when what is dying has had its time."""
    deadline = time.monotonic() + _DYING_SECONDS
    while (strays := stray_processes(sandbox)) and time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)
    return strays


def stray_processes(sandbox: Sandbox) -> list[psutil.Process]:
    """Return processes that began as children of a supervisor of ours and belong to none any more.

    Ours are known by what an instrumented start has in its command line; without it, none is.
    """
    if not setups.is_instrumented():
        return []
    supervisor = sandbox._pool.open().pid
    strays = []
    for process in psutil.process_iter(["cmdline", "ppid"]):
        line = process.info["cmdline"] or []
        if supervisor_handle._BOOT in line and process.info["ppid"] not in (
            supervisor,
            os.getpid(),
        ):
            strays.append(process)
    return strays
