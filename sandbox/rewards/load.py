"""`load_reward`: from a source to a callable for trainers."""

from os import PathLike
from typing import Any

from sandbox.policy.model import Policy
from sandbox.rewards.contained import ContainedReward
from sandbox.rewards.source import names_in, text_of


def load_reward(
    source: "str | PathLike[str]",
    *,
    policy: "str | PathLike[str] | Policy" = "reward",
    name: str | None = None,
    workers: int | None = None,
    executing: "str | PathLike[str] | Policy" = "strict",
    row_wise: bool | None = None,
    stateful: bool = False,
    seed: int = 0,
    budget_seconds: float = 600.0,
    **limits: float,
) -> "ContainedReward":
    """Load a reward function into the sandbox, to be called like any other.

        reward = load_reward(Path("reward.py"))
        rewards = reward(prompts=prompts, completions=completions, answer=answers)

    Its code runs in children only: when it is loaded, and in each call.

    `source`: the text, or the path of a file (a `Path`).
    `policy`: what the function itself runs under; it has to grant services, as `reward` does.
    `name`: the function, if the source has several with a parameter `completions`, or none.
    `workers`: how many children a batch is split over, by default one per processor.
    `executing`: the policy of the programs that the function has executed or graded, each in a
    child of its own; what it asks for itself is not looked at.
    `row_wise`: whether a reward depends on its own row alone, so that a batch may be split. By
    default that is found out: `ContainedReward.row_wise`.
    `stateful`: one child serves all calls, so that what the function keeps in globals or on itself
    is there in the next; it may use an hour of processor time. Without it each call is the first.
    `seed`: what `random` starts with in each child.
    `budget_seconds`: of the clock, for one call with all that is executed in it.
    `limits`: tighter ones for the function, as in `Sandbox.run` (`cpu_seconds=2`).

    Raises RewardError if the source fails as it is loaded, ValueError if it has no such function,
    PolicyError for a wrong policy or limit, SandboxUnavailable and SandboxError.
    """
    return ContainedReward(
        source,
        policy=policy,
        name=name,
        workers=workers,
        executing=executing,
        row_wise=row_wise,
        stateful=stateful,
        seed=seed,
        budget_seconds=budget_seconds,
        **limits,
    )


def load_all(source: "str | PathLike[str]", **options: Any) -> "list[ContainedReward]":
    """Load every reward function of a source, in its order; `options` are `load_reward`'s.

    Raises what `load_reward` raises; ValueError if there is none.
    """
    text = text_of(source)
    return [load_reward(text, name=name, **options) for name in names_in(text)]
