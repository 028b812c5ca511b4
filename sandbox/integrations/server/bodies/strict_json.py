"""JSON as it crosses: strict both ways, so that no two readers disagree about what was said."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from sandbox.runtime.wire.untrusted_json import MAX_DIGITS

_DEEPEST = 250  # one more than a value within a job can be; Python's own parser is recursive
# Of what is taken into the event loop: a small text can hold many, as an empty list is two bytes.
MOST_VALUES = 100_000
# To its end where it has none, so that the search for the next never starts within this one.
_STRING = re.compile(rb'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_PIECE_CHARS, _PIECE_BYTES = 1 << 14, 1 << 16
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


class NotJson(ValueError):
    """The text is no JSON that is read here; the message says why."""


def read_json(body: bytes | bytearray) -> Any:
    """Read what `body` says. Raises NotJson.

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
    """Return `value` as JSON that every parser reads: ASCII, so lone surrogates stay escapes.

    Raises ValueError for NaN and infinities.
    """
    return _ENCODER.encode(value).encode("ascii")


def pieces(value: Any) -> Iterator[bytes]:
    """Yield `write_json(value)` in parts, none of which takes long to make.

    Not by recursion: a value is as deep as a client wants.
    """
    made = bytearray()
    levels = [iter((value,))]
    while levels:
        for item in levels[-1]:
            if isinstance(item, bytes):  # what stands around values, which are none
                made += item
            elif isinstance(item, (dict, list, tuple)):
                levels.append(_within(item))
                break
            elif isinstance(item, str) and len(item) > _PIECE_CHARS:
                levels.append(_cut(item))
                break
            else:
                made += write_json(item)
            if len(made) >= _PIECE_BYTES:
                yield bytes(made)
                made.clear()
        else:
            levels.pop()
    yield bytes(made)


def _within(value: "dict[str, Any] | list[Any] | tuple[Any, ...]") -> Iterator[Any]:
    is_object = isinstance(value, dict)
    yield b"{" if is_object else b"["
    for number, item in enumerate(value):
        if number:
            yield b","
        yield item
        if isinstance(value, dict):
            yield b":"
            yield value[item]
    yield b"}" if is_object else b"]"


def _cut(text: str) -> Iterator[bytes]:
    yield b'"'
    for start in range(0, len(text), _PIECE_CHARS):
        yield write_json(text[start : start + _PIECE_CHARS])[1:-1]
    yield b'"'


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


def check_count(body: bytes | bytearray, most: int = MOST_VALUES) -> None:
    """Count the values of `body` before they are made, and refuse more than `most`.

    Most bodies are long for their strings, which are left out at need.

    Raises NotJson.
    """
    if marks(body) > most and marks(_STRING.sub(b"", body)) > most:
        raise NotJson(f"more than {most} values")


def marks(text: str | bytes | bytearray) -> int:
    """Return no fewer than there are values in `text`, but for the outermost."""
    if isinstance(text, str):
        return text.count(",") + text.count("[") + text.count("{")
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _check_depth(value: Any) -> None:
    """Check the depth level by level: a recursion would be at the mercy of what it checks."""
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
