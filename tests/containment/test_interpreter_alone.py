"""A guest outside of every guard, with all kernel layers off, finds nothing to use."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from leftover_attacks import ATTACKS as LEFTOVER_ATTACKS
from native_attacks import attacks
from service_attacks import ATTACKS as SERVICE_ATTACKS
from unguarded import unguarded
from vault_attacks import ATTACKS as VAULT_ATTACKS

from sandbox import Job, Policy, Result, Sandbox, SandboxUnavailable, Status
from sandbox.interpreter.vault import events
from sandbox.interpreter.vault.keys import TRIPPED
from sandbox.runtime.caller import supervisor_handle
from sandbox.runtime.executions.record import ExecutionRecord, Exit
from sandbox.runtime.executions.verdict import Setting, judge
from sandbox.runtime.wire import protocol

ATTACKS = {**VAULT_ATTACKS, **SERVICE_ATTACKS, **LEFTOVER_ATTACKS}
# What comes through, and why that is no harm.
HARMLESS: frozenset[str] = frozenset()
_AT_LEAST = 0.95


@pytest.fixture(scope="module")
def disarmed() -> Iterator[Sandbox]:
    with unguarded() as sandbox:
        yield sandbox


def _came_through(result: Result) -> bool:
    return "GOT" in result.stdout or result.error.startswith("exit:")


def _jobs(canary: Path, marker: Path) -> tuple[list[str], list[Job]]:
    titles, jobs = [], []
    for title, code in attacks():
        code = code.replace("CANARY", str(canary)).replace("MARKER", str(marker))
        titles.append(title)
        jobs.append(Job(f"{code}\nif got is not None: print('GOT')"))
    return titles, jobs


def test_attacks_from_outside_of_every_guard_end_there(
    disarmed: Sandbox, canary: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    titles, jobs = _jobs(canary, marker)
    results = dict(zip(titles, disarmed.map(jobs), strict=True))
    through = {title for title, result in results.items() if _came_through(result)}
    assert len(results) >= 200
    assert through <= HARMLESS, sorted(through - HARMLESS)
    assert len(through) <= len(results) * (1 - _AT_LEAST)
    assert not marker.exists()
    assert not any("CANARY" in result.stdout for result in results.values())


def test_without_the_layer_most_of_them_come_through(canary: Path, tmp_path: Path) -> None:
    """The positive control, without what would end, copy or change this machine's processes."""
    _, jobs = _jobs(canary, tmp_path / "marker")
    mild = [job for job in jobs if not any(word in job.code for word in ("fork", "exec", "rlimit"))]
    with unguarded(interpreter="off") as bare:
        through = sum(map(_came_through, bare.map(mild)))
    assert through > len(mild) / 2


USES = {
    "code.__new__": "a_code.replace(co_name='x')",
    "object.__setattr__": "a_function.__code__ = (lambda: 1).__code__",
    "object.__getattr__": "(x for x in 'a').gi_frame",
    "any.thing": "sys.audit('any.thing')",
    "sandbox.finish": "granted.finish('OK', '', '', '')",
}


@pytest.mark.parametrize("event", USES)
def test_the_event_that_ended_a_program_is_named(disarmed: Sandbox, event: str) -> None:
    code = f"try:\n    {USES[event]}\nexcept BaseException:\n    pass\nprint('went on')"
    result = disarmed.run(code)
    assert (result.status, result.stdout) == (Status.VIOLATION, "")
    assert repr(event) in result.error


def test_no_function_is_made_of_code(disarmed: Sandbox) -> None:
    """The type has nothing left that makes one, so that the event is never raised."""
    result = disarmed.run("print(type(a_function)(a_code, {}))")
    assert (result.status, result.stdout) == (Status.ERROR, ""), result


def test_nothing_is_nearer_at_the_end_of_the_stack_or_in_a_finalizer(disarmed: Sandbox) -> None:
    """Where the hook has no room to run, or the collector runs it, the answer is the same."""
    deep = """
def dive():
    try:
        dive()
    except RecursionError:
        pass
    try:
        return (x for x in "a").gi_frame
    except RecursionError:
        return None
print("GOT", dive())
"""
    dying = """
class Dying:
    def __init__(self):
        self.cycle = self
    def __del__(self):
        print("GOT", (x for x in "a").gi_frame)
for _ in range(5000):
    Dying()
    id(1)
"""
    for code in (deep, dying):
        result = disarmed.run(code)
        assert "GOT <" not in result.stdout
        # CPython 3.12.1 faults where the stack ends and an audit hook is called.
        ends = (Status.VIOLATION, Status.CRASHED) if code is deep else (Status.VIOLATION,)
        assert result.status in ends, result


@pytest.mark.parametrize("name", ATTACKS)
def test_the_vault_gives_itself_to_nobody(name: str) -> None:
    with unguarded(measure="child") as sandbox:
        result = sandbox.run(ATTACKS[name], cpu_seconds=0.5)
    assert "GOT" not in result.stdout
    assert result.value is None, result
    assert result.status in (Status.OK, Status.VIOLATION, Status.ERROR, Status.CPU_LIMIT)


def test_half_an_answer_is_no_way_on() -> None:
    """With no room for it, nor for the last output: its rest would be marshalled data."""
    code = """
pending = sys.stdout.write.__self__.pending
held = []
try:
    while True:
        held.append(bytes(1 << 20))
except MemoryError:
    pass
one = held[0]
del held[-4:]
pending.extend([one] * 200)
try:
    granted.ask(b'["repeat",["x",16777216],{}]')
except BaseException as error:
    pass
pending.clear()
held.clear()
print("GOT on", granted.ask(b'["repeat",["y",2],{}]'))
"""
    with unguarded(kernel=True) as sandbox:
        result = sandbox.run(code, services={"repeat": lambda text, times: text * times})
        assert sandbox.run("print(1)").ok
    assert "GOT" not in result.stdout
    assert result.status is not Status.OK


