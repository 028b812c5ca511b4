"""Calls and writes: attributes by computed names, policies, patches, chance."""

import ast
import string

from sandbox.audit.findings import Severity
from sandbox.audit.reward_folding import Unknown
from sandbox.audit.reward_look import Look, shown
from sandbox.audit.reward_names import check_attribute_name, check_member, check_type_call
from sandbox.audit.reward_references import (
    OPAQUE,
    OWN_CLASS,
    OWN_FUNCTION,
    OWN_INSTANCE,
    SANDBOX_INSTANCE,
    UNKNOWN,
)
from sandbox.audit.reward_rules import (
    ATTRIBUTE_RULES,
    PATCHABLE,
    SHIPPED_AND_HELD,
    UNSEEDED,
)
from sandbox.language.names import PLAIN, store_kind

_PLAIN_CALLS = frozenset(f"builtins.{n}" for n in ("str", "int", "float", "len", "repr", "round"))
_OWN = frozenset((OWN_FUNCTION, OWN_CLASS, OWN_INSTANCE))


def check_call(look: Look, node: ast.Call) -> None:
    """Every call, by what it may be a call of."""
    for ref in sorted(look.references.of(node.func)):
        if ref == "builtins.getattr":
            _check_getattr(look, node)
        elif ref in ("builtins.setattr", "builtins.delattr"):
            _check_setattr(look, node)
        elif ref in ("operator.attrgetter", "operator.methodcaller"):
            _check_getter(look, node, ref)
        elif ref == "builtins.type":
            check_type_call(look, node)
        elif ref in ("builtins.hash", "builtins.id"):
            _check_hash(look, node, ref)
        elif ref in ("logging.basicConfig",) and _has_keyword(node, "filename", "handlers"):
            look.report("files", node, "the log is written to a file")
        elif ref.startswith("random."):
            _check_chance(look, node, ref)
        elif ref in ("sandbox.Sandbox", "sandbox.restricted_execution", "sandbox.Policy.load"):
            _check_policy_of(look, node, ref)
        elif ref.startswith("sandbox.Policy") and ref != "sandbox.Policy.load":
            look.report("weak-policy", node, "a policy that is made here may hold less")
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "format_map"):
        _check_format(look, node, node.func)
    if _has_keyword(node, "services"):
        look.report("weak-policy", node, "functions of the trainer are lent to the program")


# -- attributes by name


def _check_getattr(look: Look, node: ast.Call) -> None:
    names = look.constants.texts(node.args[1]) if len(node.args) >= 2 else None
    if names is None or any(isinstance(arg, ast.Starred) for arg in node.args):
        look.report("undecided", node, "which attribute is read is not known")
        return
    for name in names:
        _check_read(look, node, node.args[0], name)


def _check_read(look: Look, node: ast.AST, base: ast.expr, name: str) -> None:
    modules = look.modules_of(base)
    for module in modules:
        if module in look.modules:
            check_member(look, node, module, name)
    if not modules:
        check_attribute_name(look, node, base, name)


def _check_getter(look: Look, node: ast.Call, ref: str) -> None:
    given = node.args if ref == "operator.attrgetter" else node.args[:1]
    for arg in given:
        names = look.constants.texts(arg)
        if names is None:
            look.report("undecided", node, "which attribute is read is not known")
            return
        for part in (part for name in names for part in name.split(".")):
            check_attribute_name(look, node, ast.Name("object"), part)


def _check_setattr(look: Look, node: ast.Call) -> None:
    names = look.constants.texts(node.args[1]) if len(node.args) >= 2 else None
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    if names is not None and not starred:
        for name in names:
            check_store(look, node, node.args[0], name)
    elif starred or not node.args or not _is_own(look, node.args[0]):
        refs = look.references.of(node.args[0]) if node.args else frozenset((UNKNOWN,))
        rule = "redefined" if refs - OPAQUE else "undecided"
        look.report(rule, node, "which attribute is set is not known")


def sets_own(look: Look, node: ast.AST) -> bool:
    """`object.__setattr__(self, "name", ...)`, as a frozen dataclass sets its fields."""
    call = look.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node or len(call.args) < 2:
        return False
    names = look.constants.texts(call.args[1])
    known = names is not None and all(store_kind(name) == PLAIN for name in names)
    return known and look.scopes.is_self(call.args[0]) and _is_own(look, call.args[0])


def check_store(look: Look, node: ast.AST, base: ast.expr, attr: str) -> None:
    """`base.attr = ...`, `del base.attr` and what comes to the same."""
    path = f"{shown(base)}.{attr}"
    refs = look.references.of(base)
    imported = sorted(ref for ref in refs if ref not in OPAQUE)
    if imported or SANDBOX_INSTANCE in refs:
        what = imported[0] if imported else "a Sandbox"
        look.report("redefined", node, f"a part of '{what}' is replaced", path=path)
    elif store_kind(attr) != PLAIN:
        look.report("introspection", node, f"'{attr}' is replaced", path=path)
    elif not _is_own(look, base) and (
        attr in PATCHABLE or attr.startswith("_") or attr in ATTRIBUTE_RULES
    ):
        look.report("undecided", node, f"'{attr}' of something unknown is replaced", path=path)


