"""Plain data on the trusted side: what the caller may send into a child."""

from collections.abc import Mapping
from typing import Any


def copy_plain(value: Any) -> Any:
    """`value` made of exact built-in types. Raises ValueError for what is not plain data."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple):
        return type(value)(copy_plain(item) for item in value)
    if type(value) is dict:
        return {copy_plain(key): copy_plain(item) for key, item in value.items()}
    raise ValueError(f"a value of type {type(value).__name__} is not plain data")


def copy_kwargs(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of plain data. Raises ValueError."""
    if not all(type(name) is str for name in kwargs):
        raise ValueError("kwargs: every name must be a str")
    return {name: copy_plain(value) for name, value in kwargs.items()}
