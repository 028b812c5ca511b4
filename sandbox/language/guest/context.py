"""The parts that stand-ins for modules are made from."""

from dataclasses import dataclass
from typing import Any

from sandbox.language.guards.classes.classes import Classes
from sandbox.language.guards.guards import Guards
from sandbox.language.guest.state import GuestState
from sandbox.policy.plan import Plan


@dataclass(frozen=True, slots=True)
class Context:
    """One world in the making."""

    plan: Plan
    state: GuestState
    guards: Guards
    classes: Classes
    builtins: dict[str, Any]
