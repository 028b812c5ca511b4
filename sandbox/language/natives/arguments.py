"""Conversion of a guest's objects to numbers before C code that holds state asks for them."""

from math import ldexp
from operator import index
from typing import Any

# Conversion of these runs no guest code; of `bytes` and the like C code says itself what is wrong.
EXACT = frozenset((int, float, str, bool, bytes, bytearray, list, tuple, dict, type(None)))


def as_integer(value: Any) -> Any:
    """Return `value` as an int if it answers for one, as CPython asks; anything else as it is."""
    return value if type(value) in EXACT else index(value)


def as_float(value: Any) -> Any:
    """Return `value` as a float if it answers for one, as CPython asks; anything else as it is."""
    return value if type(value) in EXACT else ldexp(value, 0)
