"""`collections.OrderedDict` over `dict`, which keeps the order by itself.

CPython's keeps a linked list in C beside the dict, and goes along it while the program's `__eq__`,
`__hash__`, `__setitem__` and `__delitem__` may take it apart.
"""

import sys
from _collections_abc import ItemsView, KeysView, ValuesView
from collections import deque
from collections.abc import Iterator
from operator import eq, is_not
from reprlib import recursive_repr
from typing import Any

from sandbox.language.natives.patching import lacks

_set, _delete, _pop = dict.__setitem__, dict.__delitem__, dict.pop
_NONE: Any = object()


class odict_keys(KeysView[Any]):
    """`OrderedDict.keys()`."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(dict.keys(self._mapping))  # type: ignore[attr-defined]

    def __reversed__(self) -> Iterator[Any]:
        return reversed(dict.keys(self._mapping))  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return dict.__len__(self._mapping)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"odict_keys({list(self)!r})"


class odict_values(ValuesView[Any]):
    """`OrderedDict.values()`."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(dict.values(self._mapping))  # type: ignore[attr-defined]

    def __reversed__(self) -> Iterator[Any]:
        return reversed(dict.values(self._mapping))  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return dict.__len__(self._mapping)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"odict_values({list(self)!r})"


class odict_items(ItemsView[Any, Any]):
    """`OrderedDict.items()`."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(dict.items(self._mapping))  # type: ignore[attr-defined]

    def __reversed__(self) -> Iterator[Any]:
        return reversed(dict.items(self._mapping))  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return dict.__len__(self._mapping)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"odict_items({list(self)!r})"


class OrderedDict(dict[Any, Any]):
    """Dictionary that remembers insertion order."""

    # Keys in the order in which they are to be taken from the front, and those of them that were
    # taken or moved since: a dict is walked over from its start, past all that was deleted there.
    __slots__ = ("_odict_front", "_odict_gone")
    _odict_front: deque[Any]
    _odict_gone: set[Any]

    def __new__(cls, /, *_: Any, **__: Any) -> Any:
        self = dict.__new__(cls)
        self._odict_front, self._odict_gone = deque(), set()
        return self

    def __init__(self, other: Any = (), /, **named: Any) -> None:
        _fill(self, other, named)

    def update(self, other: Any = (), /, **named: Any) -> None:
        _fill(self, other, named)

    def __delitem__(self, key: Any, /) -> None:
        _delete(self, key)
        if self._odict_front:
            self._odict_gone.add(key)

    def pop(self, key: Any, /, default: Any = _NONE) -> Any:
        if default is not _NONE and not dict.__contains__(self, key):
            return default
        if default is _NONE and not dict.__contains__(self, key):
            raise KeyError(key)
        value = _pop(self, key)
        if self._odict_front:
            self._odict_gone.add(key)
        return value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of `key`, which gets `default` if it has none: as an heir stores it."""
        if type(self) is OrderedDict:
            return dict.setdefault(self, key, default)
        dict.__len__(self)
        if key in self:
            return self[key]
        self[key] = default
        return default

    def popitem(self, last: Any = True) -> tuple[Any, Any]:
        """Remove and return a pair: the last that came in, or the first."""
        if not dict.__len__(self):
            raise KeyError("dictionary is empty")
        if last:
            pair = dict.popitem(self)
            if self._odict_front:
                self._odict_gone.add(pair[0])
            return pair
        key = _first(self)
        return key, _pop(self, key)

    def move_to_end(self, key: Any, last: Any = True) -> None:
        """Move an existing key to the end, or to the start."""
        value = _pop(self, key)
        if last:
            _set(self, key, value)
            if self._odict_front:
                self._odict_gone.add(key)
            return
        others = list(dict.items(self))
        OrderedDict.clear(self)
        dict.update(self, [(key, value), *others])

    def clear(self) -> None:
        dict.clear(self)
        self._odict_front.clear()
        self._odict_gone.clear()

    def keys(self) -> Any:
        return odict_keys(self)

    def values(self) -> Any:
        return odict_values(self)

    def items(self) -> Any:
        return odict_items(self)

    def copy(self) -> Any:
        dict.__len__(self)  # a class is no instance
        new = type(self)()
        keys, ends = dict.__len__(self), _ends(self)
        for key in list(dict.keys(self)):
            new[key] = self[key]
            if _NOTICES and (dict.__len__(self) != keys or any(map(is_not, _ends(self), ends))):
                raise RuntimeError("OrderedDict mutated during iteration")
            if key is next(dict.__reversed__(self), _NONE):  # an heir may have moved it there:
                break  # CPython goes on from where it is now
        return new

    __copy__ = copy

    def __reduce__(self) -> Any:
        state = getattr(self, "__dict__", None)
        return type(self), (), dict(state) if state else None, None, iter(self.items())

    @classmethod
    def fromkeys(cls, iterable: Any, value: Any = None) -> Any:
        new = cls()
        for key in iterable:
            new[key] = value
        return new

    def __eq__(self, other: object) -> Any:
        same = dict.__eq__(self, other)
        if same is True and isinstance(other, OrderedDict):
            return all(map(eq, dict.keys(self), dict.keys(other)))
        return same

    def __ne__(self, other: object) -> Any:
        same = OrderedDict.__eq__(self, other)
        return same if same is NotImplemented else not same

    __hash__ = None

    def __or__(self, other: Any) -> Any:
        return _merged(type(self), self, other) if isinstance(other, dict) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return _merged(type(self), other, self) if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    @recursive_repr()
    def __repr__(self) -> str:
        if not dict.__len__(self):
            return f"{type(self).__name__}()"
        shown: Any
        if not _AS_DICT:
            shown = list(self.items())
        elif type(self) is OrderedDict:
            shown = dict(self)
        else:
            keys = self.keys()
            shown = {key: self[key] for key in list(keys)}
        return f"{type(self).__name__}({shown!r})"


def _ends(self: Any) -> tuple[Any, Any]:
    return next(dict.__iter__(self), _NONE), next(dict.__reversed__(self), _NONE)


_NOTICES = not lacks((3, 13, 15), (3, 14, 7))  # that reading moves what is copied
_AS_DICT = sys.version_info >= (3, 12)
for _class in (OrderedDict, odict_keys, odict_values, odict_items):
    _class.__module__ = "collections"


def _fill(self: Any, other: Any, named: dict[str, Any]) -> None:
    dict.__len__(self)
    if type(self).__setitem__ is _set:
        dict.update(self, other, **named)
        return
    if isinstance(other, dict) or hasattr(other, "keys"):
        keys = other.keys()
        for key in keys:
            self[key] = other[key]
    else:
        for key, value in other:
            self[key] = value
    for name, value in named.items():
        self[name] = value


def _merged(kind: type, first: Any, second: Any) -> Any:
    new = kind(first)
    new.update(second)
    return new


def _first(self: OrderedDict) -> Any:
    """The first key, in constant time on average: no dict is walked over twice."""
    front, gone = self._odict_front, self._odict_gone
    while front:
        key = front.popleft()
        if key in gone:
            gone.discard(key)
        elif dict.__contains__(self, key):
            return key
    gone.clear()
    front.extend(dict.keys(self))
    return front.popleft()
