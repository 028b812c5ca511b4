"""The actor of a node: it holds the node's sandbox and works off batches of jobs."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeGuard

from sandbox.errors import (
    CONFIGURATION,
    PolicyError,
    Problem,
    SandboxClosed,
    SandboxError,
    SandboxUnavailable,
    policy_error,
)
from sandbox.grading.grade import grade_many
from sandbox.policy.model import Policy
from sandbox.runtime.caller.capacity import workers as capacity
from sandbox.runtime.caller.client import Sandbox
from sandbox.version import UNKNOWN
from sandbox.version import version as installed

# What a caller may get raised; anything else is a fault of ours, and becomes a SandboxError.
_KINDS: tuple[type[Exception], ...] = (
    SandboxClosed,
    SandboxError,
    ValueError,
    TypeError,
)


class Setup(NamedTuple):
    """The settings of every node's sandbox.

    `workers` is what the user asked for on each node, None for what the node has; `version` is the
    caller's of this package.
    """

    policy: Policy
    workers: int | None
    measure: str
    recycle_after: int
    version: str


def version() -> str:
    """Return this package's installed version; empty if the package only lies there."""
    return "" if (found := installed()) == UNKNOWN else found


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception in the place of a result."""

    error: Exception

    def named(self, node: str) -> "Failure":
        """Return the same, saying on which node it happened; the exception's type stays."""
        return Failure(portable(self.error, f" (Ray node {node})"))


def portable(error: Exception, suffix: str = "") -> Exception:
    """Make `error` one of the types that a caller knows, of text only, so that it can cross."""
    if isinstance(error, SandboxUnavailable):
        return SandboxUnavailable(error.layer, f"{error.reason}{suffix}", error.remedy)
    if isinstance(error, PolicyError):
        problems = error.problems or (Problem(reason=str(error)),)
        return policy_error(*(replace(each, reason=each.reason + suffix) for each in problems))
    for kind in _KINDS:
        if isinstance(error, kind):
            return kind(f"{error}{suffix}")
    return SandboxError(f"{type(error).__name__}: {error}{suffix}")


@dataclass(frozen=True, slots=True)
class Raised(Failure):
    """An exception of the caller's own iterator of jobs: no job's, and nothing comes after it."""


def is_fault(error: Exception) -> TypeGuard[SandboxError]:
    """Return True if it concerns one job: a wrong configuration is wrong for all others, too."""
    return isinstance(error, SandboxError) and not isinstance(error, CONFIGURATION)


class Node:
    """The actor. What is raised leaves it as data: Ray would change its type."""

    def __init__(self, setup: Setup, cpus: int) -> None:
        """Open nothing yet. `cpus` is how many processors Ray counts on this node."""
        self._setup, self._cpus = setup, cpus
        self._lock = threading.Lock()
        self._sandbox: Sandbox | None = None

    def open(self) -> int | Failure:
        """Start the sandbox; return how many programs it runs at once."""
        try:
            return self._opened().workers
        except Exception as error:
            return Failure(portable(error))

    def work(self, kind: str, jobs: Sequence[Any], shared: dict[str, Any]) -> list[Any]:
        """Return a result or a `Failure` for each of `jobs`, in order."""
        try:
            sandbox = self._opened()
        except Exception as error:
            return [Failure(portable(error))] * len(jobs)
        return work(sandbox, kind, jobs, shared)

    def _opened(self) -> Sandbox:
        with self._lock:
            if self._sandbox is None:
                setup = self._setup
                _check_version(setup.version)
                workers = setup.workers
                if workers is None:
                    room = capacity(None, setup.policy.plan())
                    workers = max(min(self._cpus, room), 1)
                self._sandbox = Sandbox(
                    setup.policy,
                    workers,
                    measure=setup.measure,
                    recycle_after=setup.recycle_after,
                )
            return self._sandbox


def _check_version(wanted: str) -> None:
    """Raise SandboxError for another version: results are the same only if all run the same."""
    if (here := version()) != wanted:
        raise SandboxError(
            f"restricted-execution {here or 'of no version'} is installed there, and"
            f" {wanted or 'one of no version'} where the jobs come from: install the same"
        )


def work(sandbox: Sandbox, kind: str, jobs: Sequence[Any], shared: dict[str, Any]) -> list[Any]:
    """Return what `kind` of work gives for each of `jobs`, or the `Failure` of one without it.

    A fault ends a whole batch; so that it concerns one job alone, each is then run by itself.
    """
    try:
        return _KINDS_OF_WORK[kind](sandbox, jobs, **shared)
    except Exception as error:
        if len(jobs) == 1:
            return [Failure(portable(error))]
    with ThreadPoolExecutor(sandbox.workers) as pool:
        alone = pool.map(lambda job: work(sandbox, kind, [job], shared), jobs)
        return [outcome for [outcome] in alone]


def _grade(sandbox: Sandbox, rows: Sequence[Any], **options: Any) -> list[Any]:
    return grade_many(rows, policy=sandbox.policy, workers=sandbox.workers, **options)


_KINDS_OF_WORK: dict[str, Callable[..., list[Any]]] = {
    "map": lambda sandbox, jobs: list(sandbox.map(jobs)),
    "run_many": lambda sandbox, stdins, **given: sandbox.run_many(stdins=stdins, **given),
    "call_many": lambda sandbox, arguments, **given: sandbox.call_many(
        arguments=arguments, **given
    ),
    "grade": _grade,
}
