"""Guards as constants, for the code of a module.

There a name is looked up in three dicts, at every turn of a loop; a constant is at hand. Code goes
between processes without them: what stands for a guard is a constant that no source text has, and
each child puts its own guards in their places.
"""

import types
from collections.abc import Mapping
from typing import Any

Placeholder = tuple[frozenset[str]]


def placeholder(guard: str) -> Placeholder:
    """What stands for `guard` in code that is not linked.

    CPython folds displays of constants into tuples, and a set display into a frozenset where it is
    only searched or iterated, but never one inside a tuple. Were it left as it is, it could be
    neither called nor contain a class.
    """
    return (frozenset((guard,)),)


def link(code: types.CodeType, guards: Mapping[str, Any]) -> types.CodeType:
    """`code` with `guards` in the places of what stands for them. Raises KeyError."""
    constants = code.co_consts
    if not any(map(_is_placeholder, constants)):
        return code
    return code.replace(co_consts=tuple(_linked(constant, guards) for constant in constants))


def _is_placeholder(constant: object) -> bool:
    return type(constant) is tuple and len(constant) == 1 and type(constant[0]) is frozenset


def _linked(constant: Any, guards: Mapping[str, Any]) -> Any:
    if not _is_placeholder(constant):
        return constant
    (guard,) = constant[0]
    return guards[guard]
