"""The engine: the one place that calls numpy, by names of `tables` alone, with plain data.

`answer` takes the name of an operation and its arguments as `crossing` has them, and gives back a
tuple: "ok", the value and what was warned of; or "no", the names of the error's classes and its
text; or "foreign", the name of what does not cross. It trusts nothing of what it is given, whoever
calls: the facade of a program is code of the program's.
"""

import operator
import re
import warnings
from collections.abc import Callable
from typing import Any

from sandbox.language.numpy import memory, specials, tables
from sandbox.language.numpy.crossing import Crossing, Foreign, is_question, numbers_in

# Whose `where` says what a reduction leaves out, or what of an array that is there is written.
_WHERE = frozenset(
    (
        *("sum", "prod", "mean", "std", "var", "max", "min", "amax", "amin", "all", "any"),
        *("nansum", "nanprod", "nanmean", "nanstd", "nanvar", "nanmax", "nanmin"),
        *("copyto", "reduce"),
    )
)
# Not passed on: what takes a function, another class, or a promise about memory.
_NO_OPTIONS = frozenset(
    ("like", "signature", "sig", "extobj", "refcheck", "formatter", "subok", "converters", "type")
)
_ADDRESS = re.compile("0x[0-9A-Fa-f]{5,}")  # of an object of numpy's, in words of its own
_OF_OBJECTS = ("o:", "p:", "q:", "x:")
_TEXT_CHARACTERS = 4000
_FILTERS = (("always", None, Warning, None, 0),)
Operation = Callable[..., Any]


def _told(error: Exception) -> Any:
    """Return the text of `error`, or what an error of a codec is made of: of exact types."""
    if isinstance(error, (UnicodeEncodeError, UnicodeDecodeError)):
        of = error.object
        of = "".join((of, "")) if isinstance(of, str) else b"".join((of, b""))  # it is numpy's own
        parts = (error.encoding, of, error.start, error.end, error.reason)
        if {str, bytes, int}.issuperset(map(type, parts)):
            return parts
    text = error.args[0] if isinstance(error, KeyError) and error.args else error
    told = str(text)
    return _ADDRESS.sub("0x0", told[:_TEXT_CHARACTERS]) if type(told) is str else ""


