"""The nodes that stand in for an attribute which needs a guard."""

import ast
from typing import Any

from sandbox.language.compile import names
from sandbox.language.compile.format_fields import needs_guard
from sandbox.language.compile.linking import placeholder

# Names of guards hold a colon, so that no identifier of a guest can equal one, mangled or not.
GETATTR, SETATTR, DELATTR = "guard:getattr", "guard:setattr", "guard:delattr"
WRITE, TYPE, HOST, FREE = "guard:write", "guard:type", "guard:host", "guard:free"
FORMAT, STAND_IN, METACLASSES = "guard:format", "guard:stand_in", "guard:metaclasses"
SELF_IS_FREE, SELF, WRITER = "guard:self_is_free", "guard:self", "guard:writer"
AUGMENT, TEMPORARY, SHOW = "guard:augment", "guard:temporary", "guard:show"
STAR = "guard:star"
HOST_HERE, LATE = "guard:host_here", "guard:late"  # globals of the program's, see `distrust`
_KEPT = "guard:kept:"

_LOAD, _STORE, _IN, _NOT_IN, _IS = ast.Load(), ast.Store(), ast.In(), ast.NotIn(), ast.Is()
_bare = ast.AST.__new__
Place = dict[str, Any]
# Large enough for the fields of any node: a copy is faster than a dict that grows.
_PLACE: Place = dict.fromkeys(("id", "ctx", *ast.Name._attributes))


def place(node: Any) -> Place:
    """Where `node` is in the source: the fields of a variable to be read at the same place."""
    fields = node.__dict__
    where = _PLACE.copy()
    where["ctx"] = _LOAD
    where["lineno"] = fields["lineno"]
    where["col_offset"] = fields["col_offset"]
    where["end_lineno"] = fields["end_lineno"]
    where["end_col_offset"] = fields["end_col_offset"]
    return where


def make(kind: type[ast.AST], where: Place, /, **fields: Any) -> Any:
    """A node of `kind`. The constructor of nodes takes twice to four times as long."""
    node = _bare(kind)
    node.__dict__ = where | fields
    return node


def become(node: ast.AST, kind: type[ast.AST], **fields: Any) -> None:
    """Turn `node` into a node of another kind at the same place."""
    node.__class__ = kind
    node.__dict__.update(fields)


def constant(where: Place, value: Any) -> Any:
    """A constant of the program's, or what stands for a guard."""
    return make(ast.Constant, where, value=value, kind=None)


def load(where: Place, name: str) -> Any:
    """The variable `name`."""
    node = _bare(ast.Name)
    fields = where.copy()
    fields["id"] = name
    node.__dict__ = fields
    return node


def store(where: Place, name: str) -> Any:
    """The variable `name`, to be bound."""
    return make(ast.Name, where, id=name, ctx=_STORE)


def call(where: Place, guard: str, arguments: list[Any]) -> Any:
    """A call of `guard`."""
    return _call(where, load(where, guard), arguments)


def _call(where: Place, function: Any, arguments: list[Any]) -> Any:
    return make(ast.Call, where, func=function, args=arguments, keywords=[])


def _if(where: Place, test: Any, body: Any, orelse: Any) -> Any:
    return make(ast.IfExp, where, test=test, body=body, orelse=orelse)


def compare(where: Place, left: Any, op: ast.cmpop, right: Any) -> Any:
    """`left op right`."""
    return make(ast.Compare, where, left=left, ops=[op], comparators=[right])


def bind(where: Place, name: str, value: Any) -> Any:
    """`(name := value)`."""
    return make(ast.NamedExpr, where, target=store(where, name), value=value)


def assign(where: Place, name: str, value: Any) -> Any:
    """The statement `name = value`."""
    return make(ast.Assign, where, targets=[store(where, name)], value=value, type_comment=None)


def is_not_hosts(where: Place, name: Any, in_module: bool = False, group: str = HOST) -> Any:
    """`type(name) not in group`: the group of the host's types, or another."""
    return _type_test(where, name, _NOT_IN, group, in_module)


def is_free(where: Place, name: Any) -> Any:
    """`type(name) in free`."""
    return _type_test(where, name, _IN, FREE, False)


def _type_test(where: Place, name: Any, op: ast.cmpop, group: str, in_module: bool) -> Any:
    if not in_module:
        return compare(where, call(where, TYPE, [name]), op, load(where, group))
    # CPython warns of a constant that is called; the choice is gone when it has compiled it.
    guard = constant(where, placeholder(TYPE))
    function = _if(where, constant(where, True), guard, guard)
    here = group == HOST_HERE
    known = load(where, group) if here else constant(where, placeholder(group))
    return compare(where, _call(where, function, [name]), op, known)


def writable(value: Any, may_keep: bool, in_module: bool) -> Any:
    """`o.x = v` becomes `(o if type(o) not in host else write(o)).x = v`, evaluating `o` once.

    Sound, because what a guest's own class does when one of its instances is written to is the
    guest's own code, and `type(o)` cannot be made to lie. What is no variable is kept in one of
    ours, where the scope allows that (`may_keep`).
    """
    where = place(value)
    if type(value) is ast.Name:
        test = is_not_hosts(where, value, in_module)
        return _if(where, test, value, call(where, WRITE, [value]))
    if not may_keep:
        return call(where, WRITE, [value])
    kept = load(where, TEMPORARY)
    test = is_not_hosts(where, bind(where, TEMPORARY, value), False)
    return _if(where, test, kept, call(where, WRITE, [kept]))


