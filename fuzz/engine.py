"""Runs programs in a sandbox, puts the oracles' questions, and keeps what they find."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from sandbox import Result, Sandbox, SandboxError

from .judging.oracles import Ledger, Seen, judge, supervisor_state
from .targets import setups
from .targets.arena import Arena, Evidence
from .targets.setups import Setup

_REFERENCE = "print(sum(n * n for n in range(50)), input()[::-1], abs(-7))"
_REFERENCE_INPUT, _REFERENCE_OUTPUT = "drow\n", "40425 word 7\n"
# Faults of a machine without room, which say nothing of a sandbox.
OVERLOAD = ("starved", "overloaded", "cannot fork", "out of memory")
# Attempts at what all attempts share are made one at a time.
ALONE_MEANS = {"process", "memory", "metadata", "supervisor", "descriptor", "inherited", "pipe"}
_AT_SUPERVISOR = {"supervisor", "inherited"}
_SETTLE_SECONDS = 0.03  # in which a supervisor that lost something ends
_CALLER_GROWTH_BYTES = 40 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One source to run, and where it comes from."""

    id: str
    code: str
    stdin: str = ""
    followup: str = ""
    means: str = ""
    entry: str = ""  # the function that a grader calls
    deep: bool = False  # fills the stack
    origin: str = ""  # the attack that it is or comes from
    goal: str = ""
    power: str = ""
    steady: bool = False  # it gives the language layer's objects odd turns, and has no other power