def test_a_child_never_comes_to_the_end_of_its_interpreter() -> None:
    """CPython clears the hooks there before the last objects go: no vault would watch these."""
    code = """
def leave(*a):
    raise SystemExit(7)
granted.end = granted.finish = sys.modules["sandbox.runtime.supervisor.children"].asking.end = leave
sys.modules["atexit"].register(sys.setrecursionlimit, 1)
"""
    with unguarded(measure="child") as sandbox:
        result = sandbox.run(code, cpu_seconds=0.5)
    assert "its process with status 99" in result.error, result


@pytest.mark.skipif(sys.version_info < (3, 13), reason="frames give copies of their variables")
def test_whoever_writes_our_frames_variables_comes_to_no_end_of_the_interpreter() -> None:
    """With hooks that have no stack left for a call, and are cleared there."""
    code = """
def leave(*a):
    raise SystemExit(7)
granted.end = granted.finish = leave
class Nothing:
    end_all = staticmethod(leave)
frame = a_frame
while frame is not None:
    names = frame.f_locals
    for name in ("end", "end_child"):
        if name in names:
            names[name] = leave
    for value in list(names.values()):
        if type(value).__name__ == "Supervisor":
            object.__setattr__(value, "children", Nothing)
    frame = frame.f_back
frame = None
class Late:
    __del__ = sys.modules["functools"].partial(sys.setrecursionlimit, 1)
sys.modules["builtins"].__dict__["zz"] = Late()
"""
    with unguarded(measure="child") as sandbox:
        # Of the first child, and of children that are forked in the supervisor's loop.
        results = [sandbox.run(code, cpu_seconds=0.5) for _ in range(4)]
    assert {r.status for r in results} <= {Status.CPU_LIMIT, Status.VIOLATION}, results


def test_a_layer_that_leaves_something_keeps_the_sandbox_shut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = "import os\nfrom sandbox.errors import PolicyError\nPolicyError.left = (os.system,)\n"
    boot = supervisor_handle._BOOT.replace("main(config)\n", f"exec({left!r})\nmain(config)\n")
    monkeypatch.setattr(supervisor_handle, "_BOOT", boot)
    with pytest.raises(SandboxUnavailable, match=r"posix\.system") as refused:
        Sandbox("strict", workers=1)
    assert refused.value.layer == "interpreter"


def test_what_abstract_classes_have_met_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """They show it to a guest that asks them about a class of its own that says it is equal."""
    left = (
        "import sandbox.interpreter.disarming.hiding as hiding\n"
        "hiding._forget_registered = lambda *_: None\n"
    )
    boot = supervisor_handle._BOOT.replace("main(config)\n", f"exec({left!r})\nmain(config)\n")
    monkeypatch.setattr(supervisor_handle, "_BOOT", boot)
    with pytest.raises(SandboxUnavailable, match=r"_io\.Buffered"):
        Sandbox("strict", workers=1)


def test_an_event_is_free_only_where_the_policy_has_a_use_for_it() -> None:
    names = ("strict", "contest", "contest-numpy")
    free = {name: events.free(Policy.load(name).plan().modules) for name in names}
    assert free["contest"] - free["strict"] == {"array.__new__"}
    assert free["contest-numpy"] - free["contest"] == {"sandbox.numpy"}
    assert free["contest-numpy"] == set(events.FREE)


SILENT = {
    "census": (
        "from sandbox.interpreter.disarming import census\n"
        "census.prepare = lambda _: lambda r: 1 / 0"
    ),
    "probes": "import sandbox.runtime.supervisor.probes as p\np._see_other_pids = lambda: 1 / 0",
}


@pytest.mark.parametrize("what", SILENT)
def test_who_was_to_try_it_and_says_nothing_keeps_the_sandbox_shut(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot = supervisor_handle._BOOT.replace(
        "main(config)\n", f"exec({SILENT[what]!r})\nmain(config)\n"
    )
    monkeypatch.setattr(supervisor_handle, "_BOOT", boot)
    with pytest.raises(SandboxUnavailable, match="said: nothing"):
        Sandbox("strict", workers=1)


def test_an_event_that_there_was_no_memory_to_tell_of_is_a_violation() -> None:
    """The vault ends the process with a status of its own, which a program cannot choose."""
    ended = ExecutionRecord(fed=True, exit=Exit(protocol.BY_ITSELF, TRIPPED << 8, 0.1, 0))
    limits = Policy.load("strict").plan().limits
    alone = Setting(policy="p", layers=("interpreter",), resident_bytes=0)
    assert judge(ended, limits, alone, "job").status is Status.VIOLATION
    without = Setting(policy="p", layers=("seccomp",), resident_bytes=0)
    assert judge(ended, limits, without, "job").status is Status.ERROR


@pytest.mark.parametrize(
    ("peak_mib", "layer", "status"),
    [
        (0, "interpreter", Status.CRASHED),
        (512, "interpreter", Status.MEMORY_LIMIT),
        (512, "seccomp", Status.ERROR),  # there a program chooses any
    ],
)
def test_an_abort_that_no_signal_ends_is_a_crash(peak_mib: int, layer: str, status: Status) -> None:
    ended = ExecutionRecord(fed=True, exit=Exit(protocol.BY_ITSELF, 127 << 8, 0.1, peak_mib << 20))
    limits = Policy.load("contest").plan().limits
    setting = Setting(policy="p", layers=(layer,), resident_bytes=0)
    assert judge(ended, limits, setting, "job").status is status
