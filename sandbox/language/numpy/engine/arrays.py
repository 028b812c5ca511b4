"""The kinds of parameters that are arrays and dtypes: see `kinds`."""

from typing import Any

from sandbox.language.numpy.engine.bounds import extent
from sandbox.language.numpy.engine.crossing import Crossing
from sandbox.language.numpy.engine.dtypes import Refused

_LEAST, _MOST = -(1 << 63), 1 << 64  # of a number that is an item of an array


class ArrayKinds:
    """What is taken for an array, of which items, and for a dtype."""

    def __init__(self, numpy: Any, crossing: Crossing) -> None:
        self._numpy, self._array, self._scalars = numpy, numpy.ndarray, frozenset(crossing.scalars)
        self._dtypes, self._generators = crossing.dtypes, frozenset(crossing.generators)

    # -- dtypes

    def _dtype(self, value: Any, letters: str = "?bhilBHILefdFD") -> Any:
        found = self._dtypes.of(value)
        if found.char not in letters:
            raise Refused(f"dtype {found.name!r} is not taken here")
        return found

    def _anydtype(self, value: Any) -> Any:
        return self._dtypes.of(value)

    def _floating(self, value: Any) -> Any:
        return self._dtype(value, "fd")

    def _integral(self, value: Any) -> Any:
        return self._dtype(value, "?bhilBHIL")

    # -- arrays

    def _any(self, value: Any) -> Any:
        kind = type(value)
        if kind is self._array:
            extent(value.shape)
            return value
        if kind in self._scalars or kind is float or kind is complex or kind is bool or kind is str:
            return value
        if kind is int:
            if _LEAST <= value < _MOST:
                return value
            raise OverflowError("Python int too large to convert to C long")
        if kind is list or kind is tuple or kind is range:
            return self.made(value)
        raise Refused(f"numpy takes no {kind.__name__} here under this policy")

    def made(self, value: Any, dtype: Any = None) -> Any:
        """Return a new array of nested lists. Raises TypeError, ValueError, OverflowError."""
        found = self._numpy.array(value, dtype)
        self._dtypes.checked(found.dtype)
        return found

    def _of(self, value: Any, letters: str) -> Any:
        found = self._any(value)
        kind = type(found)
        if kind is str:
            raise Refused("texts are not taken here under this policy")
        plain = {int: "i", float: "f", complex: "c", bool: "b"}.get(kind)
        if (plain or found.dtype.kind) in letters:
            return found
        raise Refused(f"arrays of {plain or found.dtype.name} are not taken here under this policy")

    def _numbers(self, value: Any) -> Any:
        return self._of(value, "biufc")

    def _reals(self, value: Any) -> Any:
        return self._of(value, "biuf")

    def _integers(self, value: Any) -> Any:
        found = self._of(value, "biuf")
        if type(found) is not float and (type(found) in (int, bool) or found.dtype.kind != "f"):
            return found
        if type(found) is self._array and not found.size:
            return found.astype("l")
        raise Refused("arrays used as indices must be of integer (or boolean) type")

    def _counted(self, value: Any) -> Any:
        found = self._numbers(value)
        if type(found) is not self._array or not found.ndim:
            raise ValueError("object of too small depth for desired array")
        if found.dtype.kind not in "iub":
            raise Refused(
                f"Cannot cast array data from {found.dtype!r} to dtype('int64') according to the"
                " rule 'safe'"
            )
        return found

    def _mask(self, value: Any) -> Any:
        found = self._of(value, "biufc")
        if type(found) is not bool and (type(found) in (int, float) or found.dtype.kind != "b"):
            raise Refused("a mask is of booleans")
        return found

    def _truths(self, value: Any) -> Any:
        return self._numpy.asarray(self._of(value, "biufc"), bool)

    _values = _any

    def _listed(self, value: Any) -> Any:
        if type(value) is list or type(value) is tuple:
            return value
        return self._any(value)

    def _typed(self, value: Any) -> Any:
        if isinstance(value, self._numpy.dtype) or type(value) is str:
            return self._dtypes.of(value)
        return self._any(value)

    def _sequence(self, value: Any) -> Any:
        if type(value) is list or type(value) is tuple:
            return [self._any(item) for item in value]
        return self._held(value)

    def _held(self, value: Any) -> Any:
        if type(value) is self._array:
            return value
        raise Refused("an array is needed")

    def _target(self, value: Any) -> Any:
        if not self._held(value).flags.writeable:
            raise ValueError("assignment destination is read-only")
        return value

    def _out(self, value: Any) -> Any:
        found = value[0] if type(value) is tuple and len(value) == 1 else value
        if not self._held(found).flags.writeable:
            raise ValueError("output array is read-only")
        return found

    def _source(self, value: Any) -> Any:
        if type(value) in self._generators:
            return value
        raise Refused("a generator is needed")

    def _transformed(self, value: Any) -> Any:
        found = self._numbers(value)
        if 0 in self._numpy.shape(found):
            raise ValueError("Invalid number of FFT data points (0) specified.")
        return found
