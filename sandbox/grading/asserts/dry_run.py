"""Tests that run without a program, to know what they make and take by themselves."""

from collections.abc import Callable, Sequence
from typing import Any

from sandbox.grading.tests import AssertTests
from sandbox.grading.texts.testing import BEGIN, CALL, DRY, REPORT
from sandbox.result import Result
from sandbox.runtime.caller.client import Sandbox

_LOOK_CPU_SECONDS = 2.0  # for all tests of a row


# Classes of the standard library whose values cross as themselves, by their module.
CROSSING = {
    "array": ("array",),
    "collections": ("Counter", "OrderedDict", "defaultdict", "deque"),
    "datetime": ("date", "datetime", "time", "timedelta"),
    "decimal": ("Decimal",),
    "fractions": ("Fraction",),
}


def passes_instances(sandbox: Sandbox, tests: AssertTests, lacking: Sequence[str] = ()) -> bool:
    """Return True if `tests` pass values of their own to the program that cannot cross.

    `lacking` are those modules of `CROSSING` that the program's policy does not grant.

    No program is there, so none has a part in it. Every call gives a value that agrees with what
    the test asks of it. What the tests would not come to in two seconds of CPU time, or with such
    values, is not seen. Raises SandboxError.
    """
    found: list[str] = []
    absent = [name for module in lacking for name in CROSSING[module]]
    texts, limits = tests.stepped or tests.texts, {"cpu_seconds": _LOOK_CPU_SECONDS}
    _run(sandbox, tests, texts, found, limits, absent)
    return bool(found)


def meets_a_limit(sandbox: Sandbox, tests: AssertTests, text: str) -> bool:
    """Return True if the test `text` of `tests` ends its child without a program, too.

    Raises SandboxError.
    """
    stepped = dict(zip(tests.texts, tests.stepped, strict=False))
    return not _run(sandbox, tests, [stepped.get(text, text)], [], {}).ok


def _run(
    sandbox: Sandbox,
    tests: AssertTests,
    texts: Sequence[str],
    found: list[str],
    limits: dict[str, Any],
    absent: Sequence[str] = (),
) -> Result:
    rest = iter(texts)

    def begin() -> tuple[str, str, tuple[str, ...], str, list[str]] | None:
        text = None if found else next(rest, None)
        if text is None:
            return None
        return tests.setup, text, tests.names, tests.candidate, list(absent)

    def report(verdict: str, reason: str) -> None:
        found.append(f"{verdict}: {reason}")

    services: dict[str, Callable[..., Any]] = {
        CALL: lambda *request: None,
        BEGIN: begin,
        REPORT: report,
    }
    [result] = sandbox.run_many(DRY, [""], services=services, **limits)
    return result
