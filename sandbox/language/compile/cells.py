"""Code of CPython's own compiler that takes one variable's place in a frame for another's.

Since 3.12 comprehensions are part of the code around them (PEP 709). Where a variable of one is
captured by a function in it, and is a variable of an outer function for the code around it, a cell
is made in the place of the outer variable: a program then holds the cell itself, or the interpreter
reads through one that there is not.

What shows it is the code: cells are made in the places of a code's own variables, and nothing is
read through a place that has no cell.

`super()` reads the first parameter where it is called. If that is in a cell, because a function
captures it, `super()` takes what stands there for one; while a comprehension has a variable of the
same name, that is an item of the program's choice. So no comprehension hides such a parameter.

Before 3.12.5 the compiler itself reads memory that was never written where a comprehension of a
class's own body uses the class (gh-114828, gh-119666): there is no code to look at.
"""

import ast
import opcode
import sys
import types
from collections.abc import Callable, Container, Iterable, Iterator
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
_BODIES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ITERATED = "guard:iterated"
_CRASHES = (3, 12) <= sys.version_info < (3, 12, 5)
_THE_CLASS = ("__class__", "super")


def has_wrong_cells(code: types.CodeType) -> bool:
    """Say whether `code`, or any that it contains, makes a cell in a wrong place or lacks one."""
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
    made, read = _places(code, (_MAKE,)), _places(code, _DEREFS)
    if any(at >= places for at in made) or any(at < places and at not in made for at in read):
        return True
    return _hides_receiver(code)


def _places(code: types.CodeType, operations: Container[Any]) -> set[int]:
    """Collect the places of the frame that these `operations` of `code` are about."""
    found, argument, text = set(), 0, code.co_code
    for at in range(0, len(text), 2):
        argument = argument << 8 | text[at + 1]
        if text[at] in operations:
            found.add(argument)
        if text[at] != opcode.EXTENDED_ARG:
            argument = 0
    return found


def _hides_receiver(code: types.CodeType) -> bool:
    """Return True if a comprehension takes the place of a first parameter that is in a cell."""
    in_a_cell = bool(code.co_argcount) and 0 in _places(code, (_MAKE,))
    return in_a_cell and 0 in _places(code, (_CLEAR,))


def _hidden_receivers(code: types.CodeType) -> set[str]:
    """Name such parameters of `code`, and of all that it contains."""
    found, stack = set(), [code]
    while stack:
        code = stack.pop()
        if _hides_receiver(code):
            found.add(code.co_varnames[0])
        stack += [value for value in code.co_consts if type(value) is types.CodeType]
    return found


def may_use_a_class(source: str) -> bool:
    """Return False if a look at the text is enough to say the compiler does not fail at it so."""
    if not _CRASHES or "for" not in source or "class" not in source:
        return False
    return not source.isascii() or any(name in source for name in _THE_CLASS)


def separate_comprehensions(tree: Any, code: types.CodeType) -> list[Refusal]:
    """Make comprehensions of `tree`, which `code` was made of, functions of their own, as in 3.11.

    That is each that holds a function, or hides a first parameter that is in a cell. Gives those
    that cannot be one, since they wait or assign to a variable around them.
    """
    hidden = _hidden_receivers(code)

    def concerns(node: Any) -> bool:
        return type(node) in _FUNCTIONS or _is_any(getattr(node, "id", ""), hidden)

    return _separate_all(ast.walk(tree), concerns)


def _is_any(name: str, mangled: set[str]) -> bool:
    """Say whether `name` may be one of `mangled`, names as a class's code spells private ones."""
    private = name[:2] == "__"
    return name in mangled or (private and any(known.endswith(name) for known in mangled))


def separate_from_classes(tree: Any) -> list[Refusal]:
    """Do the same for those in a class's own body that use the class, in any way."""
    classes = [node for node in ast.walk(tree) if type(node) is ast.ClassDef]
    bodies = (node for each in classes for node in _own_nodes(each))
    return _separate_all(bodies, lambda node: getattr(node, "id", None) in _THE_CLASS)


def _own_nodes(body: ast.ClassDef) -> Iterator[Any]:
    """Walk over what belongs to the code of a class: no function's body, but its decorators."""
    stack: list[Any] = [*body.body]
    while stack:
        node = stack.pop()
        yield node
        inner = {*map(id, node.body)} if type(node) in _BODIES else ()
        if type(node) is ast.Lambda:
            inner = {id(node.body)}
        stack += [child for child in ast.iter_child_nodes(node) if id(child) not in inner]


def _separate_all(nodes: Iterable[Any], concerns: Callable[[Any], bool]) -> list[Refusal]:
    found: list[Refusal] = []
    for node in [*nodes]:
        if type(node) in _COMPREHENSIONS and any(map(concerns, ast.walk(node))):
            if any(map(_is_bound_to_its_place, ast.walk(node))):
                what = "a comprehension that this Python's compiler gets wrong is denied"
                found.append(Refusal(what, node.lineno, node.col_offset + 1))
            else:
                _separate(node)
    return found


def _is_bound_to_its_place(node: Any) -> bool:
    if type(node) is ast.NamedExpr:
        return ":" not in node.target.id  # a guard's name has one: no program names it
    return type(node) is ast.Await or bool(getattr(node, "is_async", False))


def _separate(node: Any) -> None:
    """Rewrite `[f for x in xs]` as `(lambda iterated: [f for x in iterated])(xs)`."""
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
