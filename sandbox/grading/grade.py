"""`grade` and `grade_many`: the whole of grading for a caller."""

import hashlib
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any, Unpack

from sandbox.grading.asserts.identity import key_of_tests
from sandbox.grading.comparators import Comparator
from sandbox.grading.formats import read_tests
from sandbox.grading.grade_row import Row
from sandbox.grading.options import GradeOptions, Settings
from sandbox.grading.sandboxes import Sandboxes
from sandbox.grading.tests import Tests, UnreadTests
from sandbox.grading.verdicts import Grade, masked, summed_up
from sandbox.runtime.caller.capacity import check_workers
from sandbox.runtime.caller.progress import progress_bar

_Row = tuple[str, Any]
_Read = Tests | UnreadTests


def grade(code: str, tests: Any, **options: Unpack[GradeOptions]) -> Grade:
    """Run `code` against `tests` and say how it did.

    `tests` are plain data, or JSON text, in one of the forms of docs/grading.md; None and no tests
    at all give a masked grade. `options` are those of `GradeOptions`: `comparator` ("lcb"),
    `early_stop` (True: a score needs no further test after the first failure; `Grade.fraction`
    does, and is what it should be with False), `preamble` ("calls"), `policy` ("contest") and
    limits that tighten it, per test (`cpu_seconds=2`).

    Raises TypeError for a program that is no str, ValueError for tests of no known form, for an
    unknown comparator and for a preamble that does not run; PolicyError, SandboxUnavailable.
    Nothing that the program does raises, and no fault of the sandbox: that masks the grade.

        tests = {"inputs": ["abc", "xy"], "outputs": ["cba", "yx"]}
        grade("print(input()[::-1])", tests, cpu_seconds=1).score  # 1.0
    """
    settings = Settings.of(options)
    [(_, read, _)] = read_rows([(code, tests)], are_many=False)
    sandboxes = Sandboxes(settings)
    return _grade(sandboxes, settings.comparator, settings.early_stop, code, read)


def grade_many(
    rows: Iterable[_Row],
    *,
    progress: bool = False,
    workers: int | None = None,
    **options: Unpack[GradeOptions],
) -> list[Grade]:
    """Return the grades of `rows`, pairs of a program and its tests, in their order.

    Uses every processor, or `workers` threads. The same program with the same tests is graded once.
    `progress` shows a tqdm bar, with executions per second; none by default. A row for which the
    sandbox failed is masked, and costs no other row its grade, as is a row whose tests have no
    known form: its one case says why. `options`, their defaults and what else is raised are those
    of `grade`.

        grades = grade_many(zip(programs, tests, strict=True), cpu_seconds=1)
        rewards = [grade.score for grade in grades]  # None where there is no verdict
    """
    settings = Settings.of(options)
    return grade_rows(
        Sandboxes(settings),
        rows,
        comparator=settings.comparator,
        early_stop=settings.early_stop,
        progress=progress,
        workers=workers,
    )


def grade_rows(
    sandboxes: Sandboxes,
    rows: Iterable[_Row],
    *,
    comparator: Comparator,
    early_stop: bool,
    progress: bool = False,
    workers: int | None = None,
) -> list[Grade]:
    """Do as `grade_many`, on `sandboxes` that other callers may hold as well, and end."""
    check_workers(workers)
    given = read_rows(rows)
    keys = [key for _, _, key in given]
    first = {key: (code, tests) for code, tests, key in reversed(given)}
    grades: dict[bytes, Grade] = {}
    with (
        progress_bar(len(given), unit="row", shown=progress) as bar,
        ThreadPoolExecutor(workers or sandboxes.workers) as pool,
    ):
        futures = {
            pool.submit(_grade, sandboxes, comparator, early_stop, *first[key]): key
            for key in dict.fromkeys(keys)
        }
        try:
            _collect(futures, Counter(keys), grades, bar)
        except BaseException:
            sandboxes.end()  # a row can have thousands of tests, and the pool is waited for
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [grades[key] for key in keys]


def _grade(
    sandboxes: Sandboxes, compare: Comparator, early_stop: bool, code: str, tests: _Read | None
) -> Grade:
    if tests is None or not tests.total:
        return summed_up([], 0, executions=0)
    if isinstance(tests, UnreadTests):
        return summed_up([masked(tests.reason)], 1, executions=0)
    return Row(sandboxes, compare, early_stop=early_stop).grade(code, tests)


def _collect(
    futures: dict[Future[Grade], bytes], rows: Counter[bytes], grades: dict[bytes, Grade], bar: Any
) -> None:
    started, executions = time.monotonic(), 0
    for future in as_completed(futures):
        key = futures[future]
        grades[key] = future.result()
        executions += grades[key].executions
        rate = executions / max(time.monotonic() - started, 1e-9)
        bar.set_postfix_str(f"{executions} executions, {rate:.0f}/s", refresh=False)
        bar.update(rows[key])
    bar.refresh()


def read_rows(
    rows: Iterable[_Row], *, are_many: bool = True
) -> list[tuple[str, _Read | None, bytes]]:
    """Return the rows, their tests read, and what makes two rows the same.

    Tests are often one object for many programs, and are read once. Raises TypeError for a program
    that is no str, and ValueError for tests of no known form, unless the rows `are_many`.
    """
    known: dict[int, tuple[Any, _Read | None, bytes]] = {}
    read = []
    for code, tests in rows:
        if not isinstance(code, str):
            raise TypeError(f"a program is a str, not a {type(code).__name__}")
        if id(tests) not in known:  # kept, so that no other object gets its id
            parsed = None if tests is None else _read(tests, are_many=are_many)
            same = parsed and key_of_tests(parsed)
            known[id(tests)] = tests, parsed, same or hashlib.sha256(b"%d" % id(tests)).digest()
        _, parsed, digest = known[id(tests)]
        key = hashlib.sha256(digest + code.encode("utf-8", "surrogatepass")).digest()
        read.append((code, parsed, key))
    return read


def _read(tests: Any, *, are_many: bool) -> _Read:
    if isinstance(tests, UnreadTests):  # another caller has tried
        return tests
    try:
        return read_tests(tests)
    except ValueError as error:
        if not are_many:
            raise
        return UnreadTests(f"its tests cannot be read: {error}")
