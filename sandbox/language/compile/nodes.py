"""The nodes that a program may be made of, and the fields of each that hold further nodes."""

import ast
from typing import NamedTuple

# A star marks a list of nodes.
_CHILDREN_SPEC = """
Module body*|Expression body|Expr value|Pass|Break|Continue|Global|Nonlocal
FunctionDef body*|AsyncFunctionDef body*
Lambda args body|arguments posonlyargs* args* vararg kwonlyargs* kw_defaults* kwarg defaults*
arg|ClassDef decorator_list* bases* keywords* body* type_params*|keyword value
Return value|Delete targets*|Assign targets* value|AugAssign target value
AnnAssign target value|TypeAlias name type_params* value
TypeVar bound default_value|ParamSpec default_value|TypeVarTuple default_value
For target iter body* orelse*|AsyncFor target iter body* orelse*|While test body* orelse*
If test body* orelse*|With items* body*|AsyncWith items* body*|withitem context_expr optional_vars
Raise exc cause|Try body* handlers* orelse* finalbody*|ExceptHandler type body*|Assert test msg
TryStar body* handlers* orelse* finalbody*|Import|ImportFrom
BoolOp values*|NamedExpr target value|BinOp left right|UnaryOp operand|IfExp test body orelse
Dict keys* values*|Set elts*|ListComp elt generators*|SetComp elt generators*
DictComp key value generators*|GeneratorExp elt generators*
comprehension target iter ifs*|Await value|Yield value|YieldFrom value|Compare left comparators*
Call func args* keywords*|FormattedValue value format_spec|JoinedStr values*|Constant
Interpolation value format_spec|TemplateStr values*
Attribute value|Subscript value slice|Starred value|Name|List elts*|Tuple elts*
Slice lower upper step
Match subject cases*|match_case pattern guard body*|MatchValue|MatchSingleton
MatchSequence patterns*|MatchMapping keys* patterns*|MatchClass patterns* kwd_patterns*
MatchStar|MatchAs pattern|MatchOr patterns*
"""


class Children(NamedTuple):
    """The fields of a kind of node: `single` ones hold a node or None, `lists` a list of nodes."""

    single: tuple[str, ...]
    lists: tuple[str, ...]


def _children() -> dict[type, Children]:
    """Return for each permitted node the fields that hold nodes.

    Contexts and operators are left out: there is nothing to them.
    """
    rows = (row.split() for line in _CHILDREN_SPEC.split("\n") for row in line.split("|") if row)
    known = ((getattr(ast, kind, None), fields) for kind, *fields in rows)
    return {kind: _fields(kind, fields) for kind, fields in known if kind is not None}


def _fields(kind: type[ast.AST], fields: list[str]) -> Children:
    single = tuple(field for field in fields if field in kind._fields)
    lists = tuple(field[:-1] for field in fields if field[-1] == "*" and field[:-1] in kind._fields)
    return Children(single, lists)


CHILDREN = _children()


def unknown_nodes() -> set[type]:
    """Return this Python's nodes that we have not looked at, as a later one may have."""
    bases = (ast.stmt, ast.expr, ast.pattern, ast.excepthandler, getattr(ast, "type_param", None))
    of_python = (kind for base in bases if base for kind in base.__subclasses__())
    return {kind for kind in of_python if kind.__module__ == "ast"} - CHILDREN.keys()
