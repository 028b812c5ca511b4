"""OpenRLHF's reward: `--reward.remote_url` with the path of this file, or of one that imports it.

OpenRLHF has no word for a sample without a verdict. If a reward function raises, the sample has no
reward, and the training step ends with an error. A NaN in `scores` drops the sample's group, and
puts another in its place, where `--algo.dynamic_filtering_enable` is on, and ruins the step where
not. So the default is to raise; `make_reward_func(masked=math.nan)` is for dynamic filtering.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sandbox.errors import SandboxError
from sandbox.grading.extraction import extract_code
from sandbox.grading.grade import grade_many
from sandbox.grading.verdicts import Grade, Verdict
from sandbox.integrations.ground_truth import read_ground_truth

# What chat templates end a turn with: in a query it stands right behind the last fence.
_END_OF_TURN = re.compile(
    r"(?:<\|[^|<>\n]{1,40}\|>|<\uff5c[^\uff5c<>\n]{1,40}\uff5c>|</s>|<eos>|<pad>|<end_of_turn>)\Z"
)
_LONGEST_TOKEN = 44  # characters
_TAILS = (2000, 500, 200, 80)  # characters of a prompt by whose end it is found if it was cut short


def make_reward_func(
    *,
    policy: str = "contest",
    comparator: str = "lcb",
    masked: float | None = None,
    limits: Mapping[str, float] | None = None,
) -> "Callable[..., dict[str, Any]]":
    """A `reward_func` for OpenRLHF with these settings, which are those of `grade_many`.

    `masked` is the reward of a sample without a verdict; None raises SandboxError for it.
    """

    def reward_func(
        queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **_: Any
    ) -> dict[str, Any]:
        """1.0 for each query whose program passes all tests in its label, else 0.0.

        Raises SandboxError for a sample without a verdict, ValueError for a label of no known form.
        """
        import torch

        rows = list(zip(queries, prompts, labels, strict=True))
        given: dict[str, Any] = {"policy": policy, "comparator": comparator, **(limits or {})}
        figures = rate(rows, masked=masked, **given)
        logs = {name: torch.tensor(values) for name, values in figures["extra_logs"].items()}
        rewards = torch.tensor(figures["rewards"])
        return {"rewards": rewards, "scores": rewards.clone(), "extra_logs": logs}

    return reward_func


def rate(
    rows: Sequence[tuple[str, str, Any]],
    *,
    masked: float | None = None,
    grading: "Callable[..., list[Grade]]" = grade_many,
    **settings: Any,
) -> dict[str, Any]:
    """The same for triples of query, prompt and label, in plain lists."""
    read = [(completion(query, prompt), read_ground_truth(label)) for query, prompt, label in rows]
    grades = grading([(extract_code(text), tests) for text, tests in read], **settings)
    return figures_of(grades, masked)


def figures_of(grades: Sequence[Grade], masked: float | None = None) -> dict[str, Any]:
    """Rewards and logs of `grades`, in plain lists. Raises SandboxError for one that is masked."""
    rewards = [_reward(grade, masked) for grade in grades]
    logs = {
        "passed": [float(grade.passed) for grade in grades],
        "total": [float(grade.total) for grade in grades],
        "masked": [float(grade.masked) for grade in grades],
    }
    return {"rewards": rewards, "scores": rewards, "extra_logs": logs}


def completion(query: str, prompt: str) -> str:
    """What `query` has after its `prompt`, without the tokens that end a turn.

    A prompt that was too long lost its beginning: it is found by its end. Raises ValueError if it
    is not there at all, because an example in a prompt must not be taken for the answer.
    """
    for part in (prompt, *(prompt[-length:] for length in _TAILS if length < len(prompt))):
        position = query.find(part)
        if position >= 0:
            return _without_end_of_turn(query[position + len(part) :])
    raise ValueError("the query does not contain its prompt")


def _without_end_of_turn(text: str) -> str:
    """`text` up to its last tokens. It is untrusted: one step per token, from the end."""
    kept = len(text)
    end = _before_blanks(text, kept)
    while token := _END_OF_TURN.search(text, max(end - _LONGEST_TOKEN, 0), end):
        kept = end = _before_blanks(text, token.start())
    return text[:kept]


def _before_blanks(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _reward(grade: Grade, masked: float | None) -> float:
    if grade.score is not None:
        return grade.score
    if masked is not None:
        return masked
    reasons = (case.reason for case in grade.cases if case.verdict is Verdict.MASKED)
    raise SandboxError(f"no verdict on a sample: {next(reasons, 'its label has no tests')}")


reward_func = make_reward_func()
