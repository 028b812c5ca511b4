"""Imports, names and attributes that are read: each is granted, harmless, or a finding.

The principle that makes aliases harmless: what is dangerous may not even be mentioned, and a module
may be used only to name one of its members. So no value of the source is dangerous, whatever it is
called and wherever it is stored.
"""

import ast
import builtins

from sandbox.audit.findings import Severity
from sandbox.audit.reward.reading.look import OWN_PACKAGE, Look, shown
from sandbox.audit.reward.reading.references import (
    OWN_CLASS,
    OWN_FUNCTION,
    OWN_INSTANCE,
    SANDBOX_INSTANCE,
)
from sandbox.audit.reward.reading.tables import (
    ATTRIBUTE_RULES,
    BUILTIN_RULES,
    CALLED_ONLY,
    CLASS_MAKERS,
    DECORATORS,
    MODULE_RULES,
    NATIVE_ONLY_RULES,
    NEVER_UNKNOWN,
    OPENERS,
    OWN_ONLY,
    STREAM_PARTS,
)
from sandbox.audit.reward.reading.types import INSTANCE_CHECKS, only_names_a_type
from sandbox.language.compile.names import (
    DATA,
    INSPECT,
    METHODS,
    SAFE_PRIVATE,
    is_dunder,
    may_read_variable,
)
from sandbox.language.compile.private_names import HOST_PRIVATE

_CLASSES = CLASS_MAKERS | OPENERS
_OWN = frozenset((OWN_FUNCTION, OWN_CLASS, OWN_INSTANCE))
_INTEGRATIONS = "sandbox.integrations"
_PROVIDED = "restricted_execution"


def module_rule(look: Look, name: str) -> str:
    """Return the rule that forbids the module `name`, which is not granted."""
    package = name.partition(".")[0]
    inner = package in look.modules and package not in MODULE_RULES
    default = "module-internals" if inner else MODULE_RULES.get(package, "ungranted")
    return MODULE_RULES.get(name, default)


def check_import(look: Look, node: ast.Import) -> None:
    """Check `import a.b as c`."""
    if look.is_for_checkers(node):
        return
    for alias in node.names:
        if alias.name not in look.modules:
            _refuse_module(look, node, alias.name)


def check_import_from(look: Look, node: ast.ImportFrom) -> None:
    """Check `from a import b, *`."""
    module = node.module or ""
    if look.is_for_checkers(node):
        return
    if node.level:
        look.report("ungranted", node, "a relative import reads a file beside this one")
    elif module not in look.modules:
        _refuse_module(look, node, module)
    else:
        for alias in node.names:
            if alias.name != "*":
                check_member(look, node, module, alias.name)


def _refuse_module(look: Look, node: ast.AST, name: str) -> None:
    why = f"the policy 'reward' does not grant the module '{name}'"
    if name.startswith(f"{_INTEGRATIONS}."):
        why += (
            "; what it makes, such as CodeReward(), is no function of yours and needs no audit: it"
            " runs programs in children only. Hand it to the trainer as it is; to audit a reward of"
            " your own, write one that calls sandbox.grade"
        )
    look.report(module_rule(look, name), node, why)


def check_member(look: Look, node: ast.AST, module: str, name: str) -> None:
    """Check `module.name`, where `module` is granted."""
    full = f"{module}.{name}"
    path = f"{full}"
    if name in look.modules[module] or full in look.modules:
        rule = NATIVE_ONLY_RULES.get(full, "")
        if rule:
            look.report(rule, node, f"'{full}' is harmless behind guards only", path=path)
    elif is_dunder(name):
        if name not in DATA:
            look.report("introspection", node, f"'{full}' leads out of the module", path=path)
    elif name.startswith("_") or name in {*MODULE_RULES, *ATTRIBUTE_RULES, *BUILTIN_RULES}:
        rule = ATTRIBUTE_RULES.get(name) or BUILTIN_RULES.get(name, "module-internals")
        look.report(rule, node, f"'{full}' is not what the module is for", path=path)
    else:
        rule = "module-internals" if module == OWN_PACKAGE else "ungranted"
        look.report(rule, node, f"the policy 'reward' does not grant '{full}'", path=path)


def check_name(look: Look, node: ast.Name) -> None:
    """Check a variable that is read."""
    scope, _ = look.scopes.find(node.id, look.scopes.at(node))
    if scope is None:
        _check_builtin(look, node)
    elif node.id in BUILTIN_RULES and (scope is look.scopes.module or scope.is_class):
        # A branch that is never taken, or `del`, uncovers the builtin again.
        look.report(BUILTIN_RULES[node.id], node, f"'{node.id}' may still be the builtin")
    _check_value(look, node)


def _check_builtin(look: Look, node: ast.Name) -> None:
    name = node.id
    if name in BUILTIN_RULES:
        look.report(BUILTIN_RULES[name], node, f"the builtin '{name}' is refused")
    elif name in look.builtins or (is_dunder(name) and may_read_variable(name)):
        return
    elif hasattr(builtins, name):
        look.report("introspection", node, f"the policy 'reward' does not grant '{name}'")
    elif name == _PROVIDED:
        look.report(
            "contract",
            node,
            "it is not imported; where nothing provides the name, this is a NameError",
            severity=Severity.LOW,
            fix="from sandbox import restricted_execution",
        )
    else:
        look.report("undecided", node, f"nothing in this file defines '{name}'")


def check_attribute(look: Look, node: ast.Attribute) -> None:
    """Check a `base.attr` that is read."""
    modules = look.modules_of(node.value)
    for module in modules:
        if module in look.modules:
            check_member(look, node, module, node.attr)
    if not modules:
        check_attribute_name(look, node, node.value, node.attr)
    _check_value(look, node)


