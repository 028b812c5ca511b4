"""Code of CPython's own compiler that takes one variable's place in a frame for another's.

Since 3.12 comprehensions are part of the code around them (PEP 709). Where a variable of one is
captured by a function in it, and is a variable of an outer function for the code around it, a cell
is made in the place of the outer variable: a program then holds the cell itself, or the interpreter
reads through one that there is not.

What shows it is the code: cells are made in the places of a code's own variables, and nothing is
read through a place that has no cell.
"""

import ast
import opcode
import types
from typing import Any

from sandbox.language.compile.walk import Refusal

_MAKE = opcode.opmap["MAKE_CELL"]
_CLEAR = opcode.opmap.get("LOAD_FAST_AND_CLEAR")  # of what a comprehension hides; since 3.12
_DEREFS = frozenset(
    opcode.opmap[name]
    for name in ("LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF", "LOAD_FROM_DICT_OR_DEREF")
    if name in opcode.opmap
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
_FUNCTIONS = (ast.Lambda, ast.GeneratorExp)
_ITERATED = "guard:iterated"


def has_wrong_cells(code: types.CodeType) -> bool:
    """True if `code`, or any that it contains, makes a cell in a wrong place, or lacks one."""
    if _CLEAR is None:
        return False
    stack = [code]
    while stack:
        code = stack.pop()
        operations = code.co_code[::2]
        if _CLEAR in operations and _MAKE in operations and _is_wrong(code):
            return True
        stack += [value for value in code.co_consts if type(value) is types.CodeType]
    return False


def _is_wrong(code: types.CodeType) -> bool:
    places = len({*code.co_varnames, *code.co_cellvars})  # the free variables come behind them
    made, read, argument, text = set(), set(), 0, code.co_code
    for at in range(0, len(text), 2):
        argument = argument << 8 | text[at + 1]
        if text[at] == _MAKE:
            made.add(argument)
        elif text[at] in _DEREFS:
            read.add(argument)
        if text[at] != opcode.EXTENDED_ARG:
            argument = 0
    return any(at >= places for at in made) or any(at < places and at not in made for at in read)


def separate_comprehensions(tree: Any) -> list[Refusal]:
    """Make each comprehension of `tree` that holds a function a function of its own, as in 3.11.

    Gives those that cannot be one, since they wait or assign to a variable around them.
    """
    found: list[Refusal] = []
    nodes: list[Any] = [*ast.walk(tree)]
    for node in nodes:
        if type(node) in _COMPREHENSIONS and any(type(o) in _FUNCTIONS for o in ast.walk(node)):
            if any(map(_is_bound_to_its_place, ast.walk(node))):
                what = "a comprehension that this Python's compiler gets wrong is denied"
                found.append(Refusal(what, node.lineno, node.col_offset + 1))
            else:
                _separate(node)
    return found


def _is_bound_to_its_place(node: Any) -> bool:
    if type(node) is ast.NamedExpr:
        return ":" not in node.target.id  # of a guard's own nobody else knows
    return type(node) is ast.Await or bool(getattr(node, "is_async", False))


def _separate(node: Any) -> None:
    """`[f for x in xs]` as `(lambda iterated: [f for x in iterated])(xs)`."""
    where = {name: getattr(node, name) for name in ast.expr._attributes}
    inner = type(node)(**dict(ast.iter_fields(node)), **where)
    first = inner.generators[0]
    iterated = first.iter
    first.iter = ast.Name(_ITERATED, ast.Load(), **where)
    parameters = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(_ITERATED, **where)],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    node.__class__ = ast.Call
    node.__dict__.clear()
    node.__dict__.update(
        where, func=ast.Lambda(parameters, inner, **where), args=[iterated], keywords=[]
    )
