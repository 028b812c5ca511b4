"""verl's reward from a file of one's own that never runs in verl's processes.

    reward.custom_reward_function.path=pkg://sandbox.integrations.verl_contained
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.source=/path/reward.py

The file has the function that verl would be given: `compute_score(data_source, solution_str,
ground_truth, extra_info=None, **kwargs)`, which returns a number or a dict with `score`.
"""

import logging
import math
from collections.abc import Mapping
from os import PathLike
from typing import Any

from sandbox.errors import RewardError
from sandbox.integrations.contained import Figures, is_fault, loaded_once, number
from sandbox.integrations.verl import Score

FAULTS = "faults"
_log = logging.getLogger(__name__)


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    source: "str | PathLike[str]",
    function: str = "compute_score",
    options: Mapping[str, Any] | None = None,
    masked_score: float | str | None = FAULTS,
    **more: Any,
) -> Score:
    """Return what the `function` of `source` says of one sample, in a child of its own.

    `source` is a file's path (`reward.py`, `reward.py::function`) or a text, `options` are those of
    `load_reward`, limits among them. Both come from `reward_kwargs`, as `function` and
    `masked_score`; everything else that comes, from there or from verl, goes to the function, as
    far as it is plain data. The function is loaded once in each process.

    The score has `score`, `masked` (1.0 for a sample without a verdict, else 0.0) and what the
    function's dict has beside. A sample without a verdict has NaN there, or an empty text.

    `masked_score` says what is done where there is no verdict:
    `"faults"`, the default: `score` is NaN after a fault of the sandbox or the machine, which was
    tried twice. Whatever would be the same for the next sample is raised: RewardError if the
    function raised, met a limit or returned no finite number, ValueError for a source without that
    function or an argument that no child can be given, OSError for a file that cannot be read,
    PolicyError, SandboxUnavailable.
    A number, NaN too: `score` is that number in all of these cases, and the reason is logged.
    None: all of it is raised, faults as SandboxError.
    """
    row = {"data_source": data_source, "solution_str": solution_str, "ground_truth": ground_truth}
    figures = Figures()
    try:
        reward, figures = loaded_once(source, function, options or {})
        value = reward.invoke(**row, extra_info=extra_info, **more)
        scored = _scored(reward.__name__, value)
    except Exception as error:
        instead = _instead(error, masked_score)
        if instead is None:
            raise
        _log.error("no verdict on a sample of %s: %.500r", data_source, error)
        return Score({**figures.none(), "score": instead, "masked": 1.0})
    figures.learn(scored)
    return scored


def _scored(name: str, value: Any) -> Score:
    found = value if isinstance(value, dict) else {"score": value}
    if "score" not in found:
        raise RewardError(f"{name} returned a dict without 'score'")
    return Score({**found, "score": number(name, found["score"]), "masked": 0.0})


def _instead(error: Exception, masked_score: float | str | None) -> float | None:
    """Return the score of a sample without a verdict; None if the caller has to raise `error`."""
    if masked_score == FAULTS:
        return math.nan if is_fault(error) else None
    return None if masked_score is None else float(masked_score)