def check_attribute_name(look: Look, node: ast.AST, base: ast.expr, attr: str) -> None:
    """Check a read of `attr` on something that is no module."""
    path = f"{shown(base)}.{attr}"
    if attr == "__class__":
        if not only_names_a_type(look, node):
            look.report("introspection", node, "a class leads to all other classes", path=path)
    elif attr == "__dict__" and look.scopes.is_self(base):
        return
    elif attr in INSPECT or (is_dunder(attr) and attr not in METHODS | DATA):
        look.report("introspection", node, f"'{attr}' leads into the interpreter", path=path)
    elif attr == "keywords" and look.hands_on_execute:
        look.report("weak-policy", node, "a policy may be put into a partial call", path=path)
    elif attr in OWN_ONLY and not _is_own_method(look, base):
        look.report("introspection", node, f"'{attr}' of something unknown", path=path)
    elif attr in ("format", "format_map") and not isinstance(node, ast.Attribute):
        look.report("format-walk", node, "a format string is read by another name", path=path)
    elif attr in ATTRIBUTE_RULES and not _is_own_name(look, base, attr):
        rule = ATTRIBUTE_RULES[attr]
        look.report(rule, node, f"'{attr}' of something unknown", path=path)
    elif attr.startswith("_") and not is_dunder(attr) and not _may_be_private(look, base, attr):
        look.report("undecided", node, f"'{attr}' is private to something unknown", path=path)


def _is_own_name(look: Look, base: ast.expr, attr: str) -> bool:
    """Return True if the source itself gives `attr` to what `base` is."""
    if attr not in look.scopes.own_attributes:
        return False
    sure = look.scopes.is_self(base) or look.references.of(base) <= _OWN
    return sure or (ATTRIBUTE_RULES[attr] not in NEVER_UNKNOWN and attr not in STREAM_PARTS)


def _is_own_method(look: Look, base: ast.expr) -> bool:
    """Return True for `super().__init__`, `Own.__init__` and `dict.__init__`.

    They make plain objects.
    """
    refs = look.references.of(base)
    if isinstance(base, ast.Call):
        return look.references.of(base.func) == {"builtins.super"}
    plain = all(ref in _OWN or ref.startswith("builtins.") for ref in refs)
    return look.scopes.is_self(base) or plain


def _may_be_private(look: Look, base: ast.expr, attr: str) -> bool:
    if attr in SAFE_PRIVATE:
        return True
    own = look.scopes.is_self(base) or look.references.of(base) <= _OWN
    if attr in HOST_PRIVATE:  # such as Enum._convert_, which reads any module
        return own and not look.has_imported_bases
    if own:
        return True
    refs = look.references.of(base)
    if attr in look.scopes.own_attributes and SANDBOX_INSTANCE not in refs:
        # Own or unknown: no module can be unknown, and only modules hide other modules.
        return not any(ref.startswith(OWN_PACKAGE) for ref in refs)
    return False


def _check_value(look: Look, node: ast.Name | ast.Attribute) -> None:
    """Refuse a module, or a function that reads attributes by name, as a value."""
    parent = look.parent(node)
    for ref in sorted(look.references.of(node)):
        if look.is_module(ref) and not _names_a_member(look, node, parent):
            look.report("undecided", node, f"the module '{ref}' is used as a value")
        called = isinstance(parent, ast.Call) and parent.func is node
        if ref in CALLED_ONLY and not called and not _may_be_passed(look, node, ref):
            look.report("undecided", node, f"'{ref}' is used as a value")


def _names_a_member(look: Look, node: ast.expr, parent: ast.AST) -> bool:
    match parent:
        case ast.Attribute(value=value):
            return value is node
        case ast.Assign(targets=[ast.Name()], value=value):
            # An alias, which is followed; of a class it would be an attribute, which is not.
            return value is node and not look.scopes.at(node).is_class
        case ast.Call(func=func, args=[first, *_]) if first is node:
            readers = ("builtins.getattr", "builtins.hasattr", "builtins.setattr")
            return look.references.of(func) <= {*readers, "builtins.delattr"}
    return False


def _may_be_passed(look: Look, node: ast.expr, ref: str) -> bool:
    """Return True for a decorator, base or annotation, if `ref` is there for that.

    True for an alias too: aliases are followed.
    """
    parent = look.parent(node)
    match parent:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value is node
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() if ref in DECORATORS:
            return any(each is node for each in parent.decorator_list)
        case ast.ClassDef(bases=bases) if ref in ("typing.TypedDict", "typing.NamedTuple"):
            return any(base is node for base in bases)
        case ast.keyword(arg="metaclass"):
            return ref in CLASS_MAKERS
        case ast.Attribute(value=value) if ref in OPENERS:
            return value is node
        case ast.Call(func=func, args=[_, second]) if second is node and ref in _CLASSES:
            return look.references.of(func) <= INSTANCE_CHECKS
        case ast.Subscript(value=value) if ref in CLASS_MAKERS:
            return value is node
        case ast.BinOp(op=ast.BitOr()) | ast.Subscript() | ast.Tuple() if ref in _CLASSES:
            return _is_annotation(look, parent)
    return ref in _CLASSES and _is_annotation(look, node)


def _is_annotation(look: Look, node: ast.AST) -> bool:
    match look.parent(node):
        case ast.arg(annotation=value) | ast.AnnAssign(annotation=value):
            return value is node
        case ast.FunctionDef(returns=value) | ast.AsyncFunctionDef(returns=value):
            return value is node
    return False
