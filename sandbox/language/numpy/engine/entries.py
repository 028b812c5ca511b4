"""All operations by name: the rows of the tables with what does each."""

import operator
from collections.abc import Iterator
from typing import Any

from sandbox.language.numpy.engine import functions, tables
from sandbox.language.numpy.engine.bounds import Rule, is_text
from sandbox.language.numpy.engine.crossing import Crossing, Foreign
from sandbox.language.numpy.engine.dtypes import NoLoop, Refused
from sandbox.language.numpy.engine.operations import operations
from sandbox.language.numpy.engine.rows import Entry, Operation, Row, parsed

Named = Iterator[tuple[str, Entry]]
_OUT = "out:out? where:mask? dtype:dtype? casting:casting?"
# Of ufuncs that take two arrays and give one.
_UFUNC_METHODS = {
    "reduce": "array:numbers axis:axes? dtype:dtype? out:none? keepdims:flag? initial:number?"
    " where:mask? | together",
    "accumulate": "array:numbers axis:axis? dtype:dtype? out:none? | together",
    "reduceat": "array:numbers indices:integers axis:axis? dtype:dtype? out:none? | together",
    "outer": "A:numbers B:numbers | crossed",
    "at": "o:target index:index b:numbers? | selected | none",
}


def entries(numpy: Any, crossing: Crossing) -> dict[str, Entry]:
    """Return them. A name that numpy of this version has not is left out."""
    found: dict[str, Entry] = {}
    for made in (
        _functions(numpy),
        _methods(numpy, crossing),
        _ufuncs(numpy),
        _operators(numpy, crossing),
        _draws(numpy),
        _own(numpy, crossing),
    ):
        found.update(made)
    return found


def _rows(prefix: str, home: Any, table: str) -> Named:
    for row in parsed(table):
        function = getattr(home, row.name, None)
        if function is not None:
            yield prefix + row.name, Entry(row, function)


def _functions(numpy: Any) -> Named:
    tricks = numpy.lib.stride_tricks
    yield from _rows("f:", numpy, functions.FUNCTIONS)
    for row in parsed(functions.FUNCTIONS):
        if row.name == "sliding_window_view":
            yield "f:lib.sliding_window_view", Entry(row, tricks.sliding_window_view)
        elif row.name in ("empty", "empty_like"):  # no memory that nobody has written
            yield f"f:{row.name}", Entry(row, getattr(numpy, row.name.replace("empty", "zeros")))
    yield from _rows("f:linalg.", numpy.linalg, tables.LINALG)
    yield from _rows("f:fft.", numpy.fft, tables.FFT)


def _methods(numpy: Any, crossing: Crossing) -> Named:
    def of(name: str) -> Operation:
        def method(a: Any, /, *args: Any, **options: Any) -> Any:
            if type(a) is not numpy.ndarray and type(a) not in crossing.scalars:
                raise Foreign("what has no methods of numpy's")
            return getattr(a, name)(*args, **options)

        return method

    def read(name: str) -> Operation:
        def attribute(a: Any) -> Any:
            if type(a) is not numpy.ndarray and type(a) not in crossing.scalars:
                raise Foreign("what has no attributes of numpy's")
            return getattr(a, name)

        return attribute

    known = {row.name: row for row in parsed(functions.FUNCTIONS)}
    for name in tables.AS_FUNCTIONS.split():
        yield f"m:{name}", Entry(known[name], of(name))
    for row in parsed(tables.METHODS):
        yield f"m:{row.name}", Entry(row, of(row.name))
    for name in tables.ATTRIBUTES.split():
        result = "array" if name in ("T", "mT", "real", "imag") else "data"
        (row,) = parsed(f"{name} | a:any | together | {result}")
        yield f"g:{name}", Entry(row, read(name))


def _ufuncs(numpy: Any) -> Named:
    for name in (tables.UFUNCS_OF_ONE + tables.UFUNCS_OF_TWO).split():
        ufunc = getattr(numpy, name, None)
        if ufunc is None:
            continue
        texts = name in tables.OF_TEXTS
        places = " ".join([f"x{place + 1}:any" for place in range(ufunc.nin)])
        several = ufunc.nout > 1
        rest = "dtype:dtype?" if several else "out:out? where:mask?" if texts else _OUT
        rule = "matmul" if name == "matmul" else "broadcast"
        result = "arrays" if several else "array"
        (row,) = parsed(f"{name} | {places} {rest} | {rule} | {result}")
        call = _where_out_is(ufunc)
        yield f"u:{name}", Entry(row, call if texts else _of_numbers(numpy, name, call))
        if ufunc.nin == 2 and not several and name != "matmul":
            for method, text in _UFUNC_METHODS.items():
                (row,) = parsed(f"{name}.{method} | {text}")
                call = _at(numpy, ufunc) if method == "at" else getattr(ufunc, method)
                yield f"v:{name}.{method}", Entry(row, call)
        elif ufunc.nin == 1 and not several:
            (row,) = parsed(f"{name}.at | {_UFUNC_METHODS['at']}")
            yield f"v:{name}.at", Entry(row, _at(numpy, ufunc))


