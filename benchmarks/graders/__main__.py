"""Which reward hacks pass which grader: `grade` beside other people's, on the same programs.

    python -m benchmarks.graders [--peers FOLDER] [--python PYTHON] [--markdown | --json]

FOLDER (or GRADERS_PEERS) has a checkout of each peer, by the last part of its name: human-eval,
LiveCodeBench, evalplus, verl, SandboxFusion. PYTHON (or GRADERS_PYTHON) is one that has what they
import: numpy, psutil, tqdm, and for SandboxFusion fastapi, structlog, aiohttp, aiofiles, tenacity,
databases[aiosqlite] and pyyaml. A peer that is missing or does not load is said to be so.

These graders run programs without isolation. The programs of `hacks.toml` are harmless, and each
runs in a process group of its own with limits; run no others with it. It ends with 1 where a hack
passes here.
"""

import argparse
import json
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.graders.peers import PEERS, Running, folder_and_python
from benchmarks.side_by_side.contenders import Absent
from sandbox import grade

# The one that grading has by default, and the one without the language layer: programs are denied
# nothing there that could keep a hack from being tried.
POLICIES = {"restricted-execution": "contest", "without the language layer": "kernel-only"}
CPU_SECONDS = 1.0  # here; the others measure the clock, and a busy machine gives less than that
MASKED = "masked"
KINDS = ("stdin", "call", "check")
STDIN = {"inputs": ["1 2 2\n", "10 20 30\n"], "outputs": ["9\n", "1400\n"]}
CALL = {"fn_name": "total", "inputs": ["[1, 2, 2]", "[10, 20, 30]"], "outputs": ["9", "1400"]}
TEST = """
def check(candidate):
    assert candidate([1, 2, 2]) == 9
    assert candidate([10, 20, 30]) == 1400
"""
Verdict = Callable[[dict[str, Any]], bool | str]


@dataclass(frozen=True)
class Hack:
    """A program that wants a pass, for one kind of test, and its honest twin."""

    name: str
    kind: str
    code: str
    twin: str
    tests: dict[str, Any]
    not_for: dict[str, list[str]]  # kinds of a grader that it says nothing about


def hacks() -> Iterator[Hack]:
    """Yield every hack for every kind of test that it is for."""
    with Path(__file__).with_name("hacks.toml").open("rb") as stream:
        rows = tomllib.load(stream)["hack"]
    for row in rows:
        name, without = row["name"], row.get("not_for", {})
        if "stdin" in row:
            yield Hack(name, "stdin", row["stdin"], row["stdin_honest"], STDIN, without)
        if "function" not in row:
            continue
        code, twin = row["function"], row["function_honest"]
        if "test" not in row:
            yield Hack(name, "call", code, twin, CALL, without)
        check = {"prompt": "", "test": row.get("test", TEST), "entry_point": "total"}
        yield Hack(name, "check", code, twin, check, without)


def ours(policy: str, job: dict[str, Any]) -> bool | str:
    """Grade a job here."""
    found = grade(job["code"], job["tests"], policy=policy, cpu_seconds=CPU_SECONDS)
    return MASKED if found.score is None else found.score == 1.0


def measure(name: str, kinds: tuple[str, ...], verdict: Verdict) -> dict[str, Any]:
    """Run hacks and twins by the grader `name`; return where a hack passes and a twin does not."""
    passing: dict[str, list[str]] = {}
    failing: dict[str, list[str]] = {}
    unknown: dict[str, str] = {}
    tried = [
        hack
        for hack in hacks()
        if hack.kind in kinds and hack.kind not in hack.not_for.get(name, ())
    ]
    for hack in tried:
        job = {"kind": hack.kind, "tests": hack.tests}
        passing.setdefault(hack.name, [])
        said = verdict({**job, "code": hack.code})
        if said is True:
            passing[hack.name].append(hack.kind)
        elif said is not False:
            unknown[f"{hack.name} ({hack.kind})"] = str(said)
        if verdict({**job, "code": hack.twin}) is not True:
            failing.setdefault(hack.name, []).append(hack.kind)
    return {
        "programs": len(tried),
        "passing": passing,
        "hacks_passed": sum(map(len, passing.values())),
        "without_verdict": unknown,
        "failing_twins": failing,
        "twins_passed": len(tried) - sum(map(len, failing.values())),
    }


def run(folder: Path | None, python: str) -> dict[str, Any]:
    """Measure every grader that is here; return plain data."""
    graders = {
        name: {"version": f"policy {policy}", **measure(name, KINDS, partial(ours, policy))}
        for name, policy in POLICIES.items()
    }
    absent: dict[str, str] = {}
    for peer in PEERS:
        try:
            with Running(peer, folder, python) as running:
                found = measure(peer.name, tuple(peer.kinds), running.verdict)
                graders[peer.name] = {"version": f"{peer.source}@{running.commit}", **found}
        except Absent as error:
            absent[peer.name] = str(error)
    return {"graders": graders, "absent": absent}


def rows(report: dict[str, Any]) -> Iterator[list[str]]:
    """Yield the table: a hack and for each grader by which tests it passes; then the sums."""
    graders = report["graders"]
    for name in dict.fromkeys(hack.name for hack in hacks()):
        yield [name, *(_cell(grader, name) for grader in graders.values())]
    for about, key in (
        ("hacks that pass", "hacks_passed"),
        ("honest twins that pass", "twins_passed"),
    ):
        yield [about, *(f"{each[key]} of {each['programs']}" for each in graders.values())]


def _cell(grader: dict[str, Any], name: str) -> str:
    if name not in grader["passing"]:
        return ""
    masked = [
        f"{kind} masked"
        for kind in KINDS
        if grader["without_verdict"].get(f"{name} ({kind})") == MASKED
    ]
    return ", ".join([*grader["passing"][name], *masked]) or "-"


def show(report: dict[str, Any], console: Console) -> None:
    """Print the report for a person."""
    table = Table("hack", *report["graders"], title="By which tests a hack passes")
    for row in rows(report):
        table.add_row(*row)
    console.print(table)
    for name, grader in report["graders"].items():
        console.print(f"{name}: {grader['version']}", markup=False)
        for hack, reason in grader["without_verdict"].items():
            console.print(f"  no verdict: {hack}: {reason}", markup=False)
        for hack, kinds in grader["failing_twins"].items():
            console.print(f"  honest twin fails: {hack} ({', '.join(kinds)})", markup=False)
    for name, reason in report["absent"].items():
        console.print(f"{name}: {reason}", markup=False)


def markdown(report: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the table as docs/graders.md has it."""
    yield f"| hack | {' | '.join(report['graders'])} |"
    yield "|---" * (1 + len(report["graders"])) + "|"
    for row in rows(report):
        yield f"| {' | '.join(row)} |"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.graders", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="checkouts of the peers")
    parser.add_argument("--python", help="a Python that has what the peers import")
    parser.add_argument("--markdown", action="store_true", help="print the table alone")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    report = run(*folder_and_python(arguments.peers, arguments.python))
    if arguments.json:
        print(json.dumps(report, indent=2))
    elif arguments.markdown:
        print("\n".join(markdown(report)))
    else:
        show(report, Console(width=160))
    return 1 if any(report["graders"][name]["hacks_passed"] for name in POLICIES) else 0


if __name__ == "__main__":
    sys.exit(main())
