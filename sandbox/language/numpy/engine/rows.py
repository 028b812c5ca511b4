"""Rows of the tables: what each operation takes, how large it can be, and what it gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.language.numpy.engine.bounds import Rule, look
from sandbox.language.numpy.engine.dtypes import Refused
from sandbox.language.numpy.engine.kinds import Kinds
from sandbox.language.numpy.engine.rules import RULES

Operation = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, its kind, whether it may be missing, whether it takes the rest."""

    name: str
    kind: str
    optional: bool
    rest: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One operation: `rule` bounds its result from what its parameters are given."""

    name: str
    parameters: tuple[Parameter, ...]
    rule: Rule
    result: str
    needed: frozenset[str]

    def named(self, name: str) -> Parameter:
        """Return the parameter of that name. Raises TypeError."""
        for parameter in self.parameters:
            if parameter.name == name and not parameter.rest:
                return parameter
        raise Refused(f"{self.name}() takes no {name[:40]!r} under this policy")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row and what of numpy's, or of ours, does it."""

    row: Row
    function: Operation


def parsed(text: str) -> list[Row]:
    """Return the rows of a table; a line that begins with a space goes on with the one before."""
    return [_row(line) for line in text.replace("\n ", " ").splitlines() if line]


def _row(line: str) -> Row:
    name, parameters, rule, *result = [part.strip() for part in line.split("|")]
    taken = tuple([_parameter(one) for one in parameters.split()])
    needed = frozenset([one.name for one in taken if not one.optional and not one.rest])
    return Row(name, taken, RULES[rule], result[0] if result else "array", needed)


def _parameter(text: str) -> Parameter:
    name, _, kind = text.partition(":")
    return Parameter(
        name=name.lstrip("*"),
        kind=kind.rstrip("?"),
        optional=kind.endswith("?"),
        rest=name.startswith("*"),
    )


def called(
    entry: Entry, kinds: Kinds, args: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments as the row's kinds have them, once its rule let their sizes pass.

    Raises TypeError, ValueError, OverflowError and TooLarge.
    """
    row = entry.row
    bound: dict[str, Any] = {}
    given: list[Any] = []
    for parameter in row.parameters:
        if parameter.rest:
            bound[parameter.name] = [kinds.taken(parameter.kind, one) for one in args[len(given) :]]
            given += bound[parameter.name]
            break
        if len(given) == len(args):
            break
        taken = _taken(parameter, kinds, args[len(given)])
        bound[parameter.name] = taken
        given.append(taken)
    if len(given) < len(args):
        raise Refused(f"{row.name}() takes {len(given)} arguments under this policy")
    named = {}
    for name, value in options.items():
        if name in bound:
            raise TypeError(f"{row.name}() got multiple values for argument {name!r}")
        named[name] = bound[name] = _taken(row.named(name), kinds, value)
    if not row.needed <= bound.keys():
        _tell_of_missing(row, bound)
    look(row.rule(bound))
    return given, named


def _tell_of_missing(row: Row, bound: Mapping[str, Any]) -> None:
    missing = [f"'{one.name}'" for one in row.parameters if one.name in row.needed - bound.keys()]
    several = "s" * (len(missing) > 1)
    raise TypeError(
        f"{row.name}() missing {len(missing)} required positional argument{several}:"
        f" {' and '.join(missing)}"
    )


def _taken(parameter: Parameter, kinds: Kinds, value: Any) -> Any:
    if value is None and parameter.optional:
        return None
    return kinds.taken(parameter.kind, value)
