"""Errors of the sandbox itself. A guest's faults are a `Result`, never raised.

SandboxError                   the sandbox failed; the job has no verdict
├── SandboxUnavailable         the host cannot provide a required layer
├── SandboxClosed              the sandbox was closed before or during the call
├── SessionLost                a session is no more: closed, evicted, or its process was lost
└── PolicyError                a policy does not say what a policy must say

RewardError                    a contained reward function failed by itself: no fault of ours
"""

from dataclasses import dataclass
from typing import Any


class SandboxError(Exception):
    """The sandbox, or the machine below it, failed. Never a verdict on the guest.

    A reward must treat it as *no measurement*, not as zero.
    """


class SandboxUnavailable(SandboxError):
    """The host lacks something that the policy requires.

    `layer` names it in the words of the policy, `reason` is what the host answered and `remedy`
    is what to do about it.
    """

    def __init__(self, layer: str, reason: str, remedy: str) -> None:
        super().__init__(f"layer '{layer}' is not available: {reason}. {remedy}")
        self.layer = layer
        self.reason = reason
        self.remedy = remedy

    def __reduce__(self) -> tuple[type, tuple[str, str, str]]:
        return type(self), (self.layer, self.reason, self.remedy)


class SandboxClosed(SandboxError):
    """The `Sandbox` was closed before or during the call."""


class SessionLost(SandboxError):
    """A session, or a branch of one, is no more; the message says why.

    It was closed, evicted after it had been idle, or its process was killed by something outside.
    Its state is gone. `Session.log` of what ran in it creates it anew.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a policy.

    `file` is where it was read from, or how messages name a policy of no file; `line` counts from
    1; `key` is spelled as in `limits.cpu_seconds` or `modules[2].names`. What is not known, or has
    no meaning, is empty, or None.
    """

    file: str = ""
    line: int | None = None
    key: str = ""
    reason: str

    def __str__(self) -> str:
        told = ": ".join(part for part in (self.file, self.key, self.reason) if part)
        return " ".join(told.splitlines())  # a key may have a newline in it


class PolicyError(SandboxError, ValueError):
    """A policy file or value is wrong, or grants not what a call needs.

    `problems` says what, as data; the message is made of them, one line each, and is for people.
    Made by `policy_error`: a guest has this class in hand, and gets no code of ours with it.
    """

    problems: tuple[Problem, ...] = ()


def policy_error(*problems: Problem) -> PolicyError:
    """Return a `PolicyError` that tells of `problems`."""
    error = PolicyError("\n".join(map(str, problems)))
    error.problems = problems
    return error


class RewardError(Exception):
    """A contained reward function raised, met a limit, or returned what are no rewards.

    `status` is how its child ended, as text, and `traceback` the function's own lines, where there
    are any. It is the function's fault, and a trainer that goes on would train on nothing: repair
    the function, or give it a wider policy if it met a limit.
    """

    def __init__(self, message: str, *, status: str = "", traceback: str = "") -> None:
        super().__init__(message)
        self.status, self.traceback = status, traceback

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}\n{self.traceback}".rstrip() if self.traceback else message

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (self.args[0], self.status, self.traceback)


def _made_again(message: str, status: str, traceback: str) -> RewardError:
    return RewardError(message, status=status, traceback=traceback)


# Not one job's bad luck: the next job would meet the same.
CONFIGURATION = (PolicyError, SandboxClosed, SandboxUnavailable)
