"""`type(x)` and `x.__class__`: what may be done with a class that is not known."""

import ast

from sandbox.audit.reward.reading.look import Look
from sandbox.audit.reward.reading.references import (
    OWN_CLASS,
    OWN_FUNCTION,
    OWN_INSTANCE,
    SANDBOX_INSTANCE,
    UNKNOWN,
)

INSTANCE_CHECKS = frozenset(("builtins.isinstance", "builtins.issubclass"))
_OWN = frozenset((OWN_FUNCTION, OWN_CLASS, OWN_INSTANCE))
_TYPE_NAMES = frozenset(("__name__", "__qualname__"))
_TEXT_OF = frozenset(("builtins.print", "builtins.str", "builtins.repr"))


def check_type_call(look: Look, node: ast.Call) -> None:
    """Check `type(x)`: it may say its name or be compared; called, it makes what x is one of."""
    own = len(node.args) == 1 and look.scopes.is_self(node.args[0])
    if len(node.args) != 1 or node.keywords:
        look.report("undecided", node, "a class is made at run time")
    elif not own and not only_names_a_type(look, node):
        look.report("undecided", node, "the class of something unknown is used as a value")


def only_names_a_type(look: Look, node: ast.AST) -> bool:
    """Return True where a type is named, compared or printed, and not kept."""
    parent = look.parent(node)
    match parent:
        case ast.Attribute(value=value, attr=attr):
            return value is node and attr in _TYPE_NAMES
        case ast.FormattedValue():
            return True
        case ast.Compare():
            # An object of the source's own would be handed the class, to keep it.
            return all(each is node for each in _no_types(look, parent))
        case ast.Call(func=func, args=args) if func is not node:
            refs = look.references.of(func)
            checks = refs <= INSTANCE_CHECKS and len(args) == 2 and _is_type(look, args[1])
            return checks or refs <= _TEXT_OF
    return False


def _no_types(look: Look, node: ast.Compare) -> list[ast.expr]:
    """List what is compared there and is no type; looked for once, for all types that are."""
    if id(node) not in look.no_types:
        compared = (node.left, *node.comparators)
        look.no_types[id(node)] = [each for each in compared if not _is_type(look, each)]
    return look.no_types[id(node)]


def _is_type(look: Look, node: ast.expr) -> bool:
    """Return True for a class by its name, `type(...)`, None, or a display of them."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(_is_type(look, each) for each in node.elts)
    if isinstance(node, ast.Call):
        return look.references.of(node.func) == {"builtins.type"}
    refs = look.references.of(node)
    own = refs == {OWN_CLASS} and not look.has_class_keywords
    return own or not refs & {UNKNOWN, *_OWN, SANDBOX_INSTANCE}
