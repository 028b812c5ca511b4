"""One pass over a tree, without recursion: what every node, name and scope meets on the way.

The checks are given by the class that walks (`TreeWalk.shapes`). What has no shape is refused.
"""

import ast
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from RestrictedPython.transformer import RestrictingNodeTransformer

from sandbox.language.compile import names
from sandbox.language.compile.names import PLAIN
from sandbox.language.compile.scopes import Scope

# What looks at a node, and which of its fields hold a node or None, and which a list of them.
Shape = tuple[Callable[[Any, Any], None] | None, tuple[str, ...], tuple[str, ...]]


class Refusal(NamedTuple):
    """One thing that the dialect does not allow, and where: both count from 1."""

    what: str
    line: int
    column: int


class Annotations(list[ast.expr]):
    """Expressions that may be evaluated in another scope than the one in which they stand."""


class TreeWalk(RestrictingNodeTransformer):
    """Checks and rewrites one tree. `refusals` is empty if the program may run."""

    shapes: ClassVar[Mapping[type, Shape]]

    def __init__(self) -> None:
        # Not `super().__init__()`: what it sets up is for ways of rewriting that are not ours.
        self.refusals: list[Refusal] = []
        self._literal_match_args: set[int] = set()
        self._stack: list[Any] = []
        self._scopes = [Scope()]
        self._watched: dict[str | None, int] = {}  # first parameters of the functions around us
        self._fixed: set[str] = set()  # names that a function may bind although they are another's
        self._plain: set[str] = set()  # names of variables that need no second look
        self._plain_attributes: set[str] = set()  # names that may be read on any object
        self._annotations_are_text = False

    def error(self, node: ast.AST, info: str) -> None:
        """Record a refusal, at the place of `node`."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        self.refusals.append(Refusal(info, line, column + 1))

    def rewrite(self, tree: ast.AST) -> None:
        """Check the tree and put the guards in, without recursion.

        Half of all nodes are names and constants, and most of the rest are attributes: they are
        looked at here, where they need no call.
        """
        self._annotations_are_text = _has_text_annotations(tree)
        stack = self._stack
        pop, push = stack.pop, stack.append
        plain, plain_attributes = self._plain, self._plain_attributes
        shapes, common = self.shapes, _COMMON - names.UNLISTED if names.UNLISTED else _COMMON
        push(tree)
        while stack:
            node = pop()
            kind = type(node)
            shape = shapes.get(kind)
            if shape is None:
                self._other(node)
                continue
            check, singles, lists = shape
            values = node.__dict__
            if check is None:
                pass
            elif kind is _Attribute and type(values["ctx"]) is _Load:
                name = values["attr"]
                if name not in common and name not in plain_attributes:
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

    def _other(self, node: Any) -> None:
        """Take the end of a scope, annotations, or a node that is in no table."""
        if type(node) is Annotations:
            self._open(Scope())
            self._stack += node
            return
        if type(node) is not Scope:
            self.not_allowed(node)
            return
        self._scopes.pop()
        if node.reads:
            node.close(self._fixed)
        name = node.name
        if name is not None:
            self._watched[name] -= 1
            if not self._watched[name]:
                del self._watched[name]

    def _open(self, scope: Scope) -> None:
        """Open `scope`: what is pushed from here on, and no more, is walked before it closes."""
        self._stack.append(scope)
        self._scopes.append(scope)
        name = scope.name
        if name is not None:
            self._watched[name] = self._watched.get(name, 0) + 1
            self._plain.discard(name)

    def annotate(self, annotations: list[ast.expr]) -> None:
        """Walk `annotations` later, as a scope of their own; as text they are never evaluated."""
        if annotations and not self._annotations_are_text:
            self._stack.append(Annotations(annotations))

    def _rebound(self, name: str) -> None:
        for scope in self._scopes:
            scope.rebound |= scope.name == name

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a node: it is unknown, or we have not found it safe."""
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
        raise NotImplementedError


def _has_text_annotations(tree: Any) -> bool:
    """Say whether there is `from __future__ import annotations`: each is kept as its text."""
    return any(
        type(statement) is ast.ImportFrom
        and statement.module == "__future__"
        and not statement.level  # some CPythons take `from .__future__` for one too, others do not
        and any(alias.name == "annotations" for alias in statement.names)
        for statement in (tree.body if type(tree) is ast.Module else ())
    )


_Name, _Constant, _Attribute, _Load = ast.Name, ast.Constant, ast.Attribute, ast.Load
_Call, _Assign = ast.Call, ast.Assign
_BUILTINS = (str, bytes, int, float, tuple, list, dict, set)
# Attributes that nearly every program reads.
_COMMON = frozenset(
    name for kind in _BUILTINS for name in dir(kind) if names.read_kind(name) == PLAIN
)
