"""The finds of a campaign: each with its evidence, its smallest program and how to see it again."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..layers.depth_rows import Depth
from ..programs.attacks import corpus
from ..targets.arena import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """One escape, or one promise that was not kept."""

    id: str
    setup: str
    layers: tuple[str, ...]  # that were active and did not stop it
    evidence: tuple[Evidence, ...]
    code: str
    shrunk: str
    seed: int
    origin: str = ""
    stdin: str = ""
    power: str = ""

    def path(self) -> str:
        """Say in one line what was reached, past what."""
        seen = "; ".join(f"{each.oracle}: {each.detail}" for each in self.evidence)
        return f"{seen} [{self.setup}: past {', '.join(self.layers) or 'no layer'}]"

    def to_dict(self) -> dict[str, object]:
        """Return the find as built-in types only."""
        return {**asdict(self), "path": self.path()}


@dataclass(slots=True, kw_only=True)
class StageReport:
    """One stage of a campaign in figures."""

    name: str
    setup: str
    programs: int = 0
    seconds: float = 0.0
    statuses: dict[str, int] = field(default_factory=dict)
    inconclusive: int = 0
    skipped: str = ""  # why the stage could not run here


@dataclass(frozen=True, slots=True)
class Tried:
    """One attack of the corpus in one sandbox: how it ended, and what an oracle saw."""

    status: str
    evidence: str = ""


@dataclass(slots=True, kw_only=True)
class Report:
    """All that a campaign has to say."""

    policy: str
    seed: int
    jobs: int
    python: str
    layers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    executions: int = 0
    interrupted: bool = False
    unreached: int = 0  # stages for which there was no time
    stages: list[StageReport] = field(default_factory=list)
    finds: list[Find] = field(default_factory=list)
    depth: Depth | None = None
    guided: dict[str, str] = field(default_factory=dict)  # harness: what came of it
    # By attack of the corpus, by the sandbox that it was tried in.
    tried: dict[str, dict[str, Tried]] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Executions per second."""
        return self.executions / self.seconds if self.seconds else 0.0

    @property
    def coverage(self) -> str:
        """The count of attacks of the corpus that were tried, and of the sandboxes."""
        setups = {setup for each in self.tried.values() for setup in each}
        return f"{len(self.tried)} of {len(corpus())} attacks tried, in {len(setups)} sandboxes"

    def note(
        self, stage: StageReport, attack: str, status: str, evidence: tuple[Evidence, ...]
    ) -> None:
        """Keep what came of an attack of the corpus, as it is; of its variants, an escape."""
        if not attack or status == "batch" or stage.name == "mutated":
            return
        setup = stage.name if stage.name == "graded" else stage.setup
        seen = self.tried.setdefault(attack, {})
        if setup not in seen or evidence:
            seen[setup] = Tried(status, "; ".join(each.detail for each in evidence))

    def to_dict(self) -> dict[str, object]:
        """Return the report as built-in types only."""
        data = asdict(self)
        data["executions_per_second"] = round(self.rate, 1)
        data["finds"] = [find.to_dict() for find in self.finds]
        data["depth"] = self.depth.to_dict() if self.depth else None
        return data

    def to_json(self) -> str:
        """Return this report as JSON text."""
        return json.dumps(self.to_dict(), indent=2) + "\n"


def in_process(name: str, data: str, told: str, seed: int) -> Find:
    """Make a find in one of the caller's own parsers."""
    return Find(
        id=name,
        setup="in process",
        layers=(),
        evidence=(Evidence("parser", told),),
        code=data,
        shrunk=data,
        seed=seed,
    )


def save(find: Find, folder: Path) -> Path:
    """Write a find as a case for the corpus, which `--replay` runs again."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{find.id.replace('/', '-')}.toml"
    reference = f"fuzzer, seed {find.seed}, from {find.origin or 'the generator'}"
    lines = [
        f"# Found with seed {find.seed}: {_line(find.path())}",
        'mode = "language"',  # run as it is, under whichever policy
        "",
        "[[attack]]",
        f"id = {json.dumps(find.id)}",
        'family = "found"',
        'goal = "information"',
        f"reference = {json.dumps(reference)}",
        f"stdin = {json.dumps(find.stdin)}",
        f"code = {json.dumps(find.shrunk)}",
        "",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _line(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
