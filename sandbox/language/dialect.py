"""The dialect: what a guest may write, and the few places where the compiler puts a guard.

One iterative pass over the tree, driven by tables. What is not in a table is refused, so that a node
of a later Python version is denied until somebody has looked at it. Nodes are changed in place: an
attribute that needs a guard becomes a call by changing its class, which saves every node a link to
its parent.
"""

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from RestrictedPython.transformer import RestrictingNodeTransformer

from sandbox.language import names, rewriting
from sandbox.language.names import GUARDED, PLAIN, REFUSED

_CHILDREN_SPEC = """
Module body|Expression body|Expr value|Pass|Break|Continue|Global|Nonlocal
FunctionDef decorator_list args returns body type_params
AsyncFunctionDef decorator_list args returns body type_params
Lambda args body|arguments posonlyargs args vararg kwonlyargs kw_defaults kwarg defaults
arg annotation|ClassDef decorator_list bases keywords body type_params|keyword value
Return value|Delete targets|Assign targets value|AugAssign target value
AnnAssign target annotation value|TypeAlias name type_params value
TypeVar bound default_value|ParamSpec default_value|TypeVarTuple default_value
For target iter body orelse|AsyncFor target iter body orelse|While test body orelse
If test body orelse|With items body|AsyncWith items body|withitem context_expr optional_vars
Raise exc cause|Try body handlers orelse finalbody|ExceptHandler type body|Assert test msg
Import names|ImportFrom names|alias
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
    """Of each permitted node the fields that hold nodes; contexts and operators are harmless."""
    rows = (row.split() for line in _CHILDREN_SPEC.split("\n") for row in line.split("|") if row)
    return {getattr(ast, row[0]): tuple(row[1:]) for row in rows if hasattr(ast, row[0])}


CHILDREN = _children()


class Refusal(NamedTuple):
    """One thing that the dialect does not allow, and where: both count from 1."""

    what: str
    line: int
    column: int


class Dialect(RestrictingNodeTransformer):  # type: ignore[misc]
    """Checks and rewrites one tree. `refusals` is empty if the program may run."""

    def __init__(self) -> None:
        super().__init__()
        self.refusals: list[Refusal] = []
        self._literal_match_args: set[int] = set()

    def error(self, node: ast.AST, info: str) -> None:
        """Record a refusal, at the place of `node`."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        self.refusals.append(Refusal(info, line, column + 1))

    def rewrite(self, tree: ast.AST) -> None:
        """Check the whole tree and put the guards in, without recursion."""
        stack: list[Any] = [tree]
        pop, extend, push = stack.pop, stack.extend, stack.append
        while stack:
            node = pop()
            kind = type(node)
            if kind is _Name:
                if node.id[:2] == "__":
                    self._variable(node)
                continue
            fields = CHILDREN.get(kind)
            if fields is None:
                if node is not None:  # a key of `{**d}`, a default that is not there
                    self.not_allowed(node)
                continue
            values = node.__dict__
            children = [values.get(field) for field in fields]
            check = CHECKS.get(kind)
            if check is not None and (moved := check(self, node)) is not None:
                push(moved)
            for child in children:
                if type(child) is list:
                    extend(child)
                elif child is not None:
                    push(child)

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a node: it is unknown, or nobody has found it safe."""
        name = type(node).__name__
        self.error(node, _WHY_NOT.get(name, f"'{name}' is not part of the language"))

    def _variable(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            if not names.may_read_variable(node.id):
                self.error(node, f"name '{node.id}' is denied")
        elif id(node) not in self._literal_match_args:
            self._binding(node, node.id)

    def _binding(self, node: ast.AST, name: str | None) -> None:
        if name is not None and name[:2] == "__" and not names.may_bind(name):
            self.error(node, f"binding the name '{name}' is denied")

    def _attribute(self, node: ast.Attribute) -> None:
        name = node.attr
        if type(node.ctx) is not ast.Load:
            self._store(node, name)
        elif name in _NOT_PLAIN or name[:2] == "__":
            kind = names.read_kind(name)
            if kind == REFUSED:
                self.error(node, f"attribute '{name}' is denied")
            elif kind == GUARDED:
                rewriting.guard_read(node)

    def _store(self, node: ast.Attribute, name: str) -> None:
        kind = names.store_kind(name)
        if kind == PLAIN:
            node.value = rewriting.writable(node.value)
        elif kind == GUARDED:
            self.error(node, f"assigning '{name}' here is denied; setattr() and delattr() look")
        else:
            self.error(node, f"assigning the attribute '{name}' is denied")

    def _assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Attribute):
            if names.store_kind(target.attr) == GUARDED:
                rewriting.guarded_store(node, target)

    def _augmented(self, node: ast.AugAssign) -> ast.expr | None:
        target = node.target
        if not isinstance(target, ast.Attribute) or names.read_kind(target.attr) != GUARDED:
            return None
        owner = target.value
        rewriting.augmented(node, target)
        return owner  # it hangs elsewhere now, so the walk has to be told

    def _definition(self, node: Any) -> None:
        self._binding(node, node.name)

    def _class(self, node: ast.ClassDef) -> None:
        self._binding(node, node.name)
        for statement in node.body:
            if isinstance(statement, ast.Assign) and _is_match_args(statement):
                self._match_args(statement)

    def _match_args(self, statement: ast.Assign) -> None:
        """`__match_args__` says what a class pattern reads: it must be there to be checked."""
        value = statement.value
        literal = isinstance(value, (ast.Tuple, ast.List)) and all(
            isinstance(item, ast.Constant)
            and type(item.value) is str
            and names.may_match(item.value)
            for item in value.elts
        )
        if literal and isinstance(value, ast.Tuple):
            self._literal_match_args.add(id(statement.targets[0]))

    def _argument(self, node: ast.arg) -> None:
        self._binding(node, node.arg)

    def _names(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self._binding(node, name)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.asname:
                self._binding(alias, alias.asname)
            elif alias.name != "*" and not alias.name.startswith(("__future__", "__main__")):
                self._binding(alias, alias.name.partition(".")[0])

    def _match_class(self, node: ast.MatchClass) -> None:
        self._dotted(node.cls)
        for name in node.kwd_attrs:
            if not names.may_match(name):
                self.error(node, f"attribute '{name}' is denied in a class pattern")

    def _match_value(self, node: ast.MatchValue) -> None:
        self._dotted(node.value)

    def _dotted(self, node: ast.expr) -> None:
        """A dotted name in a pattern is no place for a call, so what needs one is refused."""
        while isinstance(node, ast.Attribute):
            if names.read_kind(node.attr) != PLAIN:
                self.error(node, f"attribute '{node.attr}' is denied in a pattern")
            node = node.value
        if isinstance(node, ast.Name):
            self._variable(node)
        elif not isinstance(node, (ast.Constant, ast.UnaryOp, ast.BinOp)):
            self.not_allowed(node)

    def _match_rest(self, node: ast.MatchMapping) -> None:
        self._binding(node, node.rest)
        for key in node.keys:
            self._dotted(key)


def _is_match_args(statement: ast.Assign) -> bool:
    target = statement.targets[0]
    return (
        len(statement.targets) == 1
        and isinstance(target, ast.Name)
        and target.id == "__match_args__"
    )


_Name = ast.Name
_NOT_PLAIN = names.GUARDED_NAMES | names.INSPECT
_WHY_NOT = {
    "TryStar": "'except*' is denied: a group's own split() may return anything",
}
CHECKS: dict[type, Callable[[Any, Any], ast.expr | None]] = {
    ast.Attribute: Dialect._attribute,
    ast.Assign: Dialect._assign,
    ast.AugAssign: Dialect._augmented,
    ast.FunctionDef: Dialect._definition,
    ast.AsyncFunctionDef: Dialect._definition,
    ast.ClassDef: Dialect._class,
    ast.arg: Dialect._argument,
    ast.ExceptHandler: Dialect._definition,
    ast.Global: Dialect._names,
    ast.Nonlocal: Dialect._names,
    ast.Import: Dialect._import,
    ast.ImportFrom: Dialect._import,
    ast.MatchClass: Dialect._match_class,
    ast.MatchValue: Dialect._match_value,
    ast.MatchMapping: Dialect._match_rest,
    ast.MatchStar: Dialect._definition,
    ast.MatchAs: Dialect._definition,
    **{
        getattr(ast, kind): Dialect._definition
        for kind in ("TypeVar", "ParamSpec", "TypeVarTuple")
        if hasattr(ast, kind)
    },
}
