"""`Counter` and `defaultdict`: what C code has taken from the dict it goes on to use unheld.

And `UserDict` and `UserList`, which write to the namespace of whatever a guest's `__new__` returns.
"""

import collections
from collections import Counter, UserDict, UserList, defaultdict
from collections.abc import Callable
from itertools import repeat
from typing import Any

from sandbox.language.guards.classes.class_origin import instance_dict, mro_of, name_of
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.natives.patching import Method, put, replace

_collections: Any = collections
_count: Any = getattr(collections, "_count_elements")  # noqa: B009
_TEXTS = (str, bytes, range)
_PLAIN = frozenset((str, int, float, bool, bytes, type(None)))


def harden() -> None:
    """Replace what calls a guest's `__add__`, `__eq__` or factory."""
    _collections._count_elements = _count_elements
    put(Counter, "elements", elements)
    replace(defaultdict, _missing, "__missing__")
    for cls in (UserDict, UserList):
        replace(cls, _copier(cls), "__copy__")


def _count_elements(mapping: Any, iterable: Any) -> None:
    """In C where no guest code runs meanwhile: nothing was counted before, and all is plain."""
    kind = type(iterable)
    plain = kind in _TEXTS or (kind is list and _PLAIN.issuperset(map(type, iterable)))
    if plain and type(mapping) is Counter and not dict.__len__(mapping):
        _count(mapping, iterable)
        return
    get = mapping.get
    for element in iterable:
        mapping[element] = get(element, 0) + 1


def elements(self: Any) -> Any:
    """See `Counter.elements`."""
    for element, times in self.items():
        yield from repeat(element, times)


def _missing(own: Method) -> Method:
    read: Any = defaultdict.__dict__["default_factory"].__get__

    def __missing__(self: Any, key: Any, /) -> Any:
        factory = read(self)
        if factory is None:
            raise KeyError(key)
        self[key] = value = factory()
        return value

    return __missing__


def _copier(cls: type) -> Callable[[Method], Method]:
    def make(own: Method) -> Method:
        def __copy__(self: Any) -> Any:
            kind: Any = type(self)
            if cls not in mro_of(kind):
                raise TypeError(f"expected a {name_of(cls)!r} object, not {name_of(kind)!r}")
            fields = dict.copy(instance_dict(self) or {})
            made = kind.__new__(kind)
            target = instance_dict(made)
            if type(made) is not kind or target is None:
                raise denied_class(f"copying this {name_of(kind)!r} object into another kind")
            target.update(fields)
            target["data"] = fields["data"][:] if cls is UserList else fields["data"].copy()
            return made

        return __copy__

    return make
