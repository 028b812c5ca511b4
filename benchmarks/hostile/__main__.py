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
import os
import random
import sys

from rich.console import Console
from rich.table import Table

from benchmarks.hostile.doors import DOORS
from benchmarks.hostile.search import Find, search

_WIDTH = 150


def show(finds: list[Find], console: Console) -> None:
    """Print the finds as a table."""
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
    """Run the search and print what was seen."""
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
