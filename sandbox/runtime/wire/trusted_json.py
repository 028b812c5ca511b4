"""Plain data on the trusted side: what the caller may send into a child."""

import json
import re
import sys
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from sandbox.runtime.wire.untrusted_json import (
    MAX_DEPTH,
    MAX_DIGITS,
    PLAIN,
    Bounds,
    too_much,
)

# To its end where it has none, so that the search for the next never starts within this one.
_STRING = re.compile(rb'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_BRACKETS = b"[{]}"
_STEPS = bytes.maketrans(_BRACKETS, b"\x01\x01\xff\xff")
_NOT_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_SAFE_DIGITS = sys.int_info.str_digits_check_threshold  # no limit can be lower


class TooLarge(ValueError):
    """A value beyond its bounds; the message names the policy's key, which is `key`."""

    def __init__(self, key: str, most: Bounds) -> None:
        super().__init__(too_much(key, most))
        self.key = key


def copy_plain(value: Any, depth: int = 0) -> Any:
    """Copy `value` into exact built-in types. Raises ValueError for what is not plain data."""
    if depth > MAX_DEPTH:
        raise ValueError(f"the value is nested more than {MAX_DEPTH} deep")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple):
        return type(value)([copy_plain(item, depth + 1) for item in value])
    if type(value) is dict:
        pairs = value.items()
        return {copy_plain(key, depth + 1): copy_plain(item, depth + 1) for key, item in pairs}
    raise ValueError(f"a value of type {type(value).__name__} is not plain data, which is {PLAIN}")


def read_plain(text: bytes, most: Bounds) -> Any:
    """Read what a child wrote as JSON text, which is ASCII and within `most`.

    Items and nesting are counted in the text, before anything of it is made: an empty list is two
    bytes there and 56 here. How many digits an integer may have does not depend on what the caller
    has set for itself. Raises TooLarge, which names the policy's key, and ValueError.
    """
    decoded = text.decode("ascii")  # json.loads would guess an encoding, and not count as we do
    check_bounds(text, most)
    return json.loads(decoded, parse_int=_integer)


def check_bounds(text: bytes, most: Bounds) -> None:
    """Raise TooLarge if JSON `text` has more items or nesting than `most`; linear in its length.

    Most texts are small or long for their strings; only others are looked at without them.
    """
    if _marks(text) <= most.items and _opened(text) <= most.depth:
        return
    strings = 2 * most.items + 2  # a key and a value for each item
    bare, found = _STRING.subn(b"", text, count=strings)
    if found == strings or _marks(bare) > most.items:
        raise TooLarge("value_items", most)
    # What is left are fewer brackets than items: each one up or down, and the sum as it goes.
    steps = memoryview(bare.translate(_STEPS, _NOT_BRACKETS)).cast("b")
    if max(accumulate(steps), default=0) > most.depth:
        raise TooLarge("value_depth", most)


def _marks(text: bytes) -> int:
    """Count the items in `text`: see `Bounds`."""
    return text.count(b",") + _opened(text)


def _opened(text: bytes) -> int:
    return text.count(b"[") + text.count(b"{")


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
    """Copy keyword arguments of plain data. Raises ValueError."""
    if not all(type(name) is str for name in kwargs):
        raise ValueError("kwargs: every name must be a str")
    return {name: copy_plain(value) for name, value in kwargs.items()}
