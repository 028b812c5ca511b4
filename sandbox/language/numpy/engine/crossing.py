"""How values cross between a program and numpy: plain data of exact types, both ways.

A program never holds an object of numpy's. What it holds is a number of ours for each array, and
plain values for the rest. In what crosses, a dict with one key stands for what is not plain:

* `{"a": 7}`: the array with that number; `{"o": 7}`: the generator with that number;
* `{"y": 7}`: the array with that number, which was among the arguments, on the way out alone;
* `{"s": ("float64", 1.5)}`: a scalar, by its type and its value;
* `{"t": "float64"}`: a type of scalars; `{"d": "<f8"}`: a dtype;
* `{"n": ("EighResult", names, values)}`: a tuple with names, on the way out alone.

On the way in every object is of exactly such a type, which has no code of a program's behind it.
On the way out each result has to be of the kind that the row of the operation says: `GIVEN` has no
kind for an object of numpy's, so that one which numpy was made to hand out by any means stays.
"""

import itertools
from collections.abc import Callable
from typing import Any

from sandbox.language.numpy.engine import tables
from sandbox.language.numpy.engine.bounds import MOST_BYTES, TooLarge, extent
from sandbox.language.numpy.engine.dtypes import Dtypes

# By their ids: a class of a program's may have a metaclass that says how it is hashed and compared.
_PLAIN_KINDS = (int, float, complex, bool, str, bytes, type(None), type(...), range)
_PLAIN = frozenset(map(id, _PLAIN_KINDS))
_DATA = frozenset(map(id, (int, float, complex, bool, str, type(None))))
_NUMBERS = frozenset(map(id, (int, float, complex, bool)))
_DEEPEST = 70  # numpy has 64 dimensions
_NUMBER_BYTES, _TOLD_NUMBER_BYTES = 16, 256  # of a number, and of one that becomes a text
_VALUES = {"b": bool, "i": int, "u": int, "f": float, "c": complex, "U": str}
_NAMED_TUPLES = {
    "EigResult": "eigenvalues eigenvectors",
    "EighResult": "eigenvalues eigenvectors",
    "QRResult": "Q R",
    "SlogdetResult": "sign logabsdet",
    "SVDResult": "U S Vh",
}


class Foreign(TypeError):
    """An object that does not cross."""


def is_question(name: Any, args: Any, options: Any) -> bool:
    """Say whether these are of the exact types of a question, so that to look at them runs nothing.

    What is in `args`, and the values of `options`, is for `Crossing.taken`.
    """
    if type(name) is not str or type(args) is not tuple or type(options) is not dict:
        return False
    return all(type(key) is str for key in dict.keys(options))


def numbers_in(args: Any) -> tuple[int, ...]:
    """Return those of `args` that can be numbers of objects."""
    return tuple([number for number in args if type(number) is int])


