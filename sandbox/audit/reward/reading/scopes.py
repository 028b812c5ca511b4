"""Bindings that a name in a source text may mean: scopes, parents and own attributes of one tree.

Flow-insensitive on purpose: every binding of a name counts wherever the name is read, so an order
of statements, a branch or a loop cannot hide one.
"""

import ast
import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sandbox.audit.reward.reading.functions import (
    FUNCTIONS,
    Function,
    arguments,
    is_static,
    outside,
    own_nodes,
)

# What following names may cost: each look at a name, each of its bindings, each value is a step.
_STEPS, _STEPS_PER_NODE = 50_000, 20
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(slots=True)
class Binding:
    """One way that a name gets a value.

    `kind` is `import`, `assign` (`value` is the expression), `item` (one of `value`'s items),
    `function`, `class`, `parameter`, or `other`, which may be anything.
    """

    kind: str
    node: ast.AST
    value: ast.expr | None = None
    ref: str = ""  # of an import: the dotted name


@dataclass(slots=True)
class Scope:
    """One namespace of the source: the module's, a class's, a function's, a comprehension's."""

    node: ast.AST
    parent: "Scope | None" = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)  # name: "global" or "nonlocal"

    @property
    def is_class(self) -> bool:
        """True for a class body, whose names its functions do not see."""
        return isinstance(self.node, ast.ClassDef)


