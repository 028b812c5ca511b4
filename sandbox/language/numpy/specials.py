"""Operations that are no function of numpy's as it is, each with what it looks at first."""

from collections.abc import Callable
from typing import Any

from sandbox.language.numpy import memory, tables
from sandbox.language.numpy.crossing import Crossing, Foreign
from sandbox.language.numpy.memory import Whole

Operation = Callable[..., Any]
_ERRORS = frozenset(("all", "divide", "over", "under", "invalid"))
_ACTIONS = frozenset(("ignore", "warn", "raise"))
_PRINTED = frozenset(
    (
        *("precision", "threshold", "edgeitems", "linewidth", "suppress", "nanstr", "infstr"),
        *("sign", "floatmode", "legacy"),
    )
)
# Codecs that CPython knows without a look. Others are Python, or found by Python, which would run
# in the midst of numpy's C code and be given a text of numpy's.
_ENCODINGS = frozenset(
    (
        *("ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1", "iso8859-1", "utf-8", "utf8"),
        *("utf-16", "utf-32"),
    )
)
_HANDLERS = frozenset(
    (
        *("strict", "ignore", "replace", "backslashreplace", "xmlcharrefreplace"),
        *("surrogateescape", "surrogatepass"),
    )
)
_LIMITS = {
    "iinfo": "bits dtype max min",
    "finfo": "bits dtype eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision"
    " resolution smallest_normal smallest_subnormal tiny",
}


