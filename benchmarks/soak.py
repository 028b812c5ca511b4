"""Does anything grow or go wrong over a million executions?

    python -m benchmarks.soak [--executions 1000000] [--minutes M] [--workers N] [--policy contest]

Small programs whose verdicts are known run through one `Sandbox`; each has a number of its own in
its source and its output, so that a result that belongs to another job shows. Once a minute a line:
executions, their rate, how many were wrong, and what drifts (memory of the caller and of the
supervisor, descriptors, processes, the latency of single runs). Exits with 1 if a verdict was wrong
or something has grown since the first line by more than it may.
"""

import argparse
import gc
import random
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import psutil
from rich.console import Console

from benchmarks.chaos.jobs import Kinds, draw
from sandbox import Job, Sandbox, Status

_LIMITS = {"cpu_seconds": 0.5, "wall_seconds": 20.0, "memory_mib": 64, "output_kib": 64}
# Source with NONCE, the status, and what the output or the error has, by weight: one in a thousand
# meets a limit, as each of these costs as much as a hundred others.
_PROGRAMS: Kinds = (
    (400, "print(sum(range(100)), NONCE)", Status.OK, "4950 NONCE\n"),
    (200, "print(sorted(input())[0], NONCE)", Status.OK, "a NONCE\n"),
    (100, "import math\nprint(math.gcd(12, 18), NONCE)", Status.OK, "6 NONCE\n"),
    (100, "def f(n): return n and f(n - 1)\nprint(f(100), NONCE)", Status.OK, "0 NONCE\n"),
    (120, "raise ValueError(NONCE)", Status.ERROR, "ValueError: NONCE"),
    (30, "import os\nos.system('NONCE')", Status.DENIED, "denied"),
    (20, "def f(:  # NONCE", Status.SYNTAX, "SyntaxError"),
    (27, "x = [NONCE] * 10 ** 9", Status.MEMORY_LIMIT, ""),
    (2, "def f(): return f() + NONCE\nf()", Status.RECURSION_LIMIT, ""),
    (1, "x = 'NONCE'\nwhile True: pass", Status.CPU_LIMIT, ""),
)
_SINGLE_RUNS = 30
_BATCH, _FIRST = 2000, 10**8
# What may be more at the end: caches and the allocators' rest fill in the first minute, not later.
_GROWTH = {"caller_mib": 8.0, "supervisor_mib": 4.0, "descriptors": 2.0, "processes": 2.0}


@dataclass(frozen=True, slots=True)
class Look:
    """The figures of one moment of all that may drift."""

    caller_mib: float
    supervisor_mib: float
    descriptors: int
    processes: int
    median_ms: float
    slowest_ms: float


def look(sandbox: Sandbox) -> Look:
    """Measure the figures, with nothing else under way."""
    milliseconds = []
    for _ in range(_SINGLE_RUNS):
        start = time.perf_counter()
        assert sandbox.run("print(1)").ok
        milliseconds.append((time.perf_counter() - start) * 1e3)
    gc.collect()
    me = psutil.Process()
    children = me.children(recursive=True)
    below = [child.memory_info().rss for child in me.children()]
    return Look(
        caller_mib=me.memory_info().rss / 2**20,
        supervisor_mib=max(below, default=0) / 2**20,
        descriptors=me.num_fds(),
        processes=len(children),
        median_ms=statistics.median(milliseconds),
        slowest_ms=max(milliseconds),
    )


def soak(sandbox: Sandbox, executions: int, deadline: float) -> Iterator[tuple[int, list[str]]]:
    """Run batches; yield how many were run so far, and what was wrong in the last one."""
    chance, done = random.Random(1), 0
    while done < executions and time.monotonic() < deadline:
        count = min(_BATCH, executions - done)
        batch = [draw(_PROGRAMS, _FIRST + done + n, _LIMITS, chance) for n in range(count)]
        results = sandbox.map([each.job for each in batch])
        wrong = []
        for each, result in zip(batch, results, strict=True):
            if (word := each.judge(result)) != "right":
                wrong.append(f"{word}: {each} {result}"[:600])
        done += len(batch)
        yield done, wrong


def main() -> int:
    """Soak, print a line a minute, and judge the drift."""
    parser = argparse.ArgumentParser(prog="benchmarks.soak", description=__doc__)
    parser.add_argument("--executions", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=10_000)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--policy", default="contest")
    chosen = parser.parse_args()
    console = Console(highlight=False)
    faults: list[str] = []
    with Sandbox(chosen.policy, workers=chosen.workers) as sandbox:
        list(sandbox.map([Job("print(1)")] * 500))
        first = last = look(sandbox)
        done, said, since = 0, time.monotonic(), 0
        for done, wrong in soak(sandbox, chosen.executions, said + chosen.minutes * 60):
            faults += wrong
            if time.monotonic() - said >= 60:
                rate = (done - since) / (time.monotonic() - said)
                last, said, since = look(sandbox), time.monotonic(), done
                console.print(f"{done:>9} executions, {rate:.0f}/s, {len(faults)} wrong, {last}")
        last = look(sandbox)
    grown = {
        name: getattr(last, name) - getattr(first, name)
        for name, most in _GROWTH.items()
        if getattr(last, name) - getattr(first, name) > most
    }
    console.print(
        f"{done} executions: {len(faults)} wrong; first {first}; last {last}; grown {grown}"
    )
    for fault in faults[:20]:
        console.print(fault)
    return 1 if faults or grown else 0


if __name__ == "__main__":
    sys.exit(main())
