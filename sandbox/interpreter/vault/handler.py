"""The function that C calls for a signal, as the vault must know it to hear its last words."""

from types import CodeType
from typing import NamedTuple


class Handler(NamedTuple):
    """Of the function that C calls for a signal: its code, the stack's bounds, which signals it
    goes on after, and which of them says that time is over."""

    code: CodeType
    stack: tuple[int, int]
    going_on: tuple[int, ...]
    out_of_time: int
