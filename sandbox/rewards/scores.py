"""Checks of what a contained function returned: a claim of an untrusted program."""

import math
from collections.abc import Sequence
from typing import Any

from sandbox.errors import RewardError


def checked(name: str, value: Any, count: int | None) -> list[float | None]:
    """Return `value` as rewards for `count` completions, or for as many as it has.

    Raises RewardError that says what is wrong with it.
    """
    if not isinstance(value, (list, tuple)):
        raise RewardError(
            f"{name} returned {_kind(value)}, not a list: one number or None per completion"
        )
    if count is not None and len(value) != count:
        raise RewardError(f"{name} returned {len(value)} rewards for {count} completions")
    return [_score(name, each, at) for at, each in enumerate(value)]


def same(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    """Return True if two lists of rewards are equal to a rounding of the last digits."""
    return len(one) == len(other) and all(map(_close, one, other))


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def _score(name: str, value: Any, at: int) -> float | None:
    if value is None:
        return None
    if not isinstance(value, (bool, int, float)):
        raise RewardError(f"{name} returned {_kind(value)} as reward {at}, not a number or None")
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        number = math.inf
    if not math.isfinite(number):
        raise RewardError(f"{name} returned a reward that is not finite, number {at}")
    return number


def _kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