class Engine:
    """The operations of one process, by name, and the objects that a program has numbers for."""

    def __init__(self, numpy: Any, heard: list[tuple[str, str]]) -> None:
        self._numpy, self._heard = numpy, heard
        self._crossing = Crossing(numpy)
        self._busy = False
        self._late: list[tuple[int, ...]] = []
        self._tables: dict[str, Operation] = {}
        self._add_functions()
        self._add_ufuncs()
        self._add_methods()
        self._tables |= specials.operations(numpy, self._crossing)
        self._tables["x:operations"] = lambda: memory.Whole(tuple(self._tables))

    def answer(self, name: Any, args: Any, options: Any) -> tuple[Any, ...]:
        """Do one operation. Never raises, but for want of memory or stack."""
        if not is_question(name, args, options):
            return ("no", ("TypeError",), "this is no question")
        if self._busy:  # a finalizer of the program's, amid numpy's code
            if name == "release":
                self._late.append(numbers_in(args))
            return ("no", ("RuntimeError",), "numpy is at work already")
        self._busy = True
        try:
            if name == "release":
                return self._release(args)
            return self._answered(name, args, options)
        finally:
            self._busy = False

    def _release(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        for numbers in (numbers_in(args), *self._late):
            for number in numbers:
                self._crossing.release(number)
        self._late.clear()
        return ("ok", None, ())

    def _answered(self, name: Any, args: Any, options: Any) -> tuple[Any, ...]:
        heard, crossing = self._heard, self._crossing
        heard.clear()
        crossing.begin()
        warnings.__dict__["filters"] = [*_FILTERS]  # the program's own decide
        try:
            operation = self._tables.get(name)
            if operation is None:
                return ("no", ("AttributeError",), f"numpy has no {name!r} here")
            crossing.takes_objects = crossing.takes_generators = name[:2] in _OF_OBJECTS
            taken = [crossing.taken(value) for value in args[:1]]
            crossing.takes_generators = False
            taken += [crossing.taken(value) for value in args[1:]]
            named = {key: crossing.taken(value) for key, value in options.items()}
            self._look(name, taken, named)
            value = operation(*taken, **named)
            # A list that is data goes as it is.
            whole = value.items if type(value) is memory.Whole else crossing.given(value)
            return ("ok", whole, tuple(heard))  # texts, see `loading`
        except Foreign as error:
            return ("foreign", str(error))
        except Exception as error:
            names = tuple(cls.__name__ for cls in type(error).__mro__)
            return ("no", names, _told(error))

    def _look(self, name: str, args: list[Any], options: dict[str, Any]) -> None:
        last = name[2:].rpartition(".")[2]
        for key in options:
            if key in _NO_OPTIONS:
                raise TypeError(f"{key!r} is not taken under this policy")
        place = tables.DTYPE_AT.get(last if name[:2] == "v:" else name, len(args))
        for dtype in (*args[place : place + 1], *(options[k] for k in ("dtype",) if k in options)):
            if dtype is not None:
                self._crossing.dtype(dtype)
        if "where" in options and name[:2] != "u:" and last not in _WHERE:
            raise TypeError("'where' is not taken here under this policy")

    # -- the tables

    def _add_functions(self) -> None:
        numpy = self._numpy
        homes = (
            ("f:", numpy, tables.FUNCTIONS),
            ("f:linalg.", numpy.linalg, tables.LINALG),
            ("f:fft.", numpy.fft, tables.FFT),
            ("f:char.", numpy.char, tables.TEXTS),
            ("f:strings.", getattr(numpy, "strings", numpy.char), tables.TEXTS),
            ("f:random.", numpy.random, f"{tables.DRAWS} {tables.OLD_DRAWS}"),
            ("f:lib.", numpy.lib.stride_tricks, tables.WINDOWS),
        )
        for prefix, home, names in homes:
            for name in names.split():
                function = getattr(home, name, None)
                if function is not None:
                    self._tables[prefix + name] = function

    def _add_ufuncs(self) -> None:
        for name in tables.UFUNCS.split():
            ufunc = getattr(self._numpy, name, None)
            if ufunc is None:
                continue
            self._tables[f"u:{name}"] = self._masked(ufunc)
            for method in tables.UFUNC_METHODS.split():
                self._tables[f"v:{name}.{method}"] = getattr(ufunc, method)

    def _masked(self, ufunc: Any) -> Operation:
        """Make the call of `ufunc`: what its `where` leaves out is zero, not what was in memory."""
        numpy = self._numpy

        def call(*args: Any, **options: Any) -> Any:
            where = options.get("where", True)
            if where is True:
                return ufunc(*args, **options)
            if len(args) <= ufunc.nin:  # said so, or numpy warns of what is done here
                options.setdefault("out", (None,) * ufunc.nout)
            out = options.get("out")
            given = [*args, *(out if type(out) is tuple else (out,))]
            results = ufunc(*args, **options)
            many = results if type(results) is tuple else (results,)
            cleared = []
            for result in many:
                if not any(result is one for one in given):
                    array = numpy.asarray(result)
                    left_out = ~numpy.broadcast_to(numpy.asarray(where, bool), array.shape)
                    numpy.copyto(array, 0, where=left_out)
                    result = array if type(result) is numpy.ndarray else array[()]
                cleared.append(result)
            return tuple(cleared) if type(results) is tuple else cleared[0]

        return call

    def _add_methods(self) -> None:
        numpy, kinds = self._numpy, self._crossing.kinds

        def of_array(name: str) -> Operation:
            def method(o: Any, /, *args: Any, **options: Any) -> Any:
                if type(o) is not numpy.ndarray and not isinstance(o, numpy.generic):
                    raise Foreign(type(o).__name__)
                return getattr(o, name)(*args, **options)

            return method

        def of_object(name: str, owners: frozenset[type], calling: bool) -> Operation:
            def member(o: Any, /, *args: Any, **options: Any) -> Any:
                if type(o) not in owners:
                    raise Foreign(type(o).__name__)
                value = getattr(o, name)
                return value(*args, **options) if calling else value

            return member

        for name in tables.METHODS.split():
            self._tables[f"m:{name}"] = of_array(name)
        for name in tables.ATTRIBUTES.split():
            self._tables[f"g:{name}"] = memory.reading(numpy, name)
        for part, calling in ((0, False), (1, True)):
            names = {name for row in tables.OBJECTS.values() for name in row[part].split()}
            for name in names:
                owners = frozenset(
                    cls for cls, k in kinds.items() if name in tables.OBJECTS[k][part].split()
                )
                self._tables[f"{'q' if calling else 'p'}:{name}"] = of_object(name, owners, calling)
        for name in tables.OPERATORS.split():
            self._tables[f"o:{name}"] = getattr(operator, name)
