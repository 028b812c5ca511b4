"""Finds where Python code of the host's reads, stores or chooses natively by what it is given."""

import ast
import functools
import re
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sandbox.language.compile.words import words

# Called with a name that the source does not spell.
_BY_NAME = frozenset(("getattr", "setattr", "delattr", "hasattr", "attrgetter", "methodcaller"))
_HOOKS = frozenset(("__getattribute__", "__setattr__", "__delattr__"))
# A method that reads a guarded name of its receiver looks at that first, see
# `guards/attributes/receivers`.
_OWN = re.compile(r"self\.\w+")
_EXECUTING = frozenset(("exec", "eval", "compile", "vars"))
# What leads from an object to its class, namespace, function or globals; and what walks in C.
_LEADING = words(
    """
    __class__ __dict__ __bases__ __base__ __mro__ mro __globals__ __code__ __func__ __self__
    __annotations__ __closure__ __defaults__ __kwdefaults__ __subclasses__ __origin__ __args__
    __dataclass_fields__ tb_frame f_globals f_locals gi_frame format format_map obj
    """
)


class Occurrence(NamedTuple):
    """One place: the module, the function's qualified name, and the expression."""

    module: str
    function: str
    expression: str


def occurrences(functions: Iterable[types.FunctionType]) -> set[Occurrence]:
    """All of them in the sources of `functions` and of what is defined inside."""
    found = set()
    for function in functions:
        module = str(function.__globals__.get("__name__"))
        code = function.__code__
        for node in _definitions(module, code.co_filename).get(code.co_firstlineno, ()):
            for expression in _expressions(node):
                if not (_is_of_class(code) and _OWN.fullmatch(expression)):
                    found.add(Occurrence(module, code.co_qualname, expression))
    return found


def reads_of_receivers(function: types.FunctionType) -> list[str]:
    """Such reads of the `self` of a method, which `occurrences` leaves out."""
    code, module = function.__code__, str(function.__globals__.get("__name__"))
    nodes = _definitions(module, code.co_filename).get(code.co_firstlineno, ())
    found = [expression for node in nodes for expression in _expressions(node)]
    return [text for text in found if _is_of_class(code) and _OWN.fullmatch(text)]


def _is_of_class(code: types.CodeType) -> bool:
    return "." in code.co_qualname and "<locals>" not in code.co_qualname


@functools.cache
def _definitions(module: str, path: str) -> dict[int, list[ast.AST]]:
    """By line where its code begins, the definitions in a file; none of a text that was generated,
    as `dataclasses` has it: what such a text may say is looked at as it is compiled."""
    if path.startswith("<frozen "):
        path = str(sys.modules[path[8:-1]].__file__)
    if path.startswith("<"):
        return {}
    found: dict[int, list[ast.AST]] = {}
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            decorators: list[ast.expr] = getattr(node, "decorator_list", [])
            line = min([node.lineno, *(part.lineno for part in decorators)])
            found.setdefault(line, []).append(node)
    return found


def _expressions(node: ast.AST) -> Iterator[str]:
    body: Any = getattr(node, "body", [])
    body = body if isinstance(body, list) else [body]
    for part in (part for statement in body for part in ast.walk(statement)):
        if _is_by_name(part) or _is_leading(part) or _is_by_type(part):
            yield ast.unparse(part)


def _is_by_name(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if called in _EXECUTING:
        return isinstance(node.func, ast.Name)
    if called not in _BY_NAME | _HOOKS:
        return False
    return not any(isinstance(arg, ast.Constant) for arg in node.args[:2])


def _is_leading(node: ast.AST) -> bool:
    """A read of such an attribute, but for that of a literal."""
    reads = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    return reads and node.attr in _LEADING and not isinstance(node.value, ast.Constant)


def _is_by_type(node: ast.AST) -> bool:
    """A lookup in a table by the type of an object, or by a method of that."""
    if isinstance(node, ast.Subscript):
        return _is_of_type(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("get", "setdefault", "pop") and any(map(_is_of_type, node.args))
    return False


def _is_of_type(node: ast.AST) -> bool:
    node = node.value if isinstance(node, ast.Attribute) else node
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "type"