def own_or_writer(where: Place, name: str, in_module: bool = False) -> Any:
    """The variable `name`, or, if it holds an object of the host's, what asks at each store."""
    own = load(where, name)
    if not in_module:
        return _if(where, is_not_hosts(where, own), own, call(where, WRITER, [own]))
    late = call(where, LATE, [constant(where, name)])
    return _if(where, is_not_hosts(where, own, True, HOST_HERE), own, late)


def guard_read(node: ast.Attribute) -> None:
    """`o.format` becomes a call of our getattr.

    For a plain variable the call is left out where `o` is an instance of a guest's class that
    inherits from nothing but `object`: there is no host's attribute of that name to find.
    """
    value, name, where = node.value, node.attr, place(node)
    if name == "format":
        if _is_harmless_format(value):
            return
        slow = call(where, FORMAT, [value])
    else:
        slow = call(where, GETATTR, [value, constant(where, name)])
    if not isinstance(value, ast.Name) or name not in names.FREE_NAMES:
        become(node, ast.Call, func=slow.func, args=slow.args, keywords=[])
        return
    plain = make(ast.Attribute, where, value=value, attr=name, ctx=_LOAD)
    become(node, ast.IfExp, test=is_free(place(value), value), body=plain, orelse=slow)


def _is_harmless_format(value: ast.expr) -> bool:
    """True for `"...".format` with a text that can be checked now."""
    return (
        isinstance(value, ast.Constant)
        and type(value.value) is str
        and not needs_guard(value.value)
    )


def is_type_of(node: ast.AST) -> bool:
    """True for `type(x)` of a variable."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "type"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name)
        and not node.keywords
    )


def type_of(node: ast.Call, in_module: bool) -> None:
    """`type(x)` is asked of the real type where that is no metaclass, instead of its stand-in."""
    where, arguments = place(node), node.args
    instance = is_not_hosts(where, arguments[0], in_module, METACLASSES)
    test = make(ast.BoolOp, where, op=ast.And(), values=[_is_ours(where), instance])
    slow = _call(where, node.func, arguments)
    become(node, ast.IfExp, test=test, body=call(where, TYPE, arguments), orelse=slow)


def same_type(node: ast.Compare) -> None:
    """`type(x) is type(y)` is asked of the real types: nobody gets to hold them."""
    where, op = place(node), node.ops[0]
    sides: list[Any] = [node.left, node.comparators[0]]
    real = [call(place(side), TYPE, side.args) for side in sides]
    given = [_call(place(side), side.func, side.args) for side in sides]
    fast, slow = (compare(where, left, op, right) for left, right in (real, given))
    become(node, ast.IfExp, test=_is_ours(where), body=fast, orelse=slow)


def _is_ours(where: Place) -> Any:
    """`type` is what it was granted as."""
    return compare(where, load(where, "type"), _IS, load(where, STAND_IN))


def augmented(node: ast.AugAssign, target: ast.Attribute) -> None:
    """`o.obj += v` would read `obj` without the guard: read, add and store one by one."""
    where = place(node)
    kept = bind(where, TEMPORARY, target.value)
    old = call(where, GETATTR, [kept, constant(where, target.attr)])
    new = call(where, AUGMENT, [constant(where, type(node.op).__name__), old, node.value])
    target.value = load(where, TEMPORARY)
    become(node, ast.Assign, targets=[target], value=new, type_comment=None)


def guarded_store(node: ast.Assign, target: ast.Attribute) -> None:
    """`o.__class__ = v` becomes a call of our setattr, which looks at both."""
    where = place(node)
    stored = call(where, SETATTR, [target.value, constant(where, target.attr), node.value])
    become(node, ast.Expr, value=stored)
    # The walk still comes to the target: make it a read of nothing in particular.
    target.ctx, target.attr = _LOAD, "_"


def star(node: Any) -> None:
    """`except* E` becomes `except* star(E, ...)`: a look at the group, right before it is split."""
    alone = len(node.handlers) == 1
    for handler in node.handlers:
        where = place(handler.type)
        handler.type = call(where, STAR, [handler.type, constant(where, alone)])


def kept(name: str) -> str:
    """The variable of ours that holds what the variable `name` holds, or what writes to it."""
    return _KEPT + name


def distrust(namespace: dict[str, Any]) -> None:
    """From now on every store of a module asks: code is coming that may rebind its variables."""
    namespace[HOST_HERE] = _Everything()
    for name in list(namespace):
        if name.startswith(_KEPT):
            namespace[name] = namespace[LATE](name.removeprefix(_KEPT))


class _Everything:
    """Every type is in it."""

    def __contains__(self, _: object) -> bool:
        return True


def insert_first(body: list[ast.stmt], statement: ast.stmt) -> None:
    """Let `statement` be the first of a function's or a loop's `body`, after a docstring."""
    first = body[0]
    is_docstring = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    body.insert(1 if is_docstring else 0, statement)
