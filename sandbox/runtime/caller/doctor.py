"""Try which layers this host has: the report behind `sandbox doctor`."""

import platform
import sys
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

from sandbox.errors import SandboxError
from sandbox.kernel import landlock
from sandbox.policy.layers import LAYERS, OFF, OPTIONAL
from sandbox.policy.model import Policy
from sandbox.policy.packages import summary
from sandbox.policy.plan import Plan
from sandbox.runtime.caller import supervisor_handle
from sandbox.runtime.caller.remedies import remedy_for
from sandbox.runtime.supervisor import proc_status


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing tried, what the kernel answered, and whether the layer held."""

    attempt: str
    answer: str
    held: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerReport:
    """One layer: `state` is "active", "missing" or "off"; `reason` and `remedy` if missing."""

    name: str
    state: str
    detail: str = ""
    reason: str = ""
    remedy: str = ""
    probes: tuple[Probe, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All layers under one policy on this host."""

    policy: str
    layers: tuple[LayerReport, ...]
    host: dict[str, str]
    shown: tuple[str, ...] = ()  # paths of the host that a guest can read
    scratch: str = ""  # what each program may write to, or why to nothing; empty if ungranted
    problem: str = ""  # why a `Sandbox` with this policy does not open; empty if it does

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only, for JSON."""
        return asdict(self)

    def readable(self) -> str:
        """Say in a few words which of the host's files a guest can read."""
        return summary(self.shown)


def examine(policy: "str | PathLike[str] | Policy" = "strict") -> Report:
    """Open a supervisor with every layer optional, so that all are seen, and ask what it found.

    Raises PolicyError for a wrong policy, SandboxUnavailable off Linux and SandboxError when not
    even a supervisor starts.
    """
    plan = Policy.load(policy).plan()
    hello, probes = attempts(plan)
    layers = tuple(_report(name, plan, hello, probes) for name in LAYERS)
    facts: dict[str, Any] = {"shown": tuple(hello["shown"]), "problem": _problem(plan)}
    facts["scratch"] = _scratch(plan, has_one="namespaces" in hello["active"])
    return Report(policy=plan.name, layers=layers, host=_host(hello), **facts)


def attempts(plan: Plan) -> tuple[dict[str, Any], list[tuple[str, str, str, bool]]]:
    """Return a supervisor's greeting, every layer optional, and (layer, attempt, answer, held).

    Raises what `examine` raises.
    """
    supervisor = supervisor_handle.start(_all_optional(plan), spares=1)
    try:
        hello = supervisor.hello
        return hello, [*hello["attempts"], *proc_status.read(hello["child"], hello["active"])]
    finally:
        supervisor.stop()


def _all_optional(plan: Plan) -> Plan:
    layers = {name: OFF if wish == OFF else OPTIONAL for name, wish in plan.layers.items()}
    return Plan.from_dict({**plan.to_dict(), "layers": layers, "require_any": ()})


def _problem(plan: Plan) -> str:
    try:
        supervisor_handle.start(plan, spares=1).stop()
    except SandboxError as error:
        return str(error)
    return ""


def _scratch(plan: Plan, *, has_one: bool) -> str:
    if plan.scratch is None:
        return ""
    if not has_one:
        return "no scratch directory: that takes a mount namespace"
    room = f"{plan.scratch.kib} KiB and {plan.scratch.count:,} files"
    return f"a scratch directory of its own in memory, of {room}"


def _report(
    name: str, plan: Plan, hello: dict[str, Any], probes: list[tuple[str, str, str, bool]]
) -> LayerReport:
    tried = tuple(Probe(*row[1:]) for row in probes if row[0] == name)
    if name in hello["active"]:
        return LayerReport(name=name, state="active", detail=hello["active"][name], probes=tried)
    if plan.layers[name] == OFF or (name in ("language", "interpreter") and not plan.language):
        return LayerReport(name=name, state="off", detail="the policy switches it off")
    reason = hello["missing"].get(name, "unknown")
    return LayerReport(name=name, state="missing", reason=reason, remedy=remedy_for(name))


def _host(hello: dict[str, Any]) -> dict[str, str]:
    return {
        "kernel": platform.release(),
        "machine": platform.machine(),
        "python": sys.version.split()[0],
        "landlock_abi": str(landlock.abi()),
        "stack_mib": str(hello["stack_bytes"] >> 20),
    }