def _of_numbers(numpy: Any, name: str, function: Operation) -> Operation:
    """Make the call of what has no loop for texts, so that numpy is not asked for one."""

    def call(*args: Any, **options: Any) -> Any:
        if any(map(is_text, args)):
            types = [f"dtype({_name_of(numpy.asarray(one).dtype)!r})" for one in args]
            told = types[0] if len(types) == 1 else f"({', '.join(types)})"
            raise NoLoop(
                f"ufunc {name!r} did not contain a loop with signature matching types {told}"
                " -> None"
            )
        return function(*args, **options)

    return call


def _name_of(dtype: Any) -> str:
    """Return what numpy calls a dtype in a text."""
    return str(dtype.str if dtype.kind == "U" else dtype.name)


def _where_out_is(ufunc: Any) -> Operation:
    def call(*args: Any, out: Any = None, where: Any = True, **options: Any) -> Any:
        if out is None:
            if where is not True and where is not None:
                raise Refused("where goes with out under this policy: nothing else is left there")
            return ufunc(*args, **options)
        if out.dtype.kind == "U":
            raise Refused("out is of numbers under this policy")
        return ufunc(*args, out=out, where=True if where is None else where, **options)

    return call


def _at(numpy: Any, ufunc: Any) -> Operation:
    """Make `ufunc.at`, which numpy only sees in its plainest form.

    Its C code ends the process at an empty array behind a slice: it gets lines alone, with places
    that are there, and values for each.
    """

    def at(o: Any, index: Any, *values: Any) -> None:
        places = _places(numpy, o, index)
        shape = numpy.shape(places)
        given = [one if type(one) is not numpy.ndarray else spread(one, shape) for one in values]
        places = numpy.ascontiguousarray(places).reshape(-1)
        if not places.size:
            return
        line = o.reshape(-1) if o.flags.c_contiguous else o.copy("C").reshape(-1)
        ufunc.at(line, places, *given)
        if not o.flags.c_contiguous:
            o[...] = line.reshape(o.shape)

    def spread(value: Any, shape: tuple[int, ...]) -> Any:
        try:
            return numpy.ascontiguousarray(numpy.broadcast_to(value, shape)).reshape(-1)
        except ValueError:
            raise ValueError("array is not broadcastable to correct shape") from None

    return at


def _places(numpy: Any, o: Any, index: Any) -> Any:
    """Return the places in `o`, as one line, that `index` is about. Raises IndexError."""
    line = o.ndim == 1 and type(index) is numpy.ndarray and index.dtype.kind in "iu" and index.size
    if line and -o.size <= int(index.min()) and int(index.max()) < o.size:
        return index.astype("l")
    return numpy.arange(o.size).reshape(o.shape)[index]


def _operators(numpy: Any, crossing: Crossing) -> Named:
    def of(name: str) -> Operation:
        function = getattr(operator, name)

        def operate(*args: Any) -> Any:
            if not any(hasattr(one, "dtype") for one in args):
                raise Foreign("an operator of nothing of numpy's")
            return function(*args)

        return operate

    unary = frozenset(("neg", "pos", "abs", "invert"))
    for name, ufunc in tables.OPERATORS.items():
        places = "x1:any" if name in unary else "x1:any x2:any"
        rule = "matmul" if name == "matmul" else "broadcast"
        (row,) = parsed(f"{name} | {places} | {rule}")
        call = of(name)
        texts = ufunc in tables.OF_TEXTS
        yield f"o:{name}", Entry(row, call if texts else _of_numbers(numpy, ufunc, call))
    for name in tables.INPLACE.split():
        (row,) = parsed(f"{name} | x1:out x2:numbers | broadcast")
        yield f"o:{name}", Entry(row, of(name))


def _draws(numpy: Any) -> Named:
    random = numpy.random
    for prefix, table in (("f:random.", tables.DRAWS + tables.OLD_DRAWS),):
        yield from _rows(prefix, random, table)
    kinds = {"Generator": tables.NEW_DRAWS, "RandomState": tables.OLD_DRAWS}
    for name, table in kinds.items():
        for row in parsed(tables.DRAWS + table):
            key = f"q:{name}.{row.name}"
            yield key, Entry(_with_source(row), _drawing(getattr(random, name), row.name))


def _with_source(row: Row) -> Row:
    (source,) = parsed("x | source:source | nothing")
    rule: Rule = row.rule

    def bound(b: Any) -> int:
        return rule({name: value for name, value in b.items() if name != "source"})

    parameters = source.parameters + row.parameters
    return Row(row.name, parameters, bound, row.result, row.needed | {"source"})


def _drawing(kind: Any, name: str) -> Operation:
    def draw(source: Any, /, *args: Any, **options: Any) -> Any:
        if type(source) is not kind:
            raise Foreign("a generator of another kind")
        return getattr(source, name)(*args, **options)

    return draw


def _own(numpy: Any, crossing: Crossing) -> Named:
    made = operations(numpy, crossing)
    for row in parsed(tables.OWN):
        yield row.name, Entry(row, made[row.name])
