"""How values cross between a program and numpy: plain data of exact types, both ways.

A program never holds an object of numpy's. What it holds is a number of ours for each array, and
plain values for the rest. In what crosses, a dict with one key stands for what is not plain:

* `{"a": 7}`: the array with that number; `{"o": 7}`: another object, of `tables.OBJECTS`;
* `{"y": 7}`: the array with that number, which was among the arguments, on the way out alone;
* `{"s": ("float64", 1.5)}`: a scalar, by its type and its value; of a moment, its count of units;
* `{"t": "float64"}`: a type of scalars; `{"d": "<f8"}`: a dtype;
* `{"n": ("EighResult", names, values)}`: a tuple with names, on the way out alone.

On the way in every object is of exactly such a type, which has no code of a program's behind it:
what numpy is called with can neither be changed nor run anything meanwhile. On the way out a type
that is not here is refused, an array of objects among them.
"""

import itertools
import re
from typing import Any

from sandbox.language.numpy import tables

# By their ids: a class of a program's may have a metaclass that says how it is hashed and compared.
_PLAIN_KINDS = (int, float, complex, bool, str, bytes, type(None), type(...), range)
_PLAIN = frozenset(map(id, _PLAIN_KINDS))
_DEEPEST = 70  # numpy has 64 dimensions
_GENERATORS = ("Generator", "RandomState")
_UNITS, _MOMENTS = "Mm", ("datetime64", "timedelta64")


