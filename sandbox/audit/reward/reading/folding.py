"""Folding of constants: the operations that may be done on values of an untrusted source.

Nothing here runs a method of the source, and no result is much larger than what it is made from.
"""

import ast
import base64
import binascii
import codecs
import operator
from collections.abc import Callable
from typing import Any

LONGEST = 4096  # characters, items, or bytes of an integer
HEAVIEST = 4 * LONGEST  # all of a container's together, at every level
_CODECS = frozenset(("rot13", "rot_13", "hex", "utf-8", "utf8", "ascii", "latin-1", "base64"))
_SCALARS = (str, int, float, bytes, type(None))


class Unknown(Exception):
    """The value depends on more than the text says, or would be too large."""


def weight(value: Any) -> int:
    """Return how much `value` holds, at every level; more than HEAVIEST if too large to go on."""
    total, left = 0, [value]
    while left and total <= HEAVIEST:
        each = left.pop()
        size = each.bit_length() // 8 if isinstance(each, int) else len(each) if _sized(each) else 0
        total += 1 + (size if size <= LONGEST else HEAVIEST)
        if isinstance(each, (list, tuple)) and size <= LONGEST:
            left += each
        elif isinstance(each, dict) and size <= LONGEST:
            left += [*each.keys(), *each.values()]
    return total


def _sized(value: Any) -> bool:
    return isinstance(value, (str, bytes, list, tuple, dict))


def _times(a: Any, b: Any) -> Any:
    for one, count in ((a, b), (b, a)):
        if hasattr(one, "__len__") and len(one) * count > LONGEST:
            raise Unknown
    return a * b


def _modulo(a: Any, b: Any) -> Any:
    # Only %s and %c: a width makes any amount of text from a few digits.
    if isinstance(a, (str, bytes)):
        text = a if isinstance(a, str) else a.decode("latin-1")
        plain = text.count("%") == text.count("%s") + text.count("%c")
        values = b if isinstance(b, tuple) else (b,)
        if not plain or not all(isinstance(value, _SCALARS) for value in values):
            raise Unknown
        _check_growth(len(a) + sum(map(weight, values)))  # each is written once
    return a % b


def _check_growth(size: int) -> None:
    """Raise Unknown for too large a size, before anything of that size is made."""
    if size > HEAVIEST:
        raise Unknown


BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Mod: _modulo,
    ast.FloorDiv: operator.floordiv,
    ast.BitXor: operator.xor,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_METHODS: dict[type, str] = {
    str: "lower upper strip lstrip rstrip replace join split title capitalize swapcase encode"
    " casefold removeprefix removesuffix format translate partition rpartition splitlines",
    bytes: "decode hex replace join strip lower upper",
    dict: "get keys values items",
    list: "copy index count",
    tuple: "index count",
}


def call_method(owner: Any, name: str, args: list[Any]) -> Any:
    """Return `owner.name(*args)`. Raises Unknown for what is not in the table."""
    if name not in _METHODS.get(type(owner), "").split():
        raise Unknown
    if name in ("encode", "decode") and args and args[0] not in _CODECS:
        raise Unknown
    if name == "format":  # no field that walks, and none with a width
        plain = not set(owner) & set(".[:!") and all(isinstance(arg, _SCALARS) for arg in args)
        if not plain:
            raise Unknown
    if name in _GROWING:
        _check_growth(_GROWING[name](owner, *args))
    found = getattr(owner, name)(*args)
    return list(found) if isinstance(owner, dict) and name != "get" else found


def _replaced(text: Any, old: Any, new: Any, *_: Any) -> int:
    return int(len(text) + text.count(old) * len(new))


def _joined(between: Any, items: Any) -> int:
    return weight(list(items)) + len(between) * len(items)


def _formatted(text: str, *args: Any) -> int:
    return len(text) + text.count("{") * max(map(weight, args), default=0)


def _translated(text: Any, table: Any, *_: Any) -> int:
    values = table.values() if isinstance(table, dict) else table
    most: int = max(map(weight, values), default=1)
    return len(text) * most


# The most that a method of text may give, of its arguments: a few bytes can stand for any amount.
_GROWING: dict[str, Callable[..., int]] = {
    "replace": _replaced,
    "join": _joined,
    "format": _formatted,
    "translate": _translated,
}


def text_of(value: Any) -> str:
    """Return `str(value)` of a scalar: of nested lists it may be far longer than they are."""
    if not isinstance(value, _SCALARS):
        raise Unknown
    return str(value)


def _recoded(function: Any) -> Callable[..., Any]:
    def recode(data: Any, codec: Any = "utf-8") -> Any:
        if codec not in _CODECS:
            raise Unknown
        return function(data, codec)

    return recode


def _bytes(items: Any) -> bytes:
    return bytes(list(items))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "builtins.chr": chr,
    "builtins.ord": ord,
    "builtins.str": text_of,
    "builtins.int": int,
    "builtins.len": len,
    "builtins.bytes": _bytes,
    "builtins.bytearray": _bytes,
    "builtins.list": list,
    "builtins.tuple": tuple,
    "builtins.sorted": sorted,
    "builtins.reversed": lambda items: list(reversed(items)),
    "builtins.zip": lambda *items: list(zip(*items, strict=False)),
    "builtins.enumerate": lambda items: list(enumerate(items)),
    "base64.b64decode": base64.b64decode,
    "base64.b32decode": base64.b32decode,
    "base64.b16decode": base64.b16decode,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_base64": binascii.a2b_base64,
    "codecs.decode": _recoded(codecs.decode),
    "codecs.encode": _recoded(codecs.encode),
}


def make_dict(*parts: Any) -> dict[Any, Any]:
    """Make a dict of keys and values in turn."""
    return dict(zip(parts[::2], parts[1::2], strict=True))
