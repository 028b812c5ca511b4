"""A stand-in for `heapq.merge`: CPython's goes on with what an iterator says it is a method of."""

from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.natives.calls import generators


def heapq(context: Context) -> dict[str, Any]:
    """By name."""
    generators.merge.__module__ = "heapq"
    return {"merge": generators.merge}
