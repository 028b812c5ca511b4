"""Programs that show that a guest gets where a walk says, and what they print in the sandbox."""

import ast
import re

from sandbox.audit.findings import Proof
from sandbox.audit.walk import reach
from sandbox.audit.walk.steps import FUTURE, PRELUDE
from sandbox.audit.walk.what_if import RawGrant
from sandbox.errors import SandboxError
from sandbox.policy.model import Policy
from sandbox.result import Result
from sandbox.runtime.caller.client import Sandbox

REACHED = "reached: "
_HELPERS = {
    node.name: ast.get_source_segment(PRELUDE, node) or ""
    for node in ast.parse(PRELUDE).body
    if isinstance(node, (ast.FunctionDef, ast.ClassDef))
}


def program_for(expression: str, modules: frozenset[str]) -> str:
    """Make the guest program that evaluates `expression` and prints what it got.

    `modules` are the names that may have to be imported.
    """
    used = set(re.findall(r"\w+", expression))
    helpers = [text for name, text in _HELPERS.items() if name in used or _needed(name, used)]
    imports = [f"import {name}" for name in _imports(expression, modules)]
    if "__future__" in modules and FUTURE in used:
        imports.append(f"import __future__ as {FUTURE}")
    lines = [*imports, *helpers, f"reached = {expression}"]
    return "\n".join([*lines, f'print("{REACHED}" + f"{{reached!r}}"[:120])', ""])


def _needed(name: str, used: set[str]) -> bool:
    return name == "Spy" and "shown" in used


def _imports(expression: str, modules: frozenset[str]) -> list[str]:
    """Return the longest dotted names of modules that `expression` spells."""
    found = [
        name for name in modules if re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", expression)
    ]
    return sorted(
        name for name in found if not any(other.startswith(f"{name}.") for other in found)
    )


def prove(policy: Policy, grant: str, program: str) -> Proof | None:
    """Run `program` in a sandbox under `policy`; the control is the policy without `grant`.

    None where this host cannot open the sandbox.
    """
    try:
        with Sandbox(policy, workers=1) as sandbox:
            result = sandbox.run(program)
        control = _without(policy, grant)
        said = ""
        if control is not None:
            with Sandbox(control, workers=1) as sandbox:
                said = _told(sandbox.run(program))
    except SandboxError:
        return None
    return Proof(
        program=program,
        status=str(result.status),
        output=result.stdout or result.error,
        control=said,
    )


def prove_what_if(
    policy: Policy, raw: tuple[RawGrant, ...], programs: list[str]
) -> list[Proof | None]:
    """Run `programs` with the what-if grants in place; the control is `policy` as it loads."""
    if not programs:
        return []
    ran = reach.run(policy.plan(), raw, programs)
    try:
        with Sandbox(policy, workers=1) as sandbox:
            controls = [_told(sandbox.run(program)) for program in programs]
    except SandboxError:
        controls = [""] * len(programs)
    return [
        Proof(
            program=program,
            status=told["status"],
            output=told["output"] or told["error"],
            control=control,
        )
        for program, told, control in zip(programs, ran, controls, strict=True)
    ]


def holds(proof: Proof | None, told: str) -> bool:
    """Return True if `proof` got where the walk got: it prints the same, the control does not."""
    if proof is None or not proof.output.startswith(REACHED):
        return False
    return proof.output.removeprefix(REACHED).startswith(told[:60]) and not (
        proof.control.startswith(proof.output[:40])
    )


def _told(result: Result) -> str:
    return result.stdout or f"{result.status}: {result.error}"


def _without(policy: Policy, grant: str) -> Policy | None:
    """Return `policy` without the builtin, module or name `grant`; None if it has none such."""
    module = grant.rpartition(".")[0]
    if grant in policy.granted_builtins():
        left = [
            g.model_copy(update={"names": tuple(n for n in g.names if n != grant)})
            for g in policy.builtins
        ]
        return policy.replaced(builtins=tuple(g for g in left if g.names))
    owner = grant if any(g.module == grant for g in policy.modules) else module
    if not any(g.module == owner for g in policy.modules):
        return None
    return policy.replaced(modules=tuple(g for g in policy.modules if g.module != owner))
