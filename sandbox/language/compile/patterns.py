"""Class patterns: what `case C(a, b)` may read, looked at where it is read.

C code reads `C.__match_args__` and then the attributes that it names. Both the class statement and
`type()` look at a `__match_args__` when it is made; here it is looked at again when it is used, so
that no way of getting one past them pays.
"""

import ast
from collections.abc import Iterator
from typing import Any

from sandbox.language.compile import names
from sandbox.language.compile.names import PLAIN
from sandbox.language.compile.rewriting import (
    METACLASSES,
    TYPE,
    Place,
    bind,
    call,
    compare,
    constant,
    load,
    make,
    place,
)
from sandbox.language.compile.walk import Walk
from sandbox.language.compile.words import words

CHECK, CHECKED, SAFE = "guard:check_pattern", "guard:checked_names", "guard:safe_in_pattern"
MATCH_ARGS = "guard:match_args"  # the real getattr: what C code would read

# Shaped like a dunder, which an enum does not take for a member.
_CLASS = "__guard:class_{}__"
# They have no `__match_args__`, and to find that they have none takes long.
_MATCH_THEMSELVES = words("bool bytearray bytes dict float frozenset int list set str tuple")
_IN, _AND, _OR = ast.In(), ast.And(), ast.Or()


def guard_classes(match: ast.Match, in_function: bool) -> None:
    """Before each case that reads `__match_args__` put one that looks at the classes, and fails.

    `case C(x): ...` becomes `case _ if <question>: pass` and `case class_0(x): ...`; the question
    binds `class_0` to C, so that what was looked at is what is used. Outside of a function, other
    code may bind that variable while code of the guest's takes part in the match: there it is never
    bound to what has not been looked at.
    """
    question = _quick_question if in_function else _question
    cases: list[ast.match_case] = []
    for case in match.cases:
        positional = [node for node in _classes(case.pattern) if node.patterns]
        if positional:
            where = place(case.pattern)
            questions = [question(node, _CLASS.format(i)) for i, node in enumerate(positional)]
            look = _logic(where, _OR, questions) if questions[1:] else questions[0]
            anything = make(ast.MatchAs, where, pattern=None, name=None)
            cases.append(ast.match_case(anything, look, [make(ast.Pass, where)]))
        cases.append(case)
    match.cases[:] = cases


def check_class(dialect: Walk, node: ast.MatchClass) -> None:
    """`case C(name=...)` reads the attribute from whatever it is given."""
    _dotted(dialect, node.cls)
    for name in node.kwd_attrs:
        if not names.may_match(name):
            dialect.error(node, f"attribute '{name}' is denied in a class pattern")


def check_value(dialect: Walk, node: ast.MatchValue) -> None:
    """`case a.b:` compares."""
    _dotted(dialect, node.value)


def check_mapping(dialect: Walk, node: ast.MatchMapping) -> None:
    """`case {a.b: ..., **rest}` compares its keys and binds the rest."""
    dialect.binding(node, node.rest)
    for key in node.keys:
        _dotted(dialect, key)


def _dotted(dialect: Walk, node: ast.expr) -> None:
    """A dotted name in a pattern is no place for a call, so what needs one is refused."""
    while isinstance(node, ast.Attribute):
        if names.read_kind(node.attr) != PLAIN:
            dialect.error(node, f"attribute '{node.attr}' is denied in a pattern")
        node = node.value
    if isinstance(node, ast.Name):
        dialect.variable(node)
    elif not isinstance(node, (ast.Constant, ast.UnaryOp, ast.BinOp)):
        dialect.not_allowed(node)


def literal_match_args(node: ast.ClassDef) -> Iterator[ast.expr]:
    """Where the class binds `__match_args__` to what can be checked now: a tuple of literals."""
    for statement in node.body:
        if type(statement) is ast.Assign and type(statement.value) is ast.Tuple:
            target, *others = statement.targets
            is_it = isinstance(target, ast.Name) and target.id == "__match_args__"
            if is_it and not others and all(map(_may_match, statement.value.elts)):
                yield target


def _may_match(item: ast.expr) -> bool:
    return (
        isinstance(item, ast.Constant) and type(item.value) is str and names.may_match(item.value)
    )


def _classes(pattern: Any) -> Iterator[ast.MatchClass]:
    """The class patterns in `pattern`, the outermost first."""
    todo = [pattern]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.MatchClass):
            yield node
            todo += reversed([*node.patterns, *node.kwd_patterns])
        elif isinstance(node, ast.MatchAs):
            todo += [node.pattern] if node.pattern else []
        else:
            todo += reversed(getattr(node, "patterns", ()))


def _question(pattern: ast.MatchClass, name: str) -> Any:
    """`(c := check(C)) is None`, which is false, or a refusal."""
    node = pattern.cls
    where = place(node)
    pattern.cls = load(where, name)
    return _is_none(where, bind(where, name, call(where, CHECK, [node])))


def _quick_question(pattern: ast.MatchClass, name: str) -> Any:
    """The same, for a `c` that nothing else can bind:

    `not (type(c := C) in metaclasses and read(c) in checked) and check(c) is None`, for the names
    of builtins with `c in safe or` before the second test.

    The tests let pass what `check` has let pass before: a class whose attributes no code of a
    guest's answers for, and that is immutable or now has a tuple that has been looked at.
    """
    node = pattern.cls
    where = place(node)
    pattern.cls = load(where, name)
    kind = call(where, TYPE, [bind(where, name, node)])
    nothing = make(ast.Tuple, where, elts=[], ctx=ast.Load())
    read = call(where, MATCH_ARGS, [load(where, name), constant(where, "__match_args__"), nothing])
    known = _in(where, read, CHECKED)
    if isinstance(node, ast.Name) and node.id in _MATCH_THEMSELVES:
        known = _logic(where, _OR, [_in(where, load(where, name), SAFE), known])
    passed = _logic(where, _AND, [_in(where, kind, METACLASSES), known])
    unknown = make(ast.UnaryOp, where, op=ast.Not(), operand=passed)
    checked = _is_none(where, call(where, CHECK, [load(where, name)]))
    return _logic(where, _AND, [unknown, checked])


def _is_none(where: Place, value: Any) -> Any:
    return compare(where, value, ast.Is(), constant(where, None))


def _logic(where: Place, op: ast.boolop, values: list[Any]) -> Any:
    return make(ast.BoolOp, where, op=op, values=values)


def _in(where: Place, value: Any, group: str) -> Any:
    return compare(where, value, _IN, load(where, group))
