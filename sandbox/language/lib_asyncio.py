"""`asyncio` over a loop of our own."""

from typing import Any

from sandbox.language.context import Context


def asyncio(context: Context) -> dict[str, Any]:
    """By name."""
    return {}
