"""One look at `self` for a whole function.

A method that sets five attributes of `self` would ask five times whether it may. If nothing in the
function rebinds its first parameter, one question at the start will do: what is no object of the
host's never becomes one, and the type of a guest's can only change to another free class (see
`Guards.setattr`). Stores then go to a variable of ours, which holds the object itself or, for an
object of the host's, a `Writer` that asks at each store. The object lives no longer for it: the
parameter holds it as long.
"""

import ast
from typing import Any

from sandbox.language.compile.rewriting import (
    SELF,
    SELF_IS_FREE,
    assign,
    insert_first,
    is_free,
    load,
    own_or_writer,
    place,
    writable,
)
from sandbox.language.compile.stores import Stores


class Scope:
    """A function being walked, or, without a name, a nested scope whose uses do not count."""

    __slots__ = ("function", "loops", "name", "own_stores", "rebound", "stores", "uses")

    def __init__(self, function: Any = None) -> None:
        self.function = function
        self.name = _first_parameter(function) if function else None
        self.uses: list[ast.IfExp] = []  # reads of the first parameter that ask for its type
        self.own_stores: list[ast.Attribute] = []  # to an attribute of the first parameter
        self.stores: list[ast.Attribute] = []  # to an attribute of a variable
        self.rebound = False
        self.loops = False

    def close(self, may_keep: bool, fixed: set[str]) -> None:
        """Ask once, if that is sound and cheaper. `fixed` are names that others may bind."""
        if not (self.uses or self.own_stores or self.stores):
            return
        if not self.rebound and len(self.uses) >= self._enough():
            self._ask_about_self()
        if not self.rebound and len(self.own_stores) >= self._enough():
            self._keep_self()
        else:
            self.stores += self.own_stores
        self.ask(self.function, may_keep, fixed)

    def store(self, target: ast.Attribute) -> None:
        """Note a store to an attribute of a variable: it is guarded when the scope ends."""
        if self.function is not None and target.value.id == self.name:  # type: ignore[attr-defined]
            self.own_stores.append(target)
        else:
            self.stores.append(target)

    def ask(self, owner: Any, may_keep: bool, fixed: set[str]) -> None:
        """Guard the stores in `owner`, a function or a module, with few questions."""
        stores = self.stores
        if may_keep and len(stores) >= self._enough():
            stores = Stores(owner, stores).spare(fixed)
        for target in stores:
            target.value = writable(target.value, True, self.function is None)

    def _enough(self) -> int:
        return 1 if self.loops else 2

    def _ask_about_self(self) -> None:
        body = self.function.body
        where = place(body[0])
        answer = is_free(where, load(where, str(self.name)))
        insert_first(body, assign(where, SELF_IS_FREE, answer))
        for use in self.uses:
            use.test = load(place(use), SELF_IS_FREE)

    def _keep_self(self) -> None:
        body = self.function.body
        where = place(body[0])
        insert_first(body, assign(where, SELF, own_or_writer(where, str(self.name))))
        for target in self.own_stores:
            target.value.id = SELF  # type: ignore[attr-defined]


def _first_parameter(function: Any) -> str | None:
    parameters = function.args.posonlyargs or function.args.args
    return parameters[0].arg if parameters else None
