"""Parts of all trainers' forms of a contained reward: find its source, read what it returned.

A source is a text, or a file: a `Path`, or one line of text that ends in `.py`. Behind a file's
path may be `::` and the name of a function.
"""

import math
import os
import re
import threading
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from sandbox.errors import CONFIGURATION, RewardError, SandboxError
from sandbox.rewards import scores
from sandbox.rewards.contained import ContainedReward
from sandbox.rewards.load import load_reward

_FUNCTION = re.compile(r"(?P<path>.+)::(?P<function>[^\W\d]\w*)")
_ENDING = ".py"


def located(source: "str | PathLike[str]") -> tuple["str | Path", str | None]:
    """Return `source` as `load_reward` takes it, and the function that it names, or None."""
    given = os.fspath(source)
    found = _FUNCTION.fullmatch(given)
    path, function = (found["path"], found["function"]) if found else (given, None)
    if isinstance(source, str) and ("\n" in path or not path.endswith(_ENDING)):
        return source, None
    return Path(path), function


class Figures:
    """The values that a function returns beside its rewards, by name, with stand-ins for none.

    Trainers want the same names for every sample.
    """

    def __init__(self) -> None:
        self._last: dict[str, Any] = {}

    def learn(self, figures: Mapping[str, Any]) -> None:
        """Remember the names, and which of the figures are texts."""
        self._last = {name: "" if isinstance(f, str) else math.nan for name, f in figures.items()}

    def none(self) -> dict[str, Any]:
        """Return the names of the last answer: with NaN, or an empty text where it had a text."""
        return dict(self._last)


Loaded = tuple[ContainedReward, Figures]
_loaded: dict[Any, Loaded] = {}
_lock = threading.Lock()


def loaded_once(
    source: "str | PathLike[str]", function: str | None, options: Mapping[str, Any]
) -> Loaded:
    """Load the function of a source with these options of `load_reward`, once per process.

    It is loaded at the first call; a file that changes later is not read again. `function` is for a
    source that names none. Raises what `load_reward` does; the next call tries again.
    """
    key = (os.fspath(source), function, tuple(sorted(options.items())))
    with _lock:
        if key not in _loaded:
            where, named = located(source)
            _loaded[key] = load_reward(where, name=named or function, **options), Figures()
        return _loaded[key]


def is_fault(error: Exception) -> bool:
    """Return True for a fault of sandbox or machine that may be over at the next sample.

    Not for a function, a policy or a host that would fail the next one, too.
    """
    return isinstance(error, SandboxError) and not isinstance(error, CONFIGURATION)


def number(name: str, value: Any) -> float:
    """Return `value`, which the function `name` gave, if a finite number. Raises RewardError."""
    [reward] = scores.checked(name, [value], 1)
    if reward is None:
        raise RewardError(f"{name} returned None, not a number")
    return reward


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
