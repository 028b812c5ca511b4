"""Guarded reads of a function's parameters, spared where the object can have no host's attribute.

A variable that is read twice, once to ask for its type and once for its attribute, may be another
object the second time: a finalizer of the guest's runs in between. Only a parameter that no inner
function declares `nonlocal` is bound by nothing but its own frame, so only for those is a question
put in the place of the guard. A method that reads several guarded names of `self` asks once.

In a class CPython has two spellings for one variable, `__x` and `_C__x`: a parameter that may have
another spelling is none here, and its reads are guarded.
"""

import ast
from typing import Any

from sandbox.language.compile.rewriting import (
    SELF_IS_FREE,
    assign,
    insert_first,
    is_free,
    load,
    place,
    spare_guard,
)


class Scope:
    """A function being walked, or, without one, a nested scope whose reads do not count."""

    __slots__ = ("function", "loops", "name", "parameters", "reads", "rebound")

    def __init__(self, function: Any = None) -> None:
        self.function = function
        self.parameters: frozenset[str] = _parameters(function) if function else frozenset()
        self.name = _first_parameter(function) if function else None
        self.reads: list[tuple[Any, str, str]] = []  # the node, its variable and the attribute
        self.rebound = False  # the first parameter is bound again somewhere
        self.loops = False

    def read(self, node: Any, variable: ast.expr, attribute: str) -> None:
        """Note a guarded read of an attribute of `variable`."""
        if isinstance(variable, ast.Name) and variable.id in self.parameters:
            self.reads.append((node, variable.id, attribute))

    def close(self, fixed: set[str]) -> None:
        """Spare what can be spared. `fixed` are the names that an inner function may bind."""
        own = [read for read in self.reads if read[1] not in fixed]
        for node, name, attribute in own:
            spare_guard(node, name, attribute)
        first = [node for node, name, _ in own if name == self.name]
        if not self.rebound and len(first) >= (1 if self.loops else 2):
            self._ask_once(first)

    def _ask_once(self, reads: list[Any]) -> None:
        body = self.function.body
        where = place(body[0])
        answer = is_free(where, load(where, str(self.name)))
        insert_first(body, assign(where, SELF_IS_FREE, answer))
        for read in reads:
            read.test = load(place(read), SELF_IS_FREE)


def _first_parameter(function: Any) -> str | None:
    parameters = function.args.posonlyargs or function.args.args
    return parameters[0].arg if parameters and _has_one_spelling(parameters[0].arg) else None


def _parameters(function: Any) -> frozenset[str]:
    given = function.args
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs)
    return frozenset(filter(_has_one_spelling, (parameter.arg for parameter in every)))


def _has_one_spelling(name: str) -> bool:
    return "__" not in name
