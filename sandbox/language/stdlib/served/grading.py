"""Stand-ins for `grade`, `grade_many` and `extract_code`, served by the trusted side.

It reads the tests and runs the programs. A comparator by name compares there, too; one that is a
function of the guest's is called here, with what a program gave and what was expected of it: both
are the guest's own business. What comes back is plain data.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sandbox.errors import SandboxError
from sandbox.language.guest.context import Context
from sandbox.language.stdlib.concurrency.threading import public

GRADE, EXTRACT = "sandbox_grade", "sandbox_extract"  # what the trusted side must lend
MANY = "sandbox_many"  # what it may lend: (service: str, requests: list) -> list
AT_ONCE = 256  # requests that it is asked for together
_RAISED = {"TypeError": TypeError, "ValueError": ValueError}
_PASSED, _FAILED, _MASKED, _SKIPPED = "passed", "failed", "masked", "skipped"


@dataclass(frozen=True, slots=True)
class Case:
    """One test's verdict, as text, and why it is not `passed`."""

    verdict: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """How one program did in its tests; the fields of the real one."""

    passed: int
    total: int
    fraction: float | None
    cases: tuple[Case, ...]
    masked: bool
    weaker: bool
    executions: int

    @property
    def score(self) -> float | None:
        """1.0 if every test passed, 0.0 if not, None where masked."""
        if self.masked:
            return None
        return 1.0 if self.passed == self.total else 0.0


for _each in (Case, Grade):
    public(_each, "sandbox")


def grading(context: Context) -> dict[str, Any]:
    """The names of the package that grade, served by the session of this world."""
    session = context.session

    def asked(service: str, request: Any) -> Any:
        function = session.services.get(service)
        if function is None:
            raise SandboxError("this execution has no session that would grade a program")
        return _answered(function(request))

    def extract_code(completion: Any) -> str:
        return str(asked(EXTRACT, completion)["code"])

    def grade(
        code: str,
        tests: Any,
        *,
        comparator: Any = "lcb",
        early_stop: bool = False,
        preamble: str = "calls",
        policy: Any = "contest",
        **limits: float,
    ) -> Grade:
        asks = _request(code, tests, comparator, early_stop, preamble, limits)
        return _graded(asked(GRADE, asks), comparator, early_stop)

    def grade_many(
        rows: Iterable[tuple[str, Any]],
        *,
        comparator: Any = "lcb",
        early_stop: bool = True,
        progress: bool = False,
        preamble: str = "calls",
        policy: Any = "contest",
        workers: int | None = None,
        **limits: float,
    ) -> list[Grade]:
        options: dict[str, Any] = {"comparator": comparator, "early_stop": early_stop, **limits}
        many, waiting = session.services.get(MANY), iter(rows)
        if many is None:
            return [grade(code, tests, preamble=preamble, **options) for code, tests in waiting]
        grades: list[Grade] = []
        while part := list(islice(waiting, AT_ONCE)):
            requests = [
                _request(code, tests, comparator, early_stop, preamble, limits)
                for code, tests in part
            ]
            for answer in many(GRADE, requests):
                grades.append(_graded(_answered(answer), comparator, early_stop))
        return grades

    return {"extract_code": extract_code, "grade": grade, "grade_many": grade_many}


def _request(
    code: Any, tests: Any, comparator: Any, early_stop: Any, preamble: Any, limits: Any
) -> dict[str, Any]:
    return {
        "code": code,
        "tests": tests,
        "comparator": None if callable(comparator) else comparator,
        "early_stop": bool(early_stop),
        "preamble": preamble,
        "limits": limits,
    }


def _answered(answer: Any) -> Any:
    """What was answered, or what the real function raises."""
    if "raised" in answer:
        raise _RAISED[answer["raised"]](answer["message"])
    return answer


def _graded(answer: Mapping[str, Any], comparator: Any, early_stop: bool) -> Grade:
    cases: list[Case] = []
    for given in answer["cases"]:
        cases.append(_case(given, comparator))
        if early_stop and cases[-1].verdict == _FAILED:
            break
    total = answer["total"]
    cases += [Case(_SKIPPED, "an earlier test failed")] * (total - len(cases))
    count = sum(case.verdict == _PASSED for case in cases)
    masked = not cases or any(case.verdict == _MASKED for case in cases)
    return Grade(
        passed=count,
        total=total,
        fraction=None if masked else count / total,
        cases=tuple(cases),
        masked=masked,
        weaker=answer["weaker"],
        executions=answer["executions"],
    )


def _case(given: Mapping[str, Any], comparator: Callable[[Any, Any], Any]) -> Case:
    """A verdict that was given, or that of the guest's comparator on what was observed."""
    if "verdict" in given:
        return Case(given["verdict"], given["reason"])
    try:
        if any(comparator(given["actual"], expected) for expected in given["expected"]):
            return Case(_PASSED)
    except Exception as error:
        return Case(_MASKED, f"the comparator raised {type(error).__name__}"[:500])
    return Case(_FAILED, "wrong answer")
