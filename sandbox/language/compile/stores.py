"""One look at a local variable for several stores to its attributes.

`a.x += 1; a.y += 1` would ask twice whether `a` is an object of the host's. Once is enough where
the first question is always asked before the second and nothing can rebind `a` in between: what is
no object of the host's never becomes one (see `Guards.setattr`), so only the variable matters. A
local variable is rebound by its own function alone, unless an inner one declares it `nonlocal` or
a comprehension binds it with `:=`; such variables, and those of classes, are left as they are. A
variable of the module can also be declared `global` by a function, which is seen, and bound by what
the program compiles while it runs: from the first such moment on every store asks (`distrust`).

The first store keeps the object, or a `Writer` that asks at each store, in a variable of ours, and
the others go there. So the object may live a little longer than the program means it to: not for
a program that would notice.
"""

import ast
from collections import Counter
from typing import Any

from sandbox.language.compile.bindings import DEFINITIONS, SIMPLE, Bindings, Path, TooDeep
from sandbox.language.compile.rewriting import (
    Place,
    assign,
    bind,
    insert_first,
    kept,
    load,
    own_or_writer,
    place,
)

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Stores:
    """The stores of a function or a module to attributes of variables."""

    def __init__(self, owner: Any, stores: list[Any]) -> None:
        self._body = owner.body
        arguments = getattr(owner, "args", None)
        self._parameters = _names(arguments) if arguments else set()
        self._in_module = arguments is None
        self._stores = {id(target): target for target in stores}  # still to be guarded
        self._names = {id(target): target.value.id for target in stores}

    def spare(self, fixed: set[str]) -> list[Any]:
        """Guard those stores for which a question is answered before. Gives the others.

        `fixed` are names that more than this function may bind, or that it binds in an expression.
        """
        try:
            there = Bindings(self._body, self._names)
        except TooDeep:
            return list(self._stores.values())
        self._bound, self._in = there.bound, there.stores_in
        self._locals = (self._parameters | there.top) - fixed
        self._paths: dict[str, list[Path]] = {}
        for store, path in there.paths.items():
            self._paths.setdefault(self._names[store], []).append(path)
        hoisted = self._looped(self._parameters - there.top, ())
        stack: list[tuple[list[Any], frozenset[str]]] = [(list(self._body), hoisted)]
        while stack:
            suite, known = stack.pop()
            for statement in suite:
                bound = self._bound.get(id(statement))
                if bound:
                    known = frozenset() if "*" in bound else known - bound
                if isinstance(statement, SIMPLE):
                    known = self._simple(statement, known)
                elif not isinstance(statement, DEFINITIONS):
                    stack.extend(self._suites(statement, known))
        self._ask_first(self._body, hoisted)
        return list(self._stores.values())

    def _simple(self, statement: Any, known: frozenset[str]) -> frozenset[str]:
        stores = self._in.get(id(statement), [])
        for target in sorted(stores, key=_place):  # as they run
            name = self._names[id(target)]
            where = place(target.value)
            if name in known:
                target.value = load(where, kept(name))
                del self._stores[id(target)]
            elif name in self._locals and name not in self._bound.get(id(statement), ()):
                target.value = bind(where, kept(name), self._own(where, name))
                del self._stores[id(target)]
                known |= {name}
        return known

    def _suites(
        self, statement: Any, known: frozenset[str]
    ) -> list[tuple[list[Any], frozenset[str]]]:
        suites: list[tuple[list[Any], frozenset[str]]] = []
        for field in ("orelse", "finalbody"):
            suites.append((getattr(statement, field, []), known))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            suites.append((part.body, known))
        body = getattr(statement, "body", [])
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            hoisted = self._of_loop(statement)
            suites.append((list(body), known | hoisted))
            self._ask_first(statement.body, hoisted)
        else:
            suites.append((body, known))
        return suites

    def _of_loop(self, loop: Any) -> frozenset[str]:
        """The loop's own variables that its body leaves alone and an inner loop stores to."""
        parts = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        targets = Counter(part.id for part in parts if isinstance(part, ast.Name))
        own = {name for name, times in targets.items() if times == 1}
        for statement in loop.body:
            own -= self._bound.get(id(statement), set())
        return self._looped(own, (loop,))

    def _looped(self, names: set[str], outer: Path) -> frozenset[str]:
        """Those of `names` whose stores are in a loop inside the last statement of `outer`."""
        return frozenset(
            name
            for name in names & self._locals
            if any(_is_in_loop(path, outer) for path in self._paths.get(name, ()))
        )

    def _own(self, where: Place, name: str) -> Any:
        return own_or_writer(where, name, self._in_module)

    def _ask_first(self, body: list[Any], names: frozenset[str]) -> None:
        """Ask at the start of `body` about each of `names`."""
        for name in sorted(names):
            where = place(body[0])
            insert_first(body, assign(where, kept(name), self._own(where, name)))


def _is_in_loop(path: Path, outer: Path) -> bool:
    if outer and outer[-1] not in path:
        return False
    below = path[path.index(outer[-1]) + 1 :] if outer else path
    return any(isinstance(statement, _LOOPS) for statement in below)


def _place(target: ast.Attribute) -> tuple[int, int]:
    return target.value.lineno, target.value.col_offset


def _names(arguments: ast.arguments) -> set[str]:
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return {argument.arg for argument in every}
