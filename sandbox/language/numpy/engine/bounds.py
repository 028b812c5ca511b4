"""How large a result can be, told in Python's integers before numpy is called.

Numpy's C code adds and multiplies sizes that a program chooses, not always with a look at overflow.
So each array is bounded where it is made or taken in, whatever its strides, and each operation has
a rule: from what it is given it tells an upper bound of the bytes that a result has, or what numpy
makes on its way to it. A size of 0 counts as 1, as numpy leaves those out of some products.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from math import prod
from typing import Any, Final

MOST_BYTES: Final = 1 << 31  # of one array
WIDTH: Final = 16  # bytes of the largest number
_TOLD_WIDTH: Final = 256  # of a number that becomes a text

_NUMBERS: Final = frozenset((int, float, complex, bool))

Bound = Mapping[str, Any]
Rule = Callable[[Bound], int]


class TooLarge(MemoryError):
    """An array that is larger than any that is made here."""


def extent(shape: Any) -> int:
    """Return the number of items, at least one for each dimension. Raises TooLarge."""
    size: int = prod([one if one > 0 else -one or 1 for one in shape])
    if size > MOST_BYTES:
        raise TooLarge(f"Unable to allocate an array with shape {tuple(shape)}")
    return size


def look(size: int) -> None:
    """Raise TooLarge for more bytes than an array has."""
    if size > MOST_BYTES:
        raise TooLarge("Unable to allocate an array of that size")


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of an array, and of anything else that of one value."""
    return value.shape if hasattr(value, "shape") else ()


def width(value: Any) -> int:
    if type(value) is str:
        return 4 * len(value)
    return max(WIDTH, getattr(value, "itemsize", WIDTH))


def operands(values: Any) -> Iterator[Any]:
    for value in values:
        if type(value) is list or type(value) is tuple:
            yield from operands(value)
        elif value is not None:
            yield value


def given(b: Bound) -> list[Any]:
    """Return what of `b` has a size: arrays, texts and scalars, not numbers of Python's."""
    return [value for value in operands(b.values()) if type(value) not in _NUMBERS]


def widest(values: list[Any]) -> int:
    """Return the bytes of an item that has room for each of `values`, numbers as texts too."""
    most = max([WIDTH, *map(width, values)])
    return most if not any(map(is_text, values)) else max(most, _TOLD_WIDTH)


def is_text(value: Any) -> bool:
    """Say whether `value` is a text, or an array of them."""
    return type(value) is str or getattr(getattr(value, "dtype", None), "kind", "") == "U"


def over(shapes: list[tuple[int, ...]]) -> int:
    """Return an upper bound of what shapes have together once they are broadcast."""
    if len(shapes) < 2:
        return extent(shapes[0] if shapes else ())
    turned = [shape[::-1] for shape in shapes]
    return extent([max(column) for column in zip_longest(*turned, fillvalue=1)])


def together(b: Bound) -> int:
    """Bound what is put together of all that there is, or is not larger than that."""
    values = given(b)
    return (1 + sum([extent(shape_of(value)) for value in values])) * widest(values)


def broadcast(b: Bound) -> int:
    """Bound what has the shape that all that there is has together."""
    values = given(b)
    texts = sum([width(value) for value in values if is_text(value)])  # added, they are joined
    return over([shape_of(value) for value in values]) * max(widest(values), texts)


def broadcast_each(b: Bound) -> int:
    return broadcast(b) * max(1, len(given(b)))


def broadcast_all(b: Bound) -> int:
    return together(b) + broadcast({"x": b["x"]})


def crossed(b: Bound) -> int:
    values = given(b)
    return prod([extent(shape_of(value)) for value in values]) * widest(values)


def crosswise(b: Bound) -> int:
    shapes = [shape_of(b[name]) for name in "ab"]
    return 4 * over([shape + (1,) for shape in shapes]) * WIDTH + 4 * over(shapes) * WIDTH


def each_axis(b: Bound) -> int:
    most = max([len(shape_of(value)) for value in given(b)], default=0)
    return together(b) * (most + 1)
