"""Plain data: None, bool, int, float, str, list, tuple, dict. What may cross out of a child.

The child copies a value type-strictly into JSON text: no method of a guest's class runs, cycles and
depth end in an error, and the caller parses text with a cap, nothing else. Written out here and not
left to `json`, whose import would be copied into every child and whose encoder calls guest methods.
"""

import _json
from typing import Any

quote = _json.encode_basestring_ascii
MAX_DEPTH = 200
MAX_DIGITS = 4300  # what int() reads unless told otherwise: sys.set_int_max_str_digits()
MAX_BITS = (10**MAX_DIGITS - 1).bit_length() - 1
_SPECIAL = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


class NotPlain(ValueError):
    """A value that is not plain data; the message says which type, or that it is too deep."""


def encode(value: object, max_chars: int) -> str:
    """`value` as JSON text. Tuples become lists; keys become strings as `json.dumps` makes them.

    Raises NotPlain for any other type, for nesting over 200 deep (a cycle is infinitely deep) and
    for text over `max_chars` characters.
    """
    parts: list[str] = []
    budget = [max_chars]
    _encode(value, parts, budget, 0)
    return "".join(parts)


def _encode(value: object, parts: list[str], budget: list[int], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise NotPlain(f"the value is nested more than {MAX_DEPTH} deep")
    if isinstance(value, list):
        _encode_items(list.__iter__(value), parts, budget, depth)
    elif isinstance(value, tuple):
        _encode_items(tuple.__iter__(value), parts, budget, depth)
    elif isinstance(value, dict):
        _encode_pairs(dict.items(value), parts, budget, depth)
    else:
        _put(_scalar(value), parts, budget)


def _encode_items(items: Any, parts: list[str], budget: list[int], depth: int) -> None:
    _put("[", parts, budget)
    for position, item in enumerate(items):
        if position:
            _put(",", parts, budget)
        _encode(item, parts, budget, depth + 1)
    _put("]", parts, budget)


def _encode_pairs(pairs: Any, parts: list[str], budget: list[int], depth: int) -> None:
    _put("{", parts, budget)
    for position, (key, item) in enumerate(pairs):
        if position:
            _put(",", parts, budget)
        text = _scalar(key)
        _put(text if text.startswith('"') else f'"{text}"', parts, budget)
        _put(":", parts, budget)
        _encode(item, parts, budget, depth + 1)
    _put("}", parts, budget)


def _scalar(value: object) -> str:
    """The JSON text of a scalar. A subclass counts as the plain type below it."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return str(quote(str.__str__(value)))
    if isinstance(value, int):
        if int.bit_length(value) > MAX_BITS:
            raise NotPlain(f"an integer of more than {MAX_DIGITS} digits")
        return int.__repr__(value)
    if isinstance(value, float):
        text = float.__repr__(value)
        return _SPECIAL.get(text, text)
    raise NotPlain(f"a value of type {_name(type(value))} is not plain data")


def _name(kind: type) -> str:
    return str(type.__dict__["__name__"].__get__(kind))


def _put(text: str, parts: list[str], budget: list[int]) -> None:
    budget[0] -= len(text)
    if budget[0] < 0:
        raise NotPlain("the value is larger than the policy's output_kib")
    parts.append(text)
