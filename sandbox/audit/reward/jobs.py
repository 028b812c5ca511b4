"""Running what a reward function asks to have run: the trusted side of its `sandbox` module.

What comes from the function is untrusted: it is checked field by field, and each program goes to a
child of its own, under the policy that the caller of the audit chose, with limits as tight or
tighter. The same program is run once, and what it gave is given again.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NoReturn

from sandbox.errors import PolicyError
from sandbox.job import FIELDS, LOCAL, Job
from sandbox.policy.limits import Limits
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.result import Result
from sandbox.runtime.caller.client import Sandbox

MOST_PROGRAMS = 2_000  # that differ, per audit
MOST_CPU_SECONDS = 30.0  # of all of them
_CPU_SECONDS = 0.3  # of one: samples are short, and one of them never ends
_WALL_SECONDS = 5.0
_REMEMBERED_CHARACTERS = 32 << 20  # of what programs printed: a flood is not kept in the caller
_LISTS, _DICTS = ("args", "argv"), ("kwargs", "limits")
_FIELDS = set(FIELDS).difference(LOCAL)
_TEXTS = _FIELDS.difference(("entry", *_LISTS, *_DICTS))


class ServedJobs:
    """Programs that one audit runs for a function. `exhausted` says why it runs no more."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._limits = _capped(sandbox.policy.limits.plain())
        self._known: dict[bytes, dict[str, Any]] = {}
        self._room = _REMEMBERED_CHARACTERS
        self._cpu_seconds = 0.0
        self.programs = 0
        self.exhausted = ""
        self.deadline = math.inf  # CPU time is what counts in an audit

    def serve(self, job: Any) -> dict[str, Any]:
        """Run one program and return its result as plain data.

        Raises TypeError and ValueError for what is no job, and RuntimeError when the budget is
        spent; a fault of the sandbox raises SandboxError.
        """
        fields = checked_job(job)
        limits = self.limits(fields["limits"])
        key = hashlib.sha256(json.dumps([fields, limits]).encode()).digest()
        if key in self._known:
            return self._known[key]
        self.pay(1, 0.0)
        result = self._run(fields, limits)
        self.add(0, result["cpu_seconds"])
        self._keep(key, result)
        return result

    def _keep(self, key: bytes, result: dict[str, Any]) -> None:
        """Remember a result, as long as all of them together are small."""
        printed = sum(len(result[name]) for name in ("output", "stdout", "stderr"))
        size = printed + len(json.dumps(result["value"]))
        if self._room >= size:
            self._room -= size
            self._known[key] = result

    @property
    def policy(self) -> Policy:
        """The policy that programs run under."""
        return self._sandbox.policy

    def limits(self, asked: Mapping[str, float]) -> dict[str, float]:
        """Return the limits asked for or our caps, whichever is less. Raises ValueError."""
        try:
            wanted = tighten(self._sandbox.policy.limits.plain(), asked)
        except PolicyError as error:  # as a fault of the sandbox it would end the audit
            raise ValueError(str(error)) from None
        names = {*asked, "cpu_seconds", "wall_seconds"}
        return {name: min(getattr(wanted, name), getattr(self._limits, name)) for name in names}

    def pay(self, programs: int, cpu_seconds: float) -> None:
        """Take that from the budget. Raises RuntimeError if nothing was left of it before."""
        if programs and self.programs >= MOST_PROGRAMS:
            self.exhaust(f"more than {MOST_PROGRAMS:,} different programs were to be executed")
        if self._cpu_seconds > MOST_CPU_SECONDS:
            self.exhaust(f"what was executed took more than {MOST_CPU_SECONDS:g} s of CPU")
        self.add(programs, cpu_seconds)

    def add(self, programs: int, cpu_seconds: float) -> None:
        """Take from the budget what has been used already."""
        self.programs += programs
        self._cpu_seconds += cpu_seconds

    def exhaust(self, reason: str) -> NoReturn:
        """Have no more executed: the function is over its budget. Raises RuntimeError."""
        self.exhausted = reason
        raise RuntimeError(reason)

    def _run(self, fields: Mapping[str, Any], limits: Mapping[str, float]) -> dict[str, Any]:
        return plain_result(self._sandbox.run_job(Job(**{**fields, "limits": limits})))


def _capped(limits: Limits) -> Limits:
    return tighten(
        limits,
        {
            "cpu_seconds": min(_CPU_SECONDS, limits.cpu_seconds),
            "wall_seconds": min(_WALL_SECONDS, limits.wall_seconds),
        },
    )


def plain_result(result: Result) -> dict[str, Any]:
    """Make of a result what the stand-in for `sandbox` in a guest reads."""
    return {**asdict(result), "status": str(result.status), "layers": list(result.layers)}


def checked_job(job: Any) -> dict[str, Any]:
    """Return the fields of a job that a guest sent. Raises TypeError for anything else."""
    if type(job) is not dict or set(job) != _FIELDS:
        raise TypeError("not a job")
    for name in sorted(_TEXTS):
        if type(job[name]) is not str:
            raise TypeError(f"{name} must be a str, not {type(job[name]).__name__}")
    if not (job["entry"] is None or type(job["entry"]) is str):
        raise TypeError("entry must be a str")
    for kind, names in ((list, _LISTS), (dict, _DICTS)):
        for name in _FIELDS.intersection(names):
            if type(job[name]) is not kind:
                raise TypeError(f"{name} must be a {kind.__name__}")
    if not all(type(value) in (int, float) for value in job["limits"].values()):
        raise TypeError("a limit must be a number")
    return dict(job)
