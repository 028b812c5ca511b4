"""Stand-ins for `grade`, `grade_many` and `extract_code`, served by the trusted side.

It reads the tests and runs the programs. A comparator by name compares there, too; one that is a
function of the guest's is called here, with what a program gave and what was expected of it: both
are the guest's own business. What comes back is plain data.
"""

from collections.abc import Iterable, Mapping
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
    """One test's verdict, as text, why it is not `passed`, and its name in a test file."""

    verdict: str
    reason: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The verdicts on one program; the fields of the real `Grade`."""

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
    state = context.state

    def asked(service: str, request: Any) -> Any:
        function = state.services.get(service)
        if function is None:
            raise SandboxError("this execution has no session that would grade a program")
        return _answered(function(request))

    def extract_code(completion: Any) -> str:
        return str(asked(EXTRACT, completion)["code"])

    def grade(code: str, tests: Any, **options: Any) -> Grade:
        return _graded(asked(GRADE, _request(code, tests, options)), options)

    def grade_many(
        rows: Iterable[tuple[str, Any]],
        *,
        progress: bool = False,
        workers: int | None = None,
        **options: Any,
    ) -> list[Grade]:
        many, waiting = state.services.get(MANY), iter(rows)
        if many is None:
            return [grade(code, tests, **options) for code, tests in waiting]
        grades: list[Grade] = []
        while part := list(islice(waiting, AT_ONCE)):
            requests = [_request(code, tests, options) for code, tests in part]
            for answer in many(GRADE, requests):
                grades.append(_graded(_answered(answer), options))
        return grades

    return {"extract_code": extract_code, "grade": grade, "grade_many": grade_many}


def _request(code: Any, tests: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Make the request: a comparator that is a function stays, and no policy is chosen here."""
    crossing = {name: value for name, value in options.items() if name != "policy"}
    if callable(options.get("comparator")):
        crossing["comparator"] = None
    return {"code": code, "tests": tests, "options": crossing}


def _answered(answer: Any) -> Any:
    """Return what the caller answered, or raise what the real function raises."""
    if "raised" in answer:
        raise _RAISED[answer["raised"]](answer["message"])
    return answer


def _graded(answer: Mapping[str, Any], options: Mapping[str, Any]) -> Grade:
    cases: list[Case] = []
    for given in answer["cases"]:
        cases.append(_case(given, options.get("comparator")))
        if options.get("early_stop", True) and cases[-1].verdict == _FAILED:
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


def _case(given: Mapping[str, Any], comparator: Any) -> Case:
    """A verdict that was given, or that of the guest's comparator on what was observed."""
    if "verdict" in given:
        return Case(given["verdict"], given["reason"], given["name"])
    try:
        if any(comparator(given["actual"], expected) for expected in given["expected"]):
            return Case(_PASSED)
    except Exception as error:
        return Case(_MASKED, f"the comparator raised {type(error).__name__}"[:500])
    return Case(_FAILED, "wrong answer")
