"""Does what a program gave match what was expected? Named comparators, each with its source.

Both sides are data on the trusted side: text, or plain values that came out of a child as JSON. No
method of a guest's class runs. What a program printed is hostile text; no comparator raises on it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Any

from sandbox.errors import SandboxError
from sandbox.grading.lines import all_lines, paired_words
from sandbox.grading.tolerance import close_text, close_values

# By how much a text may be longer than expected and still be read as words and numbers: what a
# program prints is hostile, and 16 MB of it can take a minute and a gigabyte of the caller's.
_MORE_CHARS = 100_000
_ALL_INTEGERS = 2.0**52  # from here on a float has no places behind the point

Compare = Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True)
class Comparator:
    """`text(actual, expected)` compares what was printed, `value` what a function returned.

    `strict` is True where a number is not the same as an equal one of another type, and where text
    is compared with the white space around it. `is_callers` is True for a callable of the caller's,
    for which anything may be expected.
    """

    text: Compare
    value: Compare
    strict: bool = False
    is_callers: bool = False


def comparator(choice: "str | Compare | Comparator") -> Comparator:
    """Return the comparator of that name; a callable `(actual, expected) -> bool` serves for both.

    Raises ValueError for an unknown name. What a callable raises becomes a SandboxError.
    """
    if isinstance(choice, Comparator):
        return choice
    if callable(choice):
        return Comparator(_shielded(choice), _shielded(choice), is_callers=True)
    if choice not in COMPARATORS:
        raise ValueError(f"no comparator {choice!r}: {', '.join(COMPARATORS)} or a callable")
    return COMPARATORS[choice]


def _shielded(compare: Compare) -> Compare:
    def compared(actual: Any, expected: Any) -> bool:
        try:
            return bool(compare(actual, expected))
        except Exception as error:
            raise SandboxError(f"the comparator raised {type(error).__name__}: {error}") from error

    return compared


def _equal(actual: Any, expected: Any) -> bool:
    return bool(actual == expected)


def _same(actual: Any, expected: Any) -> bool:
    """Return True if equal, and of the same types all the way down: neither 1.0 nor True is 1."""
    if type(actual) is not type(expected):
        return False
    if isinstance(actual, list):
        pairs = zip(actual, expected, strict=False)
        return len(actual) == len(expected) and all(_same(a, e) for a, e in pairs)
    if isinstance(actual, dict):
        return actual.keys() == expected.keys() and all(
            _same(value, expected[key]) for key, value in actual.items()
        )
    return bool(actual == expected)


def _by_lines(actual: str, expected: str) -> bool:
    return all_lines(actual, expected, str.__eq__)


def _far_longer(actual: str, expected: str) -> bool:
    return len(actual) > 2 * len(expected) + _MORE_CHARS


def _by_decimals(actual: str, expected: str) -> bool:
    """Compare as `grade_stdio` of LiveCodeBench, lcb_runner/evaluation/testing_util.py."""
    return all_lines(actual, expected, _same_decimals)


def _same_decimals(actual: str, expected: str) -> bool:
    """Read every word, however long: a Decimal takes linear time, 0.07 s for 16 MB."""
    if actual == expected:
        return True
    words = paired_words(actual, expected)
    if words is None:
        return False
    try:
        with localcontext(Context()):  # the caller's has its own traps, and keeps its flags
            return all(Decimal(ours) == Decimal(theirs) for ours, theirs in words)
    except (ArithmeticError, ValueError):  # no number, or a signalling NaN
        return False


def _by_lines_or_floats(actual: str, expected: str) -> bool:
    """Do `check_stdio_test_case` of SandboxFusion, sandbox/utils/testing.py, with `lower_cmp`."""
    return all_lines(actual, expected, _within_relative)


def _within_relative(actual: str, expected: str) -> bool:
    theirs = expected.lower()
    # No text becomes shorter in lower case.
    if len(actual) <= len(theirs) and actual.lower() == theirs:
        return True
    if _far_longer(actual, expected):
        return False
    numbers = _floats([actual, expected])
    if numbers is None:
        return False
    ours, wanted = numbers
    return abs(ours - wanted) / max(abs(wanted), 1e-10) < 1e-5


def _floats(tokens: Sequence[str]) -> list[float] | None:
    try:
        return [float(token) for token in tokens]
    except ValueError:
        return None


def _close(actual: float, expected: float, *, relative: float, absolute: float) -> bool:
    """Compare as `numpy.isclose`: relative to the expected number."""
    if math.isnan(actual) or math.isinf(actual) or math.isinf(expected):
        return actual == expected
    return abs(actual - expected) <= absolute + relative * abs(expected)


def _by_ladder(actual: str, expected: str) -> bool:
    """Compare as `run_test` of APPS, eval/testing_util.py: each rung is looser than the last."""
    if _by_lines(actual, expected):
        return True
    if _far_longer(actual, expected):
        return False
    ours = [line.strip() for line in actual.splitlines() if line]
    theirs = [line.strip() for line in expected.split("\n") if line]
    return ours == theirs or _are_close_numbers(ours, theirs) or _same_words(ours, theirs)


def _are_close_numbers(ours: list[str], theirs: list[str]) -> bool:
    if len(ours) != len(theirs):
        return False
    left, right = _floats(ours), _floats(theirs)
    if left is None or right is None:
        return False
    return all(_close(a, b, relative=1e-5, absolute=1e-8) for a, b in zip(left, right, strict=True))


def _same_words(ours: list[str], theirs: list[str]) -> bool:
    """Compare lines as sets of words, in any order; then as sets of numbers, to three places."""
    try:
        return _same_sets(ours, theirs, _words) or _same_sets(ours, theirs, _rounded)
    except ValueError:
        return False


def _same_sets(ours: list[str], theirs: list[str], read: Callable[[str], frozenset[Any]]) -> bool:
    wanted = {read(line) for line in dict.fromkeys(theirs) if line}
    seen = set()
    for words in (read(line) for line in dict.fromkeys(ours) if line):
        if words not in wanted:  # one line that is not expected decides: read no more
            return False
        seen.add(words)
    return seen == wanted


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


def _rounded(line: str) -> frozenset[float]:
    return frozenset(_to_three_places(float(word)) for word in line.split())


def _to_three_places(number: float) -> float:
    """Return `round(number, 3)`, or a large number as it is: all its digits are no use."""
    return number if abs(number) >= _ALL_INTEGERS else round(number, 3)


def _by_evalplus_text(actual: str, expected: str) -> bool:
    return all_lines(actual, expected, _close_words)


def _close_words(actual: str, expected: str) -> bool:
    if actual == expected:
        return True
    if _far_longer(actual, expected):
        return False
    ours, theirs = _floats(actual.split()), _floats(expected.split())
    if ours is None or theirs is None:
        return False
    return _by_evalplus(ours, theirs)


def _by_evalplus(actual: Any, expected: Any) -> bool:
    """Compare as `unsafe_execute` of EvalPlus, evalplus/eval/__init__.py.

    Equal, or where a float or a flat list of floats is expected, within 1e-6 plus 1e-7 of it. For
    a float, the value has to be one; in a list, any numbers, as numpy takes them.
    """
    if actual == expected:
        return True
    if type(expected) is float:
        return type(actual) is float and _close(actual, expected, relative=1e-7, absolute=1e-6)
    if not (isinstance(actual, list) and isinstance(expected, list)):
        return False
    if len(actual) != len(expected) or not all(type(e) is float for e in expected):
        return False
    if not all(type(item) in (int, float, bool) for item in actual):
        return False
    try:
        return all(
            _close(float(a), e, relative=1e-7, absolute=1e-6)
            for a, e in zip(actual, expected, strict=True)
        )
    except OverflowError:  # an integer beyond every float
        return False


COMPARATORS: dict[str, Comparator] = {
    "exact": Comparator(_same, _same, strict=True),
    "lines": Comparator(_by_lines, _equal),
    "lcb": Comparator(_by_decimals, _equal),
    "float_tolerance": Comparator(close_text, close_values),
    "apps": Comparator(_by_ladder, _equal),
    "sandboxfusion": Comparator(_by_lines_or_floats, _equal),
    "evalplus": Comparator(_by_evalplus_text, _by_evalplus),
}
