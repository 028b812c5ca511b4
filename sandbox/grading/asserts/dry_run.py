"""Tests that run without a program, to know what they make and take by themselves."""

from collections.abc import Callable, Sequence
from typing import Any

from sandbox.grading.tests import AssertTests
from sandbox.grading.texts.testing import BEGIN, CALL, DRY, REPORT
from sandbox.result import Result
from sandbox.runtime.caller.client import Sandbox

_LOOK_CPU_SECONDS = 2.0  # for all tests of a row


def passes_instances(sandbox: Sandbox, tests: AssertTests) -> bool:
    """Return True if `tests` pass values of their own to the program that are no plain data.

    No program is there, so none has a part in it. Every call gives a value that agrees with what
    the test asks of it. What the tests would not come to in two seconds of CPU time, or with such
    values, is not seen. Raises SandboxError.
    """
    found: list[str] = []
    _run(sandbox, tests, tests.stepped or tests.texts, found, {"cpu_seconds": _LOOK_CPU_SECONDS})
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
) -> Result:
    rest = iter(texts)

    def begin() -> tuple[str, str, tuple[str, ...], str] | None:
        text = None if found else next(rest, None)
        if text is None:
            return None
        return tests.setup, text, tests.names, tests.candidate

    def report(verdict: str, reason: str) -> None:
        found.append(f"{verdict}: {reason}")

    services: dict[str, Callable[..., Any]] = {
        CALL: lambda *request: None,
        BEGIN: begin,
        REPORT: report,
    }
    [result] = sandbox.run_many(DRY, [""], services=services, **limits)
    return result
