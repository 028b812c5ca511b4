"""Programs with known output through `Sandbox.map`: how many print what CPython printed.

    python -m benchmarks.compat FILE.jsonl... [--policy contest] [--limit N] [--failures N] [--json]

Each line of a file is a program: `id`, `kind`, `code`, `test`, `input`, `expected_stdout`, and
`more`, a list of further `input` and `expected_stdout`. The code is followed by a newline and the
test, except for the kind `doctest`, which is code alone.

A program that used up its processor time is run again as unrestricted Python, under the same limit.
One that does not end there either says nothing of the sandbox: it is counted apart, as too slow.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sandbox import Job, Policy, Result, Sandbox, SandboxError, Status


class Case(NamedTuple):
    name: str
    code: str
    stdin: str
    expected: str


class Tally:
    """The outcomes of the cases of one corpus."""

    def __init__(self, corpus: str) -> None:
        self.corpus = corpus
        self.cases = self.identical = self.faults = self.too_slow = 0
        self.statuses: Counter[str] = Counter()
        self.causes: Counter[str] = Counter()
        self.failures: list[tuple[str, str, str]] = []
        self.seconds = 0.0

    def add_fault(self, case: Case, error: SandboxError) -> None:
        self.faults += 1
        self._failed(case, "SandboxError", str(error))

    def add(self, case: Case, result: Result) -> None:
        self.cases += 1
        self.statuses[result.status] += 1
        if result.ok and result.output == case.expected:
            self.identical += 1
        elif result.ok:
            self._failed(case, "another output", difference(result.output, case.expected))
        else:
            self._failed(case, result.status, result.error)

    def _failed(self, case: Case, kind: str, message: str) -> None:
        self.failures.append((case.name, kind, message))
        self.causes[cause(kind, message)] += 1

    def to_dict(self) -> dict[str, Any]:
        return {
            "corpus": self.corpus,
            "cases": self.cases,
            "accepted": self.accepted,
            "identical": self.identical,
            "statuses": dict(self.statuses),
            "too_slow": self.too_slow,
            "sandbox_errors": self.faults,
            "seconds": self.seconds,
            "failures": self.failures,
        }

    @property
    def share(self) -> float:
        """The share that print the same, of the programs this machine can run within the limit."""
        return self.identical / max(self.cases - self.too_slow, 1)

    @property
    def accepted(self) -> int:
        """Cases that the policy let run, however they ended."""
        return sum(self.statuses.values()) - self.statuses[Status.DENIED]


def cause(kind: str, message: str) -> str:
    """Return a failure's message without what differs from program to program."""
    if kind == "another output":
        return kind
    first = message.splitlines()[0] if message else ""
    first = re.sub(r"\((<\w+>, )?line \d+(, column \d+)?\)|line \d+|0x[0-9a-f]+", "", first)
    return f"{kind}: {first[:100].strip()}"


def difference(output: str, expected: str) -> str:
    """Describe the first line that differs, or the lengths if none does."""
    pairs = zip(output.splitlines(), expected.splitlines(), strict=False)
    for number, (got, wanted) in enumerate(pairs, start=1):
        if got != wanted:
            return f"line {number}: {got[:80]!r}, not {wanted[:80]!r}"
    return f"{len(output)} characters, not {len(expected)}"


def read(path: Path, limit: int | None) -> Iterator[Case]:
    """Read the cases of the first `limit` programs of a file.

    Raises OSError, ValueError, KeyError.
    """
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream):
            if limit is not None and number >= limit:
                return
            row = json.loads(line)
            code = row["code"] if row["kind"] == "doctest" else f"{row['code']}\n{row['test']}"
            yield Case(row["id"], code, row["input"], row["expected_stdout"])
            for extra, pair in enumerate(row["more"], start=1):
                name = f"{row['id']}+{extra}"
                yield Case(name, code, pair["input"], pair["expected_stdout"])


def run(sandbox: Sandbox, plain: Sandbox, corpus: str, cases: list[Case]) -> Tally:
    """Run every case by `Sandbox.map`; after a fault the case at hand alone, then on as before.

    `plain` is unrestricted Python with the processor time that `sandbox` gives.
    """
    tally = Tally(corpus)
    started = time.perf_counter()
    while tally.cases < len(cases):
        rest = cases[tally.cases :]
        try:
            for case, result in zip(rest, sandbox.map(_jobs(rest)), strict=True):
                tally.add(case, result)
        except SandboxError as error:
            case = cases[tally.cases]
            tally.add_fault(case, error)
            run_alone(sandbox, case, tally)
    tally.seconds = time.perf_counter() - started
    out_of_time = {name for name, status, _ in tally.failures if status == Status.CPU_LIMIT}
    again = _jobs(case for case in cases if case.name in out_of_time)
    tally.too_slow = sum(result.status == Status.CPU_LIMIT for result in plain.map(again))
    return tally


def run_alone(sandbox: Sandbox, case: Case, tally: Tally) -> None:
    try:
        tally.add(case, sandbox.run(case.code, stdin=case.stdin))
    except SandboxError as error:
        tally.cases += 1
        tally.add_fault(case, error)


def _jobs(cases: Iterable[Case]) -> list[Job]:
    return [Job(case.code, case.stdin) for case in cases]


def show(tallies: list[Tally], failures: int, console: Console) -> None:
    """Print the tables for a person."""
    table = Table(title="Output identical to CPython's", title_justify="left")
    for heading in ("corpus", "statuses"):
        table.add_column(heading)
    for heading in ("cases", "accepted", "identical", "too slow", "share", "per s", "faults"):
        table.add_column(heading, justify="right")
    for tally in tallies:
        statuses = ", ".join(f"{name} {n}" for name, n in tally.statuses.most_common())
        counts = (tally.cases, tally.accepted, tally.identical, tally.too_slow)
        share = f"{tally.share:.2%}"
        rate = f"{tally.cases / max(tally.seconds, 1e-9):.0f}"
        table.add_row(tally.corpus, statuses, *map(str, counts), share, rate, str(tally.faults))
    console.print(table)
    for tally in tallies:
        for text, count in tally.causes.most_common(failures):
            console.print(Text(f"{tally.corpus}: {count:>4} x {text}"))


def main() -> int:
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compat", description=about)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--policy", default="contest", help="default: %(default)s")
    parser.add_argument(
        "--limit", type=int, metavar="N", help="only the first N programs of a file"
    )
    parser.add_argument("--failures", type=int, default=15, metavar="N", help="causes to show")
    parser.add_argument("--json", action="store_true", help="print JSON, with every failure")
    arguments = parser.parse_args()
    try:
        corpora = [(path.stem, list(read(path, arguments.limit))) for path in arguments.files]
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"not a file of programs: {error}")
    policy = Policy.load(arguments.policy)
    unrestricted = Policy.load("kernel-only").tightened(cpu_seconds=policy.limits.cpu_seconds)
    with Sandbox(policy=policy) as sandbox, Sandbox(policy=unrestricted) as plain:
        tallies = [run(sandbox, plain, corpus, cases) for corpus, cases in corpora]
    if arguments.json:
        print(json.dumps([tally.to_dict() for tally in tallies], indent=2))
    else:
        show(tallies, arguments.failures, Console(width=140))
    return 1 if any(tally.faults for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
