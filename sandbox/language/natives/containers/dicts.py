"""`dict`: one whose keys are all texts is of another kind, and C code relies on that.

To put in a key that is no text makes it of the general kind first, then asks its keys whether they
are equal. A program's key, or whatever the host's asks, may make it one of texts again meanwhile:
by `clear`, or by an update once it is empty, which takes over the table of another. The key is put
in all the same, and what is looked up later is compared with it as if it were a text: its bytes are
taken for an address. So what is of the general kind stays so: when it is cleared, as a key of ours
comes and goes; when it is updated, as it is filled item by item. A program's class may give out
that dict for a new one of its kind: what C code fills it with goes the same way.

The kind shows in the size of the table alone. The entries of the general kind hold one word more.

And the namespace of an object is part of the object in CPython 3.13 before 3.13.3. `clear` frees
what stands in it, and with the last of its values the object, under its own feet (gh-130555).
"""

import sys
import types
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from sandbox.errors import SandboxError
from sandbox.language.guards.classes.class_origin import dict_of, instance_dict, mro_of
from sandbox.language.natives.patching import (
    Method,
    before,
    original,
    put_beside_slot,
    replace,
)

_IN_OBJECTS = sys.version_info >= (3, 13) and before(3, 13, 3)
_NO_TEXT = object()
_length: Any = dict.__len__
_items: Any = dict.items
_size_of: Any = dict.__sizeof__
_store: Any = dict.__setitem__
_delete: Any = dict.__delitem__
_bare_size: Any = type.__dict__["__basicsize__"].__get__
_walk = dict.__dict__["__iter__"]


def harden() -> None:
    """Replace what makes a dict one of texts, by each of its names."""
    _verify()
    replace(dict, _clear, "clear")
    replace(dict, _updating, "update")
    replace(dict, _joining, "__ior__")
    replace(dict, _from_keys, "fromkeys")
    replace(defaultdict, _united, "__or__")
    replace(defaultdict, _united_behind, "__ror__")
    # A call of one of these classes makes a new one, and goes by the slot.
    for cls, make in _BEGINNING.items():
        put_beside_slot(cls, "__init__", make(original(cls, "__init__")))


