"""One look at `self` for a whole function.

A method that sets five attributes of `self` would ask five times whether it may. If nothing in the
function rebinds its first parameter, one question at the start will do: the type of the object can
only change to another free class (see `Guards.setattr`), and its attributes are looked at as ever.
"""

import ast
from typing import Any

from sandbox.language.rewriting import FREE, SELF_IS_FREE, load, place, type_test


class Scope:
    """A function being walked, or, without a name, a nested scope whose uses do not count."""

    def __init__(self, function: Any = None) -> None:
        self.function = function
        self.name = _first_parameter(function) if function else None
        self.uses: list[ast.IfExp] = []
        self.rebound = False
        self.loops = False

    def close(self) -> None:
        """Ask once, if that is sound and cheaper."""
        if self.rebound or len(self.uses) < (1 if self.loops else 2):
            return
        body = self.function.body
        first = body[0]
        flag = ast.Name(SELF_IS_FREE, ast.Store(), **place(first))
        test = type_test(load(first, str(self.name)), ast.In(), FREE)
        question = ast.Assign([flag], test, **place(first))
        body.insert(1 if _is_docstring(first) else 0, question)
        for use in self.uses:
            use.test = load(use, SELF_IS_FREE)


def _first_parameter(function: Any) -> str | None:
    parameters = function.args.posonlyargs or function.args.args
    return parameters[0].arg if parameters else None


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
