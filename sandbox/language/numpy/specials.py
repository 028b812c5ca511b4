"""Operations that are no function of numpy's as it is, each with what it looks at first."""

from collections.abc import Callable
from typing import Any

from sandbox.language.numpy import tables
from sandbox.language.numpy.crossing import Crossing, Foreign

Operation = Callable[..., Any]
_ERRORS = frozenset(("all", "divide", "over", "under", "invalid"))
_ACTIONS = frozenset(("ignore", "warn", "raise"))
_MOST_BYTES = 1 << 46  # of an array: no process has room for as many
_PRINTED = frozenset(
    (
        *("precision", "threshold", "edgeitems", "linewidth", "suppress", "nanstr", "infstr"),
        *("sign", "floatmode", "legacy"),
    )
)
_LIMITS = {
    "iinfo": "bits dtype max min",
    "finfo": "bits dtype eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision"
    " resolution smallest_normal smallest_subnormal tiny",
}


class Whole:
    """A value that is data throughout, and goes out as it is."""

    __slots__ = ("items",)

    def __init__(self, items: Any) -> None:
        self.items = items


def reading(numpy: Any, name: str) -> Operation:
    """Make the read of one attribute of arrays and scalars."""

    def read(o: Any) -> Any:
        if type(o) is not numpy.ndarray and not isinstance(o, numpy.generic):
            raise Foreign(type(o).__name__)
        return getattr(o, name)

    return read


