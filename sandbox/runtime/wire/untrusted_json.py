"""Plain data: None, bool, int, float, str, list, tuple, dict. What may cross out of a child.

The child copies a value type-strictly into JSON text: no method of a guest's class runs, cycles and
depth end in an error, and the caller parses text with a cap, nothing else. Written out here and not
left to `json`, whose import would be copied into every child and whose encoder calls guest methods.
"""

import _json
from typing import Any, NamedTuple

from sandbox.policy.limits import VALUE_DEPTH

quote = _json.encode_basestring_ascii
MAX_DEPTH = VALUE_DEPTH
MAX_DIGITS = 4300  # what int() reads unless told otherwise: sys.set_int_max_str_digits()
_TOO_LONG = 10**MAX_DIGITS
PLAIN = "None, bool, int, float, str, and lists, tuples and dicts of them"
_SPECIAL = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


class Bounds(NamedTuple):
    """The largest value that may leave a guest: text, items at all levels, nested containers.

    An item is what a comma or an opening bracket stands for in the text, so that the reader can
    count without parsing: a container of n items counts n, an empty one 1.
    """

    chars: int
    items: int
    depth: int


class NotPlain(ValueError):
    """A value that is not plain data or beyond its bounds; the message says which and how."""


def encode(value: object, most: Bounds) -> str:
    """Return `value` as JSON text.

    Tuples become lists; keys become strings as `json.dumps` makes them.
    Raises NotPlain for any other type and for what is beyond `most`: a cycle is infinitely deep.
    """
    parts: list[str] = []
    left = [most.chars, most.items]
    try:
        _encode(value, parts, left, most.depth)
    except _TooMuch as excess:
        raise NotPlain(too_much(str(excess), most)) from None
    return "".join(parts)


def encode_told(what: str, value: object, most: Bounds) -> str:
    """Do `encode`, for a guest to read why not: raise ValueError, which says `what` it is about."""
    try:
        return encode(value, most)
    except NotPlain as error:
        problem = str(error)
    raise ValueError(f"{what}: {problem}")


class _TooMuch(Exception):
    """The key of the limit that does not suffice."""


def too_much(key: str, most: Bounds) -> str:
    """Say why a value beyond `most` is refused; `key` is that of the policy."""
    if key == "value_items":
        return f"value_items: the value has more than {most.items} items"
    if key == "value_depth":
        return f"value_depth: the value is nested more than {most.depth} deep"
    return f"the value is larger than the policy's output_kib: {most.chars >> 10} KiB"


def _encode(value: object, parts: list[str], left: list[int], depth: int) -> None:
    if isinstance(value, list):
        _encode_items(list.__iter__(value), parts, left, depth)
    elif isinstance(value, tuple):
        _encode_items(tuple.__iter__(value), parts, left, depth)
    elif isinstance(value, dict):
        _encode_pairs(dict.items(value), parts, left, depth)
    else:
        _put(_scalar(value), parts, left)


def _encode_items(items: Any, parts: list[str], left: list[int], depth: int) -> None:
    _mark("[", parts, left, depth)
    for position, item in enumerate(items):
        if position:
            _mark(",", parts, left, depth)
        _encode(item, parts, left, depth - 1)
    _put("]", parts, left)


def _encode_pairs(pairs: Any, parts: list[str], left: list[int], depth: int) -> None:
    _mark("{", parts, left, depth)
    for position, (key, item) in enumerate(pairs):
        if position:
            _mark(",", parts, left, depth)
        text = _scalar(key)
        _put(text if text.startswith('"') else f'"{text}"', parts, left)
        _put(":", parts, left)
        _encode(item, parts, left, depth - 1)
    _put("}", parts, left)


def _mark(text: str, parts: list[str], left: list[int], depth: int) -> None:
    """Put what stands for an item, in a container at `depth`: so many levels are left."""
    left[1] -= 1
    if left[1] < 0 or not depth:
        raise _TooMuch("value_items" if depth else "value_depth")
    _put(text, parts, left)


def _scalar(value: object) -> str:
    """Return the JSON text of a scalar. A subclass counts as the plain type below it."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return str(quote(str.__str__(value)))
    if isinstance(value, int):
        if int.__abs__(value) >= _TOO_LONG:
            raise NotPlain(f"an integer of more than {MAX_DIGITS} digits")
        return int.__repr__(value)
    if isinstance(value, float):
        text = float.__repr__(value)
        return _SPECIAL.get(text, text)
    raise NotPlain(f"a value of type {_name(type(value))} is not plain data, which is {PLAIN}")


def _name(kind: type) -> str:
    return str(type.__dict__["__name__"].__get__(kind))


def _put(text: str, parts: list[str], left: list[int]) -> None:
    left[0] -= len(text)
    if left[0] < 0:
        raise _TooMuch("output_kib")
    parts.append(text)
