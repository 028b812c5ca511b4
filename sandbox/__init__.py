"""Run untrusted Python: `output, error = restricted_execution(code, input_data)`.

    Sandbox           runs programs in children: run, call, map, run_many, and for asyncio arun
    grade, grade_many hold programs against tests; extract_code finds the program in a completion
    Policy            what a program may do: a shipped one by name, or a .toml file
    load_reward       a reward function of your own, run in children only
    audit_reward      whether a reward function may run in the trainer; audit_policy what gets out

What fails says what, where and what to do: SandboxError and its kin are never a program's fault.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.audit.findings import Audit, Finding, Severity
    from sandbox.audit.policy.audit import audit_policy
    from sandbox.audit.reward.gate import audit_reward
    from sandbox.errors import (
        PolicyError,
        RewardError,
        SandboxClosed,
        SandboxError,
        SandboxUnavailable,
        SessionLost,
    )
    from sandbox.grading.extraction import extract_code
    from sandbox.grading.grade import grade, grade_many
    from sandbox.grading.verdicts import Grade
    from sandbox.job import Job
    from sandbox.policy.model import Policy
    from sandbox.result import Result, Status
    from sandbox.rewards.contained import ContainedReward
    from sandbox.rewards.load import load_reward
    from sandbox.runtime.caller.client import Sandbox
    from sandbox.runtime.caller.fault import Fault
    from sandbox.runtime.sessions.result import CellResult
    from sandbox.runtime.sessions.session import Session

__all__ = [
    "Audit",
    "CellResult",
    "ContainedReward",
    "Fault",
    "Finding",
    "Grade",
    "Job",
    "Policy",
    "PolicyError",
    "Result",
    "RewardError",
    "Sandbox",
    "SandboxClosed",
    "SandboxError",
    "SandboxUnavailable",
    "Session",
    "SessionLost",
    "Severity",
    "Status",
    "audit_policy",
    "audit_reward",
    "extract_code",
    "grade",
    "grade_many",
    "load_reward",
    "restricted_execution",
]

# Resolved on first use: the supervisor imports this package too, and everything that it imports is
# copied into every child.
_HOMES = {
    "Audit": "sandbox.audit.findings",
    "CellResult": "sandbox.runtime.sessions.result",
    "ContainedReward": "sandbox.rewards.contained",
    "Fault": "sandbox.runtime.caller.fault",
    "Finding": "sandbox.audit.findings",
    "Grade": "sandbox.grading.verdicts",
    "Job": "sandbox.job",
    "Policy": "sandbox.policy.model",
    "PolicyError": "sandbox.errors",
    "Result": "sandbox.result",
    "RewardError": "sandbox.errors",
    "Sandbox": "sandbox.runtime.caller.client",
    "SandboxClosed": "sandbox.errors",
    "SandboxError": "sandbox.errors",
    "SandboxUnavailable": "sandbox.errors",
    "Session": "sandbox.runtime.sessions.session",
    "SessionLost": "sandbox.errors",
    "Severity": "sandbox.audit.findings",
    "Status": "sandbox.result",
    "audit_policy": "sandbox.audit.policy.audit",
    "audit_reward": "sandbox.audit.reward.gate",
    "extract_code": "sandbox.grading.extraction",
    "grade": "sandbox.grading.grade",
    "grade_many": "sandbox.grading.grade",
    "load_reward": "sandbox.rewards.load",
}


def restricted_execution(
    code: str, input_data: str = "", *, policy: object = "strict"
) -> tuple[str, str]:
    """Run `code` with `input_data` as its standard input; return `(output, error)`.

    `output` is all that was printed, and empty on failure; `error` is empty on success and one
    message on failure. `policy` is a shipped policy's name, a path to a .toml file or a `Policy`.
    Nothing that the program does raises here. A fault of the sandbox raises `SandboxError`, a host
    that lacks a required layer `SandboxUnavailable`: neither is a verdict on the program.

        output, error = restricted_execution("print(int(input()) * 2)", "21")  # ("42\\n", "")
    """
    from sandbox.runtime.caller.defaults import default_sandbox

    return default_sandbox(policy).run(code, stdin=input_data).as_tuple()  # type: ignore[arg-type]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from sandbox.version import version

        return version()
    if name not in _HOMES:
        raise AttributeError(f"module 'sandbox' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List what is public, loaded or not: what `dir` and an editor show."""
    return sorted({*globals(), *__all__})
