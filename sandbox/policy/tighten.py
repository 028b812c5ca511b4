"""Limits for one call: tighter than the policy's, never wider. On the path of every call."""

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sandbox.errors import Problem, policy_error
from sandbox.policy.limits import TABLE, Limits

# What these limits are called elsewhere, where no spelling comes near.
_ELSEWHERE = {"timeout": "wall_seconds", "time_limit": "cpu_seconds", "memory_limit": "memory_mib"}
_WHOLE = {limit.name: limit.kind is int for limit in TABLE}


def tighten(limits: Limits, overrides: Mapping[str, Any]) -> Limits:
    """`limits` with `overrides` in place of what they name; units as in `Limits`.

    Raises PolicyError for a name that is no limit, and for a value that is not a positive number,
    or is greater than what `limits` has.
    """
    for name, value in overrides.items():
        if problem := _problem(limits, name, value):
            raise policy_error(Problem(key=name, reason=problem))
    return replace(limits, **overrides) if overrides else limits


def _problem(limits: Limits, name: str, value: Any) -> str:
    """Say what is wrong with one override; empty if nothing is."""
    if name not in _WHOLE:
        return f"unknown limit{did_you_mean(name, _WHOLE)}; there are {', '.join(_WHOLE)}"
    kinds = int if _WHOLE[name] else (int, float)
    if not isinstance(value, kinds) or isinstance(value, bool):
        return f"must be a {'whole ' if _WHOLE[name] else ''}number, not {value!r}"
    ceiling = getattr(limits, name)
    if not value > 0:  # so written, NaN is refused too
        return f"must be greater than 0, not {value!r}"
    if value > ceiling:
        return f"{value!r} is more than the policy's {ceiling!r}: a call may tighten it, not widen"
    return ""


def did_you_mean(word: str, known: Any) -> str:
    """` (did you mean x?)`, or nothing where no known word is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    if _ELSEWHERE.get(word) in known:
        near = [_ELSEWHERE[word]]
    return f" (did you mean {near[0]}?)" if near else ""
