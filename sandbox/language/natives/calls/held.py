"""Texts of objects that C code makes of several fields without holding the object.

`repr` of a list, of an error's arguments or of a namespace lends what stands in it, and a program's
`__repr__` may take it out. A method of ours holds its `self` for as long as it runs.
"""

import collections
import itertools
import types
import weakref
from typing import Any

from sandbox.language.guards.classes.class_origin import dict_of
from sandbox.language.natives.patching import Method, replace

_target: Any = weakref.ReferenceType.__call__

_KINDS: tuple[type, ...] = (
    *(slice, types.MethodType, types.UnionType),
    *(collections.defaultdict, itertools.count, itertools.repeat),
)


def harden() -> None:
    """Replace `__repr__` of whatever goes on with its fields after a program was asked."""
    for kind in (*_KINDS, *_structures()):
        replace(kind, held, "__repr__")
    replace(weakref.ReferenceType, _with_target, "__repr__")


def _structures() -> list[type]:
    """Return the named tuples of C, such as `time.struct_time`."""
    return [cls for cls in type.__subclasses__(tuple) if "n_sequence_fields" in dict_of(cls)]


def held(own: Method) -> Method:
    """Make a method that calls `own` and holds its `self` until that returns."""

    def method(self: Any, /) -> Any:
        return own(self)

    return method


def _with_target(own: Method) -> Method:
    """Make a `__repr__` that holds what is referred to.

    CPython's asks it for its name, and may go on when it is gone.
    """

    def __repr__(self: Any, /) -> Any:
        target = _target(self)
        text = own(self)
        del target
        return text

    return __repr__
