"""The sandboxes behind the adapters' sessions: one per policy and setting, shared by a process."""

import math
import os
import threading
from os import PathLike

from sandbox.policy.model import Policy
from sandbox.runtime.caller.client import Sandbox

_lock = threading.Lock()
_open: dict[tuple[Policy, int, float], Sandbox] = {}


def load_policy(policy: "str | PathLike[str] | Policy", *, services: bool = False) -> Policy:
    """Return the policy; with `services`, one that grants them beside what it grants anyway.

    Raises PolicyError.
    """
    loaded = Policy.load(policy)
    if not services or loaded.services:
        return loaded
    return loaded.replaced(name=f"{loaded.name}-with-services", services=True)


def shared_sandbox(policy: Policy, *, sessions: int, idle_seconds: float = math.inf) -> Sandbox:
    """Return this process's sandbox for `policy` with room for `sessions`; it starts at first use.

    Raises what opening a `Sandbox` raises.
    """
    key = (policy, sessions, idle_seconds)
    with _lock:
        if key not in _open:
            _open[key] = Sandbox(
                policy, workers=1, sessions=sessions, session_idle_seconds=idle_seconds
            )
        return _open[key]


def close_shared() -> None:
    """End every shared sandbox, and its sessions with it; the next use starts another."""
    with _lock:
        while _open:
            _open.popitem()[1].close()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
