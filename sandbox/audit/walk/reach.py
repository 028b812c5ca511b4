"""The caller's side of a walk: starts the explorer, a fresh process, and reads its answer."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import RestrictedPython

from sandbox.audit.walk.what_if import RawGrant
from sandbox.errors import SandboxError, SandboxUnavailable
from sandbox.policy.plan import Plan
from sandbox.runtime.caller.host import check_platform, interpreter_flags
from sandbox.runtime.caller.remedies import remedy_for

_BOOT = (
    "import sys; sys.path[:0] = sys.argv[1:]; from sandbox.audit.walk.explorer import main; main()"
)
_SECONDS = 900.0


def walk(plan: Plan, raw: tuple[RawGrant, ...] = ()) -> dict[str, Any]:
    """Search what a guest can reach under `plan`; with `raw`, from those what-if grants alone.

    Returns the hits with their paths, and how much was looked at. Raises SandboxUnavailable where
    the walk cannot be confined, SandboxError where it fails.
    """
    return _ask(plan, raw, work="walk")


def run(plan: Plan, raw: tuple[RawGrant, ...], programs: list[str]) -> list[dict[str, str]]:
    """Run `programs` as guests of `plan` with the what-if grants `raw`: status, error, output."""
    ran: list[dict[str, str]] = _ask(plan, raw, work="prove", programs=programs)["ran"]
    return ran


def _ask(plan: Plan, raw: tuple[RawGrant, ...], **request: Any) -> dict[str, Any]:
    check_platform()
    packages = (Path(__file__).parents[3], Path(RestrictedPython.__file__).parents[1])
    message = json.dumps({"plan": plan.to_dict(), "raw": raw, **request})
    try:
        done = subprocess.run(
            [sys.executable, *interpreter_flags(), "-c", _BOOT, *map(str, packages)],
            input=message.encode(),
            capture_output=True,
            env={"PYTHONHASHSEED": "0"},
            cwd="/",
            timeout=_SECONDS,
            check=False,
        )
        answer: dict[str, Any] = json.loads(done.stdout or b"{}")
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise SandboxError(f"the walk could not be made: {error}") from error
    if "missing" in answer:
        layer, reason = answer["missing"]
        raise SandboxUnavailable(layer, reason, remedy_for(layer))
    if "layers" not in answer:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise SandboxError(f"the walk ended early: {said[-1] if said else done.returncode}")
    return answer
