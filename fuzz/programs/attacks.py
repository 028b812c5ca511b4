"""The corpus as data: one `Attack` per attempt, read from `corpus/*.toml`."""

import re
import sys
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .native import PRELUDE
from .sinks import SINKS, effect, widen

MODES = ("language", "native", "protocol", "grader", "resource")
GOALS = ("information", "integrity", "persistence", "resource", "denial")
# What a native attack goes through; each layer promises some of them, see `promises`.
MEANS = {
    "file": "opens, creates or changes a file by a name",
    "metadata": "reads or changes what a file is, without opening it",
    "network": "an internet socket",
    "tcp": "a plain TCP socket",
    "socket": "a Unix socket by an abstract name",
    "process": "signals, limits, reschedules or names another process",
    "memory": "reads or writes the memory or environment of another process",
    "supervisor": "signals, limits or traces the supervisor by its pid",
    "fork": "makes another process",
    "program": "executes another program",
    "inherited": "uses a descriptor that it was left with",
    "descriptor": "makes descriptors of its own",
    "watch": "learns about other processes",
    "privilege": "uses or gains a power of root",
    "machine": "changes or watches the machine: kernel interfaces that few programs need",
    "code": "maps code of its own",
    "neighbour": "meets another job: shared memory, scratch files, futexes",
    "left": "leaves something for the next job",
    "pipe": "speaks on the result pipe itself",
}
_NATIVE = {"native", "protocol"}
_REPEAT = re.compile(r"⟦(.*?)⟧\*(\d+)", re.DOTALL)
_CORPUS = Path(__file__).parents[1] / "corpus"


class CorpusError(ValueError):
    """A corpus file says something that no attack has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attempt.

    `code` is its source with placeholders of the arena. A language attack leaves what it got in the
    variable `power`, and `power` here says what kind of thing that is (a key of `SINKS`). A native
    attack says its `means`; `needs` is a module that only some policies grant. `followup` is the
    job that runs next and must print `expect`.
    """

    id: str
    family: str
    mode: str
    goal: str
    reference: str
    code: str
    power: str = ""
    means: str = ""
    stdin: str = ""
    followup: str = ""
    expect: str = ""
    control: str = ""  # "planted": nothing but a planted hole lets it through
    needs: str = ""
    python: str = "3.11"  # the first that has the syntax

    @property
    def entry(self) -> str:
        """The function that a grader calls; empty where the whole program is the attack."""
        return "solve" if self.mode == "grader" and not self.followup else ""

    @property
    def runs_here(self) -> bool:
        """True if this Python has what the attack is written in."""
        return sys.version_info >= tuple(map(int, self.python.split(".")))

    def programs(self) -> dict[str, str]:
        """Return the sources to run, by variant: for a language attack the walk alone and its use.

        Apart, because the use of a power may be refused where the way to it is open.
        """
        code = _REPEAT.sub(lambda found: found[1] * int(found[2]), self.code)
        if self.mode in _NATIVE:
            code = f"{PRELUDE}{code}"
        if not self.power:
            return {"whole": code}
        walk = f"{code}\n{widen(self.power)}"
        if not SINKS[self.power]:
            return {"walk": walk}
        return {"walk": walk, "use": f"{code}\n{effect(self.power, self.goal)}"}


@lru_cache(maxsize=1)
def corpus() -> tuple[Attack, ...]:
    """Return every shipped attack, in the order of the files. Raises CorpusError."""
    attacks = tuple(attack for path in sorted(_CORPUS.glob("*.toml")) for attack in read(path))
    if not attacks:  # a campaign without attacks would find nothing, and say so
        raise CorpusError(f"no corpus under {_CORPUS}")
    twice = len(attacks) - len({attack.id for attack in attacks})
    if twice:
        raise CorpusError(f"{twice} ids are used twice")
    return attacks


def select(mode: str, granted: Collection[str] = ()) -> list[Attack]:
    """Return the attacks of one mode that run under this Python.

    Those that need a module are left out, unless it is among the `granted` ones.
    """
    chosen = [attack for attack in corpus() if attack.mode == mode and attack.runs_here]
    return [attack for attack in chosen if not attack.needs or attack.needs in granted]


def read(path: Path) -> Iterator[Attack]:
    """Read the attacks of one file. Raises CorpusError for an unknown key or value."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    shared = {key: value for key, value in data.items() if key != "attack"}
    for table in data["attack"]:
        yield _attack(path.name, {**shared, **table})


def _attack(origin: str, table: dict[str, Any]) -> Attack:
    try:
        attack = Attack(**table)
    except TypeError as error:
        raise CorpusError(f"{origin}: {table.get('id')}: {error}") from None
    for key, value, known in (
        ("mode", attack.mode, MODES),
        ("goal", attack.goal, GOALS),
        ("power", attack.power, ("", *SINKS)),
        ("means", attack.means, ("", *MEANS)),
    ):
        if value not in known:
            raise CorpusError(f"{origin}: {attack.id}: {key} is {value!r}")
    return attack
