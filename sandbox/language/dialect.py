"""The dialect: what a guest may write, and the few places where the compiler puts a guard.

One iterative pass over the tree, driven by tables. What is not in a table is refused, so that a
node of a later Python is denied until somebody has looked at it. Nodes are changed in place: what
needs a guard becomes a call by changing its class, so that no node needs a link to its parent.
"""

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from RestrictedPython.transformer import RestrictingNodeTransformer

from sandbox.language import names, patterns, rewriting
from sandbox.language.names import GUARDED, PLAIN, REFUSED
from sandbox.language.nodes import CHILDREN
from sandbox.language.scopes import Scope


class Refusal(NamedTuple):
    """One thing that the dialect does not allow, and where: both count from 1."""

    what: str
    line: int
    column: int


class Dialect(RestrictingNodeTransformer):
    """Checks and rewrites one tree. `refusals` is empty if the program may run.

    A program that `sees_ends` of objects gets no variable of ours that keeps one a little longer.
    """

    def __init__(self, *, sees_ends: bool = False) -> None:
        super().__init__()
        self._may_keep = not sees_ends
        self.refusals: list[Refusal] = []
        self._literal_match_args: set[int] = set()
        self._stack: list[Any] = []
        self._scopes = [Scope()]
        self._watched: dict[str | None, int] = {}  # first parameters of the functions around us

    def error(self, node: ast.AST, info: str) -> None:
        """Record a refusal, at the place of `node`."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        self.refusals.append(Refusal(info, line, column + 1))

    def rewrite(self, tree: ast.AST) -> None:
        """Check the whole tree and put the guards in, without recursion.

        Half of all nodes are names and constants, and most of the rest are attributes: they are
        looked at here, where they need no call.
        """
        stack = self._stack
        pop, extend, push, watched = stack.pop, stack.extend, stack.append, self._watched
        push(tree)
        while stack:
            node = pop()
            kind = type(node)
            if kind is _Name:
                name = node.id
                if name in watched and type(node.ctx) is not _Load:
                    self._rebound(name)
                if name[:2] == "__":
                    self._variable(node)
                continue
            if kind is _Constant or node is None:  # None: a key of `{**d}`, an absent default
                continue
            values = node.__dict__
            if kind is _Attribute and type(values["ctx"]) is _Load:
                name = values["attr"]
                push(values["value"])
                if name in _NOT_PLAIN or name[:2] == "__":
                    self._attribute(node)
                continue
            children_of = CHILDREN.get(kind)
            if children_of is None:
                self._other(node)
                continue
            children = children_of(values)
            check = CHECKS.get(kind)
            if check is not None:
                check(self, node)
            for child in children:
                if type(child) is list:
                    extend(child)
                elif child is not None:
                    push(child)

    def _other(self, node: Any) -> None:
        """The end of a scope, or a node that is in no table."""
        if type(node) is not Scope:
            self.not_allowed(node)
            return
        node.close()
        self._scopes.pop()
        if node.name is not None:
            self._watched[node.name] -= 1
            if not self._watched[node.name]:
                del self._watched[node.name]

    def _open(self, scope: Scope) -> None:
        """What is pushed from here on, and nothing else, is walked before the scope is closed."""
        self._stack.append(scope)
        self._scopes.append(scope)
        if scope.name is not None:
            self._watched[scope.name] = self._watched.get(scope.name, 0) + 1

    def _rebound(self, name: str) -> None:
        for scope in self._scopes:
            scope.rebound |= scope.name == name

    def _nested(self, node: ast.AST) -> None:
        """A lambda, a comprehension or a class: another scope, which asks for itself."""
        self._open(Scope())

    def _loop(self, node: ast.AST) -> None:
        self._scopes[-1].loops = True

    def _use(self, value: ast.expr, use: ast.expr) -> None:
        """Note a question that was put about the first parameter of the function around us."""
        scope = self._scopes[-1]
        if isinstance(use, ast.IfExp) and isinstance(value, ast.Name) and value.id == scope.name:
            scope.uses.append(use)

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a node: it is unknown, or nobody has found it safe."""
        self.error(node, f"'{type(node).__name__}' is not part of the language")

    def _variable(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            if not names.may_read_variable(node.id):
                self.error(node, f"name '{node.id}' is denied")
        elif id(node) not in self._literal_match_args:
            self._binding(node, node.id)

    def _binding(self, node: ast.AST, name: str | None) -> None:
        if name is None:
            return
        if name in self._watched:
            self._rebound(name)
        if name[:2] == "__" and not names.may_bind(name):
            self.error(node, f"binding the name '{name}' is denied")

    def _attribute(self, node: ast.Attribute) -> None:
        if type(node.ctx) is not ast.Load:
            self._store(node, node.attr)
            return
        kind = names.read_kind(node.attr)
        if kind == REFUSED:
            self._refuse_attribute(node)
        elif kind == GUARDED:
            value = node.value
            rewriting.guard_read(node)
            self._use(value, node)

    def _refuse_attribute(self, node: ast.Attribute) -> None:
        column = (node.end_col_offset or 0) - len(node.attr)
        line = node.end_lineno or node.lineno
        self.refusals.append(Refusal(f"attribute '{node.attr}' is denied", line, column + 1))

    def _store(self, node: ast.Attribute, name: str) -> None:
        kind = names.store_kind(name)
        if kind == PLAIN:
            value = node.value
            scope = self._scopes[-1]
            has_variables = scope.function is not None or len(self._scopes) == 1
            node.value = rewriting.writable(value, self._may_keep and has_variables)
            self._use(value, node.value)
        elif kind == GUARDED:
            self.error(node, f"assigning '{name}' here is denied; setattr() and delattr() look")
        else:
            self.error(node, f"assigning the attribute '{name}' is denied")

    def _assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or len(node.targets) > 1:
            return
        if names.store_kind(target.attr) == GUARDED:
            rewriting.guarded_store(node, target)

    def _augmented(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Attribute) and names.read_kind(target.attr) == GUARDED:
            self._stack.append(target.value)  # it will hang elsewhere, where the walk does not come
            rewriting.augmented(node, target)

    def _named(self, node: Any) -> None:
        self._binding(node, node.name)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Its body is a scope; decorators, defaults and annotations belong to the one around it."""
        self._stack.extend((node.args, node.returns, *node.decorator_list))
        if node.name in names.SHOWN:  # the outermost: no decorator may put another in its place
            node.decorator_list.insert(0, rewriting.load(node, rewriting.SHOW))
        else:
            self._binding(node, node.name)
        self._stack.extend(getattr(node, "type_params", ()))
        self._open(Scope(node))

    def _call(self, node: ast.Call) -> None:
        function, arguments = node.func, node.args
        if (
            isinstance(function, ast.Name)
            and function.id == "type"
            and len(arguments) == 1
            and isinstance(arguments[0], ast.Name)
            and not node.keywords
        ):
            rewriting.type_of(node)

    def _class(self, node: ast.ClassDef) -> None:
        self._binding(node, node.name)
        self._open(Scope())
        for statement in node.body:
            if isinstance(statement, ast.Assign) and _is_match_args(statement):
                self._match_args(statement)

    def _match_args(self, statement: ast.Assign) -> None:
        """`__match_args__` says what a class pattern reads: it must be there to be checked."""
        if isinstance(statement.value, ast.Tuple) and all(map(_may_match, statement.value.elts)):
            self._literal_match_args.add(id(statement.targets[0]))

    def _argument(self, node: ast.arg) -> None:
        if names.is_dunder(node.arg) and not names.may_bind(node.arg):
            self.error(node, f"binding the name '{node.arg}' is denied")

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


def _may_match(item: ast.expr) -> bool:
    return (
        isinstance(item, ast.Constant) and type(item.value) is str and names.may_match(item.value)
    )


def _is_match_args(statement: ast.Assign) -> bool:
    first, *others = statement.targets
    return not others and isinstance(first, ast.Name) and first.id == "__match_args__"


_Name, _Constant, _Attribute, _Load = ast.Name, ast.Constant, ast.Attribute, ast.Load
_NOT_PLAIN = names.GUARDED_NAMES | names.INSPECT
CHECKS: dict[type, Callable[[Any, Any], None]] = {
    ast.Attribute: Dialect._attribute,
    ast.Assign: Dialect._assign,
    ast.AugAssign: Dialect._augmented,
    ast.FunctionDef: Dialect._function,
    ast.AsyncFunctionDef: Dialect._function,
    ast.Call: Dialect._call,
    **dict.fromkeys((ast.Lambda, ast.GeneratorExp), Dialect._nested),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp), Dialect._nested),
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.While), Dialect._loop),
    ast.ClassDef: Dialect._class,
    ast.arg: Dialect._argument,
    **dict.fromkeys((ast.Global, ast.Nonlocal), Dialect._names),
    **dict.fromkeys((ast.Import, ast.ImportFrom), Dialect._import),
    ast.Match: patterns.guard_classes,
    ast.TryStar: lambda _, node: rewriting.star(node),
    ast.MatchClass: Dialect._match_class,
    ast.MatchValue: lambda dialect, node: dialect._dotted(node.value),
    ast.MatchMapping: Dialect._match_rest,
    **dict.fromkeys((ast.ExceptHandler, ast.MatchStar, ast.MatchAs), Dialect._named),
    **{
        getattr(ast, kind): Dialect._named
        for kind in ("TypeVar", "ParamSpec", "TypeVarTuple")
        if hasattr(ast, kind)
    },
}