class Scopes:
    """The names of one module. `scope` and `parent` are by the id of a node."""

    def __init__(self, tree: ast.Module, exports: Mapping[str, Iterable[str]]) -> None:
        """`exports` says which names a star import of a module binds."""
        self.tree = tree
        self.steps_left = _STEPS + _STEPS_PER_NODE * sum(1 for _ in ast.walk(tree))
        self._exports = exports
        self.module = Scope(tree)
        self.all: list[Scope] = [self.module]
        self.scope: dict[int, Scope] = {}
        self.parent: dict[int, ast.AST] = {}
        self.own_attributes: dict[str, list[ast.expr | None]] = {}  # None: may be anything
        self.methods: dict[int, ast.ClassDef] = {}  # a function that stands in a class body
        self.names: dict[str, list[ast.Name]] = {}  # where each is written
        self._outer: list[tuple[Scope, str, Binding]] = []
        self._walk(tree, self.module)
        for scope, name, binding in self._outer:
            home = self.find(name, scope)[0] or self.module
            home.bindings.setdefault(name, []).append(binding)

    def find(self, name: str, scope: Scope) -> tuple[Scope | None, list[Binding]]:
        """Return the scope and the bindings that `name` has where it is read in `scope`."""
        found = self._find(name, scope)
        self.steps_left -= 1 + len(found[1])
        return found

    def _find(self, name: str, scope: Scope) -> tuple[Scope | None, list[Binding]]:
        if scope.elsewhere.get(name) == "global":
            return self.module, self.module.bindings.get(name, [])
        at: Scope | None = scope
        while at is not None:
            seen = at is scope or not at.is_class
            if seen and name in at.bindings and at.elsewhere.get(name) != "nonlocal":
                # What a class body has not bound yet it reads from around it (LOAD_NAME).
                outer = self._find(name, at.parent)[1] if at.is_class and at.parent else []
                return at, at.bindings[name] + outer
            at = at.parent
        return None, []

    def falls_back(self, name: str, scope: Scope | None) -> bool:
        """Return True if `name`, bound in `scope`, is the builtin where no binding was reached."""
        outside_functions = scope is None or scope is self.module or scope.is_class
        return outside_functions and hasattr(builtins, name)

    def at(self, node: ast.AST) -> Scope:
        """Return the scope that `node` stands in; the module's for a node not of the source."""
        return self.scope.get(id(node), self.module)

    def enclosing_function(self, node: ast.AST) -> Function | None:
        """Return the innermost function around `node`."""
        scope: Scope | None = self.scope.get(id(node))
        while scope is not None and not isinstance(scope.node, FUNCTIONS):
            scope = scope.parent
        return scope.node if scope is not None and isinstance(scope.node, FUNCTIONS) else None

    def is_self(self, node: ast.AST) -> bool:
        """Return True for the name of a method's first parameter, if nothing else binds it."""
        if not isinstance(node, ast.Name):
            return False
        scope, bindings = self.find(node.id, self.at(node))
        if scope is None or len(bindings) != 1 or bindings[0].kind != "parameter":
            return False
        owner = scope.node
        if id(owner) not in self.methods or not isinstance(owner, FUNCTIONS):
            return False
        first = [*owner.args.posonlyargs, *owner.args.args][:1]
        return bool(first) and first[0].arg == node.id and not is_static(owner)

    # -- making the tables

    def _bind(self, scope: Scope, name: str, binding: Binding) -> None:
        while isinstance(scope.node, _COMPREHENSIONS) and binding.kind == "walrus":
            assert scope.parent is not None
            scope = scope.parent
        if binding.kind == "walrus":
            binding.kind = "assign"
        if scope.elsewhere.get(name) == "global":
            scope = self.module
        elif scope.elsewhere.get(name) == "nonlocal":
            self._outer.append((scope, name, binding))  # its home may not have been walked yet
            return
        scope.bindings.setdefault(name, []).append(binding)

    def _walk(self, node: ast.AST, scope: Scope) -> None:
        self.scope[id(node)] = scope
        if isinstance(node, FUNCTIONS):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, scope)
        else:
            self._statement(node, scope)
            self._children(node, scope)

    def _children(self, node: ast.AST, scope: Scope) -> None:
        for child in ast.iter_child_nodes(node):
            self.parent[id(child)] = node
            self._walk(child, scope)

    def _comprehension(self, node: ast.AST, scope: Scope) -> None:
        """Walk a comprehension: Python evaluates the first sequence around it, the rest inside."""
        inner = self._enter(node, scope)
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        for each in generators:
            self._target(each.target, each.iter, inner, "item")
        for child in ast.iter_child_nodes(node):
            self.parent[id(child)] = node
            if child is not generators[0]:
                self._walk(child, inner)
                continue
            self.scope[id(child)] = inner
            for part in ast.iter_child_nodes(child):
                self.parent[id(part)] = child
                self._walk(part, scope if part is generators[0].iter else inner)

    def _enter(self, node: ast.AST, parent: Scope) -> Scope:
        scope = Scope(node, parent)
        self.all.append(scope)
        return scope

    def _function(self, node: Function, scope: Scope) -> None:
        inner = self._enter(node, scope)
        if not isinstance(node, ast.Lambda):
            self._bind(scope, node.name, Binding("function", node))
            if scope.is_class and isinstance(scope.node, ast.ClassDef):
                self.methods[id(node)] = scope.node
                self.own_attributes.setdefault(node.name, []).append(None)
            for statement in node.body:
                self._declare(statement, inner)
        for argument in arguments(node):
            self._bind(inner, argument.arg, Binding("parameter", argument))
        apart = {id(item) for item in outside(node)}
        for child in ast.iter_child_nodes(node):
            self.parent[id(child)] = node
            if isinstance(child, ast.arguments):
                self.scope[id(child)] = inner
                for part in ast.iter_child_nodes(child):
                    self.parent[id(part)] = child
                    self._walk(part, scope if id(part) in apart else inner)
            else:
                self._walk(child, scope if id(child) in apart else inner)

    def _declare(self, node: ast.AST, scope: Scope) -> None:
        """Note `global` and `nonlocal`: they hold for the whole function, wherever they stand."""
        for each in own_nodes(node):
            if isinstance(each, (ast.Global, ast.Nonlocal)):
                kind = "global" if isinstance(each, ast.Global) else "nonlocal"
                scope.elsewhere.update(dict.fromkeys(each.names, kind))

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        self._bind(scope, node.name, Binding("class", node))
        inner = self._enter(node, scope)
        for statement in node.body:
            self._declare(statement, inner)
        body = {id(statement) for statement in node.body}
        for child in ast.iter_child_nodes(node):
            self.parent[id(child)] = node
            self._walk(child, inner if id(child) in body else scope)
        for name, bindings in inner.bindings.items():
            # A decorator or a base may make an __init__ that gives them other values.
            plain = not node.decorator_list and not node.bases
            values = [each.value if plain and each.kind == "assign" else None for each in bindings]
            self.own_attributes.setdefault(name, []).extend(values)

    def _statement(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.Name(id=name):
                self.names.setdefault(name, []).append(node)
            case ast.Import(names=names):
                for alias in names:
                    name = alias.asname or alias.name.partition(".")[0]
                    ref = alias.name if alias.asname else name
                    self._bind(scope, name, Binding("import", node, ref=ref))
            case ast.ImportFrom(names=names):
                self._from(node, names, scope)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._target(target, value, scope, "assign")
            case ast.AnnAssign(target=target, value=value):
                self._target(target, value, scope, "assign")
            case ast.NamedExpr(target=target, value=value):
                self._bind(scope, target.id, Binding("walrus", node, value))
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                self._target(target, value, scope, "item")
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                self._target(target, value, scope, "assign")
            case ast.AugAssign(target=target):
                self._target(target, None, scope, "other")
            case ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
                self._bind(scope, name, Binding("other", node))
            case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
                self._bind(scope, name, Binding("other", node))
            case ast.Delete(targets=targets):
                for target in targets:
                    self._target(target, None, scope, "other")
            case _ if type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):
                self._bind(scope, node.name, Binding("other", node))  # type: ignore[attr-defined]
            case _ if type(node).__name__ == "TypeAlias":
                name_node = node.name  # type: ignore[attr-defined]
                self._bind(scope, name_node.id, Binding("other", node))

    def _from(self, node: ast.ImportFrom, names: list[ast.alias], scope: Scope) -> None:
        for alias in names:
            star = alias.name == "*"
            for name in self._exports.get(node.module or "", ()) if star else (alias.name,):
                ref = f"{node.module or ''}.{name}"
                self._bind(scope, alias.asname or name, Binding("import", node, ref=ref))

    def _target(self, target: ast.expr, value: ast.expr | None, scope: Scope, kind: str) -> None:
        match target:
            case ast.Name(id=name):
                known = kind if value is not None else "other"
                self._bind(scope, name, Binding(known, target, value))
            case ast.Attribute(attr=attr):
                own = value if kind == "assign" else None
                self.own_attributes.setdefault(attr, []).append(own)
            case ast.Starred(value=inner):
                self._target(inner, None, scope, "other")
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                values = getattr(value, "elts", None) if kind == "assign" else None
                starred = any(isinstance(each, ast.Starred) for each in (*parts, *(values or ())))
                if values is None or len(values) != len(parts) or starred:
                    values = [None] * len(parts)
                for part, each in zip(parts, values, strict=True):
                    self._target(part, each, scope, kind)
