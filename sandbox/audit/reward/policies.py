"""Under which policy a reward function has programs run: to be known when the source is read."""

import ast

from sandbox.audit.reward.reading.folding import Unknown
from sandbox.audit.reward.reading.look import Look
from sandbox.audit.reward.reading.references import OWN_CLASS, OWN_FUNCTION, OWN_INSTANCE
from sandbox.audit.reward.reading.tables import SHIPPED_AND_HELD

_OWN = frozenset((OWN_FUNCTION, OWN_CLASS, OWN_INSTANCE))


def check_policy_of(look: Look, node: ast.Call, ref: str) -> None:
    """Check the policy argument of `Sandbox`, `Policy.load` and functions that take it by name."""
    if any(isinstance(arg, ast.Starred) for arg in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        look.report("weak-policy", node, "which policy is meant is not known")
        return
    given = [keyword.value for keyword in node.keywords if keyword.arg == "policy"]
    if ref in ("sandbox.Sandbox", "sandbox.Policy.load"):
        given += node.args[:1]
    for policy in given:
        if reason := _why_not_held(look, policy):
            look.report("weak-policy", node, reason)


def check_starred(look: Look, node: ast.Call) -> None:
    """Check `f(**options)`, if `f` may be `restricted_execution` or hand the options on to it."""
    if not look.hands_on_execute or all(keyword.arg is not None for keyword in node.keywords):
        return
    refs = look.references.of(node.func)
    if any(ref not in _OWN and not ref.startswith("builtins.") for ref in refs):
        look.report("weak-policy", node, "which policy is meant is not known")


def _why_not_held(look: Look, policy: ast.expr) -> str:
    try:
        alternatives = _alternatives(look, policy, 0)
    except Unknown:
        return "which policy is meant is not known"
    for each in alternatives:
        names = look.constants.of(each)
        if names is not None:
            wrong = [name for name in names if name not in SHIPPED_AND_HELD]
            if wrong:
                return f"{wrong[0]!r} is not one of the policies that are known to hold"
        elif not _is_loaded(look, each):
            return "which policy is meant is not known"
    return ""


def _alternatives(look: Look, node: ast.expr, depth: int) -> list[ast.expr]:
    """Return the expressions behind a variable or own attribute, themselves looked at elsewhere."""
    look.references.step()
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
    elif (
        isinstance(node, ast.Attribute)
        and look.scopes.is_self(node.value)
        and look.constants.attributes_are_written
    ):
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
    """Return True for `Policy.load(...)`, perhaps `.tightened(...)`.

    The gate looks at the argument of `Policy.load` itself.
    """
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if look.references.of(node.func) == {"sandbox.Policy.load"}:
            return True
        if node.func.attr != "tightened":
            return False
        node = node.func.value
    return False
