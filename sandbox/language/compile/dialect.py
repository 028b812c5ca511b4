"""The dialect: what a guest may write, and the few places where the compiler puts a guard.

What is not in a table is refused, so that a node of a later Python is denied until a maintainer has
looked at it. Nodes are changed in place: what needs a guard becomes a call by changing its class,
so that no node needs a link to its parent.
"""

import ast
from collections.abc import Callable
from typing import Any

from sandbox.language.compile import names, patterns, rewriting
from sandbox.language.compile.names import GUARDED, PLAIN, REFUSED
from sandbox.language.compile.nodes import CHILDREN
from sandbox.language.compile.scopes import Scope
from sandbox.language.compile.walk import Refusal, TreeWalk


class Dialect(TreeWalk):
    """The checks, by the kinds of nodes that they are for."""

    def _nested(self, node: ast.AST) -> None:
        """Open a scope for a lambda, a comprehension or a class, which asks for itself."""
        self._open(Scope())

    def _loop(self, node: ast.AST) -> None:
        self._scopes[-1].loops = True

    def _read(self, node: ast.Attribute) -> None:
        kind = names.read_kind(node.attr)
        if kind == PLAIN:
            self._plain_attributes.add(node.attr)
        elif kind == REFUSED:
            self._refuse_attribute(node)
        elif kind == GUARDED:
            value, name = node.value, node.attr
            if rewriting.guard_read(node) and name in names.FREE_NAMES:
                self._scopes[-1].read(node, value, name)

    def _refuse_attribute(self, node: ast.Attribute) -> None:
        line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
        what = f"attribute '{node.attr}' is denied"
        self.refusals.append(Refusal(what, line, end - len(node.attr) + 1))

    def _store(self, node: ast.Attribute) -> None:
        """Check a store. It needs no guard: what a guest may not write to refuses by itself."""
        name = node.attr
        kind = names.store_kind(name)
        if kind == GUARDED:
            self.error(node, f"assigning '{name}' here is denied; setattr() and delattr() look")
        elif kind == REFUSED:
            self.error(node, f"assigning the attribute '{name}' is denied")
        elif name in names.NOTICED_STORES:
            rewriting.noticed_store(node)

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
        """Open a scope for the body; decorators, defaults and annotations are the outer one's."""
        stack, name = self._stack, node.name
        if node.decorator_list:
            stack += node.decorator_list
        self.annotate([*self._parameters(node.args), *([node.returns] if node.returns else [])])
        if name in names.SHOWN:  # the outermost: no decorator may put another in its place
            node.decorator_list.insert(0, rewriting.load(rewriting.place(node), rewriting.SHOW))
        elif name[:2] == "__" or name in self._watched:
            self.binding(node, name)
        if _HAS_TYPE_PARAMETERS:
            stack += node.type_params  # type: ignore[union-attr, unused-ignore]
        self._open(Scope(node))

    def _parameters(self, node: ast.arguments) -> list[ast.expr]:
        """Look at the names of parameters and push defaults; return the annotations."""
        annotations, stack = [], self._stack
        for arg in (*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg):
            if arg is not None:
                if arg.arg[:2] == "__":
                    self._argument(arg)
                if arg.annotation is not None:
                    annotations.append(arg.annotation)
        stack += node.defaults
        stack.extend(default for default in node.kw_defaults if default is not None)
        return annotations

    def _annotated(self, node: ast.AnnAssign) -> None:
        self.annotate([node.annotation])

    def _scoped_name(self, node: Any) -> None:
        self._named(node)
        self._open(Scope())

    def _call(self, node: ast.Call) -> None:
        if self._scopes[-1].function is not None and rewriting.is_type_of(node):
            rewriting.type_of(node)

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
        self._fixed.update(node.names)
        for name in node.names:
            self.binding(node, name)

    def _walrus(self, node: ast.NamedExpr) -> None:
        self._fixed.add(node.target.id)  # in a comprehension it binds outside of it

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if (name[:2] == "__" or name in self._watched) and (
                alias.asname or name not in _NOT_BOUND
            ):
                self.binding(alias, name)
            if alias.asname and type(node) is ast.Import:
                rewriting.walked_import(alias)


_Name, _Attribute, _Load = ast.Name, ast.Attribute, ast.Load
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_HAS_TYPE_PARAMETERS = "type_params" in ast.FunctionDef._fields
_TYPE_PARAMETERS = ("TypeVar", "ParamSpec", "TypeVarTuple")
_NOT_BOUND = ("__future__", "__main__")
_IDENTITY = (ast.Is, ast.IsNot)
CHECKS: dict[type, Callable[[Any, Any], None]] = {
    ast.Name: Dialect.variable,
    ast.Attribute: Dialect._store,  # a read is looked at in the walk
    ast.Call: Dialect._call,
    ast.Assign: Dialect._assign,
    ast.AugAssign: Dialect._augmented,
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), Dialect._function),
    ast.Compare: Dialect._compare,
    ast.NamedExpr: Dialect._walrus,
    **dict.fromkeys((ast.Lambda, *_COMPREHENSIONS), Dialect._nested),
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.While), Dialect._loop),
    ast.ClassDef: Dialect._class,
    ast.AnnAssign: Dialect._annotated,
    ast.arg: Dialect._argument,
    **dict.fromkeys((ast.Global, ast.Nonlocal), Dialect._names),
    **dict.fromkeys((ast.Import, ast.ImportFrom), Dialect._import),
    ast.Match: lambda _, node: patterns.guard_classes(node),
    ast.TryStar: lambda _, node: rewriting.star(node),
    ast.MatchClass: patterns.check_class,
    ast.MatchValue: patterns.check_value,
    ast.MatchMapping: patterns.check_mapping,
    **dict.fromkeys((ast.ExceptHandler, ast.MatchStar, ast.MatchAs), Dialect._named),
    **{getattr(ast, k): Dialect._scoped_name for k in _TYPE_PARAMETERS if hasattr(ast, k)},
    **{getattr(ast, k): Dialect._nested for k in ("TypeAlias",) if hasattr(ast, k)},
}
SHAPES = {kind: (CHECKS.get(kind), *fields) for kind, fields in CHILDREN.items()}
Dialect.shapes = SHAPES
