"""Rebuilding of the containers of a process after the hash of some objects has become another.

Every dict and set keeps the hash that a key had when it was put in. What is written here by
address are the fields of weak references and frozen sets (Include/cpython/weakrefobject.h and
setobject.h); the layout is tried on new objects first, and in the end every container is asked for
its keys.
"""

from __future__ import annotations  # a type that is named in one would be found there

import ctypes
import functools
import gc
import weakref
from collections import OrderedDict
from typing import Any

from sandbox.errors import SandboxError
from sandbox.interpreter.disarming.identity import address, by_identity, instances

_PLAIN = (str, int, bytes, float, bool)  # compared by identity: no hash is right here
_WORD = ctypes.sizeof(ctypes.c_void_p)
_REFERENCE_HASH = 4 * _WORD  # after ob_refcnt, ob_type, wr_object and wr_callback
# Of a set: ob_refcnt ob_type fill used mask table hash finger smalltable[8]
_BODY, _TABLE, _SET_HASH, _SMALL = 2 * _WORD, 5 * _WORD, 6 * _WORD, 8 * _WORD
_BODY_BYTES = 6 * _WORD + 8 * 2 * _WORD
_AT_A_TIME = 1000
# A frozen set may stand in what an item of another is hashed by, as in a union from 3.14 on.
_MOST_NESTED = 20
_Container = Any
Ordered = list[tuple[Any, list[tuple[Any, Any]]]]


def ordered() -> Ordered:
    """Return every `OrderedDict` that there is and its items, before hashes change.

    An `OrderedDict` is walked along by looking for each key, which could not be found any more.
    """
    found = [o for o in gc.get_objects() if issubclass(type(o), OrderedDict)]
    return [(o, list(OrderedDict.items(o))) for o in found]


def rehash(known: Ordered) -> None:
    """Rebuild every container with a key whose hash may be another now; `known` is `ordered()`.

    Raises SandboxError where this Python's objects are not laid out as this module says, and where
    a container has lost a key.
    """
    _verify()
    gc.collect()
    objects = gc.get_objects()
    for cache in instances(objects, [functools._lru_cache_wrapper]):
        cache.cache_clear()
    for reference in _heirs_of((weakref.ReferenceType,), objects):
        _word(address(reference) + _REFERENCE_HASH).value = -1
    changed = [o for o in _containers(objects) if [k for k in o if type(k) not in _PLAIN]]
    frozen = [o for o in changed if issubclass(type(o), frozenset)]
    for _ in range(_MOST_NESTED):
        done: set[int] = set()
        for o in frozen:
            _refreeze(o, done)
        if all(key in o for o in frozen for key in o):
            break
    for o, items in known:
        _refill_ordered(o, items)
    for o in changed:
        if not issubclass(type(o), frozenset):
            _refill(o)
    for o in [*changed, *(o for o, _ in known)]:
        if not all(key in o for key in o):
            raise SandboxError("a container of the host's could not be put in order")


def _containers(objects: list[Any]) -> list[_Container]:
    """List every dict and set but the ordered ones, also dicts that the collector does not know.

    It knows no dict or tuple of plain values alone.
    """
    found = [
        o
        for o in _heirs_of((dict, set, frozenset), objects)
        if not issubclass(type(o), OrderedDict)
    ]
    seen: dict[int, Any] = {}
    is_tracked, todo = gc.is_tracked, [*objects]
    while todo:
        some = todo[-_AT_A_TIME:]
        del todo[-_AT_A_TIME:]
        held = [
            o
            for o in gc.get_referents(*some)
            if (type(o) is tuple or type(o) is dict) and not is_tracked(o)
        ]
        fresh = {key: o for key, o in by_identity(held).items() if key not in seen}
        seen.update(fresh)
        todo += fresh.values()
    return found + instances([*seen.values()], [dict])


def _heirs_of(kinds: tuple[type, ...], objects: list[Any]) -> list[Any]:
    """Return those of `objects` that are of one of `kinds`, or of a class below it."""
    classes = by_identity(map(type, objects)).values()
    return instances(objects, [cls for cls in classes if issubclass(cls, kinds)])


def _refill(o: Any) -> None:
    if issubclass(type(o), dict):
        items = list(dict.items(o))
        dict.clear(o)
        for key, value in items:
            dict.__setitem__(o, key, value)
    else:
        keys = list(o)
        set.clear(o)
        set.update(o, keys)


def _refill_ordered(o: Any, items: list[tuple[Any, Any]]) -> None:
    OrderedDict.clear(o)
    for key, value in items:
        OrderedDict.__setitem__(o, key, value)


def _refreeze(o: Any, done: set[int]) -> None:
    """Fill `o`, which nothing can be put into, by the body of a new one; its items come first."""
    if id(o) in done:
        return
    done.add(id(o))
    for item in o:
        for part in item if type(item) is tuple else (item,):
            if issubclass(type(part), frozenset):
                _refreeze(part, done)
    _swap(o, frozenset(list(o)))


def _swap(one: Any, other: Any) -> None:
    """Exchange what two frozen sets hold; `other` has not been hashed."""
    of_one, of_other = (ctypes.string_at(id(o) + _BODY, _BODY_BYTES) for o in (one, other))
    for to, giver, body in ((one, other, of_other), (other, one, of_one)):
        ctypes.memmove(id(to) + _BODY, body, _BODY_BYTES)
        if _word(id(to) + _TABLE).value == id(giver) + _SMALL:
            _word(id(to) + _TABLE).value = id(to) + _SMALL
        _word(id(to) + _SET_HASH).value = -1


def _word(address: int) -> ctypes.c_ssize_t:
    return ctypes.c_ssize_t.from_address(address)


def _verify() -> None:
    """Raise SandboxError unless weak references and sets are laid out as this module says."""
    reference = weakref.ref(_verify)
    words = [hash(reference) == _word(id(reference) + _REFERENCE_HASH).value]
    for size in (1, 3, 40):
        items = frozenset(range(size))
        own = id(items) + _SMALL
        words += [
            _word(id(items) + _BODY).value == size,
            _word(id(items) + _BODY + _WORD).value == size,
            (_word(id(items) + _TABLE).value == own) is (size < 5),
            _word(id(items) + _SET_HASH).value == -1,
            hash(items) == _word(id(items) + _SET_HASH).value,
        ]
    if not all(words) or frozenset.__basicsize__ != _BODY + _BODY_BYTES + _WORD:
        raise SandboxError("this Python's sets or weak references have a layout that is not known")