def operations(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    """Make them all, by name."""
    return {
        **_of_arrays(numpy, crossing),
        **_of_settings(numpy, crossing),
        **_of_types(numpy, crossing),
        **_of_objects(numpy, crossing),
        **_of_texts(numpy, crossing),
    }


def _of_arrays(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    array = numpy.ndarray

    def is_array(o: Any) -> Any:
        if type(o) is not array:
            raise Foreign(type(o).__name__)
        return o

    def store(o: Any, index: Any, value: Any) -> None:
        is_array(o)[index] = value

    def store_flat(o: Any, index: Any, value: Any) -> None:
        is_array(o).flat[index] = value

    def shape(o: Any, value: Any) -> Any:
        # In a view of its own: `o` may be an argument of more than one name.
        return is_array(o).reshape(value)

    def real(o: Any, value: Any) -> None:
        is_array(o).real = value

    def imag(o: Any, value: Any) -> None:
        is_array(o).imag = value

    def items(o: Any) -> Any:
        # Of one dimension; moments would become objects of datetime.
        plain = is_array(o).ndim == 1 and o.dtype.kind not in "Mm"
        return Whole((o.dtype.name, o.tolist())) if plain else Whole(None)

    def view(o: Any, dtype: Any = None) -> Any:
        # Memory is taken for another type: for none that holds addresses.
        return o.view() if dtype is None else o.view(crossing.dtype(dtype))

    def listed(o: Any) -> Any:
        if type(o) is not array and not isinstance(o, numpy.generic):
            raise Foreign(type(o).__name__)
        return Whole(o.tolist())

    def item(o: Any, *at: Any) -> Any:
        if type(o) is not array and not isinstance(o, numpy.generic):
            raise Foreign(type(o).__name__)
        return Whole(o.item(*at))

    def tobytes(o: Any, order: str = "C") -> Any:
        return o.tobytes(order)

    def setflags(o: Any, write: Any = None) -> None:
        is_array(o).setflags(write=write)

    def zeros(shape: Any, dtype: Any = float, order: str = "C") -> Any:
        return numpy.zeros(shape, dtype, order)

    def zeros_like(a: Any, dtype: Any = None, order: str = "K", shape: Any = None) -> Any:
        return numpy.zeros_like(a, dtype, order, shape=shape)

    def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
        # Of mode "empty" the rim is memory that nobody has written.
        if type(mode) is not str or mode == "empty":
            raise TypeError("pad takes a text for its mode, and not 'empty', under this policy")
        return numpy.pad(array, pad_width, mode, **options)

    def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
        # Numpy adds the counts up without a look at overflow, and then writes as many.
        given, counts = numpy.asarray(a), numpy.asarray(repeats)
        length = given.size if axis is None else given.shape[axis]
        if counts.dtype.kind in "iub":
            many = counts.ravel().tolist()
            total = sum(many) if len(many) > 1 else sum(many) * length
            rows = given.size // length if length else 0
            if total * max(rows, 1) * max(given.itemsize, 1) > _MOST_BYTES:
                raise MemoryError(f"Unable to allocate an array of {total} items")
        return given.repeat(repeats, axis)

    def scalar_str(o: Any) -> Any:
        if not isinstance(o, numpy.generic):
            raise Foreign(type(o).__name__)
        return str(o), repr(o)

    def converted(kind: type) -> Operation:
        def convert(o: Any) -> Any:
            return kind(is_array(o))

        return convert

    return {
        **{f"x:{kind.__name__}": converted(kind) for kind in (int, float, complex)},
        "x:get": lambda o, index: o[index],
        "x:set": store,
        "x:flat_get": lambda o, index: is_array(o).flat[index],
        "x:flat_set": store_flat,
        "s:shape": shape,
        "s:real": real,
        "s:imag": imag,
        "x:items": items,
        "x:str": lambda o: str(is_array(o)),
        "x:repr": lambda o: repr(is_array(o)),
        "x:writeable": lambda o: is_array(o).flags.writeable,
        "x:contiguous": lambda o: (o.flags.c_contiguous, o.flags.f_contiguous, o.flags.owndata),
        "x:scalar_str": scalar_str,
        "f:pad": pad,
        "f:repeat": repeat,
        "m:repeat": repeat,
        "m:view": view,
        "m:tolist": listed,
        "m:item": item,
        "m:tobytes": tobytes,
        "m:setflags": setflags,
        # Memory of the process that nobody has written would be shown.
        "f:empty": zeros,
        "f:empty_like": zeros_like,
        "x:r_": lambda index: numpy.r_[index],
        "x:c_": lambda index: numpy.c_[index],
        "x:mgrid": lambda index: numpy.mgrid[index],
        "x:ogrid": lambda index: numpy.ogrid[index],
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
        kept = numpy.get_printoptions().items()
        return Whole({name: value for name, value in kept if name in _PRINTED})

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

    def data(o: Any) -> Any:
        return numpy.datetime_data(o.dtype if isinstance(o, numpy.generic) else numpy.dtype(o))

    def frombuffer(buffer: Any, dtype: Any = "f8", count: int = -1, offset: int = 0) -> Any:
        if type(buffer) is not bytes:
            raise Foreign(type(buffer).__name__)
        # Not over the program's bytes: `ufunc.at` writes to what is for reading alone.
        made = numpy.frombuffer(buffer, crossing.dtype(dtype), count, offset).copy()
        made.setflags(write=False)
        return made

    def fromstring(string: Any, dtype: Any = "f8", count: int = -1, *, sep: str = "") -> Any:
        if type(string) is not str or not sep:
            raise ValueError("fromstring reads texts with a separator; use frombuffer for bytes")
        found = numpy.fromstring(string, crossing.dtype(dtype), sep=sep)
        if count > len(
            found
        ):  # numpy gives so many, those that no text is for from memory as it is
            raise ValueError("string is smaller than requested size")
        return found if count < 0 else found[:count]

    return {
        "x:dtype": about,
        "x:scalar": scalar,
        "x:limits": limits,
        "f:datetime_data": data,
        "f:frombuffer": frombuffer,
        "f:fromstring": fromstring,
    }


def _of_objects(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    random, polynomial, kinds = numpy.random, numpy.polynomial, crossing.kinds
    series = {name: getattr(polynomial, name) for name in tables.SERIES.split()}

    def is_held(o: Any) -> Any:
        if type(o) not in kinds:
            raise Foreign(type(o).__name__)
        return o

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
    def lines_of(lines: Any) -> Any:
        if type(lines) is not list or not {str}.issuperset(map(type, lines)):
            raise TypeError("a list of lines, as texts, is read under this policy")
        return lines

    def loadtxt(lines: Any, /, **options: Any) -> Any:
        return numpy.loadtxt(lines_of(lines), **options)

    def genfromtxt(lines: Any, /, **options: Any) -> Any:
        if options.get("names") is not None:
            raise TypeError("fields with names are not there under this policy")
        return numpy.genfromtxt(lines_of(lines), **options)

    return {"x:loadtxt": loadtxt, "x:genfromtxt": genfromtxt}
