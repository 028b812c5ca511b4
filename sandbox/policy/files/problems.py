"""From pydantic's errors to a `PolicyError` whose problems name file, key and reason."""

import re
import reprlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from sandbox.errors import PolicyError, Problem, policy_error
from sandbox.policy.files.locate import Text
from sandbox.policy.layers import LAYERS
from sandbox.policy.limits import LIMITS
from sandbox.policy.tighten import did_you_mean

MOST_TOLD = 50  # each is looked up among what could have been meant
GRANT_KEYS = {
    "builtins": ("names", "reason"),
    "modules": ("module", "names", "reason"),
    "packages": ("name", "preload", "warm_up", "optional", "reason"),
    "files": ("scratch_kib", "scratch_count", "reason"),
}
TOP_KEYS = (
    "extends",
    "name",
    "description",
    "language",
    "limits",
    "layers",
    "require_any",
    "builtins",
    "modules",
    "remove_builtins",
    "remove_modules",
    "packages",
    "remove_packages",
    "threads",
    "files",
    "remove_files",
    "services",
    "session",
    "deterministic",
    "testing",
    "as_restricted",
)
KNOWN_KEYS = {"limits": LIMITS, "layers": LAYERS, **GRANT_KEYS}


class Disagreement(ValueError):
    """A contradiction between two places of a policy."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def explain(error: ValidationError, where: str) -> PolicyError:
    """Return all that `error` found, as one exception; `where` is the file or the policy."""
    found = error.errors(include_url=False)
    told = [each for raw in found[:MOST_TOLD] for each in _problems(raw)]
    if (more := len(found) - MOST_TOLD) > 0:
        told.append(Problem(reason=f"and {more} more"))
    return report(where, told)


def report(where: str, problems: Iterable[Problem]) -> PolicyError:
    """Return a `PolicyError` of problems that are all in `where`."""
    return policy_error(*(replace(problem, file=where) for problem in problems))


def located(error: PolicyError, file: str, text: str) -> PolicyError:
    """`error` with the lines of what it finds wrong in `file`, which has `text`."""
    lines = Text(text)
    return policy_error(
        *(
            replace(problem, line=lines.path(problem.key))
            if problem.file == file and problem.line is None and problem.key
            else problem
            for problem in error.problems
        )
    )


def _problems(raw: Any) -> Iterable[Problem]:
    if raw["type"] == "value_error" and isinstance(raw["ctx"]["error"], Disagreement):
        return list(raw["ctx"]["error"].problems)
    return [Problem(key=_key(raw["loc"]), reason=_reason(raw))]


def _key(location: tuple[int | str, ...]) -> str:
    """`("modules", 2, "names", 0)` as `modules[2].names[0]`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")


def _reason(problem: Any) -> str:
    kind, location = problem["type"], problem["loc"]
    if kind == "extra_forbidden":
        known = KNOWN_KEYS.get(str(location[0]), ()) if len(location) > 1 else TOP_KEYS
        return "unknown key" + did_you_mean(str(location[-1]), known)
    if kind == "missing":
        return "is missing" + WHY_NEEDED.get(str(location[-1]), "")
    if kind == "value_error":  # ours: it says all there is to say
        return str(problem["ctx"]["error"])
    if kind in ("too_short", "string_too_short"):
        return "is empty"
    message = re.sub(r"^\w+ should", "must", problem["msg"])
    return f"{message}, not {reprlib.repr(problem['input'])}"


WHY_NEEDED = {
    "reason": ": every grant says why it is safe, or what holds it",
    "limits": ": a policy that extends none sets every limit",
}
