"""From pydantic's errors to a `PolicyError` that names file, key and reason, one line each."""

import re
import reprlib
from dataclasses import fields
from typing import Any

from pydantic import ValidationError

from sandbox.errors import PolicyError
from sandbox.policy.plan import LAYERS, Limits
from sandbox.policy.tighten import did_you_mean

_MOST_TOLD = 50  # each is looked up among what could have been meant
GRANT_KEYS = {"builtins": ("names", "reason"), "modules": ("module", "names", "reason")}
LIMIT_KEYS = tuple(field.name for field in fields(Limits))
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
    "session",
    "deterministic",
    "testing",
)
KNOWN_KEYS = {"limits": LIMIT_KEYS, "layers": LAYERS, **GRANT_KEYS}


def explain(error: ValidationError, where: str) -> PolicyError:
    """All that `error` found, as one exception; `where` is the file or the policy."""
    problems = error.errors(include_url=False)
    lines = [_line(problem) for problem in problems[:_MOST_TOLD]]
    more = len(problems) - len(lines)
    return report(where, lines + ([f"and {more} more"] if more else []))


def report(where: str, lines: list[str]) -> PolicyError:
    """One line per problem, each beginning with `where`."""
    every = [line for text in lines for line in text.splitlines()]
    return PolicyError("\n".join(f"{where}: {line}" for line in every))


def _line(problem: Any) -> str:
    key, reason = _key(problem["loc"]), _reason(problem)
    return f"{key}: {reason}" if key else reason


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
