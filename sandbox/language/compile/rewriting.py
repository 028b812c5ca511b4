"""The nodes that stand in for an attribute which needs a guard."""

import ast
from typing import Any

from sandbox.language.compile.format_fields import needs_guard

# Names of guards hold a colon, so that no identifier of a guest can equal one, mangled or not.
GETATTR, SETATTR, DELATTR = "guard:getattr", "guard:setattr", "guard:delattr"
TYPE, FREE, ID = "guard:type", "guard:free", "guard:id"
FORMAT, STAND_IN, METACLASSES = "guard:format", "guard:stand_in", "guard:metaclasses"
SELF_IS_FREE, TYPE_OF = "guard:self_is_free", "guard:type_of"
AUGMENT, SHOW, STAR = "guard:augment", "guard:show", "guard:star"
NOTICED = "guard:noticed"
STEP = ":"  # between the parts of a name whose last part an import statement binds
# How names begin that compiled code binds for itself: shaped like a dunder, which no enum takes for
# a member.
OURS = "__guard:"
_TEMPORARY = f"{OURS}temporary:{{}}:{{}}__"

_LOAD, _STORE, _IN, _NOT_IN, _IS = ast.Load(), ast.Store(), ast.In(), ast.NotIn(), ast.Is()
_bare = ast.AST.__new__
Place = dict[str, Any]
# Large enough for the fields of any node: a copy is faster than a dict that grows.
_PLACE: Place = dict.fromkeys(("id", "ctx", *ast.Name._attributes))


def place(node: Any) -> Place:
    """Return the place of `node` in the source: the fields of a variable to be read there."""
    fields = node.__dict__
    where = _PLACE.copy()
    where["ctx"] = _LOAD
    where["lineno"] = fields["lineno"]
    where["col_offset"] = fields["col_offset"]
    where["end_lineno"] = fields["end_lineno"]
    where["end_col_offset"] = fields["end_col_offset"]
    return where


def make(kind: type[ast.AST], where: Place, /, **fields: Any) -> Any:
    """Make a node of `kind`. The constructor of nodes takes twice to four times as long."""
    node = _bare(kind)
    node.__dict__ = where | fields
    return node


def become(node: ast.AST, kind: type[ast.AST], **fields: Any) -> None:
    """Turn `node` into a node of another kind at the same place."""
    node.__class__ = kind
    node.__dict__.update(fields)


def constant(where: Place, value: Any) -> Any:
    """Make a constant of the program's, or what stands for a guard."""
    return make(ast.Constant, where, value=value, kind=None)


def load(where: Place, name: str) -> Any:
    """Make the variable `name`."""
    node = _bare(ast.Name)
    fields = where.copy()
    fields["id"] = name
    node.__dict__ = fields
    return node


def store(where: Place, name: str) -> Any:
    """Make the variable `name`, to be bound."""
    return make(ast.Name, where, id=name, ctx=_STORE)


def call(where: Place, guard: str, arguments: list[Any]) -> Any:
    """Make a call of `guard`."""
    return _call(where, load(where, guard), arguments)


def _call(where: Place, function: Any, arguments: list[Any]) -> Any:
    return make(ast.Call, where, func=function, args=arguments, keywords=[])


def _if(where: Place, test: Any, body: Any, orelse: Any) -> Any:
    return make(ast.IfExp, where, test=test, body=body, orelse=orelse)


def compare(where: Place, left: Any, op: ast.cmpop, right: Any) -> Any:
    """Make `left op right`."""
    return make(ast.Compare, where, left=left, ops=[op], comparators=[right])


def bind(where: Place, name: str, value: Any) -> Any:
    """Make `(name := value)`."""
    return make(ast.NamedExpr, where, target=store(where, name), value=value)


def assign(where: Place, name: str, value: Any) -> Any:
    """Make the statement `name = value`."""
    return make(ast.Assign, where, targets=[store(where, name)], value=value, type_comment=None)


def is_free(where: Place, name: Any) -> Any:
    """Make `id(type(name)) in free`: by identity, since a class may say what it is equal to."""
    return compare(where, call(where, ID, [call(where, TYPE, [name])]), _IN, load(where, FREE))


def guard_read(node: ast.Attribute) -> bool:
    """Turn `o.format` into a call of our getattr, which evaluates `o` once. False: no change."""
    value, name, where = node.value, node.attr, place(node)
    if name == "format":
        if _is_harmless_format(value):
            return False
        become(node, ast.Call, func=load(where, FORMAT), args=[value], keywords=[])
    else:
        arguments = [value, constant(where, name)]
        become(node, ast.Call, func=load(where, GETATTR), args=arguments, keywords=[])
    return True


