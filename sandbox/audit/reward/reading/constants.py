"""Constants that an expression of a source text may be.

The answer covers every binding of every name in it, so it may be relied on to call something
harmless; where a part is not known, there is no answer.
"""

import ast
import itertools
import operator
from collections.abc import Callable, Iterable
from typing import Any

from sandbox.audit.reward.reading.folding import (
    BINARY,
    FUNCTIONS,
    HEAVIEST,
    Unknown,
    call_method,
    make_dict,
    text_of,
    weight,
)
from sandbox.audit.reward.reading.references import References
from sandbox.audit.reward.reading.scopes import Binding, Scopes

_MOST, _DEEPEST = 64, 40
_WEIGHT_PER_STEP = 16
_READ_ONLY = frozenset(("join", "get", "keys", "values", "items", "index", "count"))
_ERRORS = (Unknown, ArithmeticError, LookupError, ValueError, TypeError, AttributeError)


class Constants:
    """Answers for the expressions of one module.

    `attributes_are_written` says that every attribute that is set is set by its written name.
    """

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.references = References(scopes, self.of)
        self._busy: set[int] = set()
        self.attributes_are_written = not scopes.names.keys() & {"setattr", "vars"} and not any(
            isinstance(node, ast.Attribute) and node.attr in ("__dict__", "__setattr__")
            for node in ast.walk(scopes.tree)
        )

    def of(self, node: ast.expr | None) -> list[Any] | None:
        """Return every constant that `node` may be, or None if it may be something else."""
        try:
            return self._possible(node, 0)
        except _ERRORS:
            return None

    def texts(self, node: ast.expr | None) -> list[str] | None:
        """Return the same, if all of them are text."""
        found = self.of(node)
        return found if found and all(type(value) is str for value in found) else None

    def _possible(self, node: ast.expr | None, depth: int) -> list[Any]:
        self.references.step()
        if node is None or depth > _DEEPEST or id(node) in self._busy:
            raise Unknown
        self._busy.add(id(node))
        try:
            found = self._fold(node, depth + 1)
        finally:
            self._busy.discard(id(node))
        weights = [weight(value) for value in found[: _MOST + 1]]
        self.references.step(sum(weights) // _WEIGHT_PER_STEP)
        if len(found) > _MOST or max(weights, default=0) > HEAVIEST:
            raise Unknown
        return found

    def _fold(self, node: ast.expr, depth: int) -> list[Any]:
        match node:
            case ast.Constant(value=value):
                return [value]
            case ast.Name():
                return self._name(node, depth)
            case ast.Attribute(value=base, attr=attr) if self.scopes.is_self(base):
                return self._own(attr, depth)
            case ast.JoinedStr(values=parts):
                return self._apply(lambda *texts: "".join(texts), parts, depth)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self._apply(text_of, [value], depth)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return self._apply(BINARY[type(op)], [left, right], depth)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._apply(operator.neg, [operand], depth)
            case ast.IfExp(body=body, orelse=other):
                return self._possible(body, depth) + self._possible(other, depth)
            case ast.BoolOp(values=parts):
                return [item for part in parts for item in self._possible(part, depth)]
            case ast.NamedExpr(value=value):
                return self._possible(value, depth)
            case ast.Tuple(elts=parts):
                return self._apply(lambda *items: items, parts, depth)
            case ast.List(elts=parts) | ast.Set(elts=parts):
                return self._apply(lambda *items: list(items), parts, depth)
            case ast.Dict(keys=keys, values=values):
                pairs = [part for pair in zip(keys, values, strict=True) for part in pair]
                return self._apply(make_dict, pairs, depth)
            case ast.Subscript(value=base, slice=ast.Slice(lower=a, upper=b, step=c)):
                bounds = [part or ast.Constant(None) for part in (a, b, c)]
                return self._apply(lambda o, *s: o[slice(*s)], [base, *bounds], depth)
            case ast.Subscript(value=base, slice=index):
                return self._apply(operator.getitem, [base, index], depth)
            case ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(node, depth)
            case ast.Call():
                return self._call(node, depth)
        raise Unknown

    def _apply(
        self, function: Callable[..., Any], parts: Iterable[ast.expr | None], depth: int
    ) -> list[Any]:
        choices = [self._possible(part, depth) for part in parts]
        combined = list(itertools.islice(itertools.product(*choices), _MOST + 1))
        if len(combined) > _MOST:
            raise Unknown
        return [function(*values) for values in combined]

    # -- names

    def _name(self, node: ast.Name, depth: int) -> list[Any]:
        scope, bindings = self.scopes.find(node.id, self.scopes.at(node))
        if scope is None or self.scopes.falls_back(node.id, scope):
            raise Unknown
        found: list[Any] = []
        for binding in bindings:
            found += self._bound(binding, depth)
        if any(isinstance(value, (list, dict)) for value in found) and not self._only_read(node):
            raise Unknown
        return found

    def _bound(self, binding: Binding, depth: int) -> list[Any]:
        if binding.kind == "assign":
            return self._possible(binding.value, depth)
        if binding.kind == "item":
            items = [each for value in self._possible(binding.value, depth) for each in value]
            if any(isinstance(each, (list, dict)) for each in items):
                raise Unknown
            return items
        if binding.kind == "parameter" and isinstance(binding.node, ast.arg):
            given = self.references.given(binding.node)
            return [item for each in given for item in self._possible(each, depth)]
        raise Unknown

    def _own(self, attr: str, depth: int) -> list[Any]:
        if not self.attributes_are_written:
            raise Unknown
        known = self.scopes.own_attributes.get(attr, [None])
        found = [item for each in known for item in self._possible(each, depth)]
        if any(isinstance(value, (list, dict)) for value in found):
            raise Unknown
        return found

    def _only_read(self, node: ast.Name) -> bool:
        """Return True if nothing in the source can change the container that a name holds."""
        home, _ = self.scopes.find(node.id, self.scopes.at(node))
        written = self.scopes.names[node.id]
        self.references.step(len(written))
        return all(
            self._is_read(other)
            for other in written
            if isinstance(other.ctx, ast.Load)
            and self.scopes.find(other.id, self.scopes.at(other))[0] is home
        )

    def _is_read(self, node: ast.Name) -> bool:
        match self.scopes.parent[id(node)]:
            case ast.Subscript(value=value, ctx=ast.Load()):
                return value is node
            case ast.For(iter=value) | ast.comprehension(iter=value):
                return value is node
            case ast.Compare():
                return True
            case ast.Attribute(attr=attr):
                return attr in _READ_ONLY
            case ast.Call(func=func) if func is not node:
                joins = isinstance(func, ast.Attribute) and func.attr == "join"
                return joins or self.references.of(func) <= FUNCTIONS.keys()
        return False

    # -- calls

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, depth: int) -> list[Any]:
        """Evaluate `[f(x) for x in ...]` over one known sequence: each item by itself."""
        match node.generators:
            case [ast.comprehension(target=ast.Name(id=name), iter=source, ifs=[], is_async=0)]:
                bindings = self.scopes.at(node.elt).bindings
                [items] = self._possible(source, depth)
                kept, result = bindings[name], []
                try:
                    for item in items:
                        bindings[name] = [Binding("assign", node, _as_node(item))]
                        [value] = self._possible(node.elt, depth)
                        result.append(value)
                finally:
                    bindings[name] = kept
                return [result]
        raise Unknown

    def _call(self, node: ast.Call, depth: int) -> list[Any]:
        if node.keywords:
            raise Unknown
        func = node.func
        refs = self.references.of(func)
        if len(refs) == 1 and (function := FUNCTIONS.get(next(iter(refs)))) is not None:
            return self._apply(function, node.args, depth)
        if not isinstance(func, ast.Attribute):
            raise Unknown
        if func.attr == "fromhex" and self.references.of(func.value) == {"builtins.bytes"}:
            return self._apply(bytes.fromhex, node.args, depth)
        name = func.attr
        parts = [func.value, *node.args]
        return self._apply(lambda owner, *args: call_method(owner, name, list(args)), parts, depth)


def _as_node(value: Any) -> ast.expr:
    if isinstance(value, (list, dict)):
        raise Unknown
    return ast.Constant(value)
