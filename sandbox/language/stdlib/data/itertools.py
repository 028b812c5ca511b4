"""Stand-ins for names of `itertools`: generators, which cannot be entered while they run.

CPython's own let go of what they iterate over as soon as that is exhausted, also while it runs:
`islice(filter(f, x), 3)` whose `f` goes on with the slice uses memory that is freed. The classes
themselves, to which `type(x)` leads, are in `natives.containers.iterators`.
"""

import itertools as real
from collections.abc import Callable, Iterator
from operator import add, index, itemgetter
from typing import Any

from sandbox.language.guards.classes.class_origin import has_method
from sandbox.language.guest.context import Context
from sandbox.language.natives.containers.iterators import EXACT

_NONE: Any = object()


def itertools(context: Context) -> dict[str, Any]:
    """By name."""
    own = (accumulate, batched, count, cycle, groupby, islice, zip_longest)
    made: dict[str, Any] = {o.__name__: o for o in own if hasattr(real, o.__name__)}
    for name, o in made.items():
        o.__doc__, o.__module__ = getattr(real, name).__doc__, "itertools"
    return made


def accumulate(iterable: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    """See `itertools.accumulate`."""
    return _accumulated(iter(iterable), add if func is None else func, initial)


def _accumulated(
    iterator: Iterator[Any], func: Callable[[Any, Any], Any], total: Any
) -> Iterator[Any]:
    if total is None:
        total = next(iterator, _NONE)
        if total is _NONE:
            return
    yield total
    for value in iterator:
        try:
            total = func(total, value)
        except StopIteration:  # it ends CPython's iterator
            return
        yield total


def batched(iterable: Any, n: Any, *, strict: Any = False) -> Iterator[Any]:
    """See `itertools.batched`."""
    n = index(n)
    if n < 1:
        raise ValueError("n must be at least one")
    return _in_batches(iter(iterable), n, bool(strict))


def _in_batches(iterator: Iterator[Any], n: int, strict: bool) -> Iterator[Any]:
    while batch := tuple([value for _, value in zip(range(n), iterator, strict=False)]):
        if strict and len(batch) < n:
            raise ValueError("batched(): incomplete batch")
        yield batch


def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    """See `itertools.count`."""
    for value in (start, step):
        kind = type(value)
        if not (issubclass(kind, complex) or any(has_method(kind, name) for name in _NUMERIC)):
            raise TypeError("a number is required")
    if issubclass(type(start), int) and type(step) is int and step == 1:
        start = int.__pos__(start)  # CPython counts from what it is worth
    if type(start) in EXACT and type(step) in EXACT:
        return real.count(start, step)
    return _counted(start, step)


_NUMERIC = ("__index__", "__int__", "__float__")


def _counted(number: Any, step: Any) -> Iterator[Any]:
    while True:
        yield number
        number = number + step


def cycle(iterable: Any, /) -> Iterator[Any]:
    """See `itertools.cycle`."""
    return _repeated(iter(iterable))


def _repeated(iterator: Iterator[Any]) -> Iterator[Any]:
    saved = []
    for value in iterator:
        saved.append(value)
        yield value
    while saved:
        yield from saved


def islice(iterable: Any, *limits: Any) -> Iterator[Any]:
    """See `itertools.islice`."""
    limits = tuple([_exact(limit) for limit in limits])
    real.islice((), *limits)  # it says what is wrong with them
    span = slice(*limits)
    if len(limits) == 1 and span.stop is not None:
        return _first(iter(iterable), span.stop)
    return _sliced(iter(iterable), span.start or 0, span.stop, span.step or 1)


_second = itemgetter(1)


def _first(iterator: Iterator[Any], count: int) -> Iterator[Any]:
    """In C, by what holds on to all that it iterates over."""
    return map(_second, zip(range(count), iterator, strict=False))


def _exact(limit: Any) -> Any:
    return index(limit) if has_method(type(limit), "__index__") else limit


def _sliced(iterator: Iterator[Any], start: int, stop: int | None, step: int) -> Iterator[Any]:
    if step == 1 and stop is not None:
        for _ in _first(iterator, start):
            pass
        yield from _first(iterator, stop - start)
        return
    positions: Any = real.count() if stop is None else range(max(start, stop))
    wanted = start
    for position, value in zip(positions, iterator, strict=False):
        if position == wanted and (stop is None or position < stop):
            wanted += step
            yield value


def zip_longest(*iterables: Any, fillvalue: Any = None) -> Iterator[Any]:
    """See `itertools.zip_longest`."""
    return _zipped([iter(iterable) for iterable in iterables], fillvalue)


def _zipped(iterators: list[Iterator[Any]], fill: Any) -> Iterator[Any]:
    left = len(iterators)
    while left:
        row = []
        for place, iterator in enumerate(iterators):
            value = next(iterator, _NONE)
            if value is _NONE:
                left -= 1
                if not left:
                    return
                iterators[place] = real.repeat(fill)
                value = fill
            row.append(value)
        yield tuple(row)


def groupby(iterable: Any, key: Any = None) -> Iterator[Any]:
    """See `itertools.groupby`."""
    return _grouped(iter(iterable), key)


def _grouped(iterator: Iterator[Any], key: Any) -> Iterator[Any]:
    value = current = target = _NONE
    turn = 0

    def step() -> None:
        """Take the next value. Raises StopIteration."""
        nonlocal value, current
        item = next(iterator)
        current, value = item if key is None else key(item), item

    def members(number: int, wanted: Any) -> Iterator[Any]:
        """Yield what belongs to one group, for as long as it is the latest."""
        nonlocal value
        while turn == number:
            try:
                if value is _NONE:
                    step()
                if wanted is not current and not wanted == current:  # noqa: SIM201
                    return
            except StopIteration:
                return
            item, value = value, _NONE
            yield item

    while True:
        turn += 1
        try:
            while target is _NONE or target is current or target == current:
                step()
                if target is _NONE:
                    break
        except StopIteration:
            return
        target = current
        yield current, members(turn, current)
