"""`decimal`: the flags and the traps of a context point into it, and do not hold it.

One that a program makes by their class points nowhere. Its own methods say so; a context that is to
take it over, and a comparison with what is no such dict, read what they take for a pointer.

The current context is borrowed (gh-148382): what C code asks of a program, for the parts of a
fraction that a number is compared with or by the keys of a dict, may put another in its place.

From CPython 3.13 on C code imports `_pydecimal` for a format that it does not know itself.
"""

import decimal
import re
import sys
from types import ModuleType
from typing import Any

from sandbox.language.guards.classes.class_origin import dict_of
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.natives.borrowing import writer_of
from sandbox.language.natives.patching import Method, before, put, replace

_Signals: Any = type(decimal.Context().flags)
_Mixin: Any = _Signals.__base__
_COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_held: dict[int, tuple[Any, Any]] = {}
_FEW = 256
_ONLY_OURS = 3  # references: the context's, that of the pair, and the argument of getrefcount


def harden() -> None:
    """Replace how an attribute is read: what was given out holds its context."""
    replace(decimal.Context, _getattribute, "__getattribute__")
    if "__setattr__" not in _writers:
        for name in ("__setattr__", "__delattr__"):
            _writers[name] = writer_of(decimal.Context, name)
    replace(decimal.Context, _writing, "__setattr__", "__delattr__")
    replace(decimal.Context, checking, "__init__")
    replace(decimal.Decimal, holding, *_COMPARISONS, "__format__")
    replace(_Mixin, _once, "__init__")
    replace(_Mixin, _comparing, *_COMPARISONS)
    for name in ("__init__", *_COMPARISONS):
        put(_Signals, name, dict_of(_Mixin)[name])  # on 3.11 it would keep the slots of the other
    if not before(3, 13) and "_pydecimal" not in sys.modules:
        module = sys.modules["_pydecimal"] = ModuleType("_pydecimal")
        vars(module)["Decimal"] = _Formatted


def _getattribute(own: Method) -> Method:
    limit = _FEW

    def __getattribute__(self: Any, name: str, /) -> Any:
        nonlocal limit
        value = own(self, name)
        if type(value) is _Signals and id(value) not in _held:
            _held[id(value)] = value, self
            if len(_held) > limit:
                _release()
                limit = max(_FEW, 2 * len(_held))
        return value

    return __getattribute__


def _release() -> None:
    """Let go of each dict of flags that only its context still holds.

    Whether that is so is asked of each anew: with a context its finalizer goes, which may have
    taken the flags of the next.
    """
    for key in [*_held]:
        pair = _held.get(key)
        if pair is not None and sys.getrefcount(pair[0]) <= _ONLY_OURS:
            del _held[key], pair


_length = _Mixin.__len__  # raises ValueError for one that points nowhere


def checking(own: Method) -> Method:
    """Make a method that calls `own` unless an argument is a dict of flags that points nowhere."""

    def method(*args: Any, **named: Any) -> Any:
        for value in (*args, *named.values()):
            if type(value) is _Signals:
                _length(value)
        return own(*args, **named)

    return method


def holding(own: Method) -> Method:
    """Make a method that holds the current context while `own` uses it and runs a guest's code."""
    current = decimal.getcontext

    def method(*args: Any, **named: Any) -> Any:
        _context = current()
        return own(*args, **named)

    return method


def _writing(own: Method) -> Method:
    return checking(_writers[own.__name__])


_writers: dict[str, Method] = {}


def _once(own: Method) -> Method:
    """Make an `__init__` that refuses to run again: it would take away what the context has set."""

    def __init__(self: Any, /, *args: Any, **named: Any) -> None:
        try:
            _length(self)
        except ValueError:
            own(self, *args, **named)
        else:
            raise denied_class("initialising flags of a context again")

    return __init__


def _comparing(own: Method) -> Method:
    def compare(self: Any, other: Any, /) -> Any:
        if type(other) is _Signals or (issubclass(type(other), dict) and dict.__len__(other)):
            return own(self, other)  # in a dict, its length stands there
        return NotImplemented

    return compare


# A `z` in its place; of what follows the part by which a number is rounded.
# From 3.14 on `_` may stand between thousands, too.
_SEPARATORS = "[,_]" if sys.version_info >= (3, 14) else ","
_FORMAT = re.compile(
    rf"((?:(?P<fill>.?)[<>=^])?[-+ ]?)(?P<z>z?)"
    rf"(0?\d*(?P<separator>{_SEPARATORS}?)(?P<rounding>(?:\.\d+)?[eEfFgGn%]?))",
    re.DOTALL,
)


class _Formatted:
    """A number in the formats that C code leaves to `_pydecimal.Decimal`: with `z`, no zero is
    negative; with `#`, as before 3.13, there is none.

    That class reads attributes of the context, which may be of a class of the program's.
    """

    def __init__(self, text: str) -> None:
        self._number = decimal.Decimal(text)

    def __format__(self, spec: str, *_context: object) -> str:
        match = _FORMAT.fullmatch(spec)
        # Neither of the two is for C code: what is without comes back here.
        if match is None or not (match["z"] or match["separator"] == "_"):
            raise ValueError
        if match["separator"] == "_" and match["fill"] == ",":
            raise ValueError
        number = self._number
        if match["z"] and _is_zero(format(number, match["rounding"])):
            number = number.copy_abs()
        plain = match[1] + match[4].replace("_", ",", 1)
        text = format(number, plain)
        return text.replace(",", "_") if match["separator"] == "_" else text


def _is_zero(text: str) -> bool:
    digits = text.lower().partition("e")[0]
    return "0" in digits and _OF_ZEROS.issuperset(digits)


_OF_ZEROS = frozenset("-0.,%")
