"""What looks at the memory of arrays, or changes it: each kind of memory holds one kind of value.

A text has code points of four bytes, and CPython cannot hold one above 0x10FFFF; a boolean is 0 or
1, and C code counts and indexes with it. So memory of texts is text and nothing else, memory of
booleans is boolean, and memory of anything else is neither: a view of another kind, or with its
bytes in another order, is refused. Booleans may be read as numbers, through a view that is for
reading for good. Nothing is shown that nobody has written.
"""

import sys
from collections.abc import Callable
from typing import Any

from sandbox.language.numpy import tables
from sandbox.language.numpy.crossing import Crossing, Foreign

Operation = Callable[..., Any]
_MOST_BYTES = 1 << 46  # of an array: no process has room for as many
_FLAGS = (
    *("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY"),
    *("BEHAVED", "CARRAY", "FARRAY", "FNC", "FORC", "CONTIGUOUS", "FORTRAN"),
)
_APART = "Ub"  # kinds of dtypes whose memory is their own


def same(one: Any, other: Any) -> bool:
    """Say whether arrays of these two dtypes may have their memory in common."""
    if one.kind in _APART or other.kind in _APART:
        return bool(one.kind == other.kind and one.isnative == other.isnative)
    return True


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
    """Make what looks at memory or changes it, by name."""
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
        shaped = is_array(o).reshape(value)
        if shaped.size and not numpy.may_share_memory(shaped, o):
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy"
                " with the desired shape."
            )
        return shaped.view()

    def resized(o: Any, shape: Any, refcheck: bool) -> Any:
        # Other memory: views of what there was keep what they are views of.
        if is_array(o).base is not None:
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

    def real(o: Any, value: Any) -> None:
        is_array(o).real = value

    def imag(o: Any, value: Any) -> None:
        is_array(o).imag = value

    def items(o: Any) -> Any:
        # Of one dimension; moments would become objects of datetime.
        plain = is_array(o).ndim == 1 and o.dtype.kind not in "Mm"
        return Whole((o.dtype.name, o.tolist())) if plain else Whole(None)

    def view(o: Any, dtype: Any = None) -> Any:
        if dtype is None:
            return o.view()
        wanted = crossing.dtype(dtype)
        if same(o.dtype, wanted):
            return o.view(wanted)
        if o.dtype.kind != "b" or wanted.kind not in "iu":
            raise TypeError(
                f"memory of {o.dtype.name} is not looked at as {wanted.name} under this policy:"
                " astype gives a copy"
            )
        seen = o.view(wanted)
        if type(seen) is array:
            seen.setflags(write=False)
        return seen

    def byteswap(o: Any, inplace: Any = False) -> Any:
        if o.dtype.kind == "U":
            raise TypeError("texts are not swapped under this policy")
        return o.byteswap(inplace)

    def at(ufunc: Any) -> Operation:
        # Of itself it does not look whether it may write.
        def change(a: Any, *rest: Any) -> None:
            if type(a) is array and not a.flags.writeable:
                raise ValueError("array is read-only")
            ufunc.at(a, *rest)

        return change

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
        base = is_array(o).base
        while write and type(base) is array:
            if not same(base.dtype, o.dtype):
                raise ValueError("cannot set WRITEABLE flag to True of this array")
            base = base.base
        o.setflags(write=write)

    def frombuffer(buffer: Any, dtype: Any = "f8", count: int = -1, offset: int = 0) -> Any:
        if type(buffer) is not bytes:
            raise Foreign(type(buffer).__name__)
        wanted = crossing.dtype(dtype)
        # Not over the program's bytes: `ufunc.at` writes to what is for reading alone.
        made = numpy.frombuffer(buffer, wanted, count, offset).copy()
        if wanted.kind == "b" and (made.view("u1") > 1).any():
            raise ValueError("bytes other than 0 and 1 are no booleans")
        if wanted.kind == "U" and made.size:
            code = numpy.frombuffer(made.tobytes(), f"{wanted.str[0]}u4")
            if (code > sys.maxunicode).any():
                raise ValueError("a character that is none")
        made.setflags(write=False)
        return made

    def fromstring(string: Any, dtype: Any = "f8", count: int = -1, *, sep: str = "") -> Any:
        if type(string) is not str or not sep:
            raise ValueError("fromstring reads texts with a separator; use frombuffer for bytes")
        wanted = crossing.dtype(dtype)
        if wanted.kind not in "iufc":
            raise ValueError("fromstring reads numbers under this policy")
        found = numpy.fromstring(string, wanted, sep=sep)
        if count > len(found):  # numpy gives so many, the rest from memory as it is
            raise ValueError("string is smaller than requested size")
        return found if count < 0 else found[:count]

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

    def flags(o: Any) -> Any:
        told = is_array(o).flags
        return Whole([(name, told[name]) for name in _FLAGS])

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
        "x:flags": flags,
        "x:resized": resized,
        "x:scalar_str": scalar_str,
        "f:pad": pad,
        "f:repeat": repeat,
        "m:repeat": repeat,
        "m:view": view,
        "m:byteswap": byteswap,
        "f:frombuffer": frombuffer,
        "f:fromstring": fromstring,
        **{
            f"v:{name}.at": at(getattr(numpy, name))
            for name in tables.UFUNCS.split()
            if hasattr(numpy, name)
        },
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
