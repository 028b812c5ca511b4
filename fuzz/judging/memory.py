"""Tells from words of their memory whether objects were changed: the look touches no object.

In a fork each object that is referred to, if only for a comparison, costs the copy of a page; the
host has tens of thousands. Stands in the text of the inspector, see `setups`.
"""

import ctypes
import gc
from array import array
from collections.abc import Callable, Iterable
from typing import Any

_WORD = 8
# Of a dict: the count of its changes (PEP 509), which CPython keeps up to 3.13.
_VERSION_AT = 3 * _WORD
# All memory there is, as words; only such are read as an object of ours has.
_words = memoryview((ctypes.c_char * (1 << 47)).from_address(0)).cast("B").cast("Q")


class Words:
    """Tells whether one of `objects` was changed: functions, dicts, the bases of classes."""

    def __init__(self, objects: Iterable[Any]) -> None:
        self._places, self._owners = array("Q"), array("Q")
        self._objects = list(objects)  # kept, and so in their places
        for number, o in enumerate(self._objects):
            for at in _DICT if type(o) is dict else _FUNCTION if type(o) is _function else _CLASS:
                self._places.append((id(o) + at) // _WORD)
                self._owners.append(number)
        self._before = array("Q", self._now())

    def _now(self) -> Iterable[int]:
        return map(_words.__getitem__, self._places)

    def changed(self) -> list[Any]:
        """Return objects that may have changed since, a dict also if it is what it was again."""
        now = array("Q", self._now())
        if now == self._before:
            return []
        pairs = enumerate(zip(self._before, now, strict=True))
        owners = {self._owners[place] for place, (before, after) in pairs if before != after}
        return [self._objects[number] for number in sorted(owners)]


def behind(proxy: Any) -> dict[Any, Any]:
    """Return the namespace of a class itself, from the view of it."""
    (space,) = gc.get_referents(proxy)
    return space  # type: ignore[no-any-return]


def _places_of(o: Any, values: Iterable[Any]) -> tuple[int, ...]:
    """Return where in the memory of `o` it refers to each of `values`."""
    found = {_words[id(o) // _WORD + n]: n for n in range(2, type(o).__basicsize__ // _WORD)}
    return tuple(found[id(value)] * _WORD for value in values)


def _of_functions() -> tuple[int, ...]:
    def probe(a: int = 1, *, b: int = 2) -> int:
        return a + b

    return _places_of(probe, (probe.__code__, probe.__defaults__, probe.__kwdefaults__))


def _of_classes() -> tuple[int, ...]:
    class Probe(OSError):
        pass

    return _places_of(Probe, (Probe.__bases__, Probe.__mro__))


def _of_dicts() -> tuple[int, ...]:
    """Return the place of a dict's count of changes.

    Raises RuntimeError where this CPython keeps none.
    """
    probe: dict[str, int] = {"a": 1, "b": 2}
    changes: tuple[Callable[[], object], ...] = (
        lambda: probe.update(a=3),
        lambda: probe.pop("b"),
        lambda: probe.update(c=4),
    )
    for change in changes:
        before = _words[(id(probe) + _VERSION_AT) // _WORD]
        change()
        if _words[(id(probe) + _VERSION_AT) // _WORD] == before:
            raise RuntimeError("this CPython does not count the changes of a dict")
    return (_VERSION_AT,)


_DICT, _FUNCTION, _CLASS = _of_dicts(), _of_functions(), _of_classes()
_function = type(_of_dicts)
