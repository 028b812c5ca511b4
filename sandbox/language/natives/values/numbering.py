"""Numbers in the place of addresses, for programs that are to give the same bytes in every run.

CPython shows where an object is in memory by `id`, by the default `__hash__` (and so by the order
of a set) and by the default `__repr__`. Here an object has a number, which it gets when a program
first asks for one of the three, and `Numbers` computes all three from it.
"""

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

from sandbox.kernel.libc import leak
from sandbox.language.guards.classes.class_origin import is_class

# CPython's own: the address by a rotation (Objects/object.c, _Py_HashPointerRaw). No audit hook is
# told of it, while `id` is an event.
place_of = object.__hash__
_getrefcount, _is_collecting = sys.getrefcount, gc.isenabled
_module = type.__dict__["__module__"].__get__
_qualname = type.__dict__["__qualname__"].__get__
_WORD = (1 << 64) - 1
_FIRST = 1 << 44  # numbers look like addresses: amid what user space has, by steps of 16
_SWEEP_AT = 1024


class Mark(weakref.ref[Any]):
    """A weak reference of ours: a kind of its own, so that a program's own stay alone."""

    __slots__ = ()


def own_references(o: Any) -> list[Any]:
    """`weakref.getweakrefs` without the marks of numbers."""
    return [reference for reference in weakref.getweakrefs(o) if type(reference) is not Mark]


class Table:
    """Numbers by object, from 1. An object keeps its number as long as it lives.

    An object that takes no weak reference is held, and let go of some time after all others have.
    When that is depends on what was numbered alone: a sweep comes after each doubling. So does when
    a mark is freed, as the collector counts what is made and freed: one whose object is gone waits
    for the sweep, whether its place has been taken again or not.
    """

    __slots__ = ("_given", "_holders", "_numbers", "_replaced", "_sweep_at")

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # by place
        self._holders: dict[int, Any] = {}  # by place, a mark or the object itself
        self._replaced: list[Mark] = []
        self._given = 0  # since the last sweep, and what that left
        self._sweep_at = _SWEEP_AT

    def get(self, o: Any, place: int) -> int | None:
        """The number of `o`, which is at `place`; None if it has none yet."""
        number = self._numbers.get(place)
        if number is not None:
            holder = self._holders[place]
            if type(holder) is not Mark or holder() is o:
                return number
        return None

    def give(self, o: Any, place: int, number: int) -> int:
        """Let `number` be that of `o`."""
        try:
            holder: Any = Mark(o)
        except TypeError:
            holder = o
        before = self._holders.get(place)
        if before is not None:
            self._replaced.append(before)
        self._numbers[place] = number
        self._holders[place] = holder
        self._given += 1
        # Guards that look at an object have stopped the collector, so that no finalizer runs.
        if self._given > self._sweep_at and _is_collecting():
            self._sweep()
        return number

    def _sweep(self) -> None:
        released = [self._holders.pop(place) for place in _unused(self._holders)]
        for place in self._numbers.keys() - self._holders.keys():
            del self._numbers[place]
        self._replaced.clear()
        self._given = len(self._holders)
        self._sweep_at = 2 * self._given + _SWEEP_AT
        del released  # last: finalizers of the program's may run


def _unused(holders: dict[int, Any]) -> list[int]:
    """Return the places of marks whose object is gone, and of objects that only this table has."""
    found = []
    for place in list(holders):  # not its items: a tuple for each would be counted
        holder = holders[place]
        if type(holder) is Mark:
            if holder() is None:
                found.append(place)
        elif _getrefcount(holder) <= _ALONE:
            found.append(place)
    return found


def _count_alone() -> int:
    """Return how many references `_unused` counts to an object that it alone has."""
    low = 1
    while True:
        globals()["_ALONE"] = low
        if _unused({0: object()}):
            return low
        low += 1


_ALONE = _count_alone()


