"""OpenRLHF's reward from a function of one's own that never runs in OpenRLHF's processes.

`--reward.remote_url` with the path of a file that says

    from sandbox.integrations.openrlhf_contained import make_contained_reward_func
    reward_func = make_contained_reward_func("/path/reward.py")
"""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from sandbox.errors import RewardError, SandboxError
from sandbox.integrations.contained import Figures, is_fault, located, number
from sandbox.rewards import scores
from sandbox.rewards.load import load_reward

_NAMES = frozenset(("rewards", "scores", "extra_logs"))
_Column = list[float | None]


def make_contained_reward_func(
    source: "str | PathLike[str]",
    *,
    function: str = "reward_func",
    masked: float | None = None,
    **options: Any,
) -> "Callable[..., dict[str, Any]]":
    """Make a `reward_func` for OpenRLHF that has the `function` of `source` called in a child.

    `source` is a file's path (`reward.py`, `reward.py::function`) or a text; `options` are those of
    `load_reward`. The function is called as OpenRLHF does, `reward_func(queries, prompts, labels,
    **kwargs)`, and returns plain data, as there is no torch in a child: a list of numbers, or a
    dict with `rewards` and perhaps `scores`, like `rewards` by default, and `extra_logs`, a dict
    of lists. A list has a finite number for each query; in `rewards` or `scores`, None is no
    verdict.

    `masked` is the reward and the score of a sample without a verdict, and of all samples of a call
    after a fault of the sandbox or the machine, which was tried twice; None raises SandboxError.
    `extra_logs` has 1.0 for such a sample in `masked`, else 0.0; after a fault the function's own
    logs are NaN.

    The function is loaded at once. Raises what `load_reward` does.
    """
    where, named = located(source)
    reward = load_reward(where, name=named or function, **options)
    logged = Figures()

    def ask(*columns: Sequence[Any], **more: Any) -> "_Answer":
        count = len(columns[0])
        try:
            value = reward.invoke(*map(list, columns), **more)
        except SandboxError as error:
            if masked is None or not is_fault(error):
                raise
            logs = {name: [none] * count for name, none in logged.none().items()}
            return _Answer([None] * count, [None] * count, logs)
        answer = _Answer.read(reward.__name__, value, count)
        logged.learn(answer.logs)
        return answer

    def reward_func(
        queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **more: Any
    ) -> dict[str, Any]:
        """Return what the contained function says of each query, as tensors.

        Raises RewardError if it raises, meets a limit or returns anything else, SandboxError for a
        sample without a verdict, ValueError for a label that no child can be given.
        """
        figures = ask(queries, prompts, labels, **more).figures(masked)
        tensors: dict[str, Any] = _as_tensors(figures)
        return tensors

    return reward_func


class _Answer:
    """The checked answer of a function for some queries."""

    def __init__(
        self, rewards: _Column, scores: _Column, logs: Mapping[str, Sequence[float]]
    ) -> None:
        self.rewards, self.scores, self.logs = rewards, scores, logs

    @classmethod
    def read(cls, name: str, value: Any, count: int) -> "_Answer":
        """Read a function's answer. Raises RewardError, which says what is wrong with `value`."""
        told = value if isinstance(value, dict) else {"rewards": value}
        if "rewards" not in told or not told.keys() <= _NAMES:
            raise RewardError(
                f"{name} returned a dict that has not just rewards, scores, extra_logs"
            )
        rewards = scores.checked(name, told["rewards"], count)
        logs = told.get("extra_logs", {})
        if not isinstance(logs, dict):
            raise RewardError(f"{name} returned extra_logs that are no dict of lists")
        return cls(
            rewards,
            scores.checked(name, told.get("scores", rewards), count),
            {each: _figures(f"extra_logs[{each!r}] of {name}", logs[each], count) for each in logs},
        )

    def figures(self, masked: float | None) -> dict[str, Any]:
        """Return the answer in OpenRLHF's words.

        Raises SandboxError for a sample without a verdict, if `masked` is None.
        """
        pairs = zip(self.rewards, self.scores, strict=True)
        return {
            "rewards": [_or_masked(each, masked) for each in self.rewards],
            "scores": [_or_masked(each, masked) for each in self.scores],
            "extra_logs": {**self.logs, "masked": [float(None in pair) for pair in pairs]},
        }


def _as_tensors(figures: Any) -> Any:
    import torch

    if isinstance(figures, dict):
        return {name: _as_tensors(each) for name, each in figures.items()}
    return torch.tensor(figures)


def _or_masked(reward: float | None, masked: float | None) -> float:
    if reward is not None:
        return reward
    if masked is None:
        raise SandboxError("no verdict on a sample: its reward is None")
    return float(masked)


def _figures(name: str, value: Any, count: int) -> list[float]:
    return [number(name, each) for each in scores.checked(name, value, count)]