Fails = Callable[[Program], bool]  # whether a program is still found


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of one program in one setup."""

    program: Program
    setup: str
    status: str
    detail: str
    evidence: tuple[Evidence, ...]
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0

    @property
    def escaped(self) -> bool:
        """True if any oracle found something."""
        return bool(self.evidence)


@dataclass
class Engine:
    """One open sandbox under attack. A context."""

    setup: Setup
    arena: Arena
    jobs: int = 2
    careful: bool = True  # a reference job after every program, not only after a batch
    powers: bool | None = None  # whether holding a power is an escape: by default, if it is one
    executions: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> "Engine":
        self._boot = contextlib.ExitStack()
        self._boot.enter_context(setups.exposed(self.setup))
        try:
            self._open()
        except BaseException:
            self._boot.close()
            raise
        return self

    def _open(self) -> None:
        self.sandbox: Sandbox = setups.opened(self.setup, self.jobs)
        secret = self.arena.secrets["neighbour"]
        self.sandbox.run(f"kept = {secret!r} * 9\nprint({secret!r}, input())", secret)
        self._check_reference()
        self._ledger = Ledger(self.sandbox)
        self._supervisor = supervisor_state(self.sandbox)

    def __exit__(self, *_: object) -> None:
        self._boot.close()
        self.sandbox.close()

    def run_all(self, programs: Iterable[Program]) -> Iterator[Attempt]:
        """Run `programs`, some at once, and the reference job after each; yield in their order."""
        with ThreadPoolExecutor(self.jobs) as threads:
            source = iter(programs)
            while batch := list(islice(source, 8 * self.jobs)):
                shared = [p for p in batch if p.means not in ALONE_MEANS]
                outcomes = dict(zip(map(id, shared), threads.map(self.run, shared), strict=True))
                for program in batch:
                    if id(program) in outcomes:
                        yield outcomes[id(program)]
                    else:
                        yield self.run(program)
                if not self.careful:
                    yield from self._check_batch(batch)

    def _check_batch(self, batch: list[Program]) -> Iterator[Attempt]:
        try:
            evidence = self._check_reference()
        except SandboxError as error:
            evidence = [Evidence("sandbox", f"the job after a batch: {error}")]
            self._renew()
        if evidence:
            yield Attempt(batch[-1], self.setup.name, "batch", "", tuple(evidence))

    def run(self, program: Program) -> Attempt:
        """Run one program, ask every oracle, and see whether the sandbox is whole afterwards."""
        token = self.arena.token()
        grown = _peak_bytes(anew=True) if program.means == "pipe" else 0
        code, stdin = (self.arena.fill(text, token) for text in (program.code, program.stdin))
        try:
            before = self._execute(program.followup, "").output if program.followup else ""
            result = self._execute(code, stdin, program.entry)
        except SandboxError as error:
            if any(word in str(error) for word in OVERLOAD):
                return Attempt(program, self.setup.name, "inconclusive", str(error), ())
            return self._fault(program, error)
        except Exception as error:  # nothing that a guest does may raise in the caller
            return self._fault(program, error)
        evidence = judge(
            Seen(result, self.setup.policy, token, self.arena, program.deep, program.steady)
        )
        if not (self.setup.language if self.powers is None else self.powers):
            evidence = [each for each in evidence if each.oracle != "capability"]
        if program.entry and result.ok and result.value == self.arena.secrets["expected"]:
            evidence.append(Evidence("verdict", "a wrong answer passed"))
        if program.means == "pipe" and _peak_bytes() - grown > _CALLER_GROWTH_BYTES:
            evidence.append(Evidence("caller", f"{(_peak_bytes() - grown) >> 20} MiB more"))
        evidence += self._check_after(program, before)
        return Attempt(
            program,
            self.setup.name,
            str(result.status),
            result.error or result.stdout[:200],
            tuple(evidence),
            result.cpu_seconds,
            result.wall_seconds,
        )

    def _fault(self, program: Program, error: Exception) -> Attempt:
        self._renew()
        evidence = (Evidence("sandbox", f"{type(error).__name__}: {error}"),)
        return Attempt(program, self.setup.name, "fault", str(error), evidence)

    def leftovers(self) -> list[Evidence]:
        """Return what the whole stage has left behind: descriptors, processes."""
        return self._ledger.differences()

    def _check_after(self, program: Program, before: str) -> list[Evidence]:
        found = []
        try:
            if program.followup:
                after = self._execute(program.followup, "")
                if after.output != before:
                    found.append(Evidence("follow-up", f"the next job printed {after.output!r}"))
            if program.means in _AT_SUPERVISOR:
                time.sleep(_SETTLE_SECONDS)
                found += self._check_reference()  # by a child that was asked for before
            if self.careful or program.means in ALONE_MEANS:
                found += self._check_reference()
        except SandboxError as error:
            found.append(Evidence("sandbox", f"the next job: {error}"))
        if program.means in ALONE_MEANS:
            found += self.arena.look_around()
            found += self._check_supervisor()
        return found

    def _check_supervisor(self) -> list[Evidence]:
        """Check that the supervisor is the same process, with its limits and priority unchanged."""
        now = supervisor_state(self.sandbox)
        changed = [f"{key} is {now[key]}" for key in now if now[key] != self._supervisor[key]]
        if changed:
            self._renew()
        return [Evidence("supervisor", change) for change in changed]

    def _renew(self) -> None:
        self.sandbox.close()
        self.sandbox = setups.opened(self.setup, self.jobs)
        self._ledger = Ledger(self.sandbox)
        self._supervisor = supervisor_state(self.sandbox)

    def _check_reference(self) -> list[Evidence]:
        result = self._execute(_REFERENCE, _REFERENCE_INPUT)
        if result.output == _REFERENCE_OUTPUT:
            return []
        return [Evidence("reference", f"{result.status}: {result.error} {result.output!r}")]

    def _execute(self, code: str, stdin: str, entry: str = "") -> Result:
        with self._lock:
            self.executions += 1
        return self.sandbox.call(code, entry, [3]) if entry else self.sandbox.run(code, stdin)


def _peak_bytes(*, anew: bool = False) -> int:
    """Return the most bytes that this process had resident.

    `anew`: from now on (proc(5), clear_refs).
    """
    if anew:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return 0