_NAME = re.compile(r"[<>=|]?[A-Za-z_?][A-Za-z0-9_]*(\[[0-9A-Za-z/]+\])?", re.ASCII)


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
        self._numpy = numpy
        self._objects: dict[int, Any] = {}
        self._numbers = itertools.count(1)
        self._present: dict[int, int] = {}  # of this question: numbers by the ids of arrays
        self.takes_objects = self.takes_generators = False
        named = [*tables.SCALARS.split(), *tables.ABSTRACT.split()]
        self._types = {name: getattr(numpy, name) for name in named}
        self._array, self._scalar, self._dtype = numpy.ndarray, numpy.generic, numpy.dtype
        random, polynomial = numpy.random, numpy.polynomial
        self.kinds: dict[type, str] = {}
        for name in tables.OBJECTS:
            for home in (numpy, random, polynomial):
                if hasattr(home, name):
                    self.kinds[getattr(home, name)] = name

    def release(self, number: Any) -> None:
        """Forget the object with that number; no other gets it."""
        if type(number) is int:
            self._objects.pop(number, None)

    def begin(self) -> None:
        """Forget what the last question was about."""
        self._present.clear()

    def has_views(self, array: Any) -> bool:
        """Say whether a program has an array that is a view of `array`."""
        return any(getattr(one, "base", None) is array for one in self._objects.values())

    # -- in

    def taken(self, value: Any, depth: int = 0) -> Any:
        """Return what `value` stands for. Raises Foreign for anything that is not plain."""
        kind = type(value)
        if id(kind) in _PLAIN:
            return value
        if depth > _DEEPEST:
            raise Foreign("nested too deeply")
        if kind is list or kind is tuple:
            if _PLAIN.issuperset(map(id, map(type, value))):
                # A copy of a list: numpy may keep it, as a seed, and the program has it still.
                return [*value] if kind is list else value
            return kind([self.taken(item, depth + 1) for item in value])
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            return slice(*[self.taken(part, depth + 1) for part in parts])
        if kind is dict and len(value) == 1:
            ((tag, content),) = value.items()
            if type(tag) is str and tag in _TAGS:
                return _TAGS[tag](self, content)
        raise Foreign(type.__dict__["__name__"].__get__(kind))

    def _known(self, number: Any) -> Any:
        if type(number) is not int or number not in self._objects:
            raise Foreign("an array that is not there")
        return self._objects[number]

    def _taken_array(self, number: Any) -> Any:
        found = self._known(number)
        if type(found) is self._array:
            self._present[id(found)] = number
            return found
        raise Foreign("no array")

    def _taken_object(self, number: Any) -> Any:
        found = self._known(number)
        # Elsewhere numpy makes an array of objects of it, and a text that has its address.
        kind = self.kinds.get(type(found), "")
        if self.takes_generators if kind in _GENERATORS else self.takes_objects and kind:
            return found
        raise Foreign(type(found).__name__)

    def _made_scalar(self, content: Any) -> Any:
        name, value = self._pair(content)
        if id(type(value)) not in _PLAIN:
            raise Foreign("scalar")
        kind, _, unit = name.partition("[")
        if kind in _MOMENTS or unit:
            if kind not in _MOMENTS or type(value) is not int:
                raise Foreign(name)
            return self._numpy.array([value], "i8").view(self._dtype(name))[0]
        if kind not in self._types:
            raise Foreign(name)
        return self._types[kind](value)

    @staticmethod
    def _pair(content: Any) -> tuple[str, Any]:
        if type(content) is not tuple or len(content) != 2 or type(content[0]) is not str:
            raise Foreign("scalar")
        return content

    def _type(self, name: Any) -> Any:
        if type(name) is not str or name not in self._types:
            raise Foreign("a type that numpy has no scalars of here")
        return self._types[name]

    def _made_dtype(self, text: Any) -> Any:
        if type(text) is not str:
            raise Foreign("dtype")
        return self.dtype(text)

    def dtype(self, text: Any) -> Any:
        """Return the dtype that `text`, a type of scalars or a dtype is. Raises TypeError, Foreign.

        An abstract type is a TypeError of numpy's, or what numpy makes of it.
        """
        known = type(text) is str or issubclass(type(text), self._dtype)
        if not known and not any(text is kind for kind in self._types.values()):
            raise Foreign("dtype")
        if type(text) is str and not _NAME.fullmatch(text):  # numpy would evaluate some of them
            raise TypeError(f"no structured data types are there under this policy: {text!r}")
        return self.checked(self._dtype(text))

    def checked(self, dtype: Any) -> Any:
        """Return `dtype`, if each byte of such an array is data. Raises TypeError."""
        if dtype.char in tables.LETTERS and dtype.names is None and dtype.subdtype is None:
            return dtype
        raise TypeError(f"arrays of dtype {dtype.name!r} are not there under this policy")

    # -- out

    def given(self, value: Any) -> Any:
        """Return `value` as plain data. Raises TypeError for what may not leave."""
        kind = type(value)
        if id(kind) in _PLAIN:
            return value
        if kind is self._array:
            dtype = self.checked(value.dtype)
            if id(value) in self._present:
                return {"y": self._present[id(value)]}
            return {"a": (self._keep(value), value.shape, dtype.str)}
        if issubclass(kind, self._scalar):
            return {"s": self._given_scalar(value)}
        if issubclass(kind, self._dtype):
            return {"d": self.checked(value).str}
        if kind is list:
            return [self.given(item) for item in value]
        if issubclass(kind, tuple):
            items = tuple([self.given(item) for item in value])
            names = getattr(kind, "_fields", None)
            return {"n": (kind.__name__, names, items)} if names else items
        if kind is slice:
            return slice(*[self.given(part) for part in (value.start, value.stop, value.step)])
        if kind in self.kinds:
            return {"o": (self._keep(value), self.kinds[kind])}
        if kind is type and issubclass(value, self._scalar):
            return {"t": value.__name__}
        raise TypeError(f"what numpy gives here is a {kind.__name__}, which no program gets")

    def _keep(self, value: Any) -> int:
        number = next(self._numbers)
        self._objects[number] = value
        return number

    def _given_scalar(self, value: Any) -> tuple[str, Any]:
        dtype = self.checked(value.dtype)
        if dtype.kind in _UNITS:
            return dtype.name, int(value.view("i8"))
        if dtype.kind == "f":
            return dtype.name, float(value)
        if dtype.kind == "c":
            return dtype.name, complex(value)
        if dtype.kind in "SU":
            name = "str_" if dtype.kind == "U" else "bytes_"
            return name, str(value) if dtype.kind == "U" else bytes(value)
        return dtype.name, value.item()


_TAGS: dict[str, Any] = {
    "a": Crossing._taken_array,
    "o": Crossing._taken_object,
    "s": Crossing._made_scalar,
    "t": Crossing._type,
    "d": Crossing._made_dtype,
}
