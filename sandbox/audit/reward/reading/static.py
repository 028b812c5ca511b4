"""The static part of the gate: every node of a reward function's source, looked at once.

Nothing of the source is imported or run. What a table does not know is refused.
"""

import ast

from sandbox.audit.findings import Finding
from sandbox.audit.reward.reading.calls import (
    check_call,
    check_format_value,
    check_item_store,
    check_store,
    sets_own,
)
from sandbox.audit.reward.reading.look import OWN_PACKAGE, Look
from sandbox.audit.reward.reading.names import (
    check_attribute,
    check_attribute_name,
    check_import,
    check_import_from,
    check_name,
)
from sandbox.audit.reward.reading.references import SANDBOX_INSTANCE
from sandbox.audit.reward.reading.scopes import Binding, Scope
from sandbox.language.compile.names import is_dunder, may_bind

_RESERVED = frozenset(("restricted_execution", "Sandbox"))
_ANNOTATION_NODES = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp),
    *(ast.BitOr, ast.Load, ast.Starred, ast.UnaryOp, ast.USub),
)


def check_tree(look: Look) -> list[Finding]:
    """Return findings for everything that is wrong with the source."""
    for node in ast.walk(look.tree):
        if look.references.exhausted:  # refused, whatever else is wrong with it
            break
        _check_node(look, node)
    for scope in look.scopes.all:
        if look.references.exhausted:
            break
        _check_bindings(look, scope)
    if look.references.exhausted:
        look.report("unreadable", look.tree, "its names are too entangled to be followed", path="")
    return list(look.findings.values())


def _check_node(look: Look, node: ast.AST) -> None:
    match node:
        case ast.Import():
            check_import(look, node)
        case ast.ImportFrom():
            check_import_from(look, node)
        case ast.Name(ctx=ast.Load()):
            check_name(look, node)
        case ast.Attribute(ctx=ast.Load()):
            if node.attr != "__setattr__" or not sets_own(look, node):
                check_attribute(look, node)
            if node.attr in ("format", "format_map"):
                check_format_value(look, node)
        case ast.Attribute(value=base, attr=attr):
            check_store(look, node, base, attr)
        case ast.Subscript(value=base, ctx=ast.Store() | ast.Del()):
            check_item_store(look, node, base)
        case ast.Call():
            check_call(look, node)
        case ast.ClassDef():
            _check_class(look, node)
        case ast.MatchClass(kwd_attrs=names):
            for name in names:
                check_attribute_name(look, node, ast.Name("object"), name)
        case ast.arg(annotation=ast.expr() as annotation):
            _check_annotation(look, annotation)
        case ast.AnnAssign(annotation=annotation):
            _check_annotation(look, annotation)
        case ast.FunctionDef(returns=ast.expr() as annotation):
            _check_annotation(look, annotation)
        case ast.AsyncFunctionDef(returns=ast.expr() as annotation):
            _check_annotation(look, annotation)


def _check_annotation(look: Look, node: ast.expr) -> None:
    """Check an annotation: it runs where it stands, as text where something evaluates it."""
    for each in ast.walk(node):
        if not isinstance(each, _ANNOTATION_NODES):
            look.report("undecided", each, "an annotation that is more than the name of a type")
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            _check_text(look, each, each.value)


def _check_text(look: Look, node: ast.Constant, text: str) -> None:
    try:
        inner = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # a label, as in Annotated[str, "the answer"]: nothing can evaluate it
    for each in ast.walk(inner):
        if not isinstance(each, _ANNOTATION_NODES):
            look.report("undecided", node, "an annotation that is more than the name of a type")
            return


def _check_class(look: Look, node: ast.ClassDef) -> None:
    for base in node.bases:
        for ref in look.references.of(base):
            if ref.partition(".")[0] == OWN_PACKAGE:
                look.report("redefined", node, f"'{ref}' is replaced by a class of this file")


def _check_bindings(look: Look, scope: Scope) -> None:
    reserved = _RESERVED | {
        name
        for name, bindings in scope.bindings.items()
        if any(b.kind == "import" and _is_ours(b.ref) for b in bindings)
    }
    named = look.scopes.module.bindings.get(OWN_PACKAGE, [])
    if any(binding.kind in ("import", "function", "class") for binding in named):
        reserved |= {OWN_PACKAGE}  # a variable for an open Sandbox may have this name
    for name, bindings in scope.bindings.items():
        for binding in bindings:
            if is_dunder(name) and not may_bind(name):
                look.report("introspection", binding.node, f"'{name}' is replaced", path=name)
            if name in reserved and not _keeps(look, name, binding):
                what = f"'{name}' is something else than the sandbox's own"
                look.report("redefined", binding.node, what, path=name)


def _is_ours(ref: str) -> bool:
    return ref.partition(".")[0] == OWN_PACKAGE


def _keeps(look: Look, name: str, binding: Binding) -> bool:
    """Return True for an import, an alias of the same thing, and None."""
    if binding.kind == "import":
        return _is_ours(binding.ref)
    if binding.kind != "assign":
        return False
    if look.constants.of(binding.value) == [None]:
        return True
    refs = look.references.of(binding.value)
    if name == OWN_PACKAGE and refs == {SANDBOX_INSTANCE}:
        return True
    return all(_is_ours(ref) and ref.endswith(f".{name}") for ref in refs)
