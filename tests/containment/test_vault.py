"""What the vault's hook uses is in no hands but its own."""

import ast
import dis
import gc
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.interpreter import frames, pipes, powers, variables, vault
from sandbox.runtime import reporter


def inside(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of every function that is defined inside of `code`, however deep."""
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from () if const.co_name.startswith("<") else (const,)
            yield from inside(const)


# What may run code that somebody else put there: names, attributes, stores to containers, imports.
LOOKUPS = (
    *("GLOBAL", "LOAD_NAME", "LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR", "LOAD_METHOD"),
    *("STORE_SUBSCR", "DELETE_SUBSCR", "IMPORT", "SUPER"),
)


def test_what_the_hook_uses_is_found_in_no_namespace() -> None:
    """Else a program could change what a name, an attribute or an operation in it means."""
    builds = (vault.install, pipes.open_ends, frames.open_views, variables.open_variables)
    builds = (*builds, powers.open_powers, reporter.make_handler)
    nested = [code for build in builds for code in inside(build.__code__)]
    assert len(nested) > 20
    for code in nested:
        for instruction in dis.get_instructions(code):
            found = [each for each in LOOKUPS if each in instruction.opname]
            assert not found, (code.co_name, instruction.opname, instruction.argval)


IMMUTABLE_TYPE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
ONLY_COMPARED = (ast.Module, ast.Expression, ast.Interactive)
_DESCRIPTORS = (str.join, int.__add__, types.CodeType.co_name, types.FrameType.f_back)
UNCHANGING = {
    *(int, str, bytes, bool, float, tuple, slice, frozenset, type(None), types.CodeType),
    *(types.FunctionType, types.CellType, types.BuiltinMethodType, types.MethodWrapperType),
    *map(type, _DESCRIPTORS),
}


def reached_from(hook: types.FunctionType) -> list[Any]:
    """All that `hook` leads to by its cells, defaults, and what is in them."""
    found: list[Any] = [hook]
    seen = {id(hook)}
    for each in found:  # which grows
        parts: list[Any] = []
        if type(each) is types.FunctionType:
            parts = [*(each.__closure__ or ()), each.__defaults__, each.__kwdefaults__]
        elif type(each) is types.CellType:
            parts = [each.cell_contents]
        elif isinstance(each, (tuple, frozenset, list)):
            parts = list(each)
        elif isinstance(each, dict):
            parts = [*each, *each.values()]
        elif isinstance(each, types.BuiltinMethodType | types.MethodWrapperType):
            parts = [each.__self__]
        new = [part for part in parts if id(part) not in seen]
        seen.update(map(id, new))
        found += new
    return found


def changeable(hook: types.FunctionType) -> list[object]:
    """All of that which somebody who also finds it could make something else."""
    found = reached_from(hook)
    known, left = {id(each) for each in found}, list[object]()
    for each in found:
        if isinstance(each, (dict, list)):
            owners = [o for o in gc.get_referrers(each) if o is not found and o is not left]
            is_safe = all(id(owner) in known for owner in owners)
        elif isinstance(each, type):
            is_safe = bool(each.__flags__ & IMMUTABLE_TYPE) or each in ONLY_COMPARED
        elif type(each) is memoryview:
            is_safe = each.readonly
        else:  # a module is what a function in C belongs to, which asks it for nothing
            is_safe = type(each) in UNCHANGING or type(each) is types.ModuleType
        if not is_safe:
            left.append(each)
    return left


def test_what_the_hook_uses_nobody_else_can_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A `struct.Struct` that makes the headers of frames takes another format at any time."""
    hooks: list[types.FunctionType] = []
    monkeypatch.setattr(sys, "addaudithook", hooks.append)
    known = reporter.describe_handler(reporter.make_handler(), (1 << 30, 1 << 31))
    ends = pipes.Pipes(-1, -1, b"O", b"Q", b"Z")
    vault.install(ends, frozenset(("<program>",)), reporter.report.__code__, known, frozenset())
    (hook,) = hooks
    assert changeable(hook) == []
