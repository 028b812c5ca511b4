"""The answers of grading: one `Case` per test, summed up in a `Grade`."""

from dataclasses import dataclass, replace
from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of one test."""

    PASSED = "passed"
    FAILED = "failed"
    MASKED = "masked"  # no measurement: the sandbox, the machine or the test itself failed
    SKIPPED = "skipped"  # not run, because an earlier test of the row failed


@dataclass(frozen=True, slots=True)
class Case:
    """One test's verdict; `reason` says why it is not `PASSED`, without the expected value.

    Of a test in a test file that passed without the program it says that.

    `name` is that of a test in a test file, as pytest has it (`test_it.py::test_one[2]`); empty for
    other tests.
    """

    verdict: Verdict
    reason: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The grade of one program by its tests.

    `passed` of `total` tests; `fraction` is their ratio, between 0.0 and 1.0, and None where
    `masked`; what was skipped counts as not passed, so it needs `early_stop=False`.
    `masked` says that at least one test has no verdict through no fault of the program:
    leave such a row out of a batch. `weaker` says that the program shared a process with its tests,
    as their values are no plain data: it could have read or tampered with them; or that a test took
    the word of classes of the program's own that two of its values are equal, or in order.
    `executions` is the number of children that were used for it.
    """

    passed: int
    total: int
    fraction: float | None
    cases: tuple[Case, ...]
    masked: bool = False
    weaker: bool = False
    executions: int = 0

    @property
    def score(self) -> float | None:
        """1.0 if every test passed, 0.0 if not, None where `masked`."""
        if self.masked:
            return None
        return 1.0 if self.passed == self.total else 0.0


def passed() -> Case:
    """Make the verdict on a test that passed."""
    return Case(Verdict.PASSED)


def failed(reason: str) -> Case:
    """Make the verdict on a test that the program failed."""
    return Case(Verdict.FAILED, reason[:500])


def masked(reason: str) -> Case:
    """Make a case without a verdict, through no fault of the program."""
    return Case(Verdict.MASKED, reason[:500])


def named(name: str, case: Case) -> Case:
    """Return `case` with the name of its test."""
    return replace(case, name=name[:500])


def summed_up(cases: list[Case], total: int, *, executions: int, weaker: bool = False) -> Grade:
    """Grade `total` tests, of which `cases` were run. A row without tests is masked."""
    skipped = Case(Verdict.SKIPPED, "an earlier test failed")
    every = (*cases, *[skipped] * (total - len(cases)))
    count = sum(case.verdict is Verdict.PASSED for case in every)
    is_masked = not every or any(case.verdict is Verdict.MASKED for case in every)
    return Grade(
        passed=count,
        total=total,
        fraction=None if is_masked else count / total,
        cases=every,
        masked=is_masked,
        weaker=weaker,
        executions=executions,
    )
