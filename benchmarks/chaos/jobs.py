"""Jobs whose verdicts are known, and the count of what they got."""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TextIO

from sandbox import Job, Result, Status

LIMITS = {"cpu_seconds": 0.5, "wall_seconds": 8.0, "memory_mib": 128, "output_kib": 64}
ASKS = """
total = 0
for n in range(5):
    total = add(n)
print(total, {nonce})
"""
# How often, source with NONCE, the status, and what the output or the error has.
Kinds = tuple[tuple[int, str, Status, str], ...]
PROGRAMS: Kinds = (
    (10, "print(sum(range(100)), NONCE)", Status.OK, "4950 NONCE\n"),
    (4, "print(sorted(input())[0], NONCE)", Status.OK, "a NONCE\n"),
    (4, "raise ValueError(NONCE)", Status.ERROR, "ValueError: NONCE"),
    (1, "x = 'NONCE'\nwhile True: pass", Status.CPU_LIMIT, ""),
    (1, "x = [NONCE]\nwhile True: x += x", Status.MEMORY_LIMIT, ""),
    (1, "while True: print('NONCE' * 1000)", Status.OUTPUT_LIMIT, ""),
    (1, "def f(): return f() + NONCE\nf()", Status.RECURSION_LIMIT, ""),
)
RIGHT = "def f(n):\n    return n * 2 + {nonce} - {nonce}\n"
WRONG = "def f(n):\n    return n * 2 + 1 + {nonce} - {nonce}\n"
TESTS = ["assert f(1) == 2", "assert f(2) == 4\nassert f(3) == 6", "assert f(-1) == -2"]


@dataclass
class Known:
    """A job and the verdict that it must get."""

    job: Job
    status: Status
    text: str

    def judge(self, result: Result) -> str:
        """Say in one word whether `result` is right, or what is wrong with it."""
        if result.status is self.status and self.text in (result.output, result.error, ""):
            return "right"
        if result.status is self.status and self.text in result.error:
            return "right"
        if result.status.endswith("_LIMIT") and not self.status.endswith("_LIMIT"):
            return "false limit"
        return "wrong"


def draw(kinds: Kinds, number: int, limits: dict[str, float], chance: random.Random) -> Known:
    """Make one more job of `kinds`.

    `number` is in its source and in its output, and is no other's.
    """
    weights = [weight for weight, *_ in kinds]
    (_, code, status, text), *_ = chance.choices(kinds, weights)
    job = Job(code.replace("NONCE", str(number)), "cab", limits=limits)
    return Known(job, status, text.replace("NONCE", str(number)))


@dataclass
class Tally:
    """The count of each outcome that was seen, and the first outcomes that must not be."""

    to: TextIO
    counts: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def note(self, outcome: str, what: object = "") -> None:
        """Count one outcome; `what` is kept if it must not be."""
        self.counts[outcome] += 1
        if outcome not in ("right", "masked", "interrupted", "forked") and len(self.examples) < 5:
            self.examples.append(f"{outcome}: {what}"[:800])

    def say(self, **more: object) -> None:
        """Print one line for the parent."""
        said = {"counts": self.counts, "examples": self.examples, **more}
        print(json.dumps(said), file=self.to, flush=True)
