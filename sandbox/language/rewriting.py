"""The nodes that stand in for an attribute which needs a guard."""

import ast
from typing import Any

from sandbox.language import names
from sandbox.language.formatting import needs_guard

# Names of guards hold a colon, so that no identifier of a guest can equal one, mangled or not.
GETATTR, SETATTR, DELATTR = "guard:getattr", "guard:setattr", "guard:delattr"
WRITE, TYPE, HOST, FREE = "guard:write", "guard:type", "guard:host", "guard:free"
FORMAT, STAND_IN, METACLASSES = "guard:format", "guard:stand_in", "guard:metaclasses"
SELF_IS_FREE = "guard:self_is_free"
AUGMENT, TEMPORARY, SHOW = "guard:augment", "guard:temporary", "guard:show"
STAR = "guard:star"

_LOAD, _IN, _NOT_IN = ast.Load(), ast.In(), ast.NotIn()


def place(node: Any) -> dict[str, Any]:
    """Where `node` is in the source, as arguments for a node at the same place."""
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


def become(node: ast.AST, kind: type[ast.AST], **fields: Any) -> None:
    """Turn `node` into a node of another kind at the same place."""
    node.__class__ = kind
    node.__dict__.update(fields)


def constant(node: ast.AST, value: str) -> ast.Constant:
    """The text `value`."""
    return ast.Constant(value, **place(node))


def call(node: ast.AST, guard: str, arguments: list[Any]) -> ast.Call:
    """A call of `guard`."""
    where = place(node)
    return ast.Call(ast.Name(guard, _LOAD, **where), arguments, [], **where)


def type_test(name: ast.Name, op: ast.cmpop, group: str) -> ast.Compare:
    """`type(name) in group`, or not in it."""
    return ast.Compare(call(name, TYPE, [name]), [op], [load(name, group)], **place(name))


def load(node: ast.AST, name: str) -> ast.Name:
    """The variable `name`."""
    return ast.Name(name, _LOAD, **place(node))


def writable(value: ast.expr, may_keep: bool) -> ast.expr:
    """`o.x = v` becomes `(o if type(o) not in host else write(o)).x = v`, evaluating `o` once.

    Sound, because what a guest's own class does when one of its instances is written to is the
    guest's own code, and `type(o)` cannot be made to lie. What is no variable is kept in one of
    ours, where the scope allows that (`may_keep`).
    """
    if isinstance(value, ast.Name):
        slow = call(value, WRITE, [value])
        return ast.IfExp(type_test(value, _NOT_IN, HOST), value, slow, **place(value))
    if not may_keep:
        return call(value, WRITE, [value])
    kept = load(value, TEMPORARY)
    first = ast.NamedExpr(ast.Name(TEMPORARY, ast.Store(), **place(value)), value, **place(value))
    test = ast.Compare(call(value, TYPE, [first]), [_NOT_IN], [load(value, HOST)], **place(value))
    return ast.IfExp(test, kept, call(value, WRITE, [kept]), **place(value))


def guard_read(node: ast.Attribute) -> None:
    """`o.format` becomes a call of our getattr.

    For a plain variable the call is left out where `o` is an instance of a guest's class that
    inherits from nothing but `object`: there is no host's attribute of that name to find.
    """
    value = node.value
    if node.attr == "format":
        if _is_harmless_format(value):
            return
        slow = call(node, FORMAT, [value])
    else:
        slow = call(node, GETATTR, [value, constant(node, node.attr)])
    if not isinstance(value, ast.Name) or node.attr not in names.FREE_NAMES:
        become(node, ast.Call, func=slow.func, args=slow.args, keywords=[])
        return
    plain = ast.Attribute(value, node.attr, _LOAD, **place(node))
    become(node, ast.IfExp, test=type_test(value, _IN, FREE), body=plain, orelse=slow)


def _is_harmless_format(value: ast.expr) -> bool:
    """True for `"...".format` with a text that can be checked now."""
    return (
        isinstance(value, ast.Constant)
        and type(value.value) is str
        and not needs_guard(value.value)
    )


def type_of(node: ast.Call) -> None:
    """`type(x)` is asked of the real type where that is no metaclass, instead of its stand-in."""
    argument = node.args[0]
    slow = ast.Call(node.func, node.args, [], **place(node))
    ours = ast.Compare(load(node, "type"), [ast.Is()], [load(node, STAND_IN)], **place(node))
    instance = type_test(load(node, argument.id), _NOT_IN, METACLASSES)  # type: ignore[attr-defined]
    test = ast.BoolOp(ast.And(), [ours, instance], **place(node))
    become(node, ast.IfExp, test=test, body=call(node, TYPE, [argument]), orelse=slow)


def augmented(node: ast.AugAssign, target: ast.Attribute) -> None:
    """`o.obj += v` would read `obj` without the guard: read, add and store one by one."""
    kept = ast.NamedExpr(
        ast.Name(TEMPORARY, ast.Store(), **place(node)), target.value, **place(node)
    )
    old = call(node, GETATTR, [kept, constant(node, target.attr)])
    new = call(node, AUGMENT, [constant(node, type(node.op).__name__), old, node.value])
    target.value = load(node, TEMPORARY)
    become(node, ast.Assign, targets=[target], value=new, type_comment=None)


def guarded_store(node: ast.Assign, target: ast.Attribute) -> None:
    """`o.__class__ = v` becomes a call of our setattr, which looks at both."""
    stored = call(node, SETATTR, [target.value, constant(node, target.attr), node.value])
    become(node, ast.Expr, value=stored)
    # The walk still comes to the target: make it a read of nothing in particular.
    target.ctx, target.attr = _LOAD, "_"


def star(node: Any) -> None:
    """`except* E` becomes `except* star(E, ...)`: a look at the group, right before it is split."""
    alone = len(node.handlers) == 1
    for handler in node.handlers:
        where = place(handler.type)
        handler.type = call(handler.type, STAR, [handler.type, ast.Constant(alone, **where)])
