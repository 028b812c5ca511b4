"""The rules of products, matrices, transforms and draws: how large a result can be."""

from itertools import zip_longest
from math import prod
from typing import Any, Final

from sandbox.language.numpy.engine.bounds import (
    WIDTH,
    Bound,
    TooLarge,
    broadcast,
    crossed,
    extent,
    given,
    over,
    shape_of,
    together,
    widest,
)

_LARGEST_MATRIX: Final = 1 << 13  # rows or columns: LAPACK counts its work in 32 bits
_STEPS: Final = 1 << 50  # of a loop over all labels of an einsum


def kron(b: Bound) -> int:
    return crossed({"a": b["a"], "b": b["b"]})


def dot(b: Bound) -> int:
    one, other = shape_of(b["a"]), shape_of(b["b"])
    if not one or not other:
        return broadcast(b)
    return extent(one[:-1] + other[:-2] + other[-1:] * (len(other) > 1)) * WIDTH


def inner(b: Bound) -> int:
    one, other = shape_of(b["a"]), shape_of(b["b"])
    if not one or not other:
        return broadcast(b)
    return extent(one[:-1] + other[:-1]) * WIDTH


def matmul(b: Bound) -> int:
    one, other = shape_of(b["x1"]), shape_of(b["x2"])
    rows = one[-2:-1] if len(one) > 1 else (1,)
    columns = other[-1:] if len(other) > 1 else (1,)
    return over([one[:-2], other[:-2]]) * extent(rows + columns) * WIDTH


def tensordot(b: Bound) -> int:
    shapes = shape_of(b["a"]), shape_of(b["b"])
    axes: Any = 2 if b.get("axes") is None else b["axes"]
    if type(axes) is int:
        many = max(axes, 0)
        return extent(shapes[0][: max(len(shapes[0]) - many, 0)] + shapes[1][many:]) * WIDTH
    if len(axes) != 2:
        return crossed(b)
    left: list[int] = []
    for shape, gone in zip(shapes, axes, strict=True):
        places = (gone,) if type(gone) is int else gone
        away = {axis % max(len(shape), 1) for axis in places}
        left += [size for place, size in enumerate(shape) if place not in away]
    return extent(left) * WIDTH


def einsum(b: Bound) -> int:
    text = b["subscripts"].replace(" ", "")
    terms, _, out = text.partition("->")
    labels: dict[str, int] = {}
    free: tuple[int, ...] = ()
    for term, operand in zip_longest(terms.split(","), b["operands"], fillvalue=""):
        if type(operand) is str:
            raise ValueError("more operands provided to einstein sum function than specified")
        shape = shape_of(operand)
        before, dots, behind = term.partition("...")
        if len(before) + len(behind) > len(shape) or (not dots and len(before) != len(shape)):
            raise ValueError("einstein sum subscripts string does not match the operands")
        tail = shape[len(shape) - len(behind) :]
        middle = shape[len(before) : len(shape) - len(behind)] if dots else ()
        longest = zip_longest(free[::-1], middle[::-1], fillvalue=1)
        free = tuple([max(pair) for pair in longest])[::-1]
        ends = [*zip(before + behind, shape[: len(before)] + tail, strict=True)]
        for label, size in ends:
            labels[label] = max(labels.get(label, 1), size)
    if extent(free) * prod(labels.values()) > _STEPS:
        raise TooLarge("an einsum of too many steps")
    if "->" not in text:
        out = "".join([label for label in labels if terms.count(label) == 1])
    return extent(free) * extent([labels.get(label, 1) for label in out]) * WIDTH


def of_rows(b: Bound) -> int:
    rows: int = 0
    for name in ("m", "x", "y"):
        if b.get(name) is not None:
            shape = shape_of(b[name]) or (1,)
            across = b.get("rowvar") is False
            rows += max(shape[-1], shape[0]) if across else shape[0] if len(shape) > 1 else 1
    return rows * rows * WIDTH + together(b)


def of_degree(b: Bound) -> int:
    degrees = b["deg"] if type(b["deg"]) is list else [b["deg"]]
    columns: int = max([*degrees, 0]) + 1
    look_at_matrix(columns, columns)
    return extent(shape_of(b["x"])) * columns * WIDTH * 4 + together(b)


def look_at_matrix(rows: int, columns: int) -> None:
    if max(rows, columns) > _LARGEST_MATRIX:
        raise TooLarge(f"a matrix of more than {_LARGEST_MATRIX} rows or columns")


def of_matrices(b: Bound) -> int:
    total = 0
    for value in given(b):
        shape = shape_of(value)
        if 0 in shape and len(shape) > 1:  # some routines leave what they give as it was in memory
            raise ValueError("Arrays cannot be empty under this policy")
        if shape:
            largest = max(shape[-2:])
            look_at_matrix(largest, largest)
            total += extent(shape[:-2]) * largest * (largest + 1) * 2 * WIDTH
    return total


def transform(b: Bound) -> int:
    shape = [*shape_of(b["a"])]
    wanted, axes = b.get("s"), b.get("axes")
    if b.get("n") is not None:
        wanted, axes = (b["n"],), (b.get("axis"),)
    for axis, size in zip(axes or range(-len(wanted or ()), 0), wanted or (), strict=False):
        place = -1 if axis is None else axis
        if -len(shape) <= place < len(shape):
            shape[place] = max(size, shape[place])
    return 4 * extent(shape) * WIDTH + 4 * together({"a": b["a"]})


def drawn(b: Bound) -> int:
    size = b.get("size")
    rest = broadcast({name: value for name, value in b.items() if name not in ("size", "dtype")})
    return rest if size is None else extent(size) * WIDTH + rest


def drawn_rows(b: Bound) -> int:
    row = next(b[name] for name in ("pvals", "alpha", "mean") if name in b)
    length = extent(shape_of(row))
    if "cov" in b:
        look_at_matrix(length, max([*shape_of(b["cov"]), 1]))
    size = b.get("size")
    return extent(() if size is None else size) * length * WIDTH + together({"row": row})


def chosen(b: Bound) -> int:
    among, size = b["a"], b.get("size")
    many = among if type(among) is int else extent(shape_of(among))
    row = 1 if type(among) is int else extent(shape_of(among)[1:])
    axis = b.get("axis")
    if type(among) is not int and axis:
        row = many
    kept = many if b.get("replace") is False or b.get("p") is not None else 1
    drawn_now = extent(() if size is None else size) * row
    return (kept + drawn_now) * (WIDTH if type(among) is int else widest([among]))


def permuted(b: Bound) -> int:
    among = b["x"]
    return abs(among) * WIDTH if type(among) is int else together(b)
