"""The interpreter of one rollout: a session that begins with its first cell, and what a model is
told of each.
"""

import threading
from os import PathLike
from typing import Any, Unpack

from sandbox.errors import CONFIGURATION, SandboxError
from sandbox.integrations.sessions.shared import load_policy, shared_sandbox
from sandbox.policy.limits import LimitOptions
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.result import Status
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.sessions.session import Session

SESSIONS = 256  # of a process, where nothing else is said: more rollouts at a time evict the idle


class Rollout:
    """A session for one rollout: lazily begun, begun anew by `reset`. Thread-safe.

    `fault` says why what the model has seen is not its own doing, if it is so: the sandbox or the
    machine failed, or the session was evicted. Then the rollout has no verdict.

    Raises PolicyError for a wrong policy or limit.
    """

    def __init__(
        self,
        policy: "str | PathLike[str] | Policy" = "contest",
        *,
        sessions: int = SESSIONS,
        idle_seconds: float = float("inf"),
        on_error: str = "keep",
        cpu_seconds_total: float | None = None,
        **limits: Unpack[LimitOptions],
    ) -> None:
        self.policy = load_policy(policy)
        self._limits = tighten(self.policy.limits.plain(), limits)
        self._room = {"sessions": sessions, "idle_seconds": idle_seconds}
        self._options: dict[str, Any] = {"on_error": on_error, **limits}
        self._options["cpu_seconds_total"] = cpu_seconds_total
        self._session: Session | None = None
        self._busy = threading.Lock()
        self.fault = ""

    def reset(self) -> None:
        """Let go of the session; the next cell begins another."""
        self.close()
        self.fault = ""

    def close(self) -> None:
        """End the session, and a cell that runs in it."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    @property
    def session(self) -> Session:
        """The session, which begins here if there is none. Raises SandboxError."""
        if self._session is None:
            sandbox = shared_sandbox(self.policy, **self._room)  # type: ignore[arg-type]
            self._session = sandbox.session(**self._options)
        return self._session

    def run(self, code: str, *, wall_seconds: float | None = None) -> CellResult:
        """Run one cell, for `wall_seconds` at most where that is less than the limit.

        Raises SandboxError, after which the next cell begins a session.
        """
        limits = LimitOptions()
        if wall_seconds is not None and wall_seconds < self._limits.wall_seconds:
            limits["wall_seconds"] = wall_seconds
        with self._busy:
            try:
                return self.session.run(code, **limits)
            except SandboxError:
                self._session = None
                raise

    def tell(self, code: str, *, wall_seconds: float | None = None) -> str:
        """Run one cell; return what a model is told. Notes a fault of the sandbox as `fault`.

        Raises what every other rollout would meet as well (PolicyError, SandboxUnavailable).
        """
        try:
            return cell_text(self.run(code, wall_seconds=wall_seconds))
        except CONFIGURATION:
            raise
        except SandboxError as error:
            self.fault = self.fault or str(error)
            return "The interpreter failed and was restarted: no variable is left.\n"


def cell_text(result: CellResult) -> str:
    """Return what a cell printed and its value, or how it failed and what became of its effects."""
    if result.ok:
        shown = "" if result.value_repr is None else f"{result.value_repr}\n"
        return result.output + shown
    plain = result.status in (Status.ERROR, Status.SYNTAX) and result.traceback
    told = result.traceback if plain else f"{result.status}: {result.error}\n"
    undone = "Nothing that this cell did was kept.\n" if result.undone else ""
    return f"{result.stdout}{told}{undone}"