def _is_own(look: Look, base: ast.expr) -> bool:
    """True for an object of the source's own making."""
    if look.scopes.is_self(base):
        function = look.scopes.enclosing_function(base)
        name = getattr(function, "name", "")
        return name not in look.leaked_methods
    return look.references.of(base) <= _OWN


# -- format strings


def _check_format(look: Look, node: ast.Call, func: ast.Attribute) -> None:
    texts = look.constants.texts(func.value)
    if texts is None:
        if "format" in look.scopes.own_attributes or _all_plain(look, node):
            return
        look.report("format-walk", node, "which attributes the format string reads is not known")
        return
    for text in texts:
        if any(_walks(name) for name in _fields(text)):
            look.report("format-walk", node, "the format string reads private attributes")


def _all_plain(look: Look, node: ast.Call) -> bool:
    """Text and numbers have no attribute that says anything."""
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    return all(
        isinstance(value, (ast.Constant, ast.JoinedStr))
        or (isinstance(value, ast.Call) and look.references.of(value.func) <= _PLAIN_CALLS)
        or look.constants.of(value) is not None
        for value in values
    )


def _fields(text: str) -> list[str]:
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return []  # it raises where it is used
    return [part for _, name, spec, _ in parsed for part in (name or "", *_fields(spec or ""))]


def _walks(name: str) -> bool:
    parts = name.replace("[", ".").replace("]", "").split(".")[1:]
    return any(part.startswith("_") or part in ATTRIBUTE_RULES for part in parts)


# -- what is run, and under what


def _check_policy_of(look: Look, node: ast.Call, ref: str) -> None:
    if any(isinstance(arg, ast.Starred) for arg in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        look.report("weak-policy", node, "which policy is meant is not known")
        return
    given = [keyword.value for keyword in node.keywords if keyword.arg == "policy"]
    if ref != "sandbox.restricted_execution":
        given += node.args[:1]
    for policy in given:
        if reason := _why_not_held(look, policy):
            look.report("weak-policy", node, reason)


def _why_not_held(look: Look, policy: ast.expr) -> str:
    for each in _alternatives(look, policy, 0):
        names = look.constants.of(each)
        if names is not None:
            wrong = [name for name in names if name not in SHIPPED_AND_HELD]
            if wrong:
                return f"{wrong[0]!r} is not one of the policies that are known to hold"
        elif not _is_loaded(look, each):
            return "which policy is meant is not known"
    return ""


def _alternatives(look: Look, node: ast.expr, depth: int) -> list[ast.expr]:
    """The expressions behind a variable or an own attribute, themselves looked at elsewhere."""
    if depth > 10 or look.constants.of(node) is not None:
        return [node]
    values: list[ast.expr | None] = []
    if isinstance(node, ast.Name):
        _, bindings = look.scopes.find(node.id, look.scopes.at(node))
        for binding in bindings:
            if binding.kind == "parameter" and isinstance(binding.node, ast.arg):
                values += _given(look, binding.node)
            else:
                values.append(binding.value if binding.kind == "assign" else None)
    elif isinstance(node, ast.Attribute) and look.scopes.is_self(node.value):
        values = list(look.scopes.own_attributes.get(node.attr, []))
    if not values or any(value is None for value in values):
        return [node]
    return [e for v in values if v is not None for e in _alternatives(look, v, depth + 1)]


def _given(look: Look, parameter: ast.arg) -> list[ast.expr | None]:
    try:
        return list(look.references.given(parameter))
    except Unknown:
        return [None]


def _is_loaded(look: Look, node: ast.expr) -> bool:
    """`Policy.load(...)`, whose argument is looked at itself, perhaps `.tightened(...)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if look.references.of(node.func) == {"sandbox.Policy.load"}:
            return True
        if node.func.attr != "tightened":
            return False
        node = node.func.value
    return False


# -- chance


def _check_chance(look: Look, node: ast.Call, ref: str) -> None:
    name = ref.partition(".")[2]
    if name in ("seed", "Random") and not (node.args or node.keywords):
        look.report("nondeterministic", node, f"'{ref}' without a seed takes one from the system")
    elif name in UNSEEDED and not look.is_seeded:
        look.report("nondeterministic", node, f"'{ref}' draws from a generator without a seed")


def _check_hash(look: Look, node: ast.Call, ref: str) -> None:
    function = look.scopes.enclosing_function(node)
    if getattr(function, "name", "") != "__hash__":
        text = f"'{ref.partition('.')[2]}' gives another number in another process"
        look.report("surprise", node, text, severity=Severity.MEDIUM)


def _has_keyword(node: ast.Call, *names: str) -> bool:
    return any(keyword.arg in names for keyword in node.keywords)