class Numbers:
    """The numbers that `id`, `hash` and the default text of an object show in its address's place.

    Before a program begins, the host's own objects come into tables by their hash: a class, a
    function or a module by its name, so that it is the same in every process, and any other object
    by a number of a table that no program sees.
    """

    def __init__(self) -> None:
        self._named: dict[int, int] = {}  # by place: hashes of what has a name
        self._kept: list[Any] = []
        self._hosts = Table()
        self._shown = Table()
        self._lent: Table | None = None
        self._count = self._hosts_count = 0
        self._begun = False

    def begin(self) -> None:
        """The program begins: count from one."""
        self._shown, self._count, self._begun = Table(), 0, True

    def id(self, o: Any) -> int:
        """Return the answer of `id`: a number of 45 bits, divisible by 16 as an address is."""
        return self.hash(o, True) << 4

    def lend(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Call `work`; what has a number by `place` alone is held, and has it, until this returns.

        Within another call of this it is the outer one that counts.
        """
        if self._lent is not None:
            return work(*arguments)
        self._lent = Table()
        try:
            return work(*arguments)
        finally:
            self._lent = None

    def place(self, o: Any) -> int:
        """In the place of `place_of`: a sixteenth of what `id` says."""
        place = place_of(o)
        found = self._shown.get(o, place)
        if found is None and self._lent is not None:
            found = self._lent.get(o, place)
            return self._next(self._lent, o, place) if found is None else found
        return self._next(self._shown, o, place) if found is None else found

    def hash(self, o: Any, shown: bool = False) -> int:
        """Return the default hash; with `shown`, always by the number that a program sees."""
        place = place_of(o)
        if not shown:
            found = self._named.get(place)
            if found is None:
                found = self._hosts.get(o, place)
            if found is not None:
                return found
            if not self._begun:
                return self._settled(o, place)
        found = self._shown.get(o, place)
        if found is None and self._lent is not None:
            found = self._lent.get(o, place)
            if found is not None:  # the program has seen it: it is kept
                return self._shown.give(o, place, found)
        return self._next(self._shown, o, place) if found is None else found

    def _next(self, table: Table, o: Any, place: int) -> int:
        self._count += 1
        return table.give(o, place, (_FIRST >> 4) + self._count)

    def at_end(self, text: str, o: Any) -> str:
        """`text`, which CPython made, with a number for the address of `o` if it ends with that.

        What stands before may be a name of the program's with a guess in it: nothing is searched.
        """
        end = f" at {_address_of(o)}>"
        return f"{text.removesuffix(end)} at {self.id(o):#x}>" if text.endswith(end) else text

    def at_place(self, text: str, place: int, o: Any) -> str:
        """The same for an address that begins at `place`."""
        own = _address_of(o)
        if not text.startswith(own, place):
            return text
        return f"{text[:place]}{self.id(o):#x}{text[place + len(own) :]}"

    def _settled(self, o: Any, place: int) -> int:
        name = _name(o)
        if name:
            self._hold(o)
            self._named[place] = found = hash(name)
            return found
        self._hosts_count += 1
        return self._hosts.give(o, place, self._hosts_count)

    def _hold(self, o: Any) -> None:
        """Keep `o`, whose place may be no other's; the supervisor does so without leading to it."""
        try:
            leak(o)
        except AttributeError:  # in a child, where C is not called any more and no class goes
            if not is_class(o):
                self._kept.append(o)


def _address_of(o: Any) -> str:
    """Return the address of `o` as a text of CPython's shows it."""
    rotated = place_of(o) & _WORD
    return f"{(rotated << 4 | rotated >> 60) & _WORD:#x}"


def _name(o: Any) -> tuple[str, ...]:
    """Return what tells the host's `o` from others, in any process; empty if there is nothing."""
    if is_class(o):
        return str(_module(o)), str(_qualname(o))
    if o is None or o is NotImplemented or o is Ellipsis:
        return (str(o),)
    if not hasattr(o, "__name__"):
        return ()
    return tuple(str(getattr(o, name, "")) for name in ("__module__", "__qualname__", "__name__"))
