"""Plain data on the trusted side: what the caller may send into a child."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from sandbox.runtime.plain import MAX_DEPTH, MAX_DIGITS

_SAFE_DIGITS = sys.int_info.str_digits_check_threshold  # no limit can be lower


def copy_plain(value: Any, depth: int = 0) -> Any:
    """`value` made of exact built-in types. Raises ValueError for what is not plain data."""
    if depth > MAX_DEPTH:
        raise ValueError(f"the value is nested more than {MAX_DEPTH} deep")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple):
        return type(value)([copy_plain(item, depth + 1) for item in value])
    if type(value) is dict:
        pairs = value.items()
        return {copy_plain(key, depth + 1): copy_plain(item, depth + 1) for key, item in pairs}
    raise ValueError(f"a value of type {type(value).__name__} is not plain data")


def read_plain(text: bytes) -> Any:
    """What a child wrote as JSON text. Raises ValueError, RecursionError.

    How many digits an integer may have does not depend on what the caller has set for itself.
    """
    return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int:
    if len(digits) <= _SAFE_DIGITS:
        return int(digits)
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise ValueError(f"an integer of more than {MAX_DIGITS} digits")
    sign, number = (-1, 0) if digits[0] == "-" else (1, 0)
    digits = digits.lstrip("-")
    for start in range(0, len(digits), _SAFE_DIGITS):
        part = digits[start : start + _SAFE_DIGITS]
        number = number * 10 ** len(part) + int(part)
    return sign * number


def copy_kwargs(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of plain data. Raises ValueError."""
    if not all(type(name) is str for name in kwargs):
        raise ValueError("kwargs: every name must be a str")
    return {name: copy_plain(value) for name, value in kwargs.items()}
