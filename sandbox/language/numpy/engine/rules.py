"""The rules of single functions: how large a result can be, told beforehand (see `bounds`)."""

from math import prod
from typing import Any, Final

from sandbox.language.numpy.engine.bounds import (
    WIDTH,
    Bound,
    Rule,
    TooLarge,
    broadcast,
    broadcast_all,
    broadcast_each,
    crossed,
    crosswise,
    each_axis,
    extent,
    over,
    shape_of,
    together,
    widest,
    width,
)
from sandbox.language.numpy.engine.products import (
    chosen,
    dot,
    drawn,
    drawn_rows,
    einsum,
    inner,
    kron,
    matmul,
    of_degree,
    of_matrices,
    of_rows,
    permuted,
    tensordot,
    transform,
)

_PART: Final = 1000  # bytes that an array of a list takes besides
_MOST_PARTS: Final = 1_000_000


def bins(b: Bound) -> int:
    wanted: Any = b.get("bins")
    edges: Any = None if type(wanted) is int else wanted
    counts = wanted if type(wanted) is list else [wanted if type(wanted) is int else 10]
    count = prod([max(one, 1) + 2 for one in counts])
    if "y" in b and len(counts) == 1:
        count = extent((count, count))
    return (count + 2) * WIDTH + together({**b, "bins": edges})


def bincount(b: Bound) -> int:
    largest = b["x"]
    if hasattr(largest, "max"):
        largest = int(largest.max()) if largest.size else 0
    most: int = max(int(largest), b.get("minlength") or 0, 0)
    return (most + 1) * WIDTH


def nothing(b: Bound) -> int:
    return 0


def fourfold(b: Bound) -> int:
    return 4 * together(b)


def integrated(b: Bound) -> int:
    terms: int = abs(b.get("m") or 1)
    return together(b) + terms * WIDTH


def where(b: Bound) -> int:
    return each_axis(b) if b.get("x") is None else broadcast(b)


def take(b: Bound) -> int:
    shape, axis = shape_of(b["a"]), b.get("axis")
    slab = 1
    if axis is not None and shape and -len(shape) <= axis < len(shape):
        slab = extent(shape[:axis] + shape[axis % len(shape) + 1 :])
    return slab * extent(shape_of(b["indices"])) * widest([b["a"]])


def diag(b: Bound) -> int:
    shape, aside = shape_of(b["v"]), abs(b.get("k") or 0)
    rows = extent(shape) + aside
    return extent((rows,) if len(shape) == 2 else (rows, rows)) * widest([b["v"]])


def flat_diag(b: Bound) -> int:
    rows: int = extent(shape_of(b["v"])) + abs(b.get("k") or 0)
    return extent((rows, rows)) * widest([b["v"]])


def triangle(b: Bound) -> int:
    shape = shape_of(b["m"])
    return extent(shape * 2 if len(shape) == 1 else shape) * WIDTH + together(b)


def by_counts(b: Bound) -> int:
    sizes = [b[name] for name in ("n", "ndim", "M") if b.get(name) is not None]
    return extent([*sizes, *b.get("dims", ())]) * WIDTH


def squares(b: Bound) -> int:
    rows = b.get("N", b.get("n"))
    columns = b.get("M", b.get("m"))
    return extent((rows, rows if columns is None else columns)) * WIDTH * 2


def vander(b: Bound) -> int:
    size = extent(shape_of(b["x"]))
    wanted = b.get("N")
    return extent((size, size if wanted is None else wanted)) * WIDTH


def unraveled(b: Bound) -> int:
    return extent(shape_of(b["indices"])) * len(b["shape"]) * WIDTH


def indices(b: Bound) -> int:
    return extent(b["dimensions"]) * max(len(b["dimensions"]), 1) * WIDTH


def meshgrid(b: Bound) -> int:
    sizes = [extent(shape_of(value)) for value in b["xi"]]
    return extent(sizes) * max(1, len(sizes)) * widest([*b["xi"]])


def shaped(b: Bound) -> int:
    wanted = b.get("shape", b.get("new_shape"))
    value = b.get("array", b.get("a"))
    return extent(wanted) * widest([value]) + together({"a": value})


def made(b: Bound) -> int:
    like = b.get("a", b.get("prototype"))
    shape = b.get("shape")
    dtype, fill = b.get("dtype"), b.get("fill_value")
    wide = max([width(one) for one in (dtype, fill, like) if one is not None], default=WIDTH)
    exact = dtype.itemsize if dtype is not None and dtype.itemsize else wide
    whole = extent(shape_of(like) if shape is None else shape) * exact
    return whole + (together({"f": fill}) if fill is not None else 0)


def spaced(b: Bound) -> int:
    num = b.get("num")
    ends = broadcast({"start": b["start"], "stop": b["stop"]})
    return extent((50 if num is None else num,)) * ends


def sections(b: Bound) -> int:
    wanted = b["indices_or_sections"]
    parts = wanted if type(wanted) is int else len(wanted)
    if parts > _MOST_PARTS:
        raise TooLarge("that many arrays")
    return together({"ary": b["ary"]}) + parts * _PART


