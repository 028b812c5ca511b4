"""Search for the text that costs its reader most, for every door.

    python -m benchmarks.hostile [--seconds 20] [--seed 0] [--door output ...] [--no-server]

For each door (`benchmarks.hostile.doors`) it changes nasty texts (`benchmarks.hostile.shapes`) as
long as one becomes dearer by that: CPU seconds of the caller's process per byte, each tried in a
fork of its own with limits. Prints the worst, and what twice as much of it costs. Then it asks a
server as an honest client does, while one attack after the other runs
(`benchmarks.hostile.server`).
Exit status 1 if a cost grows faster than the text.
"""

import argparse
import json
import os
import random
import resource
import signal
import sys
import time
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.hostile.doors import DOORS, Door, go_through
from benchmarks.hostile.shapes import SEEDS, Shape, changed

_BASE_CHARS = 1 << 15
_MOST_CHARS = 1 << 22  # that the worst is then tried with, doubled until it takes long enough
_ENOUGH_SECONDS = 0.2
_CPU_SECONDS, _MEMORY_BYTES = 8, 4 << 30  # of one try
_SUPERLINEAR = 3.0  # from one size to twice of it, where that takes more than this
_NOTABLE_SECONDS = 0.05
_WIDTH = 150


class Cost(NamedTuple):
    """Of one try: CPU seconds, memory beyond what the process had, bytes of the text."""

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
        """How much dearer the text becomes by being twice as long."""
        one, other = self.costs
        return other.seconds / max(one.seconds, 1e-6)

    @property
    def is_superlinear(self) -> bool:
        """True if that is far more than twice."""
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
        return Cost(_CPU_SECONDS, 0, length)
    seconds, memory_bytes = json.loads(said)
    return Cost(seconds, memory_bytes, length)


def _try(door: Door, text: str, writer: int) -> None:
    """Never returns."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
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
    """Climb from the worst of the seeds, for so long."""
    door, until = DOORS[name], time.monotonic() + seconds
    known: dict[Shape, float] = {}
    seeds = chance.sample(SEEDS, len(SEEDS))
    while time.monotonic() < until:
        best = sorted(known, key=known.__getitem__)[-4:]
        shape = seeds.pop() if seeds else changed(chance.choice(best), chance)
        if shape not in known:
            known[shape] = cost(door, shape.text(_BASE_CHARS)).per_byte
    # One try can be off: the machine is not quiet. Of the worst, the best of three counts.
    few = sorted(known, key=known.__getitem__)[-5:]
    again = {s: min(cost(door, s.text(_BASE_CHARS)).per_byte for _ in range(3)) for s in few}
    worst = max(again, key=again.__getitem__)
    return Find(name, worst, _grown(door, worst), len(known))


def _grown(door: Door, shape: Shape) -> tuple[Cost, Cost]:
    """The cost of so much that it can be measured, and of twice as much."""
    size, costs = 2 * _BASE_CHARS, list[Cost]()
    while len(costs) < 2 or (costs[-2].seconds < _ENOUGH_SECONDS and size <= _MOST_CHARS):
        tries = [cost(door, shape.text(size)) for _ in range(2)]
        costs.append(min(tries, key=_seconds))
        size *= 2
    return costs[-2], costs[-1]


def _seconds(each: Cost) -> float:
    return each.seconds


def show(finds: list[Find], console: Console) -> None:
    """Print them as a table."""
    table = Table(title="the worst text for each door")
    for column in ("door", "worst shape", "tries", "bytes", "seconds", "µs/byte", "bytes/byte"):
        table.add_column(column, overflow="fold")
    table.add_column("seconds at twice the size")
    table.add_column("growth")
    for find in finds:
        one, twice = find.costs
        growth = f"{find.growth:.1f}" + ("  superlinear" if find.is_superlinear else "")
        figures = (f"{one.seconds:.4f}", f"{one.per_byte:.3f}")
        memory = f"{one.memory_bytes / max(one.text_bytes, 1):.0f}"
        shape = str(find.shape)[:60].replace("[", "\\[")
        row = (find.door, shape, str(find.tries), str(one.text_bytes), *figures, memory)
        table.add_row(*row, f"{twice.seconds:.4f}", growth)
    console.print(table)


def main() -> int:
    """Run it and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=20, help="of search, for each door")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--door", action="append", choices=list(DOORS))
    parser.add_argument("--no-server", action="store_true", help="only the doors")
    parser.add_argument("--only-server", action="store_true", help="only the server")
    arguments = parser.parse_args()
    console, load = Console(highlight=False, width=_WIDTH), os.getloadavg()[0]
    finds: list[Find] = []
    if not arguments.only_server:
        chance = random.Random(arguments.seed)
        for name in arguments.door or DOORS:
            finds.append(search(name, arguments.seconds, chance))
            print(f"{name}: {finds[-1].costs[-1].seconds:.3f} s", file=sys.stderr, flush=True)
        show(finds, console)
    if not arguments.no_server:
        from benchmarks.hostile.server import measure

        console.print(measure(arguments.seconds))
    console.print(f"load of the machine before: {load:.1f}, processors: {os.cpu_count()}")
    return 1 if any(find.is_superlinear for find in finds) else 0


if __name__ == "__main__":
    sys.exit(main())
