"""verl's reward: `reward.custom_reward_function.path=pkg://sandbox.integrations.verl`.

verl knows no sample without a verdict. Its reward managers take a number, and some score an
exception as zero; so such a sample has NaN, the one number that nothing takes for a verdict. It
spreads over its group, and verl's engines leave out an optimizer step whose gradient is not finite.
"""

import logging
import math
from collections.abc import Mapping
from typing import Any, Unpack

from sandbox.errors import SandboxError
from sandbox.grading.extraction import extract_code
from sandbox.grading.grade import grade
from sandbox.grading.options import GradeOptions, scored
from sandbox.grading.verdicts import Grade, Verdict
from sandbox.integrations.ground_truth import read_ground_truth
from sandbox.policy.limits import LimitOptions

_log = logging.getLogger(__name__)


class Score(dict[str, float]):
    """`score` and figures beside it, the same keys for every sample, all of them floats.

    verl's manager "prime" takes no dict and reads element 0 of what is no number: here, the score.
    """

    def __missing__(self, key: object) -> float:
        if key == 0 and "score" in self:
            return self["score"]
        raise KeyError(key)


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    partial: bool = False,
    max_tests: int | None = None,
    masked_score: float | None = math.nan,
    limits: LimitOptions | None = None,
    **options: Unpack[GradeOptions],
) -> Score:
    """Grade the program in `solution_str` by the tests in `ground_truth`.

    `score` is 1.0 if all tests passed and 0.0 if not, or with `partial` the fraction that passed;
    `acc` is 1.0 or 0.0 in any case; `passed` of `total` tests; `masked` and `weaker` as in `Grade`,
    1.0 for true. `max_tests` leaves out what follows the first so many tests. `options` are those
    of `grade`, limits among them, which `limits` may hold as well; `early_stop` is on unless
    `partial`: a score needs no further test after the first failure, a fraction does. Keyword
    arguments come from `reward.custom_reward_function.reward_kwargs`; others, as verl adds them,
    and `extra_info` are not looked at.

    Without a verdict, through a fault of the sandbox, the host or the row itself, `score` and `acc`
    are `masked_score`, and the reason is logged; if that is None, SandboxError, ValueError or
    TypeError is raised. A wrong option is such a reason.
    """
    given = {name: value for name, value in options.items() if name in GradeOptions.__annotations__}
    try:
        chosen = scored({**given, **(limits or {})}, partial=partial)
        tests = read_ground_truth(ground_truth, max_tests)
        code = extract_code(solution_str)
        graded = grade(code, tests, **chosen)
        if graded.masked:
            raise SandboxError(_reason(graded))
    except Exception as error:  # whatever it is: some of verl's managers would make 0.0 of it
        if masked_score is None:
            raise
        _log.error("no verdict on a sample of %s: %s: %s", data_source, type(error).__name__, error)
        return _score(masked_score, masked_score, None)
    acc = graded.score or 0.0
    return _score((graded.fraction or 0.0) if partial else acc, acc, graded)


def _score(score: float, acc: float, graded: Grade | None) -> Score:
    return Score(
        score=float(score),
        acc=float(acc),
        passed=float(graded.passed) if graded else 0.0,
        total=float(graded.total) if graded else 0.0,
        masked=float(graded is None),
        weaker=float(graded is not None and graded.weaker),
    )


def _reason(graded: Grade) -> str:
    reasons = (case.reason for case in graded.cases if case.verdict is Verdict.MASKED)
    return next(reasons, "the row has no tests")
