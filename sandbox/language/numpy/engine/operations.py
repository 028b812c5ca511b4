"""Operations that are no function of numpy's as it is."""

import operator
from collections.abc import Callable
from typing import Any

from sandbox.language.numpy.engine import tables
from sandbox.language.numpy.engine.crossing import Crossing, Foreign

Operation = Callable[..., Any]
_ERRORS = ("divide", "over", "under", "invalid")
_ACTIONS = frozenset(("ignore", "warn", "raise"))
_PRINTED = (
    *("precision", "threshold", "edgeitems", "linewidth", "suppress", "nanstr", "infstr", "sign"),
    *("floatmode",),
)
_FLAGS = (
    *("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY"),
    *("BEHAVED", "CARRAY", "FARRAY", "FNC", "FORC", "CONTIGUOUS", "FORTRAN"),
)
_LIMITS = {
    "iinfo": "bits dtype max min",
    "finfo": "bits dtype eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision"
    " resolution smallest_normal smallest_subnormal tiny",
}
_OF_UFUNCS = "nin nout nargs ntypes types identity signature"
_OF_DTYPES = "name kind char num itemsize alignment byteorder isnative"


def operations(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    """Make them all, by name."""
    return {
        **_of_making(numpy, crossing),
        **_of_memory(numpy, crossing),
        **_of_values(numpy),
        **_of_settings(numpy),
        **_of_types(numpy, crossing),
        **_of_generators(numpy),
    }


def _of_making(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    def checked(make: Operation) -> Operation:
        # A list can be of objects.
        def made(*args: Any, **options: Any) -> Any:
            found = make(*args, **options)
            crossing.dtypes.checked(found.dtype)
            return found

        return made

    def scalar(name: Any, *values: Any) -> Any:
        if name not in tables.SCALARS.split():
            raise Foreign("scalar")
        made = getattr(numpy, name)(*values)
        return made if type(made) in crossing.scalars else numpy.asarray(made)

    return {
        "f:array": checked(numpy.array),
        "f:asarray": checked(numpy.asarray),
        "f:arange": numpy.arange,
        "f:result_type": numpy.result_type,
        "x:scalar": scalar,
    }


def _of_memory(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    def store(o: Any, index: Any, value: Any) -> None:
        if type(value) in (list, tuple):
            value = numpy.array(value, None if o.dtype.kind == "U" else o.dtype)
            crossing.dtypes.checked(value.dtype)
        o[index] = value

    def shape(o: Any, value: Any) -> Any:
        # In a view of its own: `o` may be an argument of more than one name.
        shaped = o.reshape(value)
        if shaped.size and not numpy.may_share_memory(shaped, o):
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy"
                " with the desired shape."
            )
        return shaped.view()

    def resized(o: Any, shape: Any, refcheck: bool) -> Any:
        # Other memory: views of what there was keep what they are views of.
        if o.base is not None:
            raise ValueError("cannot resize this array: it does not own its data")
        if not o.flags.c_contiguous and not o.flags.f_contiguous:
            raise ValueError("resize only works on single-segment arrays")
        if refcheck and crossing.has_views(o):
            raise ValueError(
                "cannot resize an array that references or is referenced\nby another array in this"
                " way.\nUse the np.resize function or refcheck=False"
            )
        order = "C" if o.flags.c_contiguous else "F"
        made = numpy.zeros(shape, o.dtype, order)
        flat, kept = made.reshape(-1, order=order), min(made.size, o.size)
        flat[:kept] = o.ravel(order)[:kept]
        return made

    def view(a: Any, *given: Any, dtype: Any = None) -> Any:
        if not given and dtype is None:
            return a.view()
        dtype = numpy.dtype(given[0] if given else dtype)  # of None, it is of floats
        if dtype == a.dtype:
            return a.view(dtype)
        if a.dtype.kind not in "iufc" or dtype.kind not in "iufc":
            raise TypeError(
                f"memory of {a.dtype.name} is not looked at as {dtype.name} under this policy:"
                " astype gives a copy"
            )
        return a.view(dtype)

    def real(o: Any, value: Any) -> None:
        o.real = value

    def imag(o: Any, value: Any) -> None:
        o.imag = value

    return {
        "x:set": store,
        "s:shape": shape,
        "s:real": real,
        "s:imag": imag,
        "x:resized": resized,
        "m:view": view,
        "m:astype": lambda a, /, *args, **options: a.astype(*args, **options),
    }


def _of_values(numpy: Any) -> dict[str, Operation]:
    def get(o: Any, index: Any) -> Any:
        if not hasattr(o, "dtype"):
            raise Foreign("what is indexed")
        return o[index]

    def items(o: Any) -> Any:
        if o.ndim != 1:
            return None
        return "str_" if o.dtype.kind == "U" else o.dtype.name, o.tolist()

    def scalar_str(o: Any) -> Any:
        if not hasattr(o, "dtype"):
            raise Foreign("scalar")
        return "".join((str(o), "")), repr(o)

    return {
        "x:get": get,
        "x:items": items,
        "x:scalar_str": scalar_str,
        "x:str": str,
        "x:repr": repr,
        "x:contains": lambda o, value: bool(operator.contains(o, value)),
        "x:int": int,
        "x:float": float,
        "x:complex": complex,
        "x:index": operator.index,
        "x:flags": lambda o: [(name, bool(o.flags[name])) for name in _FLAGS],
    }


def _of_settings(numpy: Any) -> dict[str, Operation]:
    def told(found: Any, names: tuple[str, ...]) -> list[tuple[str, Any]]:
        return [(name, found[name]) for name in names]

    def seterr(**options: Any) -> Any:
        for name, action in options.items():
            if action is not None and action not in _ACTIONS:
                raise ValueError(f"{name}={action!r} is not there under this policy")
        return told(numpy.seterr(**options), _ERRORS)

    def set_printed(**options: Any) -> None:
        # All that is kept is a number or a text of a kind: nothing calls a program's formatter.
        numpy.set_printoptions(**options)

    return {
        "x:seterr": seterr,
        "x:geterr": lambda: told(numpy.geterr(), _ERRORS),
        "x:set_printoptions": set_printed,
        "x:get_printoptions": lambda: told(numpy.get_printoptions(), _PRINTED),
    }


def _of_types(numpy: Any, crossing: Crossing) -> dict[str, Operation]:
    def about(dtype: Any) -> Any:
        kind = "str_" if dtype.kind == "U" else crossing.scalars[dtype.type]
        return (dtype.str, kind, repr(dtype), *[getattr(dtype, n) for n in _OF_DTYPES.split()])

    def limits(name: Any, dtype: Any) -> Any:
        if name not in _LIMITS:
            raise Foreign("limits")
        found = getattr(numpy, name)(dtype)
        names = [each for each in _LIMITS[name].split() if hasattr(found, each)]
        pairs = tuple([(each, getattr(found, each)) for each in names])
        return pairs, str(found), repr(found)

    def ufunc(name: Any) -> Any:
        if name not in (tables.UFUNCS_OF_ONE + tables.UFUNCS_OF_TWO).split():
            raise Foreign("ufunc")
        return [getattr(getattr(numpy, name), each) for each in _OF_UFUNCS.split()]

    return {"x:dtype": about, "x:limits": limits, "x:ufunc": ufunc}


def _of_generators(numpy: Any) -> dict[str, Operation]:
    random = numpy.random

    def generator(name: Any, bits: Any, seed: Any = None) -> Any:
        if bits not in tables.BITS.split() or name not in ("Generator", "RandomState"):
            raise Foreign("generator")
        return getattr(random, name)(getattr(random, bits)(seed))

    def shuffled(source: Any, count: Any) -> Any:
        shuffle = random.shuffle if source is None else source.shuffle
        places = list(range(count))
        shuffle(places)
        return places

    return {
        "x:default_rng": lambda seed=None: random.default_rng(seed),
        "x:RandomState": lambda seed=None: random.RandomState(seed),
        "x:generator": generator,
        "x:shuffled": shuffled,
    }
