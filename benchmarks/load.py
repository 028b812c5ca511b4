"""Do verdicts depend on load? The same programs on a quiet machine and on a crowded one.

    python -m benchmarks.load [--programs 300] [--factor 16]

Programs below, near and over their CPU and memory limits, and ordinary ones, run first with one
worker per processor and then with `factor` times as many. Prints how many verdicts differ, and of
how many of these neither result is marked `near_limit`.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from sandbox import Job, Result, Sandbox

_CPU_SECONDS = 0.5
_MEMORY_MIB = 64
_BURN = "n = {count}\nx = 0\nwhile n:\n    n -= 1\n    x ^= n\nprint(x)"
_FILL = "x = bytearray({mib} << 20)\nx[::4096] = b'x' * len(x[::4096])\nprint(len(x))"
_WORDS = "words = input().split()\nprint(sorted(set(words)), len(words))\n"
_SHARES = (0.1, 0.5, 0.75, 2.0)  # of a limit; 0.75 is near it


def programs(count: int, per_second: float) -> Iterator[tuple[str, Job]]:
    """Make `count` programs of several kinds in turn; `per_second` is how fast `_BURN` counts."""
    limits = {"cpu_seconds": _CPU_SECONDS, "memory_mib": _MEMORY_MIB}
    kinds: list[tuple[str, str]] = []
    for share in _SHARES:
        burn = _BURN.format(count=int(per_second * _CPU_SECONDS * share))
        kinds.append((f"CPU at {share:.0%} of the limit", burn))
        fill = _FILL.format(mib=int(_MEMORY_MIB * share))
        kinds.append((f"memory at {share:.0%} of the limit", fill))
    kinds += [("ordinary", _WORDS)] * 4
    kinds += [("raises", "print(1 / int(input().split()[0][1:]) / 0)")]
    for number in range(count):
        name, code = kinds[number % len(kinds)]
        yield name, Job(code, f"w{number + 1} b c a b {number}", limits=limits)


def calibrate(sandbox: Sandbox) -> float:
    """Return how often `_BURN` goes round per second of a child's CPU time: the slowest of five."""
    count = 1_000_000
    runs = [sandbox.run(_BURN.format(count=count)) for _ in range(5)]
    return min(count / run.cpu_seconds for run in runs)


def run(workers: int, jobs: list[tuple[str, Job]]) -> tuple[list[Result], float]:
    """Return the results of `jobs` with `workers` at once, and how many there were per second."""
    with Sandbox("strict", workers=workers) as sandbox:
        begun = time.perf_counter()
        results = list(sandbox.map(job for _, job in jobs))
    return results, len(jobs) / (time.perf_counter() - begun)


def main() -> int:
    """Run both, print the comparison; exit status 1 if a verdict flipped that no mark told of."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--factor", type=int, default=16)
    arguments = parser.parse_args()
    with Sandbox("strict") as sandbox:
        cores, per_second = sandbox.workers, calibrate(sandbox)
    jobs = list(programs(arguments.programs, per_second))
    quiet, quiet_rate = run(cores, jobs)
    crowded, crowded_rate = run(cores * arguments.factor, jobs)
    console = Console()
    table = Table(title=f"{len(jobs)} programs, {cores} and {cores * arguments.factor} at once")
    for column in ("kind", "programs", "verdicts", "near a limit", "flipped", "unmarked"):
        table.add_column(column)
    flips = unmarked = 0
    for kind in dict.fromkeys(name for name, _ in jobs):
        rows = [
            (a, b) for (name, _), a, b in zip(jobs, quiet, crowded, strict=True) if name == kind
        ]
        flipped = [(a, b) for a, b in rows if (a.status, a.as_tuple()) != (b.status, b.as_tuple())]
        untold = sum(not (a.near_limit or b.near_limit) for a, b in flipped)
        flips, unmarked = flips + len(flipped), unmarked + untold
        verdicts = Counter(str(a.status) for a, _ in rows)
        near = sum(a.near_limit or b.near_limit for a, b in rows)
        text = ", ".join(f"{status} {number}" for status, number in verdicts.items())
        table.add_row(kind, str(len(rows)), text, str(near), str(len(flipped)), str(untold))
    console.print(table)
    told = f"flipped verdicts: {flips}, unmarked: {unmarked}"
    console.print(f"{quiet_rate:.0f} and {crowded_rate:.0f} programs/s; {told}")
    return 1 if unmarked else 0


if __name__ == "__main__":
    sys.exit(main())
