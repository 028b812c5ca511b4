"""`str.format` that walks attributes as the guards do.

The C implementation reads any attribute that a field names (CVE-2023-41039). A format without a dot
cannot name one, so it goes to C as it is; so does one whose fields name only plain attributes.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.language.compile.format_fields import (
    formatter_field_name_split,
    formatter_parser,
    needs_guard,
)

Read = Callable[[Any, str], Any]
_MISSING = object()


def guarded_format(text: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], read: Read) -> str:
    """Return `text.format(*args, **kwargs)`, every attribute read through `read`."""
    if not needs_guard(text):
        return str.format(text, *args, **kwargs)
    return _Walk(args, kwargs, read).expand(text, 2)


def guarded_format_map(text: str, mapping: Any, read: Read) -> str:
    """Return `text.format_map(mapping)`, every attribute read through `read`."""
    if not needs_guard(text):
        return str.format_map(text, mapping)
    return _Walk((), mapping, read).expand(text, 2)


class _Walk:
    """One expansion: numbers the automatic fields across nested specifications, as CPython does."""

    __slots__ = ("args", "automatic", "kwargs", "read")

    def __init__(self, args: tuple[Any, ...], kwargs: Any, read: Read) -> None:
        self.args, self.kwargs, self.read, self.automatic = args, kwargs, read, 0

    def expand(self, text: str, depth: int) -> str:
        if depth < 0:
            raise ValueError("Max string recursion exceeded")
        pieces = []
        for literal, field, spec, conversion in formatter_parser(text):
            pieces.append(literal)
            if field is not None:
                value = _CONVERSIONS[conversion](self.find(field))
                pieces.append(format(value, self.expand(spec, depth - 1) if spec else ""))
        return "".join(pieces)

    def find(self, field: str) -> Any:
        first, rest = formatter_field_name_split(field)
        value = self.start(first)
        for is_attribute, name in rest:
            value = self.read(value, name) if is_attribute else value[name]
        return value

    def start(self, first: str | int) -> Any:
        if first == "":
            first, self.automatic = self.automatic, self.automatic + 1
        if not isinstance(first, int):
            return self.kwargs[first]
        if first < len(self.args):
            return self.args[first]
        raise IndexError(f"Replacement index {first} out of range for positional args tuple")


_CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {
    None: lambda value: value,
    "": lambda value: value,
    "s": str,
    "r": repr,
    "a": ascii,
}


def unbound_format(expand: Any, read: Any) -> Callable[..., str]:
    """Make a guarded `str.format`, or `str.format_map` without `expand`."""
    if expand is None:
        return lambda text, mapping, /: guarded_format_map(str.__str__(text), mapping, read)
    return lambda text, /, *args, **kwargs: guarded_format(str.__str__(text), args, kwargs, read)


def bound_format(text: str, expand: Any, read: Any) -> Callable[..., str]:
    """Make the same, bound to `text`."""
    if expand is None:
        return lambda mapping, /: guarded_format_map(text, mapping, read)
    return lambda *args, **kwargs: guarded_format(text, args, kwargs, read)
