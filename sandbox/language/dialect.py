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
        # Not `super().__init__()`: what it sets up is for ways of rewriting that are not ours.
        self._may_keep = not sees_ends
        self.refusals: list[Refusal] = []
        self._literal_match_args: set[int] = set()
        self._stack: list[Any] = []
        self._scopes = [Scope()]
        self._watched: dict[str | None, int] = {}  # first parameters of the functions around us
        self._plain: set[str] = set()  # names of variables that need no second look
        self._plain_attributes: set[str] = set()  # names that may be read on any object

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
        pop, push = stack.pop, stack.append
        plain, plain_attributes = self._plain, self._plain_attributes
        push(tree)
        while stack:
            node = pop()
            kind = type(node)
            shape = SHAPES.get(kind)
            if shape is None:
                self._other(node)
                continue
            check, singles, lists = shape
            values = node.__dict__
            if check is None:
                pass
            elif kind is _Attribute and type(values["ctx"]) is _Load:
                if values["attr"] not in plain_attributes:
                    values = values.copy()  # the check may make another node of it
                    self._read(node)
            elif kind is _Call:
                if type(values["func"]) is _Name and values["func"].id == "type":
                    values = values.copy()
                    check(self, node)
            elif kind is not _Assign or type(values["targets"][0]) is _Attribute:
                values = values.copy()
                check(self, node)
            for field in singles:
                child = values[field]
                kind = type(child)
                if kind is _Name:
                    if child.id not in plain:
                        self.variable(child)
                elif kind is not _Constant and child is not None:
                    push(child)
            for field in lists:
                for child in values[field]:
                    kind = type(child)
                    if kind is _Name:
                        if child.id not in plain:
                            self.variable(child)
                    elif kind is not _Constant and child is not None:
                        push(child)  # None: a key of `{**d}`, an absent default

    def close(self, tree: ast.AST) -> None:
        """Finish the tree of a whole program: nothing else binds the module's variables."""
        if self._may_keep:
            self._scopes[0].spare_questions(tree)

    def _other(self, node: Any) -> None:
        """The end of a scope, or a node that is in no table."""
        if type(node) is not Scope:
            self.not_allowed(node)
            return
        self._scopes.pop()
        if node.function is not None:
            node.close(self._may_keep)
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
            self._plain.discard(scope.name)

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

    def variable(self, node: ast.Name) -> None:
        """Look at a variable, read or bound."""
        name = node.id
        if name[:2] == "__":
            self._dunder(node)
        elif name not in self._watched:
            self._plain.add(name)
        elif type(node.ctx) is not _Load:
            self._rebound(name)

    def _dunder(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            if not names.may_read_variable(node.id):
                self.error(node, f"name '{node.id}' is denied")
        elif id(node) not in self._literal_match_args:
            self.binding(node, node.id)

    def binding(self, node: ast.AST, name: str | None) -> None:
        """Look at a name that is bound by `node`."""
        if name is None:
            return
        if name in self._watched:
            self._rebound(name)
        if name[:2] == "__" and not names.may_bind(name):
            self.error(node, f"binding the name '{name}' is denied")

    def _read(self, node: ast.Attribute) -> None:
        kind = names.read_kind(node.attr)
        if kind == PLAIN:
            self._plain_attributes.add(node.attr)
        elif kind == REFUSED:
            self._refuse_attribute(node)
        elif kind == GUARDED:
            value = node.value
            rewriting.guard_read(node)
            self._use(value, node)

    def _refuse_attribute(self, node: ast.Attribute) -> None:
        line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
        what = f"attribute '{node.attr}' is denied"
        self.refusals.append(Refusal(what, line, end - len(node.attr) + 1))

    def _store(self, node: ast.Attribute) -> None:
        name = node.attr
        kind = names.store_kind(name)
        if kind == PLAIN:
            scope, value = self._scopes[-1], node.value
            in_module = len(self._scopes) == 1
            has_variables = in_module or scope.function is not None
            if has_variables and type(value) is _Name:
                scope.store(node)
            else:
                node.value = rewriting.writable(value, self._may_keep and has_variables, in_module)
        elif kind == GUARDED:
            self.error(node, f"assigning '{name}' here is denied; setattr() and delattr() look")
        else:
            self.error(node, f"assigning the attribute '{name}' is denied")

    def _assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if type(target) is not _Attribute or len(node.targets) > 1:
            return
        if names.store_kind(target.attr) == GUARDED:
            rewriting.guarded_store(node, target)

    def _augmented(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Attribute) and names.read_kind(target.attr) == GUARDED:
            self._stack.append(target.value)  # it will hang elsewhere, where the walk does not come
            rewriting.augmented(node, target)

    def _named(self, node: Any) -> None:
        self.binding(node, node.name)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Its body is a scope; decorators, defaults and annotations belong to the one around it."""
        self._stack += node.decorator_list
        if node.returns is not None:
            self._stack.append(node.returns)
        self._parameters(node.args)
        if node.name in names.SHOWN:  # the outermost: no decorator may put another in its place
            node.decorator_list.insert(0, rewriting.load(rewriting.place(node), rewriting.SHOW))
        else:
            self.binding(node, node.name)
        self._stack += getattr(node, "type_params", ())
        self._open(Scope(node))

    def _parameters(self, node: ast.arguments) -> None:
        """Push what of the parameters is worth a look: most are a name that anything may have."""
        for arg in node.args:
            if arg.annotation is not None or arg.arg[:2] == "__":
                self._stack.append(arg)
        self._stack += node.defaults
        if node.posonlyargs or node.kwonlyargs or node.vararg or node.kwarg:
            others = (*node.posonlyargs, *node.kwonlyargs, node.vararg, node.kwarg)
            self._stack.extend(other for other in (*others, *node.kw_defaults) if other)

    def _call(self, node: ast.Call) -> None:
        if rewriting.is_type_of(node):
            rewriting.type_of(node, len(self._scopes) == 1)

    def _compare(self, node: ast.Compare) -> None:
        if type(node.ops[0]) not in _IDENTITY or len(node.ops) > 1:
            return
        if rewriting.is_type_of(node.left) and rewriting.is_type_of(node.comparators[0]):
            rewriting.same_type(node)

    def _class(self, node: ast.ClassDef) -> None:
        self.binding(node, node.name)
        self._open(Scope())
        self._literal_match_args.update(map(id, patterns.literal_match_args(node)))

    def _argument(self, node: ast.arg) -> None:
        if node.arg[:2] == "__" and not names.may_bind(node.arg):
            self.error(node, f"binding the name '{node.arg}' is denied")

    def _names(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self.binding(node, name)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.asname or not alias.name.startswith(("*", "__future__", "__main__")):
                self.binding(alias, alias.asname or alias.name.partition(".")[0])


_Name, _Constant, _Attribute, _Load = ast.Name, ast.Constant, ast.Attribute, ast.Load
_Call, _Assign = ast.Call, ast.Assign
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TYPE_PARAMETERS = ("TypeVar", "ParamSpec", "TypeVarTuple")
_IDENTITY = (ast.Is, ast.IsNot)
CHECKS: dict[type, Callable[[Any, Any], None]] = {
    ast.Name: Dialect.variable,
    ast.Attribute: Dialect._store,  # a read is looked at in the walk
    ast.Call: Dialect._call,
    ast.Assign: Dialect._assign,
    ast.AugAssign: Dialect._augmented,
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), Dialect._function),
    ast.Compare: Dialect._compare,
    **dict.fromkeys((ast.Lambda, *_COMPREHENSIONS), Dialect._nested),
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.While), Dialect._loop),
    ast.ClassDef: Dialect._class,
    ast.arg: Dialect._argument,
    **dict.fromkeys((ast.Global, ast.Nonlocal), Dialect._names),
    **dict.fromkeys((ast.Import, ast.ImportFrom), Dialect._import),
    ast.Match: lambda d, node: patterns.guard_classes(node, d._scopes[-1].function is not None),
    ast.TryStar: lambda _, node: rewriting.star(node),
    ast.MatchClass: patterns.check_class,
    ast.MatchValue: patterns.check_value,
    ast.MatchMapping: patterns.check_mapping,
    **dict.fromkeys((ast.ExceptHandler, ast.MatchStar, ast.MatchAs), Dialect._named),
    **{getattr(ast, k): Dialect._named for k in _TYPE_PARAMETERS if hasattr(ast, k)},
}
SHAPES = {kind: (CHECKS.get(kind), *fields) for kind, fields in CHILDREN.items()}
