"""JSON as it crosses: strict both ways, so that no two readers disagree about what was said."""

import json
import math
import re
from typing import Any, NoReturn

from sandbox.runtime.plain import MAX_DIGITS

_DEEPEST = 250  # one more than a value within a job can be; Python's own parser is recursive
MOST_VALUES = 1_000_000  # a small text can hold many: an empty list is two bytes here and 56 there
# To its end where it has none, so that the search for the next never starts within this one.
_STRING = re.compile(rb'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)', re.DOTALL)


class NotJson(ValueError):
    """The text is no JSON that is read here; the message says why."""


def read_json(body: bytes) -> Any:
    """What `body` says. Raises NotJson.

    Refused beside what is not JSON: other encodings than UTF-8, NaN and infinities, a name twice in
    an object, integers of more than 4,300 digits, and more nesting or values than a job can have.
    """
    check_count(body)
    try:
        value = json.loads(
            body.decode("utf-8"),
            parse_constant=_no_constant,
            parse_float=_float,
            parse_int=_integer,
            object_pairs_hook=_object,
        )
    except UnicodeDecodeError as error:
        raise NotJson(f"not UTF-8: byte {error.start}") from None
    except RecursionError:
        raise NotJson("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} at character {error.pos}") from None
    _check_depth(value)
    return value


def write_json(value: Any) -> bytes:
    """`value` as JSON that every parser reads: ASCII, so that a lone surrogate stays an escape.

    Raises ValueError for NaN and infinities.
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def _no_constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is not JSON")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotJson("a number beyond what a float holds")
    return number


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise NotJson(f"an integer of more than {MAX_DIGITS} digits")
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotJson("an object has the same name twice")
    return found


def check_count(body: bytes) -> None:
    """Before they are made. Most bodies are long for their strings, which are left out at need.

    Raises NotJson.
    """
    if marks(body) > MOST_VALUES and marks(_STRING.sub(b"", body)) > MOST_VALUES:
        raise NotJson(f"more than {MOST_VALUES} values")


def marks(text: str | bytes) -> int:
    """No fewer than there are values in `text`, but for the outermost."""
    if isinstance(text, str):
        return text.count(",") + text.count("[") + text.count("{")
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _check_depth(value: Any) -> None:
    """Level by level: a recursion would be at the mercy of what it checks."""
    level, depth = [value], 0
    while level:
        if depth > _DEEPEST:
            raise NotJson(f"nested more than {_DEEPEST} deep")
        parents = [each for each in level if isinstance(each, (list, dict))]
        level = [
            child
            for each in parents
            for child in (each.values() if isinstance(each, dict) else each)
        ]
        depth += 1
