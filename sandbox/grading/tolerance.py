"""The comparator `float_tolerance`: text and integers exactly, floats within 1e-6.

Absolute or relative to the expected number, whichever allows more, as the validators of programming
contests have it (`float_tolerance` in the ICPC's format of problems).
"""

import math
import re
from typing import Any

from sandbox.grading.lines import all_lines, paired_words

# What is off by 1e-6 as it is written is within, whatever the two floats were rounded to.
TOLERANCE = 1e-6 * (1 + 1e-9)
_EXACT = 2**53  # up to here a float stands for one integer
_MOST_DIGITS = 309  # of an integer that a float can be near to
# A number that no letter, digit or point touches: none of `x1`, `1.2.3` and `1_000` has one. No
# part gives back what it took, so a text is read once.
_NUMBER = re.compile(
    r"(?<![\w.])[+-]?(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+(?!\w|\.\w)"
)


def close_text(actual: str, expected: str) -> bool:
    """Compare line by line and word by word; numbers within a word by `_same_numeral`.

    Ends at the first difference; time and memory are linear in the texts.
    """
    return all_lines(actual, expected, _close_line)


def _close_line(actual: str, expected: str) -> bool:
    if actual == expected:
        return True
    words = paired_words(actual, expected)
    return words is not None and all(_close_word(ours, theirs) for ours, theirs in words)


def _close_word(ours: str, theirs: str) -> bool:
    """Look for numbers in what is expected alone, and take from the other what stands there."""
    if ours == theirs:
        return True
    at, wanted_at = 0, 0
    for wanted in _NUMBER.finditer(theirs):
        before = theirs[wanted_at : wanted.start()]
        number = _NUMBER.match(ours, at + len(before)) if ours.startswith(before, at) else None
        if number is None or not _same_numeral(number[0], wanted[0]):
            return False
        at, wanted_at = number.end(), wanted.end()
    return ours[at:] == theirs[wanted_at:]


def _same_numeral(ours: str, theirs: str) -> bool:
    if ours == theirs:
        return True
    if _is_integer(theirs):
        return _is_written_as_float(ours, theirs)
    if not _is_integer(ours):
        return _is_near(float(ours), float(theirs))
    return len(ours) <= _MOST_DIGITS and _is_near(int(ours), float(theirs))


def _is_integer(numeral: str) -> bool:
    return numeral.lstrip("+-").isdigit()


def _is_written_as_float(ours: str, theirs: str) -> bool:
    """Return True for `3.0` where `3` is expected, as far as a float knows every integer."""
    whole, point, places = ours.partition(".")
    if whole != theirs or not point or places.strip("0"):
        return False
    return len(whole) <= _MOST_DIGITS and abs(int(whole)) <= _EXACT


def _is_near(actual: float, expected: float) -> bool:
    """Return True within the tolerance. No integer beyond 2**53 becomes a float."""
    if not math.isfinite(expected):
        return False
    if isinstance(actual, int) and abs(actual) > _EXACT:
        return abs(actual - int(expected)) * 10**6 <= abs(int(expected))
    return abs(actual - expected) <= TOLERANCE * max(1.0, abs(expected))


def close_values(actual: Any, expected: Any) -> bool:
    """Compare plain values: numbers as in text, everything else by type and value."""
    if type(expected) in (list, tuple):
        return (
            type(actual) in (list, tuple)
            and len(actual) == len(expected)
            and all(map(close_values, actual, expected))
        )
    if type(expected) is dict:
        return (
            type(actual) is dict
            and actual.keys() == expected.keys()
            and all(close_values(actual[key], value) for key, value in expected.items())
        )
    if type(expected) is float:
        return type(actual) in (int, float) and (actual == expected or _is_near(actual, expected))
    if type(expected) is int and type(actual) is float:
        return actual == expected and abs(actual) <= _EXACT
    return type(actual) is type(expected) and bool(actual == expected)
