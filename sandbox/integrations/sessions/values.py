"""Values between the caller and an agent's session: plain data, and stand-ins for all else.

What a session says is untrusted. It is read into the types that are listed here, and never
unpickled; a kind that is not listed is a ValueError.
"""

import datetime
import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

_SHOWN_CHARACTERS = 1000
_DEEPEST = 60
_TYPES = {
    t.__name__: t for t in (bool, int, float, complex, str, bytes, list, tuple, dict, set, object)
}
# Data types of numpy and pandas whose elements are plain data.
_DTYPE = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)|complex(64|128)|<U\d{1,6}|object|str")


@dataclass(frozen=True, slots=True)
class Shown:
    """Stands for an object that stays in the session: an instance, a function, a generator.

    `type_name` is the name of its type, `str` and `repr` of it are the object's. Untrusted text.
    """

    type_name: str
    text: str
    shown: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.shown


class Held:
    """The objects that a session has only a number of; it hands them on, and sees none of them."""

    def __init__(self) -> None:
        self._objects: list[Any] = []

    def keep(self, value: Any) -> Any:
        """Return what the session gets for `value`."""
        self._objects.append(value)
        text = f"<{type(value).__name__}, held by the caller: {str(value)[:_SHOWN_CHARACTERS]}>"
        return {"$": "held", "v": [len(self._objects) - 1, text]}

    def find(self, number: Any) -> Any:
        """Return the object of that number. Raises ValueError."""
        if type(number) is not int or not 0 <= number < len(self._objects):
            raise ValueError(f"nothing is held under {number!r}")
        return self._objects[number]


def encode(value: Any, held: Held, depth: int = 0) -> Any:
    """Return `value`, of the caller's, as the session decodes it; what is no data is held."""
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return value if -(2**63) < value < 2**63 else {"$": "int", "v": hex(value)}
    if kind is float:
        return value if value - value == 0 else {"$": "float", "v": repr(value)}
    if depth > _DEEPEST:
        raise ValueError("the value is nested too deeply")

    def each(values: Any) -> list[Any]:
        return [encode(one, held, depth + 1) for one in values]

    if kind is dict and all(type(key) is str and key != "$" for key in value):
        return {key: encode(one, held, depth + 1) for key, one in value.items()}
    if kind is list:
        return each(value)
    if kind is Shown:
        return str(value)
    make = _ENCODED.get(_named(kind))
    return held.keep(value) if make is None else {"$": kind.__name__, "v": make(value, each)}


def decode(told: Any, held: Held) -> Any:
    """Return what a session said, as objects of the caller's. Raises ValueError."""
    try:
        return _decode(told, held)
    except (
        TypeError,
        ValueError,
        LookupError,
        ArithmeticError,
        AttributeError,
        ImportError,
    ) as error:
        raise ValueError(f"the session told no value: {error}") from None


def _decode(told: Any, held: Held) -> Any:
    if isinstance(told, list):
        return [_decode(one, held) for one in told]
    if not isinstance(told, dict):
        return told
    if "$" not in told:
        return {key: _decode(one, held) for key, one in told.items()}
    kind, value = told["$"], told["v"]
    if kind == "held":
        return held.find(value)
    return _DECODED[kind](value, lambda one: _decode(one, held))


def _named(kind: type) -> str:
    module = kind.__module__.partition(".")[0]
    return kind.__name__ if module == "builtins" else f"{module}.{kind.__name__}"


def _dtype(name: Any) -> str:
    if not _DTYPE.fullmatch(str(name)):
        raise ValueError(f"a data type {name!r}")
    return str(name)


def _table(value: Any, each: Callable[[Any], list[Any]]) -> list[Any]:
    columns = [value.iloc[:, number] for number in range(value.shape[1])]
    told = [[_dtype(column.dtype), each(column.tolist())] for column in columns]
    return [each(value.columns.tolist()), each(value.index.tolist()), told]


def _series(value: Any, each: Callable[[Any], list[Any]]) -> list[Any]:
    told = [_dtype(value.dtype), each(value.tolist()), each(value.index.tolist())]
    return [*told, *each([value.name])]


# By the name of a type: its value as data.
_ENCODED: Mapping[str, Callable[[Any, Callable[[Any], list[Any]]], Any]] = {
    "dict": lambda value, each: [each(pair) for pair in value.items()],
    "tuple": lambda value, each: each(value),
    "set": lambda value, each: each(value),
    "frozenset": lambda value, each: each(value),
    "bytes": lambda value, each: value.hex(),
    "bytearray": lambda value, each: value.hex(),
    "complex": lambda value, each: [repr(value.real), repr(value.imag)],
    "range": lambda value, each: [value.start, value.stop, value.step],
    "datetime.datetime": lambda value, each: value.isoformat(),
    "datetime.date": lambda value, each: value.isoformat(),
    "datetime.time": lambda value, each: value.isoformat(),
    "datetime.timedelta": lambda value, each: [value.days, value.seconds, value.microseconds],
    "decimal.Decimal": lambda value, each: str(value),
    "fractions.Fraction": lambda value, each: str(value),
    "numpy.ndarray": lambda value, each: [_dtype(value.dtype), each(value.tolist())],
    "pandas.Series": _series,
    "pandas.DataFrame": _table,
}


def _read_table(told: Any, read: Callable[[Any], Any]) -> Any:
    pandas = importlib.import_module("pandas")
    names, index, columns = told
    made = [
        pandas.Series(read(values), index=read(index), dtype=_dtype(d)) for d, values in columns
    ]
    table = pandas.DataFrame(dict(enumerate(made)), index=read(index))
    table.columns = read(names)
    return table


def _read_series(told: Any, read: Callable[[Any], Any]) -> Any:
    dtype, values, index, name = told
    pandas = importlib.import_module("pandas")
    return pandas.Series(read(values), index=read(index), name=read(name), dtype=_dtype(dtype))


def _read_array(told: Any, read: Callable[[Any], Any]) -> Any:
    return importlib.import_module("numpy").array(read(told[1]), dtype=_dtype(told[0]))


def _read_scalar(told: Any, read: Callable[[Any], Any]) -> Any:
    return importlib.import_module("numpy").dtype(_dtype(told[0])).type(read(told[1]))


# By the kind that a session tells: its value, out of data.
_DECODED: Mapping[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "shown": lambda told, read: Shown(*map(str, told)),
    "type": lambda told, read: _TYPES[told],
    "int": lambda told, read: int(told, 16),
    "float": lambda told, read: float(told),
    "complex": lambda told, read: complex(*map(float, told)),
    "bytes": lambda told, read: bytes.fromhex(told),
    "bytearray": lambda told, read: bytearray.fromhex(told),
    "range": lambda told, read: range(*told),
    "dict": lambda told, read: {read(key): read(value) for key, value in told},
    "tuple": lambda told, read: tuple(read(told)),
    "set": lambda told, read: set(read(told)),
    "frozenset": lambda told, read: frozenset(read(told)),
    "datetime": lambda told, read: datetime.datetime.fromisoformat(told),
    "date": lambda told, read: datetime.date.fromisoformat(told),
    "time": lambda told, read: datetime.time.fromisoformat(told),
    "timedelta": lambda told, read: datetime.timedelta(*told),
    "Decimal": lambda told, read: Decimal(told),
    "Fraction": lambda told, read: Fraction(told),
    "ndarray": _read_array,
    "scalar": _read_scalar,
    "Series": _read_series,
    "DataFrame": _read_table,
}
