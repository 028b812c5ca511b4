"""The sandboxes behind `restricted_execution`: a small LRU, one per policy used."""

import atexit
import os
import threading
from collections import OrderedDict
from os import PathLike

from sandbox.policy.model import Policy
from sandbox.runtime.caller.client import Sandbox, close_all

_KEPT = 12  # four policies: grading has up to three sandboxes for each
_lock = threading.Lock()
_open: OrderedDict[Policy, Sandbox] = OrderedDict()
_by_name: dict[str, Policy] = {}


def default_sandbox(policy: "str | PathLike[str] | Policy") -> Sandbox:
    """Return the shared sandbox for `policy`, started at its first use.

    Raises what opening a `Sandbox` raises.
    """
    with _lock:
        key = _load(policy)
        sandbox = _open.get(key)
        if sandbox is None:
            sandbox = _open[key] = Sandbox(key)
            if len(_open) > _KEPT:
                # Left to its users: it closes when the last of them has let go of it.
                _open.popitem(last=False)
        _open.move_to_end(key)
        return sandbox


def close_defaults() -> None:
    """Close every shared sandbox; the next use of a policy starts another."""
    with _lock:
        while _open:
            _open.popitem()[1].close()


def _load(policy: "str | PathLike[str] | Policy") -> Policy:
    if isinstance(policy, str) and not policy.endswith(".toml"):
        if policy not in _by_name:  # a shipped policy does not change while the program runs
            _by_name[policy] = Policy.load(policy)
        return _by_name[policy]
    return Policy.load(policy)


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


atexit.register(close_all)
os.register_at_fork(after_in_child=_after_fork)
