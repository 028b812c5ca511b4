"""Type parameters, which CPython has in C since 3.12.

Before 3.12.6 `TypeVar(name="T")` reads behind its arguments (gh-118814). Before 3.13.16, 3.14.10
and 3.15.1 what frees `P.args` and `P.kwargs` of a `ParamSpec` forgets their weak references
(gh-157621): of these two classes there are none.
"""

import functools
import sys
import typing
from typing import Any

from sandbox.language.guards.classes.class_origin import exact_names
from sandbox.language.natives.patching import Method, before, lacks, replace
from sandbox.language.natives.types import type_slots

_MODULE = "__main__"  # the variable shows the module of the function that makes it


def harden() -> None:
    """Replace how a variable is made, and refuse weak references, where it is needed."""
    if sys.version_info < (3, 12):
        return
    if before(3, 12, 6):
        replace(typing.TypeVar, _new, "__new__")
    if lacks((3, 13, 16), (3, 14, 10), (3, 15, 1)):
        for cls in (typing.ParamSpecArgs, typing.ParamSpecKwargs):
            type_slots.refuse_references(cls)


_maker = functools.cache(type_slots.maker_of)  # once: then it is ours that makes them


def _new(own: Method) -> Method:
    make: Any = _maker(typing.TypeVar)

    def __new__(cls: Any, /, *args: Any, **named: Any) -> Any:
        if cls is not typing.TypeVar:
            return own(cls, *args, **named)
        named = exact_names(named)
        if not args and "name" in named:
            args = (named.pop("name"),)
        return make(*args, **named)

    __new__.__module__ = _MODULE
    return staticmethod(__new__)
