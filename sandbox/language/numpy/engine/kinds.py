"""The kinds of parameters: what of plain data is taken for each, and as what it goes to numpy.

What is given here is of exact types already (`crossing`). A value that a kind does not know is
refused, so that numpy never decides what a thing of a program's choice could be.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from sandbox.language.numpy.engine.arrays import ArrayKinds
from sandbox.language.numpy.engine.bounds import TooLarge, extent
from sandbox.language.numpy.engine.crossing import Crossing
from sandbox.language.numpy.engine.dtypes import Refused

_WIDEST: Final = 1 << 64  # of a part of a slice, which CPython cuts to size
# Of what is no value: C code keeps some in 32 bits, and turns the least of them into itself.
_INTEGER: Final = 1 << 30
_FEW: Final = 1000
_SEED: Final = 1 << 128
_CHARACTERS: Final = 1000
# Words that a parameter of such a kind may be.
WORDS: Final = {
    "sorting": "quicksort mergesort heapsort stable",
    "method": "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf"
    " hazen weibull linear median_unbiased normal_unbiased lower higher midpoint nearest",
    "overlap": "full same valid",
    "side": "left right",
    "clipping": "raise wrap clip",
    "order": "C F A K",
    "casting": "no equiv safe same_kind unsafe same_value",
    "indexing": "xy ij",
    "ends": "f b fb bf",
    "padding": "constant edge linear_ramp maximum mean median minimum reflect symmetric wrap",
    "reflection": "even odd",
    "floatmode": "fixed unique maxprec maxprec_equal",
    "sign": "- + ",
    "trim": "k . 0 -",
    "triangle": "L U l u",
    "factors": "reduced complete r raw",
    "scaling": "backward ortho forward",
    "checking": "warn raise ignore",
}
_KINDS: Final = """
any numbers reals integers mask truths values sequence target out held none int few flag number real
plain axis axes shape reshaping text dtype anydtype floating integral places index pair pairs bins
count counted degree norm sections seed population widths contraction subscripts transformed listed
typed source
"""
_SUBSCRIPTS: Final = re.compile(r"[A-Za-z,.> -]*", re.ASCII)


class Kinds(ArrayKinds):
    """The kinds, by name."""

    def __init__(self, numpy: Any, crossing: Crossing) -> None:
        super().__init__(numpy, crossing)
        self._by_name: dict[str, Callable[[Any], Any]] = {
            **{name: self._word(name, words) for name, words in WORDS.items()},
            **{name: getattr(self, f"_{name}") for name in _KINDS.split()},
        }

    def taken(self, kind: str, value: Any) -> Any:
        """Return `value` as numpy gets it. Raises TypeError, ValueError and TooLarge."""
        return self._by_name[kind](value)

    # -- single values

    @staticmethod
    def _none(value: Any) -> Any:
        raise Refused("an argument that is not taken under this policy")

    def _int(self, value: Any, most: int = _INTEGER) -> Any:
        kind = type(value)
        if kind is self._array and value.ndim == 0:
            value = value[()]
        if type(value) in self._scalars and value.dtype.kind in "iu":
            value = int(value)
        if type(value) is not int and type(value) is not bool:
            raise Refused(f"'{kind.__name__}' object cannot be interpreted as an integer")
        if not -most <= value <= most:
            raise TooLarge("an integer that is too large for this")
        return int(value)

    def _few(self, value: Any) -> Any:
        return self._int(value, _FEW)

    _axis = _few

    def _flag(self, value: Any) -> Any:
        return bool(self._number(value))

    def _number(self, value: Any) -> Any:
        found = self._numbers(value)
        if type(found) is self._array:
            if found.ndim and found.size == 1:
                raise Refused("only 0-dimensional arrays can be converted to Python scalars")
            if found.ndim:
                raise ValueError("setting an array element with a sequence.")
            return found[()]
        return found

    def _real(self, value: Any) -> Any:
        found = self._number(value)
        return self._reals(found)

    def _plain(self, value: Any) -> Any:
        found = self._real(value)
        return found if type(found) in (int, float, bool) else found.item()

    @staticmethod
    def _text(value: Any) -> Any:
        if type(value) is str and len(value) <= _CHARACTERS:
            return value
        raise Refused("a text is needed")

    @staticmethod
    def _word(kind: str, words: str) -> Callable[[Any], Any]:
        allowed = frozenset(words.split(" "))

        def word(value: Any) -> Any:
            if type(value) is str and value in allowed:
                return value
            raise (ValueError if type(value) is str else Refused)(
                f"{kind} is one of {', '.join(sorted(allowed))} under this policy"
            )

        return word

    # -- several

    def _each(self, value: Any) -> Any:
        if type(value) is self._array and value.ndim == 1:
            value = value.tolist()
        return value if type(value) in (list, tuple, range) else None

    def _axes(self, value: Any) -> Any:
        each = self._each(value)
        return self._int(value) if each is None else tuple([self._int(one) for one in each])

    def _shape(self, value: Any) -> Any:
        each = self._each(value)
        if type(value) is bool or (type(value) is self._array and value.dtype.kind == "b"):
            raise Refused("'bool' object cannot be interpreted as an integer")
        sizes = tuple([self._int(one) for one in ((value,) if each is None else each)])
        extent(sizes)
        return sizes

    _reshaping = _shape

    def _places(self, value: Any) -> Any:
        if type(value) is slice:
            return self._sliced(value)
        return self._integers(value)

    def _sliced(self, value: slice) -> Any:
        parts = (value.start, value.stop, value.step)
        most = _WIDEST
        return slice(*[None if part is None else self._int(part, most) for part in parts])

    def _index(self, value: Any) -> Any:
        if type(value) is tuple:
            return tuple([self._one_index(one) for one in value])
        return self._one_index(value)

    def _one_index(self, value: Any) -> Any:
        if type(value) is int or value is None or value is ... or type(value) is bool:
            return value
        if type(value) is slice:
            return self._sliced(value)
        found: Any = self._any(value)
        if type(value) in (list, tuple) and not found.size:
            return found.astype("l")
        if type(found) in (float, complex, str) or found.dtype.kind not in "iub":
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer"
                " or boolean arrays are valid indices"
            )
        return found

    def _pair(self, value: Any) -> Any:
        each = self._each(value)
        if each is None or len(each) != 2:
            raise Refused("a pair is needed")
        return tuple([self._real(one) for one in each])

    def _pairs(self, value: Any) -> Any:
        if type(value) is self._array:
            value = value.tolist()
        return [self._pair(one) for one in value]

    def _bins(self, value: Any) -> Any:
        return self._reals(value) if type(value) in (list, tuple, self._array) else self._int(value)

    def _count(self, value: Any) -> Any:
        each = self._each(value)
        return self._int(value) if each is None else [self._int(one) for one in each]

    def _degree(self, value: Any) -> Any:
        each = self._each(value)
        return self._few(value) if each is None else [self._few(one) for one in each]

    def _norm(self, value: Any) -> Any:
        if type(value) is str:
            if value in ("fro", "nuc"):
                return value
            raise ValueError("Invalid norm order for matrices.")
        return self._real(value)

    def _sections(self, value: Any) -> Any:
        each = self._each(value)
        return self._int(value) if each is None else [self._int(one) for one in each]

    def _seed(self, value: Any) -> Any:
        each = self._each(value)
        many = [self._int(one, _SEED) for one in ((value,) if each is None else each)]
        return many[0] if each is None else many

    def _population(self, value: Any) -> Any:
        if type(value) is int or type(value) in self._scalars:
            return self._int(value)
        return self._numpy.asarray(self._any(value))

    def _widths(self, value: Any) -> Any:
        found = self._numpy.asarray(self._integers(value))
        if found.size and not 0 <= int(found.min()) <= int(found.max()) <= _INTEGER:
            raise ValueError("index can't contain negative values")
        return found

    def _contraction(self, value: Any) -> Any:
        each = self._each(value)
        if each is None:
            return self._few(value)
        return tuple([self._axes(one) for one in each])

    @staticmethod
    def _subscripts(value: Any) -> Any:
        if type(value) is str and len(value) <= _CHARACTERS and _SUBSCRIPTS.fullmatch(value):
            return value
        raise ValueError("einsum takes a text of letters under this policy")
