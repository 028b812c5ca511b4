"""References of an expression of a source text, and what a parameter of its own may be given."""

import ast
from collections.abc import Callable, Iterator
from typing import Any

from sandbox.audit.reward.reading.folding import Unknown
from sandbox.audit.reward.reading.functions import Function
from sandbox.audit.reward.reading.scopes import Binding, Scopes

UNKNOWN = "?"  # in a set of references: it may be something else
OWN_FUNCTION, OWN_CLASS, OWN_INSTANCE = "own function", "own class", "own instance"
SANDBOX_INSTANCE = "sandbox instance"
OPAQUE = frozenset((UNKNOWN, OWN_FUNCTION, OWN_CLASS, OWN_INSTANCE, SANDBOX_INSTANCE))
_DEEPEST = 40
Constants = Callable[[ast.expr | None], list[Any] | None]


class References:
    """Answers for one module. `constants` says which values an expression may have.

    `exhausted` is true once a source was so tangled that the answers are no longer complete. What
    answering may cost is `steps_left` of `scopes`, in proportion to the source.
    """

    def __init__(self, scopes: Scopes, constants: Constants) -> None:
        self.scopes = scopes
        self._constants = constants
        self._busy: set[int] = set()
        self._too_deep = False
        self._made_elsewhere: bool | None = None

    @property
    def exhausted(self) -> bool:
        """True if some answers are not complete."""
        return self._too_deep or self.scopes.steps_left < 0

    def step(self, count: int = 1) -> None:
        """Pay for some work. Raises Unknown when there was too much of it."""
        self.scopes.steps_left -= count
        if self.scopes.steps_left < 0:
            raise Unknown

    def of(self, node: ast.expr | None) -> frozenset[str]:
        """Return what `node` may be: dotted names of imports and builtins, the markers above."""
        try:
            return self._of(node, 0)
        except Unknown:
            return frozenset((UNKNOWN,))

    def _of(self, node: ast.expr | None, depth: int) -> frozenset[str]:
        self.step()
        if node is None or id(node) in self._busy:
            return frozenset((UNKNOWN,))
        if depth > _DEEPEST:
            self._too_deep = True
            raise Unknown
        self._busy.add(id(node))
        try:
            return frozenset(self._refer(node, depth + 1)) or frozenset((UNKNOWN,))
        finally:
            self._busy.discard(id(node))

    def _refer(self, node: ast.expr, depth: int) -> Iterator[str]:
        match node:
            case ast.Name(id=name):
                scope, bindings = self.scopes.find(name, self.scopes.at(node))
                if scope is None or self.scopes.falls_back(name, scope):
                    yield f"builtins.{name}"
                for binding in bindings:
                    yield from self._bound(binding, depth)
            case ast.Attribute(value=base, attr=attr):
                yield from (_member(ref, attr) for ref in self._of(base, depth))
            case ast.Call(func=func, args=args):
                for ref in self._of(func, depth):
                    yield from self._made(ref, args, depth)
            case ast.IfExp(body=body, orelse=other):
                yield from self._of(body, depth) | self._of(other, depth)
            case ast.BoolOp(values=parts):
                for part in parts:
                    yield from self._of(part, depth)
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                yield from self._of(value, depth)
            case ast.Lambda():
                yield OWN_FUNCTION
            case _:
                yield UNKNOWN

    def _bound(self, binding: Binding, depth: int) -> Iterator[str]:
        if binding.kind == "import":
            yield binding.ref
        elif binding.kind in ("function", "class"):
            yield OWN_FUNCTION if binding.kind == "function" else OWN_CLASS
        elif binding.kind == "assign":
            yield from self._of(binding.value, depth)
        else:
            yield UNKNOWN

    def _made(self, ref: str, args: list[ast.expr], depth: int) -> Iterator[str]:
        if ref == "builtins.getattr" and len(args) >= 2:
            names = self._constants(args[1])
            for name in names if names is not None else [None]:
                for base in self._of(args[0], depth):
                    yield _member(base, name) if isinstance(name, str) else UNKNOWN
        elif ref == "sandbox.Sandbox":
            yield SANDBOX_INSTANCE
        else:
            yield OWN_INSTANCE if ref == OWN_CLASS else UNKNOWN

    # -- parameters

    def given(self, parameter: ast.arg) -> list[ast.expr]:
        """Return every expression that `parameter` may get. Raises Unknown if others may come."""
        function = self.scopes.parent[id(self.scopes.parent[id(parameter)])]
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            raise Unknown
        owner = self.scopes.methods.get(id(function))
        if owner is not None and (function.name != "__init__" or self._made_in_other_ways()):
            raise Unknown
        named = owner or function
        if named.decorator_list or parameter in (function.args.vararg, function.args.kwarg):
            raise Unknown
        calls, default = self._calls_of(named), _default(function, parameter)
        positions = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        if (not calls and (owner is None or default is None)) or "completions" in positions:
            raise Unknown  # the trainer calls it, with what it likes
        found = [] if default is None else [default]
        for call in calls:
            found += _given(call, parameter.arg, positions[owner is not None :], default)
        return found

    def _made_in_other_ways(self) -> bool:
        """Return True if a class of the source may be called by another name than its own."""
        if self._made_elsewhere is None:
            self._made_elsewhere = self._look_for_other_ways()
        return self._made_elsewhere

    def _look_for_other_ways(self) -> bool:
        names = self.scopes.names
        attributes = (
            node for node in ast.walk(self.scopes.tree) if isinstance(node, ast.Attribute)
        )
        return bool(names.keys() & {"classmethod", "type", "cls"}) or any(
            node.attr in ("__init__", "__class__", "__new__") for node in attributes
        )

    def _calls_of(
        self, named: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ) -> list[ast.Call]:
        """Return the calls of an own function or class. Raises Unknown if it has another use."""
        calls = []
        written = self.scopes.names.get(named.name, [])
        self.step(len(written))
        for node in written:
            _, bindings = self.scopes.find(named.name, self.scopes.at(node))
            if all(binding.node is not named for binding in bindings):
                continue
            parent = self.scopes.parent[id(node)]
            if not isinstance(parent, ast.Call) or parent.func is not node:
                raise Unknown
            calls.append(parent)
        return calls


def _member(ref: str, attr: str) -> str:
    return UNKNOWN if ref in OPAQUE else f"{ref}.{attr}"


def _default(function: Function, parameter: ast.arg) -> ast.expr | None:
    a = function.args
    plain = [each.arg for each in (*a.posonlyargs, *a.args)]
    defaults = dict(zip(plain[len(plain) - len(a.defaults) :], a.defaults, strict=True))
    named = zip(a.kwonlyargs, a.kw_defaults, strict=True)
    return {**defaults, **{each.arg: value for each, value in named if value}}.get(parameter.arg)


def _given(
    call: ast.Call, name: str, positions: list[str], default: ast.expr | None
) -> list[ast.expr]:
    if any(isinstance(arg, ast.Starred) for arg in call.args):
        raise Unknown
    if any(keyword.arg is None for keyword in call.keywords):
        raise Unknown
    found = [keyword.value for keyword in call.keywords if keyword.arg == name]
    index = positions.index(name) if name in positions else len(call.args)
    if index < len(call.args):
        found.append(call.args[index])
    if not found and default is None:
        raise Unknown
    return found
