"""The results of a measurement of the depth of defence."""

from collections import Counter
from dataclasses import asdict, dataclass, field

from ..programs.attacks import Attack

STOPS, THROUGH, NOT_TRIED = "stops", "through", "-"
# Goals of which every attack should meet two layers; the others are about limits.
DEEP_GOALS = ("information", "integrity", "persistence")
_REASONS = {
    "code": "it changes what its own process executes: only the filter has a say in that",
    "machine": "an interface of the kernel that no other layer knows of",
    "descriptor": "descriptors of its own: the limit and the filter alone could refuse them",
    "neighbour": "shared memory and keys: children of one supervisor have one IPC namespace",
    "watch": "what the kernel tells anybody about another process",
    "state": "the language lets a program change what is its own; it ends with its process",
}
_HOLDS = {
    "": "nothing to lift",
    "OK": "it ends by itself",
    "ERROR": "an exception of CPython's",
    "SYNTAX": "CPython's parser",
    "DENIED": "source_kib",
    "VIOLATION": "seccomp",
    "CRASHED": "a crash of its process",
    "CPU_LIMIT": "cpu_seconds",
    "WALL_LIMIT": "wall_seconds",
    "MEMORY_LIMIT": "memory_mib",
    "OUTPUT_LIMIT": "output_kib",
    "RECURSION_LIMIT": "recursion_limit and stack",
}


@dataclass(slots=True, kw_only=True)
class Row:
    """One attack: how it ends with each layer alone, and without which layers it gets through."""

    attack: Attack
    cells: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)  # of what got through, by column
    through_without: list[str] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """The number of layers that stop it on their own."""
        return sum(cell == STOPS for cell in self.cells.values())

    @property
    def shallow(self) -> bool:
        """True if one layer or none stops it, where two are wanted."""
        return self.attack.goal in DEEP_GOALS and self.depth < 2

    @property
    def reason(self) -> str:
        """The reason why no second layer stops it."""
        key = "state" if self.attack.family == "state" else self.attack.means
        return _REASONS.get(key, "") if self.shallow else ""


@dataclass(frozen=True, slots=True)
class Held:
    """One resource attack: the status that it ended with, and the one with that limit lifted."""

    id: str
    first: str
    second: str

    @property
    def by(self) -> str:
        """The limit or layer that ends it, in words."""
        return _HOLDS.get(self.first, self.first)

    @property
    def behind(self) -> str:
        """The limit or layer that ends it once the first is lifted, in words."""
        if self.first == self.second:
            return f"{self.by}, as lifted"
        return _HOLDS.get(self.second, self.second)


@dataclass(slots=True)
class Depth:
    """Both matrices, and the limits."""

    policy: str
    rows: list[Row]
    missing: dict[str, str]  # layers that this host lacks, and why
    limits: list[Held]

    @property
    def shallow(self) -> list[Row]:
        """Attacks with a goal of `DEEP_GOALS` that fewer than two layers stop."""
        return [row for row in self.rows if row.shallow]

    def by_family(self) -> dict[str, Counter[int]]:
        """Count how many attacks of each family have which depth."""
        found: dict[str, Counter[int]] = {}
        for row in self.rows:
            found.setdefault(f"{row.attack.mode}: {row.attack.family}", Counter())[row.depth] += 1
        return found

    def to_dict(self) -> dict[str, object]:
        """Return the matrices and limits as built-in types only."""
        families = {name: dict(sorted(n.items())) for name, n in self.by_family().items()}
        rows = [
            {
                "id": row.attack.id,
                "family": row.attack.family,
                "mode": row.attack.mode,
                "goal": row.attack.goal,
                "depth": row.depth,
                "cells": row.cells,
                "through_without": row.through_without,
                "reason": row.reason,
            }
            for row in self.rows
        ]
        minimum = min((row.depth for row in self.rows if row.attack.goal in DEEP_GOALS), default=0)
        return {
            "policy": self.policy,
            "minimum": minimum,
            "families": families,
            "shallow": [row.attack.id for row in self.shallow],
            "missing": self.missing,
            "limits": [asdict(held) for held in self.limits],
            "rows": rows,
        }