class Crossing:
    """The objects of one process that a program has numbers for."""

    def __init__(self, numpy: Any) -> None:
        self.dtypes = Dtypes(numpy)
        self._arrays: dict[int, Any] = {}
        self._generators: dict[int, Any] = {}
        self._numbers = itertools.count(1)
        self._present: dict[int, int] = {}  # of this question: numbers by the ids of arrays
        self._items, self._longest = 0, 0  # of this question's lists, and of the texts in them
        self._array, self._dtype = numpy.ndarray, numpy.dtype
        self._types = {name: getattr(numpy, name) for name in tables.SCALARS.split()}
        self.scalars: dict[type, str] = {kind: name for name, kind in self._types.items()}
        self._letters = {name: numpy.dtype(kind).kind for name, kind in self._types.items()}
        self.scalars |= {numpy.longlong: "int64", numpy.ulonglong: "uint64"}
        random, linalg = numpy.random, numpy.linalg._linalg
        self.generators = {random.Generator: "Generator", random.RandomState: "RandomState"}
        self._tuples = {getattr(linalg, name): name for name in _NAMED_TUPLES}
        self._given: dict[str, Callable[[Any], Any]] = {
            "array": self._given_array,
            "arrays": self._given_arrays,
            "told": self._given_told,
            "data": self._given_data,
            "text": self._given_text,
            "bytes": self._given_bytes,
            "none": self._given_none,
            "dtype": self._given_dtype,
            "generator": self._given_generator,
        }

    def release(self, number: Any) -> None:
        """Forget the object with that number; no other gets it."""
        if type(number) is int:
            self._arrays.pop(number, None)
            self._generators.pop(number, None)

    def begin(self) -> None:
        """Forget what the last question was about."""
        self._present.clear()
        self._items, self._longest = 0, 0

    def has_views(self, array: Any) -> bool:
        """Say whether a program has an array that is a view of `array`."""
        return any(one.base is array for one in self._arrays.values())

    # -- in

    def taken(self, value: Any, depth: int = 0) -> Any:
        """Return what `value` stands for. Raises Foreign for anything that is not plain.

        Lists are copied, as numpy may keep one, and what is in them is counted: one list can stand
        in another many times. Raises TooLarge.
        """
        kind = type(value)
        if id(kind) in _PLAIN:
            if kind is range:
                self._count(self._length(value))
            return value
        if depth > _DEEPEST:
            raise Foreign("nested too deeply")
        if kind is list or kind is tuple:
            self._count(len(value))
            if _NUMBERS.issuperset(map(id, map(type, value))):
                return [*value] if kind is list else value
            texts = [len(item) for item in value if type(item) is str]
            if texts:
                self._longest = max(self._longest, *texts)
                self._count(0)
            return kind([self.taken(item, depth + 1) for item in value])
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            return slice(*[self.taken(part, depth + 1) for part in parts])
        if kind is dict and len(value) == 1:
            ((tag, content),) = value.items()
            if type(tag) is str and tag in _TAGS:
                return _TAGS[tag](self, content, depth)
        raise Foreign(type.__dict__["__name__"].__get__(kind))

    @staticmethod
    def _length(numbers: range) -> int:
        try:
            return len(numbers)
        except OverflowError:
            raise TooLarge("Unable to allocate an array of that size") from None

    def _count(self, items: int) -> None:
        self._items += items
        width = max(_TOLD_NUMBER_BYTES, 4 * self._longest) if self._longest else _NUMBER_BYTES
        if self._items * width > MOST_BYTES:
            raise TooLarge("Unable to allocate an array of that size")

    def _taken_array(self, number: Any, depth: int) -> Any:
        if type(number) is not int or number not in self._arrays:
            raise Foreign("an array that is not there")
        found = self._arrays[number]
        self._present[id(found)] = number
        if depth:
            self._count(extent(found.shape))
            if found.dtype.char == "U":
                self._longest = max(self._longest, found.itemsize // 4)
                self._count(0)
        return found

    def _taken_generator(self, number: Any, depth: int) -> Any:
        if depth or type(number) is not int or number not in self._generators:
            raise Foreign("a generator that is not there")
        return self._generators[number]

    def _made_scalar(self, content: Any, _: int) -> Any:
        if type(content) is not tuple or len(content) != 2:
            raise Foreign("scalar")
        name, value = content
        if type(name) is not str or name not in self._types:
            raise Foreign("a type that numpy has no scalars of here")
        kind = self._types[name]
        if name == "str_" and type(value) is str:
            self._longest = max(self._longest, len(value))
            self._count(1)
            return kind(value)
        if name == "str_" or type(value) is not _VALUES[self._letters[name]]:
            raise Foreign(name)
        return kind(value)

    def _type(self, name: Any, _: int) -> Any:
        if type(name) is not str or name not in self._types:
            raise Foreign("a type that numpy has no scalars of here")
        return self.dtypes.named(name)

    def _made_dtype(self, text: Any, _: int) -> Any:
        return self.dtypes.named(text)

    # -- out

    def given(self, kind: str, value: Any) -> Any:
        """Return `value`, which has to be of `kind`, as plain data. Raises Foreign."""
        return self._given[kind](value)

    def keep(self, value: Any) -> dict[str, Any]:
        """Return what stands for an array, which is kept. Raises TypeError, TooLarge."""
        dtype = self.dtypes.checked(value.dtype)
        if id(value) in self._present:
            return {"y": self._present[id(value)]}
        if extent(value.shape) * max(value.itemsize, 1) > MOST_BYTES:
            raise TooLarge("an array that is larger than any that is made here")
        number = next(self._numbers)
        self._arrays[number] = value
        return {"a": (number, value.shape, dtype.str)}

    def _given_array(self, value: Any) -> Any:
        kind = type(value)
        if id(kind) in _NUMBERS:
            return value
        if kind is self._array:
            return self.keep(value)
        if kind in self.scalars:
            return {"s": self._told_scalar(kind, value)}
        raise Foreign("what numpy gives here is of a kind that no program gets")

    def _told_scalar(self, kind: Any, value: Any) -> tuple[str, Any]:
        name = self.scalars[kind]
        letter = value.dtype.kind
        if letter == "U":
            return name, "".join((str.__str__(value), ""))
        return name, _VALUES[letter](value)

    def _given_arrays(self, value: Any) -> Any:
        kind = type(value)
        if kind is list or kind is tuple:
            return kind([self._given_arrays(item) for item in value])
        if kind in self._tuples:
            name = self._tuples[kind]
            items = tuple([self._given_array(item) for item in tuple.__iter__(value)])
            return {"n": (name, tuple(_NAMED_TUPLES[name].split()), items)}
        return self._given_array(value)

    def _given_told(self, value: Any) -> Any:
        """Return texts, arrays and dtypes that the engine itself put together."""
        if type(value) is tuple:
            return tuple([self._given_told(item) for item in value])
        if isinstance(value, self._dtype):
            return self._given_dtype(value)
        if type(value) is str or value is None:
            return value
        return self._given_array(value)

    def _given_data(self, value: Any) -> Any:
        kind = type(value)
        if id(kind) in _DATA:
            return value
        if kind is list or kind is tuple:
            if _DATA.issuperset(map(id, map(type, value))):
                return value
            return kind([self._given_data(item) for item in value])
        raise Foreign("what numpy gives here is no data")

    def _given_text(self, value: Any) -> Any:
        if type(value) is str:
            return value
        raise Foreign("what numpy gives here is no text")

    def _given_bytes(self, value: Any) -> Any:
        if type(value) is bytes:
            return value
        raise Foreign("what numpy gives here is no bytes")

    def _given_none(self, value: Any) -> Any:
        if value is not None:
            raise Foreign("what numpy gives here is not nothing")

    def _given_dtype(self, value: Any) -> Any:
        if isinstance(value, self._dtype):
            return {"d": self.dtypes.checked(value).str}
        raise Foreign("what numpy gives here is no dtype")

    def _given_generator(self, value: Any) -> Any:
        if type(value) not in self.generators:
            raise Foreign("what numpy gives here is no generator")
        number = next(self._numbers)
        self._generators[number] = value
        return {"o": (number, self.generators[type(value)])}


_TAGS: dict[str, Any] = {
    "a": Crossing._taken_array,
    "o": Crossing._taken_generator,
    "s": Crossing._made_scalar,
    "t": Crossing._type,
    "d": Crossing._made_dtype,
}