def operations(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    """Make them all, by name."""
    return {
        **memory.operations(numpy, crossing),
        **_of_settings(numpy, crossing),
        **_of_types(numpy, crossing),
        **_of_objects(numpy, crossing),
        **_of_texts(numpy, crossing),
    }


def _of_settings(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    def seterr(**options: Any) -> Any:
        for name, action in options.items():
            if name not in _ERRORS or action not in (*_ACTIONS, None):
                raise ValueError(f"{name}={action!r} is not there under this policy")
        return Whole(dict(numpy.seterr(**options)))

    def set_printed(**options: Any) -> None:
        if not _PRINTED.issuperset(options):
            raise TypeError(f"of print options there are {', '.join(sorted(_PRINTED))}")
        numpy.set_printoptions(**options)

    def printed() -> Any:
        # What takes a function is None here, always.
        return Whole(dict(numpy.get_printoptions()))

    return {
        "x:seterr": seterr,
        "x:geterr": lambda: Whole(dict(numpy.geterr())),
        "x:set_printoptions": set_printed,
        "x:get_printoptions": printed,
    }


def _of_types(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    def about(text: Any) -> Any:
        dtype = crossing.dtype(text)
        names = ("name", "kind", "char", "num", "itemsize", "alignment", "byteorder", "isnative")
        kind = {"U": "str_", "S": "bytes_"}.get(dtype.kind, dtype.type.__name__)
        return Whole((dtype.str, kind, repr(dtype), *(getattr(dtype, name) for name in names)))

    def scalar(name: Any, *args: Any) -> Any:
        if type(name) is not str or name not in tables.SCALARS.split():
            raise Foreign("scalar")
        made = getattr(numpy, name)(*args)
        return made if isinstance(made, numpy.generic) else numpy.asarray(made)

    def limits(name: Any, dtype: Any) -> Any:
        if name not in _LIMITS:
            raise Foreign("limits")
        found = getattr(numpy, name)(dtype)
        names = [each for each in _LIMITS[name].split() if hasattr(found, each)]
        return [(each, getattr(found, each)) for each in names], str(found), repr(found)

    def newbyteorder(text: Any, order: Any) -> Any:
        if type(order) is not str:
            raise Foreign("order")
        return crossing.dtype(text).newbyteorder(order).str

    def ufunc(name: Any) -> Any:
        if type(name) is not str or name not in tables.UFUNCS.split():
            raise Foreign("ufunc")
        told = ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature")
        return [getattr(getattr(numpy, name), each) for each in told]

    def data(o: Any) -> Any:
        return numpy.datetime_data(crossing.dtype(o))

    return {
        "x:dtype": about,
        "x:newbyteorder": newbyteorder,
        "x:ufunc": ufunc,
        "x:scalar": scalar,
        "x:limits": limits,
        "f:datetime_data": data,
    }


def _of_objects(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    random, polynomial, kinds = numpy.random, numpy.polynomial, crossing.kinds
    series = {name: getattr(polynomial, name) for name in tables.SERIES.split()}

    def is_held(o: Any) -> Any:
        if type(o) not in kinds:
            raise Foreign(type(o).__name__)
        return o

    def generator(name: Any, bits: Any, seed: Any) -> Any:
        if type(bits) is not str or bits not in tables.BITS.split():
            raise Foreign("generator")
        kind = random.Generator if name == "Generator" else random.RandomState
        return kind(getattr(random, bits)(seed))

    def held_str(o: Any) -> Any:
        if type(o) in (random.Generator, random.RandomState):  # theirs has their address
            raise Foreign(type(o).__name__)
        return str(is_held(o)), repr(o)

    def shuffled(source: Any, count: Any) -> Any:
        shuffle = random.shuffle if source is None else is_held(source).shuffle
        places = list(range(count))
        shuffle(places)
        return Whole(places)

    def made_series(name: Any, coefficients: Any, /, *rest: Any, **options: Any) -> Any:
        return series[name](coefficients, *rest, **options)

    def of_series(name: Any, method: Any, /, *args: Any, **options: Any) -> Any:
        if method not in ("fit", "fromroots", "basis", "identity"):
            raise Foreign("method")
        return getattr(series[name], method)(*args, **options)

    def converted(o: Any, name: Any) -> Any:
        return is_held(o).convert(kind=series[name])

    return {
        "x:default_rng": lambda seed: random.default_rng(seed),
        "x:RandomState": lambda seed: random.RandomState(seed),
        "x:generator": generator,
        "x:shuffled": shuffled,
        "x:poly1d": lambda c, r=False, variable=None: numpy.poly1d(c, r, variable),
        "x:series": made_series,
        "x:of_series": of_series,
        "x:converted": converted,
        "x:call": lambda o, *args: is_held(o)(*args),
        "x:item": lambda o, index: is_held(o)[index],
        "x:held_str": held_str,
    }


def _of_texts(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    def is_encoding(encoding: Any) -> None:
        known = type(encoding) is str and encoding.lower().replace("_", "-") in _ENCODINGS
        if encoding is not None and not known:
            raise LookupError(f"unknown encoding: {encoding}")

    def coding(function: Any) -> Operation:
        def code(a: Any, encoding: Any = None, errors: Any = None) -> Any:
            is_encoding(encoding)
            if errors is not None and (type(errors) is not str or errors not in _HANDLERS):
                raise LookupError(f"unknown error handler name '{errors}'")
            return function(a, encoding, errors)

        return code

    def lines_of(lines: Any) -> Any:
        if type(lines) is not list or not {str}.issuperset(map(type, lines)):
            raise TypeError("a list of lines, as texts, is read under this policy")
        return lines

    def loadtxt(lines: Any, /, **options: Any) -> Any:
        is_encoding(options.get("encoding"))
        return numpy.loadtxt(lines_of(lines), **options)

    def genfromtxt(lines: Any, /, **options: Any) -> Any:
        is_encoding(options.get("encoding"))
        if options.get("names") is not None:
            raise TypeError("fields with names are not there under this policy")
        return numpy.genfromtxt(lines_of(lines), **options)

    return {
        "x:loadtxt": loadtxt,
        "x:genfromtxt": genfromtxt,
        **{
            f"f:{home}.{name}": coding(getattr(getattr(numpy, home, numpy.char), name))
            for home in ("char", "strings")
            for name in ("encode", "decode")
        },
    }
