"""Programs, tests and values that several test modules grade."""

from typing import Any

from sandbox import Grade

ECHO = {"inputs": ["a", "b", "c"], "outputs": ["a", "b", "c"]}
COPY = "print(input())"
CHECKED = {"test_list": ["assert f(1) == 1", "assert f(2) == 2"]}
# For programs that return objects of the standard library, and for their tests.
IMPORTS = (
    "import re, array, types\n"
    "from collections import *\nfrom datetime import *\n"
    "from decimal import Decimal\nfrom fractions import Fraction\n"
)


def verdicts(grade: Grade) -> list[str]:
    return [str(case.verdict) for case in grade.cases]


def nested(depth: int) -> list[Any]:
    """An empty list in `depth` other lists."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def returning(value: object, given: object = 1) -> dict[str, Any]:
    """One test: the function `f`, called with `given`, returns `value`."""
    return {"inputs": [[given]], "outputs": [value], "fn_name": "f"}