def tile(b: Bound) -> int:
    return extent(shape_of(b["A"])) * extent(b["reps"]) * widest([b["A"]])


def repeat(b: Bound) -> int:
    shape, axis = shape_of(b["a"]), b.get("axis")
    length, slab = extent(shape), 1
    if axis is not None and shape and -len(shape) <= axis < len(shape):
        slab = extent(shape[:axis] + shape[axis % len(shape) + 1 :])
        length = max(shape[axis], 1)
    counts = b["repeats"]
    many = counts.ravel().tolist() if hasattr(counts, "ravel") else [counts]
    total = sum([abs(int(one)) for one in many]) * (length if len(many) == 1 else 1)
    return total * slab * widest([b["a"]])


def insert(b: Bound) -> int:
    shape, axis = shape_of(b["arr"]), b.get("axis")
    slab = 1
    if axis is not None and shape and -len(shape) <= axis < len(shape):
        slab = extent(shape[:axis] + shape[axis % len(shape) + 1 :])
    places = extent(shape) if type(b["obj"]) is slice else extent(shape_of(b["obj"]))
    new = max(places, extent(shape_of(b["values"]))) * slab
    return (extent(shape) + new) * widest([b["arr"], b["values"]]) + together({"v": b["values"]})


def pad(b: Bound) -> int:
    shape, widths = shape_of(b["array"]), b["pad_width"]
    if 0 in shape:
        raise ValueError("an empty array is not padded under this policy")
    rows = widths.tolist()
    if widths.ndim == 0:
        sizes = [size + 2 * rows for size in shape]
    elif widths.ndim == 1 and len(rows) == 1:
        sizes = [size + 2 * rows[0] for size in shape]
    elif widths.ndim == 1 and len(rows) == 2:
        sizes = [size + sum(rows) for size in shape]
    elif widths.ndim == 2 and len(rows) in (1, len(shape)) and 1 <= len(rows[0]) <= 2:
        rows = rows * len(shape) if len(rows) == 1 else rows
        sizes = [
            size + (2 * row[0] if len(row) == 1 else sum(row))
            for size, row in zip(shape, rows, strict=True)
        ]
    else:
        raise ValueError("pad takes a width, a pair of them, or a pair for each axis")
    return extent(sizes) * WIDTH + together({"a": b["array"]})


def eightfold(b: Bound) -> int:
    return 8 * together({"a": b["a"]})


def windows(b: Bound) -> int:
    return extent(shape_of(b["x"])) * extent(b["window_shape"]) * widest([b["x"]])


def cast(b: Bound) -> int:
    value, dtype = b.get("object", b.get("a", b.get("value"))), b.get("dtype")
    if type(value) is list or type(value) is tuple:
        return 0  # counted as it came in
    wide = max(widest([value]), 256 if dtype is None or dtype.kind == "U" else WIDTH)
    return extent(shape_of(value)) * max(wide, dtype.itemsize if dtype is not None else 0)


def counted(b: Bound) -> int:
    start, stop, step = b["start"], b.get("stop"), b.get("step")
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    try:
        size = (stop - start) / step if step else 0
        size = getattr(size, "real", size)
        many = int(size) if size > -1 else 0
    except (TypeError, ValueError, OverflowError):
        return 0  # numpy says what is wrong
    return (many + 2) * WIDTH


def selected(b: Bound) -> int:
    shape, index = shape_of(b["o"]), b["index"]
    parts = index if type(index) is tuple else (index,)
    chosen = [one for one in parts if type(one) is bool or hasattr(one, "dtype")]
    if not chosen:
        return 0  # a view of the array, or an item of it
    dims = [_dimensions(one) for one in parts]
    shapes = [(extent(shape_of(one)),) if _is_mask(one) else shape_of(one) for one in chosen]
    left: list[int] = []
    place = 0
    for one, many in zip(parts, dims, strict=True):
        if one is ...:
            many = max(len(shape) - sum(dims), 0)
        if one is ... or type(one) is slice:
            left += shape[place : place + many]
        place += many
    return over(shapes) * extent([*left, *shape[place:]]) * widest([b["o"]])


def _is_mask(one: Any) -> bool:
    return type(one) is bool or bool(one.dtype.kind == "b")


def _dimensions(one: Any) -> int:
    """Return of how many dimensions a part of an index is."""
    if one is None or one is ... or type(one) is bool:
        return 0
    if hasattr(one, "dtype") and one.dtype.kind == "b":
        return len(shape_of(one))
    return 1


RULES: Final[dict[str, Rule]] = {
    rule.__name__: rule
    for rule in (
        *(together, broadcast, broadcast_each, broadcast_all, crossed, crosswise, each_axis, kron),
        *(dot, inner, matmul, tensordot, einsum, of_rows, bins, bincount, of_degree, of_matrices),
        *(
            nothing,
            fourfold,
            integrated,
            where,
            take,
            diag,
            flat_diag,
            triangle,
            by_counts,
            squares,
            vander,
            unraveled,
            indices,
            meshgrid,
        ),
        *(shaped, made, spaced, sections, tile, repeat, insert, pad, eightfold, windows, transform),
        *(drawn, drawn_rows, chosen, permuted, cast, counted, selected),
    )
}
