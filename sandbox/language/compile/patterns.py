"""Class patterns: what `case C(a, b)` may read.

C code reads `C.__match_args__` and then the attributes that it names, with code of the guest's in
between. So the class of a positional pattern is replaced by a stand-in that a guard made from it:
a class of ours with the names that were looked at, which asks `isinstance(subject, C)`. Whatever
becomes of C afterwards, no other names are read.
"""

import ast
from collections.abc import Iterator
from typing import Any

from sandbox.language.compile import names
from sandbox.language.compile.names import PLAIN
from sandbox.language.compile.rewriting import (
    ID,
    OURS,
    Place,
    bind,
    call,
    compare,
    constant,
    load,
    make,
    place,
)
from sandbox.language.compile.walk import TreeWalk

KNOWN_PATTERN, PATTERN = "guard:known_pattern", "guard:pattern"
KNOWN_OWN_PATTERN, OWN_PATTERN = "guard:known_own_pattern", "guard:own_pattern"
_CLASS, _GIVEN = f"{OURS}class_{{}}__", f"{OURS}given_{{}}__"
# Apart: where a guarded attribute is named, no class must stand but one that was made for that. A
# module's own variables are bound by what a program has `exec` run in the midst of a match, too.
_OWN_CLASS = f"{OURS}own_class_{{}}__"
_AND, _OR = ast.And(), ast.Or()


def guard_classes(match: ast.Match) -> None:
    """Put before each case whose class patterns need stand-ins one that makes them, and fails.

    Such class patterns are positional or name a guarded attribute.

    `case C(x): ...` becomes `case _ if <question>: pass` and `case class_0(x): ...`; the question
    binds `class_0`, which is never bound to anything but a stand-in, or a class that needs none.
    """
    cases: list[ast.match_case] = []
    for case in match.cases:
        standing_in = [
            node for node in _classes(case.pattern) if node.patterns or _is_guarded(node)
        ]
        if standing_in:
            where = place(case.pattern)
            questions = [_question(node, i) for i, node in enumerate(standing_in)]
            look = _logic(where, _OR, questions) if questions[1:] else questions[0]
            anything = make(ast.MatchAs, where, pattern=None, name=None)
            cases.append(ast.match_case(anything, look, [make(ast.Pass, where)]))
        cases.append(case)
    match.cases[:] = cases


def check_class(dialect: TreeWalk, node: ast.MatchClass) -> None:
    """Check `case C(name=...)`, which reads the attribute from whatever it is given."""
    _dotted(dialect, node.cls)
    for name in node.kwd_attrs:
        if not names.may_match(name) and not names.may_match_own(name):
            dialect.error(node, f"attribute '{name}' is denied in a class pattern")


def check_value(dialect: TreeWalk, node: ast.MatchValue) -> None:
    """Check `case a.b:`, which compares."""
    _dotted(dialect, node.value)


def check_mapping(dialect: TreeWalk, node: ast.MatchMapping) -> None:
    """Check `case {a.b: ..., **rest}`, which compares its keys and binds the rest."""
    dialect.binding(node, node.rest)
    for key in node.keys:
        _dotted(dialect, key)


def _dotted(dialect: TreeWalk, node: ast.expr) -> None:
    """Refuse a dotted name in a pattern that needs a call: it is no place for one."""
    while isinstance(node, ast.Attribute):
        if names.read_kind(node.attr) != PLAIN:
            dialect.error(node, f"attribute '{node.attr}' is denied in a pattern")
        node = node.value
    if isinstance(node, ast.Name):
        dialect.variable(node)
    elif not isinstance(node, (ast.Constant, ast.UnaryOp, ast.BinOp)):
        dialect.not_allowed(node)


def literal_match_args(node: ast.ClassDef) -> Iterator[ast.expr]:
    """Yield the `__match_args__` that a class binds to what can be checked now: literal tuples."""
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
    """Yield the class patterns in `pattern`, the outermost first."""
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


def _is_guarded(pattern: ast.MatchClass) -> bool:
    return any(map(names.may_match_own, pattern.kwd_attrs))


def _question(pattern: ast.MatchClass, number: int) -> Any:
    """Make `(c := known(id(g := C))) is None and (c := pattern(g)) is None`: false or a refusal."""
    node = pattern.cls
    where = place(node)
    own = _is_guarded(pattern)
    name, given = (_OWN_CLASS if own else _CLASS).format(number), _GIVEN.format(number)
    pattern.cls = load(where, name)
    ask, make_one = (KNOWN_OWN_PATTERN, OWN_PATTERN) if own else (KNOWN_PATTERN, PATTERN)
    known = call(where, ask, [call(where, ID, [bind(where, given, node)])])
    made = call(where, make_one, [load(where, given)])
    questions = [_is_none(where, bind(where, name, value)) for value in (known, made)]
    return _logic(where, _AND, questions)


def _is_none(where: Place, value: Any) -> Any:
    return compare(where, value, ast.Is(), constant(where, None))


def _logic(where: Place, op: ast.boolop, values: list[Any]) -> Any:
    return make(ast.BoolOp, where, op=op, values=values)