def spare_guard(node: Any, name: str, attribute: str) -> None:
    """Make the guarded read `node` a plain one where the parameter `name` is a free object.

    That is an instance of a guest's class that inherits from nothing but `object`: there is no
    host's attribute of a guarded name to find. The variable is loaded twice, so this is for one
    that only the running frame itself can bind.
    """
    where = place(node)
    slow = make(ast.Call, where, func=node.func, args=node.args, keywords=[])
    plain = make(ast.Attribute, where, value=load(where, name), attr=attribute, ctx=_LOAD)
    become(node, ast.IfExp, test=is_free(where, load(where, name)), body=plain, orelse=slow)


def _is_harmless_format(value: ast.expr) -> bool:
    """Return True for `"...".format` with a text that can be checked now."""
    return (
        isinstance(value, ast.Constant)
        and type(value.value) is str
        and not needs_guard(value.value)
    )


def is_type_of(node: ast.AST) -> bool:
    """Return True for `type(x)` of a variable."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "type"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name)
        and not node.keywords
    )


def type_of(node: ast.Call) -> None:
    """Let `type(x)` ask the real type where that is no metaclass, instead of its stand-in.

    For a function's own code: what was asked is kept in a variable that only this frame can bind.
    """
    where = place(node)
    asked = bind(where, TYPE_OF, call(where, TYPE, node.args))
    instance = compare(where, call(where, ID, [asked]), _NOT_IN, load(where, METACLASSES))
    test = make(ast.BoolOp, where, op=ast.And(), values=[_is_ours(where), instance])
    slow = _call(where, node.func, node.args)
    become(node, ast.IfExp, test=test, body=load(where, TYPE_OF), orelse=slow)


def same_type(node: ast.Compare) -> None:
    """Let `type(x) is type(y)` ask the real types: no program gets to hold them."""
    where, op = place(node), node.ops[0]
    sides: list[Any] = [node.left, node.comparators[0]]
    real = [call(place(side), TYPE, side.args) for side in sides]
    given = [_call(place(side), side.func, side.args) for side in sides]
    fast, slow = (compare(where, left, op, right) for left, right in (real, given))
    become(node, ast.IfExp, test=_is_ours(where), body=fast, orelse=slow)


def _is_ours(where: Place) -> Any:
    """Make the question whether `type` is what it was granted as."""
    return compare(where, load(where, "type"), _IS, load(where, STAND_IN))


def augmented(node: ast.AugAssign, target: ast.Attribute) -> None:
    """Split `o.obj += v`, which reads `obj` without a guard: read, add and store one by one."""
    where = place(node)
    name = _TEMPORARY.format(node.lineno, node.col_offset)  # a module's own code may be re-entered
    old = call(where, GETATTR, [bind(where, name, target.value), constant(where, target.attr)])
    new = call(where, AUGMENT, [constant(where, type(node.op).__name__), old, node.value])
    target.value = load(where, name)
    become(node, ast.Assign, targets=[target], value=new, type_comment=None)


def noticed_store(node: ast.Attribute) -> None:
    """Turn the target `o.throw` into `noticed(o, "throw").throw`, which gives `o` back."""
    where = place(node)
    node.value = call(where, NOTICED, [node.value, constant(where, node.attr)])


def guarded_store(node: ast.Assign, target: ast.Attribute) -> None:
    """Turn `o.__class__ = v` into a call of our setattr, which looks at both."""
    where = place(node)
    stored = call(where, SETATTR, [target.value, constant(where, target.attr), node.value])
    become(node, ast.Expr, value=stored)
    # The walk still comes to the target: make it a read of nothing in particular.
    target.ctx, target.attr = _LOAD, "_"


def walked_import(alias: ast.alias) -> None:
    """Have `import a.b.c as x` ask our importer for `a:b:c`, which is what it binds.

    Else the interpreter reads `c` of whatever the program has bound to `a.b`, and if it has none,
    takes what its own `sys.modules` has for `c` of the package that this says it is.
    """
    if alias.name.count(".") > 1:
        alias.name = alias.name.replace(".", STEP)


def star(node: Any) -> None:
    """Turn `except* E` into `except* star(E, ...)`: a look at the group right before its split."""
    alone = len(node.handlers) == 1
    for handler in node.handlers:
        where = place(handler.type)
        handler.type = call(where, STAR, [handler.type, constant(where, alone)])


def insert_first(body: list[ast.stmt], statement: ast.stmt) -> None:
    """Let `statement` be the first of a function's or a loop's `body`, after a docstring."""
    first = body[0]
    is_docstring = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    body.insert(1 if is_docstring else 0, statement)
