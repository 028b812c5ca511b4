"""`int` from CPython 3.12 on: `_pylong`, whose functions C code imports for long numbers.

It hands them an heir of the program's as it is. They would call its methods, and C code trusts what
they give: a pair, or digits (gh-142554).
"""

import sys
from collections.abc import Callable
from typing import Any

_exact = int.__int__
_ASKED = ("int_divmod", "int_to_decimal_string")


def harden() -> None:
    """Have what C code calls with numbers get exact ones; that it has a text for is exact."""
    functions = vars(sys.modules["_pylong"])
    for name in _ASKED:
        own = functions[name]
        if not getattr(own, "guarded", False):
            functions[name] = _with_exact(own)


def _with_exact(own: Callable[..., Any]) -> Callable[..., Any]:
    def function(*numbers: int) -> Any:
        return own(*map(_exact, numbers))

    function.guarded = True  # type: ignore[attr-defined]
    return function
