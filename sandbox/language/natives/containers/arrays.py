"""`array.array`: items are numbers before the array makes room for them."""

import array
from typing import Any

from sandbox.language.guards.classes.class_origin import has_method
from sandbox.language.natives.arguments import EXACT, as_float, as_integer
from sandbox.language.natives.patching import Method, replace

_array = array.array
_PLAIN = EXACT | {_array}
_CONVERSIONS = {"u": lambda value: value, "w": lambda value: value, "f": as_float, "d": as_float}


def harden() -> None:
    """Replace whatever converts items, or hands out memory in pieces."""
    replace(_array, _setitem, "__setitem__")
    replace(_array, _append, "append")
    replace(_array, _insert, "insert")
    replace(_array, _extend, "extend")
    replace(_array, _fromlist, "fromlist")
    replace(_array, _tofile, "tofile")


def _converted(self: Any, value: Any) -> Any:
    if issubclass(type(value), _array):
        return value
    return _CONVERSIONS.get(_typecode(self), as_integer)(value)


_typecode: Any = _array.__dict__["typecode"].__get__


def _setitem(own: Method) -> Method:
    def __setitem__(self: Any, key: Any, value: Any, /) -> None:
        own(self, key, value if type(value) in _PLAIN else _converted(self, value))

    return __setitem__


def _append(own: Method) -> Method:
    def append(self: Any, value: Any, /) -> None:
        own(self, value if type(value) in _PLAIN else _converted(self, value))

    return append


def _insert(own: Method) -> Method:
    def insert(self: Any, position: Any, value: Any, /) -> None:
        position = as_integer(position)
        own(self, position, value if type(value) in _PLAIN else _converted(self, value))

    return insert


def _extend(own: Method) -> Method:
    def extend(self: Any, items: Any, /) -> None:
        kind = type(items)
        if not issubclass(kind, _array) and (has_method(kind, "__iter__") or _is_sequence(kind)):
            items = _all_converted(self, items)
        own(self, items)

    return extend


def _fromlist(own: Method) -> Method:
    def fromlist(self: Any, items: Any, /) -> None:
        own(
            self, _all_converted(self, list.copy(items)) if issubclass(type(items), list) else items
        )

    return fromlist


def _is_sequence(kind: type) -> bool:
    return has_method(kind, "__getitem__") and not issubclass(kind, dict)


def _all_converted(self: Any, items: Any) -> list[Any]:
    """Return the converted items as a list that no other object holds."""
    convert = _CONVERSIONS.get(_typecode(self), as_integer)
    return [value if type(value) in EXACT else convert(value) for value in items]


def _tofile(own: Method) -> Method:
    """Make a `tofile` that writes a copy of the items.

    CPython's writes in pieces, by a size that it asked for once.
    """

    def tofile(self: Any, file: Any, /) -> None:
        data = _array.tobytes(self)
        for start in range(0, len(data), 1 << 16):
            file.write(data[start : start + (1 << 16)])

    return tofile