# Of the tables of the general kind, without the object: a header of 32 bytes, places, entries.
_SIZES = frozenset(
    32
    + (1 << log) * (1 if log < 8 else 2 if log < 16 else 4 if log < 32 else 8)
    + ((1 << log) * 2 // 3) * 24
    for log in range(3, 40)
)


def _verify() -> None:
    """Raise SandboxError unless the sizes of tables are as this module says.

    Small tables only: what a large one leaves free in the heap, each child copies pages for. A test
    tries the large ones on each Python.
    """
    for count in (1, 5, 6, 40, 250):
        general, texts = (dict.fromkeys(map(kind, range(count))) for kind in (int, str))
        if not is_general(general) or is_general(texts):
            raise SandboxError("dicts have a layout that is not known")


def is_general(mapping: Any) -> bool:
    """Return True if `mapping` is a dict of the general kind, or cannot be told from one."""
    kind = type(mapping)
    return issubclass(kind, dict) and _size_of(mapping) - _bare_size(kind) in _SIZES


_FULL_SIZES = frozenset(size + _bare_size(dict) for size in _SIZES)  # of a dict that is no heir


def _clear(own: Method) -> Method:
    values, size_of, sizes = dict.values, _size_of, _FULL_SIZES
    all_of = clear_general(own)

    def clear(self: Any, /) -> None:
        if type(self) is dict and not _IN_OBJECTS and size_of(self) not in sizes:
            own(self)
            return
        if is_general(self):
            all_of(self, self)
        else:
            held = [*values(self)] if _IN_OBJECTS else ()
            own(self)
            del held

    return clear


def clear_general(own: Method) -> Callable[[Any, Any], None]:
    """Make a function that calls `own(holder)`, which clears a dict, and leaves that general."""
    keys, values, empty = dict.keys, dict.values, original(dict, "clear")

    def clear(holder: Any, mapping: Any) -> None:
        """Nothing may fail once it is cleared: stack and memory for the rest are tried before."""
        tried: dict[Any, Any] = {}
        held = [*keys(mapping)], [*values(mapping)]  # no finalizer is to fill it before we do
        _store(tried, _NO_TEXT, None)
        own(holder)
        empty(tried)
        _store(mapping, _NO_TEXT, None)
        _delete(mapping, _NO_TEXT)
        del held

    return clear


def _updating(own: Method) -> Method:
    size_of, sizes, length = _size_of, _FULL_SIZES, _length

    def update(self: Any, /, *others: Any, **named: Any) -> None:
        if type(self) is dict:
            harmless = size_of(self) not in sizes or (
                not named and len(others) == 1 and type(others[0]) is dict and length(self)
            )
        else:
            harmless = not is_general(self)
        if harmless or len(others) > 1:
            own(self, *others, **named)
        else:
            _fill(own, self, others, named)

    return update


def _fill(own: Method, mapping: Any, others: tuple[Any, ...], named: dict[str, Any]) -> None:
    for other in others:
        own(mapping, _one_by_one(mapping, other))
    if named:
        own(mapping, [*named.items()])


def _one_by_one(mapping: Any, other: Any) -> Any:
    """Replace `other` by pairs where a general `mapping` would take over its table.

    It takes over none while it has a key; an heir is asked for `keys` before that is looked at.
    """
    kind = type(other)
    if not issubclass(kind, dict) or (kind is dict and _length(mapping)):
        return other
    walk = next(dict_of(base)["__iter__"] for base in mro_of(kind) if "__iter__" in dict_of(base))
    return [*_items(other)] if walk is _walk else other


def _joining(own: Method) -> Method:
    def __ior__(self: Any, other: Any, /) -> Any:
        if (type(other) is not dict or not _length(self)) and is_general(self):
            other = _one_by_one(self, other)
        return own(self, other)

    return __ior__


def _beginning(own: Method) -> Method:
    """Make an `__init__` that fills a dict of the general kind item by item.

    Most calls are for a new dict, which is not of the general kind.
    """
    size_of, bare_size, sizes = _size_of, _bare_size, _SIZES

    def __init__(self: Any, /, *others: Any, **named: Any) -> None:
        kind = type(self)
        nothing = not others and not named
        if nothing or not issubclass(kind, dict) or size_of(self) - bare_size(kind) not in sizes:
            own(self, *others, **named)
        elif len(others) > 1:
            own(self, *others)
        else:
            _fill(own, self, others, named)

    return __init__


def _beginning_with_factory(own: Method) -> Method:
    def __init__(self: Any, /, *arguments: Any, **named: Any) -> None:
        general = is_general(self)
        if len(arguments) > 2 or not general:
            own(self, *arguments, **named)
        else:
            own(self, *arguments[:1])
            _fill(_update, self, arguments[1:], named)

    return __init__


_update: Any = dict.update


def _from_keys(own: Any) -> Any:
    make = own.__get__(None, dict)

    def fromkeys(cls: Any, iterable: Any, value: Any = None, /) -> Any:
        if cls is dict:
            return make(iterable, value)
        made = cls()
        for key in iterable:
            made[key] = value
        return made

    return classmethod(fromkeys)


def _united(own: Method) -> Method:
    def __or__(self: Any, other: Any, /) -> Any:
        if type(self) is defaultdict or not issubclass(type(other), dict):
            return own(self, other)
        return _joined(self, self, other)

    return __or__


def _united_behind(own: Method) -> Method:
    def __ror__(self: Any, other: Any, /) -> Any:
        if type(self) is defaultdict or not issubclass(type(other), dict):
            return own(self, other)
        return _joined(self, other, self)

    return __ror__


_factory: Any = defaultdict.__dict__["default_factory"]


def _joined(self: Any, left: Any, right: Any) -> Any:
    made = type(self)(_factory.__get__(self), left)
    if not is_general(made):  # or no dict at all: CPython says so
        _update(made, right)
    else:
        _fill(_update, made, (right,), {})
    return made


def _naming(own: Method) -> Method:
    """Make an `__init__` that fills an object's namespace of the general kind item by item."""

    def __init__(self: Any, /, *arguments: Any, **named: Any) -> None:
        fields = instance_dict(self) if issubclass(type(self), types.SimpleNamespace) else None
        if fields is None or not is_general(fields):
            own(self, *arguments, **named)
        else:
            made = instance_dict(types.SimpleNamespace(*arguments, **named)) or {}
            _update(fields, [*made.items()])

    return __init__


_BEGINNING: dict[type, Callable[[Method], Method]] = {
    dict: _beginning,
    defaultdict: _beginning_with_factory,
    types.SimpleNamespace: _naming,
}
