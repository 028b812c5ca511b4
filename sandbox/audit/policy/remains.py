"""Count of what is left in a child behind the guards: the census of a supervisor of the policy's.

The search follows what guards let through. The census asks what an object would lead to if they let
everything through, and is made by the supervisor itself, in a child, as on each opening.
"""

from sandbox.audit.findings import Finding, Severity
from sandbox.errors import SandboxUnavailable
from sandbox.policy.model import Policy
from sandbox.runtime.caller import doctor
from sandbox.runtime.supervisor import probes

Figures = dict[str, int | float | str]


def count(policy: Policy) -> tuple[Figures, list[Finding]]:
    """Return figures and findings; neither where the policy has the layer `interpreter` off.

    Raises what `doctor.attempts` raises of any other layer.
    """
    try:
        _, attempts = doctor.attempts(policy.plan())
    except SandboxUnavailable as missing:
        if missing.layer != "interpreter":
            raise
        return {}, [_left(missing.reason)]
    answers = [answer for _, attempt, answer, _ in attempts if attempt == probes.CENSUS]
    return {"native functions and types in a child": answers[0]} if answers else {}, []


def _left(reason: str) -> Finding:
    return Finding(
        severity=Severity.HIGH,
        rule="native-left",
        path="the interpreter of a child",
        explanation=f"The layer interpreter does not hold: {reason}.",
        fix="A sandbox does not open like this. Report the output of `sandbox doctor --json`.",
    )
