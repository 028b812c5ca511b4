"""OpenRLHF's reward: `--reward.remote_url` with the path of this file, or of one that imports it.

OpenRLHF has no word for a sample without a verdict. If a reward function raises, the sample has no
reward, and the training step ends with an error. A NaN in `scores` drops the sample's group, and
puts another in its place, where `--algo.dynamic_filtering_enable` is on, and ruins the step where
not. So the default is to raise; `make_reward_func(masked=math.nan)` is for dynamic filtering.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Unpack

from sandbox.errors import SandboxError
from sandbox.grading.extraction import extract_code
from sandbox.grading.grade import grade_many
from sandbox.grading.options import GradeOptions, scored
from sandbox.grading.verdicts import Grade, Verdict
from sandbox.integrations.ground_truth import read_ground_truth
from sandbox.policy.limits import LimitOptions

# What chat templates end a turn with: in a query it stands right behind the last fence.
_END_OF_TURN = re.compile(
    r"(?:<\|[^|<>\n]{1,40}\|>|<\uff5c[^\uff5c<>\n]{1,40}\uff5c>|</s>|<eos>|<pad>|<end_of_turn>)\Z"
)
_LONGEST_TOKEN = 44  # characters
_TAILS = (2000, 500, 200, 80)  # characters of a prompt by whose end it is found if it was cut short


def make_reward_func(
    *,
    partial: bool = False,
    masked: float | None = None,
    limits: LimitOptions | None = None,
    **options: Unpack[GradeOptions],
) -> "Callable[..., dict[str, Any]]":
    """Make a `reward_func` for OpenRLHF with these settings.

    `partial`: the reward is the share of tests passed, and not all or nothing; then all are run.
    `masked`: the reward of a sample without a verdict; None, the default, raises SandboxError.
    `options`: those of `grade`, limits among them, which `limits` may hold as well. `early_stop` is
    on unless `partial`: a score needs no further test after the first failure, a fraction does.

    Raises PolicyError for a wrong policy, option or limit, ValueError for an unknown comparator.

        reward_func = make_reward_func(partial=True, cpu_seconds=2)
    """
    chosen = scored({**options, **(limits or {})}, partial=partial)

    def reward_func(
        queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **_: Any
    ) -> dict[str, Any]:
        """Return 1.0 per query whose program passes all its label's tests, else 0.0 or its share.

        Raises SandboxError for a sample without a verdict, ValueError for a label of no known form.
        """
        import torch

        rows = list(zip(queries, prompts, labels, strict=True))
        figures = rate(rows, masked=masked, partial=partial, **chosen)
        logs = {name: torch.tensor(values) for name, values in figures["extra_logs"].items()}
        rewards = torch.tensor(figures["rewards"])
        return {"rewards": rewards, "scores": rewards.clone(), "extra_logs": logs}

    return reward_func


def rate(
    rows: Sequence[tuple[str, str, Any]],
    *,
    masked: float | None = None,
    partial: bool = False,
    **options: Unpack[GradeOptions],
) -> dict[str, Any]:
    """Do the same for triples of query, prompt and label, in plain lists."""
    chosen = scored(options, partial=partial)
    read = [(completion(query, prompt), read_ground_truth(label)) for query, prompt, label in rows]
    grades = grade_many([(extract_code(text), tests) for text, tests in read], **chosen)
    return figures_of(grades, masked, partial=partial)


def figures_of(
    grades: Sequence[Grade], masked: float | None = None, *, partial: bool = False
) -> dict[str, Any]:
    """Return `grades` as rewards and logs, in plain lists. Raises SandboxError for a masked one."""
    rewards = [_reward(grade, masked, partial) for grade in grades]
    logs = {
        "passed": [float(grade.passed) for grade in grades],
        "total": [float(grade.total) for grade in grades],
        "masked": [float(grade.masked) for grade in grades],
    }
    return {"rewards": rewards, "scores": rewards, "extra_logs": logs}


def completion(query: str, prompt: str) -> str:
    """Return what `query` has after its `prompt`, without the tokens that end a turn.

    A prompt that was too long lost its beginning: it is found by its end. Raises ValueError if it
    is not there at all, because an example in a prompt must not be taken for the answer.
    """
    for part in (prompt, *(prompt[-length:] for length in _TAILS if length < len(prompt))):
        position = query.find(part)
        if position >= 0:
            return _without_end_of_turn(query[position + len(part) :])
    raise ValueError("the query does not contain its prompt")


def _without_end_of_turn(text: str) -> str:
    """Cut `text` before its last tokens. It is untrusted: one step per token, from the end."""
    kept = len(text)
    end = _before_blanks(text, kept)
    while token := _END_OF_TURN.search(text, max(end - _LONGEST_TOKEN, 0), end):
        kept = end = _before_blanks(text, token.start())
    return text[:kept]


def _before_blanks(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _reward(grade: Grade, masked: float | None, partial: bool) -> float:
    reward = grade.fraction if partial else grade.score
    if reward is not None:
        return reward
    if masked is not None:
        return masked
    reasons = (case.reason for case in grade.cases if case.verdict is Verdict.MASKED)
    raise SandboxError(f"no verdict on a sample: {next(reasons, 'its label has no tests')}")


reward_func = make_reward_func()
