"""Depth of defence: which layers stop an attack on their own, and what holds when one is missing.

A cell of the first matrix is one attack in a sandbox with one layer alone; it is stopped there if
no oracle sees anything. The second matrix has everything but one layer: nothing may get through.
"""

from collections.abc import Callable, Iterator

from sandbox import Policy, SandboxUnavailable

from ..engine import Engine, Program
from ..programs.attacks import Attack, select
from ..targets import setups, weak
from ..targets.arena import Arena
from ..targets.setups import Setup
from . import promises
from .depth_rows import STOPS, THROUGH, Depth, Held, Row

COLUMNS = (
    *("language", "interpreter", "process", "rlimits", "descriptors", "privileges"),
    *("namespaces", "landlock", "seccomp", "verdict"),
)
_KERNEL = ("rlimits", "descriptors", "privileges", "namespaces", "landlock", "seccomp")
# What to lift once a limit has ended an attack; the others stay tight.
_LIFTED: dict[str, dict[str, float]] = {
    "CPU_LIMIT": {"cpu_seconds": 20.0},
    "DENIED": {"source_kib": 16384},
    "MEMORY_LIMIT": {"memory_mib": 1024},
    "OUTPUT_LIMIT": {"output_kib": 65536},
    "RECURSION_LIMIT": {"recursion_limit": 1_000_000},
    "WALL_LIMIT": {"wall_seconds": 40.0},
}
Tell = Callable[[str], None]


class Measurement:
    """Measures one policy. `tell` is called with the name of each sandbox that is attacked."""

    def __init__(self, policy: Policy, arena: Arena, jobs: int, tell: Tell) -> None:
        self._policy, self._arena, self._jobs, self._tell = policy, arena, jobs, tell
        modes = ("language", "native", "protocol", "grader")
        chosen = [a for mode in modes for a in select(mode)]
        self._rows = {a.id: Row(attack=a) for a in chosen if a.control != "planted"}
        self._attacks = [a for a in chosen if a.id in self._rows]
        self._missing: dict[str, str] = {}

    def run(self) -> Depth:
        """Fill both matrices. Raises SandboxUnavailable only if nothing opens at all."""
        self._columns()
        self._peel()
        limits = self._limits()
        return Depth(self._policy.name, list(self._rows.values()), self._missing, limits)

    def _limits(self) -> list[Held]:
        """Run each resource attack as it is, and with the limit that ended it lifted."""
        programs = [p for attack in select("resource") for p in promises.programs(attack)]
        target = setups.target(self._policy)
        first = self._statuses(target, programs)
        second: dict[str, str] = {}
        peeled = {status: setups.wide(target, **lifted) for status, lifted in _LIFTED.items()}
        for status, setup in peeled.items():
            again = [p for p in programs if first.get(p.origin) == status]
            if again:
                second |= self._statuses(setup, again)
        return [Held(name, status, second.get(name, "")) for name, status in first.items()]

    def _statuses(self, setup: Setup, programs: list[Program]) -> dict[str, str]:
        self._tell(f"limits: {setup.name}")
        with Engine(setup, self._arena, self._jobs, careful=False) as engine:
            outcomes = list(engine.run_all(programs))
        return {o.program.origin: o.status for o in outcomes if o.status != "batch"}

    def _columns(self) -> None:
        outside = self._outside()
        bare = setups.bare(self._policy)
        self._fill("process", bare, [p for a in outside for p in _uses(a)])
        for attack in self._attacks:
            if attack not in outside and attack.mode != "protocol":  # it ends with its process
                self._rows[attack.id].cells["process"] = STOPS
        for layer in _KERNEL:
            setup = setups.alone(self._policy, layer)
            self._fill(layer, setup, [p for a in outside for p in _uses(a)])
        if self._policy.language != "off":
            setup = setups.alone(self._policy, "language")
            found = [p for a in self._attacks if a.mode != "grader" for p in promises.programs(a)]
            self._fill("language", setup, found)
        if "interpreter" in promises.layers(self._policy):
            setup = setups.alone(self._policy, "interpreter")
            found = [p for a in self._attacks if a.mode != "grader" for p in _uses(a)]
            self._fill("interpreter", setup, found)
        spoken = [p for a in self._attacks if a.mode == "protocol" for p in _uses(a)]
        self._fill("verdict", bare, spoken)  # the caller reads, and no layer helps it
        self._grade()

    def _outside(self) -> list[Attack]:
        """Return attacks whose effect leaves their process, so that a kernel layer has a say."""
        return [
            a
            for a in self._attacks
            if a.mode == "native" or (a.mode == "language" and len(a.programs()) > 1)
        ]

    def _grade(self) -> None:
        """Run attacks on a grader, in its interpreter.

        They run under the language layer, and by our rule.
        """
        self._tell("in process")
        expected = self._arena.secrets["expected"]
        for attack in self._attacks:
            if attack.mode != "grader":
                continue
            row = self._rows[attack.id]
            if self._policy.language != "off":
                row.cells["language"] = _cell(
                    weak.graded(attack.code, expected, attack.followup, attack.expect, self._policy)
                )
            if not attack.followup:
                row.cells["verdict"] = _cell(weak.graded(attack.code, expected, strict=True))

    def _fill(self, column: str, setup: Setup, programs: list[Program]) -> None:
        self._tell(setup.name)
        try:
            with Engine(setup, self._arena, self._jobs, careful=False) as engine:
                for outcome in engine.run_all(programs):
                    if outcome.status == "batch":
                        continue
                    row = self._rows[outcome.program.origin]
                    cell = _cell(outcome.evidence)
                    if row.cells.get(column) != THROUGH:
                        row.cells[column] = cell
                    if cell == THROUGH:
                        row.evidence[column] = outcome.evidence[0].detail
        except SandboxUnavailable as error:
            self._missing[column] = str(error.reason)

    def _peel(self) -> None:
        """Run attacks with all but one layer, each in turn.

        Without the language, the natives' turn comes.
        """
        restricted = self._policy.language != "off"
        for layer in (*(("language",) if restricted else ()), *_KERNEL):
            setup = setups.without(self._policy, layer)
            self._tell(setup.name)
            attacks = self._attacks if not setup.language else self._of_language()
            found = [p for a in attacks if a.mode in ("language", "native") for p in _uses(a)]
            with Engine(setup, self._arena, self._jobs, careful=False) as engine:
                for outcome in engine.run_all(found):
                    if outcome.escaped and outcome.status != "batch":
                        self._rows[outcome.program.origin].through_without.append(layer)

    def _of_language(self) -> list[Attack]:
        return [a for a in self._attacks if a.mode == "language"]


def _uses(attack: Attack) -> Iterator[Program]:
    """Return the variants that have an effect."""
    return (p for p in promises.programs(attack) if not p.id.endswith("/walk"))


def _cell(evidence: object) -> str:
    return THROUGH if evidence else STOPS


def measure(policy: Policy, jobs: int, tell: Tell) -> Depth:
    """Fill both matrices of `policy`, in an arena of its own."""
    with Arena() as arena, setups.instrumented(arena.mark):
        return Measurement(policy, arena, jobs, tell).run()
