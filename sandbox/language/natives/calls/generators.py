"""Generators before CPython 3.13: one that runs is asked what it delegates to, and is believed.

`throw`, `close` and the end of a generator go on to what it delegates to. That it delegates shows
in the word behind the instruction where it stopped. Behind the one where it runs that word may be a
counter of the interpreter's, of any value: then a word of its frame is taken for the object that is
closed. And before 3.12, what fails in a generator that delegates a `throw` takes that object off
its stack, also if it is thrown into a second time meanwhile. So both are refused while a generator
runs, or anything does that it delegates to, as CPython would refuse it later; and one that goes
meanwhile is kept for good.

To look when one goes costs a call for each generator. Only what delegates can go so: it is done
once a text of the program's does, or a module is imported whose functions do. The steps of an
asynchronous generator do not say whose they are. No program holds one: it gets a coroutine, which
says what it waits for.
"""

import collections.abc
import heapq
import types
from collections.abc import Callable, Coroutine, Generator, Iterator
from functools import partial
from typing import Any, NamedTuple

from sandbox.language.natives.borrowing import getter_of
from sandbox.language.natives.demand import DELEGATING, turn_all, written_on_demand
from sandbox.language.natives.patching import (
    Method,
    before,
    original,
    put_beside_slot,
    replace,
    replace_on_demand,
)

Read = Callable[[Any], Any]


class Kind(NamedTuple):
    """Names one kind of generator, and reads its state; `waited` must not be read while it runs."""

    name: str
    runs: Read
    is_suspended: Read
    waited: Read


_ASYNCHRONOUS = types.AsyncGeneratorType
MENDED = not before(3, 13)


def _kind(cls: type, name: str, prefix: str, waited: str) -> Kind:
    runs, suspended = (
        getter_of(cls, types.GeneratorType.__dict__[f"gi_{word}"])
        for word in ("running", "suspended")
    )
    return Kind(name, runs, suspended, cls.__dict__[f"{prefix}_{waited}"].__get__)


def _kinds() -> dict[type, Kind]:
    return {
        types.GeneratorType: _kind(types.GeneratorType, "generator", "gi", "yieldfrom"),
        types.CoroutineType: _kind(types.CoroutineType, "coroutine", "cr", "await"),
        _ASYNCHRONOUS: _kind(_ASYNCHRONOUS, "async generator", "ag", "await"),
    }


def _types_of_steps() -> tuple[type, type]:
    """Return CPython's own types of steps, before there is anything in their place."""

    async def nothing() -> Any:
        yield None

    steps: Any = nothing().__anext__(), nothing().aclose()
    for each_step in steps:
        each_step.close()
    return type(steps[0]), type(steps[1])


STEPS = _types_of_steps()
_known: dict[type, Kind] = {}
_kept: list[Any] = []


def harden() -> None:
    """Replace what asks a generator what it delegates to."""
    if MENDED:
        return
    _known.update(_kinds())
    for cls in _known:
        if cls is not _ASYNCHRONOUS:
            replace(cls, _closing, "close")
        ending = partial(_ending, _known[cls].is_suspended)
        written_on_demand(DELEGATING, replace_on_demand(cls, ending, "__del__"))
    put_beside_slot(types.CoroutineType, "__await__", _await)
    replace(_ASYNCHRONOUS, _stepping, "asend")
    replace(_ASYNCHRONOUS, _throwing, "athrow", "aclose")
    put_beside_slot(_ASYNCHRONOUS, "__anext__", _beginning(original(_ASYNCHRONOUS, "__anext__")))
    replace(collections.abc.KeysView, _keys, "__iter__")
    replace(collections.abc.AsyncGenerator, _noticed, "__anext__", "aclose")


def leaf(o: Any) -> Any:
    """Return what `o` delegates to in the end.

    Raises ValueError if that runs, or any on the way to it.
    """
    while (kind := _known.get(type(o))) is not None:
        if kind.runs(o):
            raise ValueError(f"{kind.name} already executing")
        o = kind.waited(o)
    return o


def _closing(own: Method) -> Method:
    def close(self: Any, /) -> Any:
        leaf(self)
        return own(self)

    return close


def _ending(is_suspended: Read, own: Method) -> Method:
    """Make a `__del__` that looks only at a generator which is suspended.

    A generator that has not begun, or has ended, has nothing to do.
    """

    def __del__(self: Any, /) -> None:
        if is_suspended(self):
            try:
                leaf(self)
            except ValueError:
                _kept.append(self)
            else:
                own(self)

    return __del__


@types.coroutine
def _delegated(coroutine: Any) -> Generator[Any, Any, Any]:
    return (yield from coroutine)


def _await(self: Coroutine[Any, Any, Any], /) -> Any:
    """A generator, which says what it waits for."""
    return _delegated(self)


# -- asynchronous generators


async def step(made: Any) -> Any:
    """Stand for a step that an asynchronous generator has `made`."""
    return await made


class Asked:
    """Stands for what `anext` with a default waits for, and calls it by methods that look."""

    __slots__ = ("_step",)

    def __init__(self, made: Any) -> None:
        self._step = step(made)

    def __await__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self._step.send(None)

    def send(self, value: Any, /) -> Any:
        """As the methods of these names of what it stands for."""
        return self._step.send(value)

    def throw(self, *exception: Any) -> Any:
        """The same."""
        return self._step.throw(*exception)

    def close(self) -> Any:
        """The same."""
        return self._step.close()


def following(made: Any, has_default: bool) -> Any:
    """Return what `anext` is to give, or to wait for, in the place of what it has `made`."""
    if MENDED:
        return made
    if has_default:
        return Asked(made)
    return step(made) if type(made) is STEPS[0] else made


def _stepping(own: Method) -> Method:
    def asend(self: Any, value: Any, /) -> Any:
        return step(own(self, value))

    return asend


def _beginning(own: Method) -> Method:
    def __anext__(self: Any, /) -> Any:
        return step(own(self))

    return __anext__


def _throwing(own: Method) -> Method:
    async def thrown(generator: Any, made: Any) -> Any:
        if _known[_ASYNCHRONOUS].runs(generator):  # at its end, which marks it as running nowhere
            raise RuntimeError(f"{own.__name__}(): asynchronous generator is already running")
        return await made

    def throw(self: Any, /, *exception: Any) -> Any:
        return thrown(self, own(self, *exception))

    return throw


# -- generators of the host's


def each(iterable: Any) -> Iterator[Any]:
    """Yield each item without delegating: what it iterates over may run when the generator goes."""
    for item in iterable:  # noqa: UP028
        yield item


def _keys(_own: Method) -> Method:
    def __iter__(self: Any) -> Any:
        return each(self._mapping)

    return __iter__


def _noticed(own: Method) -> Method:
    """Make a method that turns the operators on first: it delegates to what a program says."""

    def method(self: Any) -> Any:
        turn_all(DELEGATING)
        return own(self)

    return method


def merge(*iterables: Any, key: Any = None, reverse: Any = False) -> Iterator[Any]:
    """See `heapq.merge`, which delegates to the last."""
    return heapq.merge(*map(each, iterables), key=key, reverse=reverse)
