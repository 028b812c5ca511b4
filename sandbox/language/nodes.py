"""The nodes that a program may be made of, and the fields of each that hold further nodes."""

import ast

_CHILDREN_SPEC = """
Module body|Expression body|Expr value|Pass|Break|Continue|Global|Nonlocal
FunctionDef body|AsyncFunctionDef body
Lambda args body|arguments posonlyargs args vararg kwonlyargs kw_defaults kwarg defaults
arg annotation|ClassDef decorator_list bases keywords body type_params|keyword value
Return value|Delete targets|Assign targets value|AugAssign target value
AnnAssign target annotation value|TypeAlias name type_params value
TypeVar bound default_value|ParamSpec default_value|TypeVarTuple default_value
For target iter body orelse|AsyncFor target iter body orelse|While test body orelse
If test body orelse|With items body|AsyncWith items body|withitem context_expr optional_vars
Raise exc cause|Try body handlers orelse finalbody|ExceptHandler type body|Assert test msg
TryStar body handlers orelse finalbody|Import names|ImportFrom names|alias
BoolOp values|NamedExpr target value|BinOp left right|UnaryOp operand|IfExp test body orelse
Dict keys values|Set elts|ListComp elt generators|SetComp elt generators
DictComp key value generators|GeneratorExp elt generators
comprehension target iter ifs|Await value|Yield value|YieldFrom value|Compare left comparators
Call func args keywords|FormattedValue value format_spec|JoinedStr values|Constant
Attribute value|Subscript value slice|Starred value|Name|List elts|Tuple elts
Slice lower upper step
Match subject cases|match_case pattern guard body|MatchValue|MatchSingleton
MatchSequence patterns|MatchMapping keys patterns|MatchClass patterns kwd_patterns
MatchStar|MatchAs pattern|MatchOr patterns
"""


def _children() -> dict[type, tuple[str, ...]]:
    """For each permitted node the fields that hold nodes, in the order in which they are walked.

    Contexts and operators are left out: there is nothing to them.
    """
    rows = (row.split() for line in _CHILDREN_SPEC.split("\n") for row in line.split("|") if row)
    known = ((getattr(ast, row[0], None), row[1:]) for row in rows)
    return {
        kind: tuple(field for field in fields if field in kind._fields)
        for kind, fields in known
        if kind is not None
    }


CHILDREN = _children()
