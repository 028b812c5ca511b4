"""Runs the programs under the policy `contest` and compares each with what is expected of it.

Below `programs/right`, `NAME.py` reads `NAME.in` and must print `NAME.out`; one of
`programs/failing` is listed in `MUST_FAIL` with the status that it must end with. Exit status 0
only if all do as expected.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sandbox import Job, Result, Sandbox, SandboxError, Status

PROGRAMS = Path(__file__).resolve().parent / "programs"
POLICY = "contest"
# For the programs that must fail; the others get what the policy gives.
TIGHTER = {"cpu_seconds": 1.0, "memory_mib": 64, "output_kib": 256}
MUST_FAIL = {
    "deep_recursion": Status.RECURSION_LIMIT,
    "dunder_walk": Status.DENIED,
    "endless_loop": Status.CPU_LIMIT,
    "fork_process": Status.DENIED,
    "format_walk": Status.DENIED,
    "huge_power": Status.CPU_LIMIT,
    "memory_eater": Status.MEMORY_LIMIT,
    "not_python": Status.SYNTAX,
    "output_flood": Status.OUTPUT_LIMIT,
    "wrong_answer": Status.ERROR,
}


class Example(NamedTuple):
    name: str
    job: Job
    status: Status
    output: str


def load() -> Iterator[Example]:
    """Yield every example: first the ones that succeed, then the ones that must fail."""
    for path in sorted((PROGRAMS / "right").rglob("*.py")):
        job = Job(_text(path), _text(path.with_suffix(".in")))
        yield Example(path.stem, job, Status.OK, _text(path.with_suffix(".out")))
    for path in sorted((PROGRAMS / "failing").glob("*.py")):
        job = Job(_text(path), _text(path.with_suffix(".in")), limits=TIGHTER)
        yield Example(path.stem, job, MUST_FAIL[path.stem], "")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def problem(example: Example, result: Result) -> str:
    """Say what is not as expected; empty if all is."""
    if result.status is not example.status:
        return f"expected {example.status}"
    if result.output != example.output:
        return "another output than expected"
    return ""


def row(example: Example, result: Result) -> tuple[str | Text, ...]:
    wrong = problem(example, result)
    lines = result.output.splitlines()
    told = result.error or f"{len(lines)} lines, the last: {lines[-1]}"
    return (
        example.name,
        Text(result.status, style="green" if result.ok else "yellow"),
        Text(f"✗ {wrong}", style="bold red") if wrong else Text("✓", style="green"),
        f"{result.cpu_seconds * 1e3:.1f}",
        f"{result.wall_seconds * 1e3:.1f}",
        f"{result.peak_memory_bytes / 2**20:.1f}",
        Text(told.splitlines()[0], overflow="ellipsis", no_wrap=True),
    )


def main() -> int:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    console = Console(width=None if sys.stdout.isatty() else 140)
    examples = list(load())
    table = Table(
        title=f"{len(examples)} programs under the policy '{POLICY}'", title_justify="left"
    )
    for heading in ("program", "status", "expected"):
        table.add_column(heading, no_wrap=True)
    for heading in ("CPU ms", "wall ms", "MiB"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("result", ratio=1)
    started = time.perf_counter()
    layers: tuple[str, ...] = ()
    wrong = 0
    try:
        with Sandbox(policy=POLICY) as sandbox:
            for example, result in zip(examples, sandbox.map(e.job for e in examples), strict=True):
                table.add_row(*row(example, result))
                wrong += bool(problem(example, result))
                layers = result.layers
    except SandboxError as error:
        console.print(f"{type(error).__name__}: {error}", style="bold red", markup=False)
        return 1
    seconds = time.perf_counter() - started
    console.print(table)
    console.print(f"layers: {', '.join(layers)}")
    verdict = f"{wrong} not as expected" if wrong else "all as expected"
    console.print(f"{len(examples)} programs in {seconds:.2f} s, {verdict}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
