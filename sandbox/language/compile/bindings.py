"""What the statements of a function bind, and where they store to attributes of variables.

Only the scope of the function itself counts: a variable of an inner function, of a comprehension or
of a class is another one, whatever its name.
"""

import ast
from collections.abc import Container, Iterator
from typing import Any

_DEPTH = 30  # statements inside each other; deeper is not worth the time
SIMPLE = (ast.Assign, ast.AugAssign)  # whose stores have happened when the statement is over
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Path = tuple[Any, ...]  # statements, each inside the one before


class Bindings:
    """One look at `body`. `stores` are attributes that are stored to, by id. Raises TooDeep."""

    def __init__(self, body: list[Any], stores: Container[int]) -> None:
        self._stores = stores
        self.bound: dict[int, set[str]] = {}  # by statement: what it or anything in it binds
        self.paths: dict[int, Path] = {}  # by store: where it is
        self.stores_in: dict[int, list[Any]] = {}  # by simple statement: its stores
        self.top: set[str] = set()  # bound anywhere in the body
        stack: list[tuple[list[Any], Path]] = [(body, ())]
        while stack:
            suite, outer = stack.pop()
            if len(outer) == _DEPTH:
                raise TooDeep
            for statement in suite:
                path = (*outer, statement)
                self._statement(statement, path)
                if type(statement) not in DEFINITIONS:
                    stack.extend((inner, path) for inner in _suites(statement))

    def _statement(self, statement: Any, path: Path) -> None:
        for target in _targets(statement):
            self._target(target, path)
        for name in _plain_names(statement):
            self._bind(name, path)

    def _target(self, target: Any, path: Path) -> None:
        stack = [target]
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind is ast.Name:
                self._bind(node.id, path)
            elif kind is ast.Attribute:
                if id(node) in self._stores:
                    self._store(node, path)
            elif kind is ast.Starred:
                stack.append(node.value)
            elif kind is ast.Tuple or kind is ast.List:
                stack += node.elts

    def _store(self, target: ast.Attribute, path: Path) -> None:
        self.paths[id(target)] = path
        if isinstance(path[-1], SIMPLE):
            self.stores_in.setdefault(id(path[-1]), []).append(target)

    def _bind(self, name: str, path: Path) -> None:
        self.top.add(name)
        for statement in path:
            self.bound.setdefault(id(statement), set()).add(name)


class TooDeep(Exception):
    """The statements of a function are nested so deeply that a look at them is not worth it."""


def _targets(statement: Any) -> list[Any]:
    fields = statement.__dict__
    if "targets" in fields:
        targets: list[Any] = fields["targets"]
        return targets
    if "target" in fields:
        return [fields["target"]]
    if "items" in fields:
        return [item.optional_vars for item in fields["items"]]
    return []


def _plain_names(statement: Any) -> Iterator[str]:
    """The names that stand in `statement` as text, and are bound."""
    fields = statement.__dict__
    if "name" in fields:  # a definition, or what `type X = ...` defines
        name = fields["name"]
        yield name if type(name) is str else name.id
    elif "names" in fields and isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in fields["names"]:
            yield alias.asname or alias.name.partition(".")[0]
    elif "handlers" in fields:
        yield from (handler.name for handler in fields["handlers"] if handler.name)
    elif "cases" in fields:
        for case in fields["cases"]:
            yield from _of_pattern(case.pattern)


def _of_pattern(pattern: Any) -> Iterator[str]:
    stack = [pattern]
    while stack:
        fields = stack.pop().__dict__
        yield from (fields[field] for field in ("name", "rest") if fields.get(field))
        stack += [*fields.get("patterns", ()), *fields.get("kwd_patterns", ())]
        if fields.get("pattern"):
            stack.append(fields["pattern"])


def _suites(statement: Any) -> Iterator[list[Any]]:
    fields = statement.__dict__
    for field in ("body", "orelse", "finalbody"):
        if fields.get(field):
            yield fields[field]
    for part in (*fields.get("handlers", ()), *fields.get("cases", ())):
        yield part.body
