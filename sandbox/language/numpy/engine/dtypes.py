"""The dtypes that there are, each by an exact table of its names; no other name is looked up."""

import re
from typing import Any, Final

_WIDEST: Final = 1_000_000  # characters of a text in an array
_LETTERS: Final = "?bhilBHILefdFD"
_SAME: Final = "qQ"  # of 64 bits too: C has two such types, and numpy a dtype for each
_ABBREVIATIONS: Final = {"i": "bhil", "u": "BHIL", "f": "-efd", "c": "---FD"}
_OTHER_NAMES: Final = {
    "int": "l", "int_": "l", "intp": "l", "long": "l", "longlong": "l", "q": "l", "p": "l",
    "n": "l", "byte": "b", "short": "h", "intc": "i", "ubyte": "B", "ushort": "H", "uintc": "I",
    "uint": "L", "uintp": "L", "ulong": "L", "ulonglong": "L", "Q": "L", "P": "L", "N": "L",
    "float": "d", "double": "d", "single": "f", "half": "e", "complex": "D", "cdouble": "D",
    "csingle": "F", "bool_": "?", "b1": "?", "|b1": "?", "str": "U", "str_": "U", "unicode": "U",
}  # fmt: skip
_TEXT: Final = re.compile(r"[<=]?U([0-9]{0,7})", re.ASCII)


class Refused(TypeError):
    """An argument that is not taken."""


class NoLoop(Refused):
    """A ufunc of numbers that is given texts; numpy's own error has such a name."""


NoLoop.__name__ = "UFuncTypeError"


class Dtypes:
    """The dtypes of one numpy."""

    def __init__(self, numpy: Any) -> None:
        self._make, self._class = numpy.dtype, numpy.dtype
        found = {letter: numpy.dtype(letter) for letter in _LETTERS}
        found |= {dtype.name: dtype for dtype in [*found.values()]}
        found |= {name: numpy.dtype(letter) for name, letter in _OTHER_NAMES.items()}
        for letter, codes in _ABBREVIATIONS.items():
            for power, code in enumerate(codes):
                if code != "-":
                    for order in ("", "<", "=", *("|" * (power == 0))):
                        found[f"{order}{letter}{1 << power}"] = numpy.dtype(code)
        self._by_name: dict[str, Any] = found

    def named(self, name: Any) -> Any:
        """Return the dtype of that name. Raises TypeError."""
        if type(name) is str:
            text = _TEXT.fullmatch(name)
            if text is not None and int(text[1] or 0) <= _WIDEST:
                return self._make(f"U{text[1]}")
            if name in self._by_name:
                return self._by_name[name]
            raise Refused(f"data type {name[:40]!r} not understood")
        raise Refused("a dtype is a name, a type or a dtype under this policy")

    def of(self, value: Any) -> Any:
        """Return the dtype that `value`, a name or a dtype, is. Raises TypeError."""
        return self.checked(value) if isinstance(value, self._class) else self.named(value)

    def checked(self, dtype: Any) -> Any:
        """Return `dtype`, if it is one that there is here. Raises TypeError."""
        letter = dtype.char
        if dtype.isnative and (
            letter in _LETTERS + _SAME or (letter == "U" and dtype.itemsize <= 4 * _WIDEST)
        ):
            return dtype
        raise Refused(f"arrays of dtype {dtype.name!r} are not there under this policy")
