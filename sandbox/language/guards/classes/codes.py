"""The code that belongs to a function or to a class, wherever it stands in it."""

import types
from typing import Any

from sandbox.interpreter.disarming.identity import identity
from sandbox.language.guards.classes.class_origin import dict_of, is_class

_CODED = frozenset((types.CodeType, types.FunctionType, property, classmethod, staticmethod))


def codes_of(writer: Any) -> set[int]:
    """Return the ids of the code of a function, or of a class's methods, and of code inside."""
    codes: set[int] = set()
    seen: set[int] = set()
    todo: list[Any] = list(dict_of(writer).values()) if is_class(writer) else [writer]
    while todo:
        member = todo.pop()
        if type(member) in _CODED and identity(member) not in seen:
            seen.add(identity(member))
            if type(member) is types.CodeType:
                codes.add(id(member))
            todo += _parts(member)
    return codes


def _parts(member: Any) -> list[Any]:
    """List parts of a member in which code can stand; a wrapper has its function in a closure."""
    if type(member) is types.CodeType:
        return list(member.co_consts)
    if type(member) is types.FunctionType:
        return [member.__code__, *(cell.cell_contents for cell in member.__closure__ or ())]
    if type(member) is property:
        return [member.fget, member.fset, member.fdel]
    return [member.__func__]
