"""The text that costs its reader most: tried in forks, and changed as long as it becomes dearer."""

import json
import os
import random
import resource
import signal
import time
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.hostile.doors import DOORS, Door, go_through
from benchmarks.hostile.shapes import SEEDS, Shape, changed

BASE_CHARS = 1 << 15
_MOST_CHARS = 1 << 22  # that the worst is then tried with, doubled until it takes long enough
_ENOUGH_SECONDS = 0.2
CPU_SECONDS, _MEMORY_BYTES = 8, 4 << 30  # of one try
_SUPERLINEAR = 3.0  # from one size to twice of it, where that takes more than this
_NOTABLE_SECONDS = 0.05


class Cost(NamedTuple):
    """The cost of one try: CPU seconds, memory beyond what the process had, bytes of the text."""

    seconds: float
    memory_bytes: int
    text_bytes: int

    @property
    def per_byte(self) -> float:
        """CPU microseconds."""
        return self.seconds * 1e6 / max(self.text_bytes, 1)


@dataclass(frozen=True, slots=True)
class Find:
    """The worst shape of a door, with its cost at some size and at twice of it."""

    door: str
    shape: Shape
    costs: tuple[Cost, Cost]
    tries: int

    @property
    def growth(self) -> float:
        """The factor by which the text becomes dearer by being twice as long."""
        one, other = self.costs
        return other.seconds / max(one.seconds, 1e-6)

    @property
    def is_superlinear(self) -> bool:
        """True if that is far more than twice, or more than could be measured."""
        if self.costs[0].seconds >= CPU_SECONDS:
            return True
        return self.costs[-1].seconds > _NOTABLE_SECONDS and self.growth > _SUPERLINEAR


def cost(door: Door, text: str) -> Cost:
    """Let `door` read `text` in a fork. One that is ended has cost all that it could."""
    length = len(text.encode("utf-8", "surrogatepass"))
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        _try(door, text, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    if not said:
        return Cost(CPU_SECONDS, 0, length)
    seconds, memory_bytes = json.loads(said)
    return Cost(seconds, memory_bytes, length)


def _try(door: Door, text: str, writer: int) -> None:
    """Let the door read the text in the fork and write down the cost. Never returns."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun = time.process_time()
        go_through(door, text)
        seconds = time.process_time() - begun
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        os.write(writer, json.dumps([seconds, (after - before) << 10]).encode())
    finally:
        os._exit(0)


def search(name: str, seconds: float, chance: random.Random) -> Find:
    """Search for the dearest shape of a door: climb from the worst of the seeds, for `seconds`."""
    door, until = DOORS[name], time.monotonic() + seconds
    known: dict[Shape, float] = {}
    seeds = chance.sample(SEEDS, len(SEEDS))
    while time.monotonic() < until:
        best = sorted(known, key=known.__getitem__)[-4:]
        shape = seeds.pop() if seeds else changed(chance.choice(best), chance)
        if shape not in known:
            known[shape] = cost(door, shape.text(BASE_CHARS)).per_byte
    # One try can be off: the machine is not quiet. Of the worst, the best of three counts.
    few = sorted(known, key=known.__getitem__)[-5:]
    again = {s: min(cost(door, s.text(BASE_CHARS)).per_byte for _ in range(3)) for s in few}
    worst = max(again, key=again.__getitem__)
    return Find(name, worst, grown(door, worst), len(known))


def grown(door: Door, shape: Shape, enough: float = _ENOUGH_SECONDS) -> tuple[Cost, Cost]:
    """Measure the cost of so much that it can be measured, and of twice as much."""
    size, costs = 2 * BASE_CHARS, list[Cost]()
    while len(costs) < 2 or (costs[-2].seconds < enough and size <= _MOST_CHARS):
        tries = [cost(door, shape.text(size)) for _ in range(2)]
        costs.append(min(tries, key=_seconds))
        size *= 2
    return costs[-2], costs[-1]


def _seconds(each: Cost) -> float:
    return each.seconds
