"""What is told of an error amid numpy: the names of its classes and a text of known data.

No `str` of an error runs: its class may be one whose text is made of objects.
"""

import re
from typing import Any, Final

from sandbox.language.numpy.engine.bounds import TooLarge
from sandbox.language.numpy.engine.crossing import Foreign
from sandbox.language.numpy.engine.dtypes import NoLoop, Refused

_ADDRESS: Final = re.compile("0x[0-9A-Fa-f]{5,}")
_CHARACTERS: Final = 4000
_PLAIN: Final = (
    *(ValueError, TypeError, IndexError, KeyError, OverflowError, ZeroDivisionError, MemoryError),
    *(FloatingPointError, RuntimeError, NotImplementedError, AttributeError, RecursionError),
)


class Errors:
    """The texts of errors, by their exact classes; of any other there is none."""

    def __init__(self, numpy: Any) -> None:
        of = numpy._core._exceptions
        self._texts = {
            **dict.fromkeys((*_PLAIN, Foreign, NoLoop, Refused, TooLarge), _first),
            numpy.linalg.LinAlgError: _first,
            numpy.exceptions.DTypePromotionError: _first,
            numpy.exceptions.TooHardError: _first,
            numpy.exceptions.AxisError: _axis,
            of._UFuncNoLoopError: _no_loop,
            of._UFuncBinaryResolutionError: _no_types,
            of._UFuncInputCastingError: _casting("input"),
            of._UFuncOutputCastingError: _casting("output"),
            of._ArrayMemoryError: _no_room,
        }

    def told(self, error: BaseException) -> tuple[tuple[str, ...], str]:
        """Return the names of the classes of `error`, and its text."""
        kind = type(error)
        names = tuple([type.__dict__["__name__"].__get__(cls) for cls in kind.__mro__])
        text = self._texts.get(kind, _nothing)(error)
        return names, _ADDRESS.sub("0x0", text[:_CHARACTERS])


def _nothing(error: Any) -> str:
    return ""


def _first(error: Any) -> str:
    args = error.args
    return args[0] if type(args) is tuple and args and type(args[0]) is str else ""


def _no_room(error: Any) -> str:
    return "Unable to allocate an array of that size"


def _axis(error: Any) -> str:
    if error.axis is None:
        return _first(error)
    prefix = error._msg if type(error._msg) is str else ""
    if type(error.axis) is not int or type(error.ndim) is not int:
        return prefix
    text = f"axis {error.axis} is out of bounds for array of dimension {error.ndim}"
    return f"{prefix}: {text}" if prefix else text


def _shown(dtype: Any) -> str:
    if not hasattr(dtype, "itemsize"):
        return "None"
    return f"dtype({dtype.str if dtype.char == 'U' else dtype.name!r})"


def _listed(dtypes: Any) -> str:
    shown = [*map(_shown, dtypes)]
    return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"


def _no_loop(error: Any) -> str:
    taken, given = error.dtypes[: error.ufunc.nin], error.dtypes[error.ufunc.nin :]
    return (
        f"ufunc {error.ufunc.__name__!r} did not contain a loop with signature matching types"
        f" {_listed(taken)} -> {_listed(given)}"
    )


def _no_types(error: Any) -> str:
    one, other = map(_shown, error.dtypes[:2])
    return f"ufunc {error.ufunc.__name__!r} cannot use operands with types {one} and {other}"


def _casting(side: str) -> Any:
    def told(error: Any) -> str:
        many = error.ufunc.nin if side == "input" else error.ufunc.nout
        place = error.in_i if side == "input" else error.out_i
        which = f"{place} " if many != 1 else ""
        return (
            f"Cannot cast ufunc {error.ufunc.__name__!r} {side} {which}from {_shown(error.from_)}"
            f" to {_shown(error.to)} with casting rule {error.casting!r}"
        )

    return told
