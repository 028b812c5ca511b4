"""A stand-in for `heapq.merge`, where CPython's delegates to an iterable of the program's."""

from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.natives.calls import generators


def heapq(context: Context) -> dict[str, Any]:
    """By name."""
    if generators.MENDED:
        return {}
    generators.merge.__module__ = "heapq"
    return {"merge": generators.merge}
