"""The part of `Sandbox` that begins sessions."""

from typing import TYPE_CHECKING, Any, Unpack

from sandbox.job import Services
from sandbox.policy.limits import LimitOptions
from sandbox.runtime.sessions.open_sessions import Sessions
from sandbox.runtime.sessions.session import Session

if TYPE_CHECKING:
    from sandbox.runtime.sessions.aio import AsyncSession


class BeginsSessions:
    """Begins sessions under the policy of the sandbox that it is a part of."""

    _sessions: Sessions

    def session(
        self,
        *,
        on_error: str = "undo",
        undo: bool = True,
        services: Services | None = None,
        cpu_seconds_total: float | None = None,
        name: str = "",
        **limits: Unpack[LimitOptions],
    ) -> Session:
        """Begin a session: a program whose state lasts from one `Session.run` to the next.

        A cell that fails is undone; with `on_error="keep"` one that raises keeps what it has done.
        Without `undo` cells run in the state itself, half as long, and one that does more than
        raise ends the session. Limits, those of `run`, hold for each cell; `cpu_seconds_total` for
        all of them together, by default 100 times `cpu_seconds`. `name` is for messages.

        The processes of sessions belong to a supervisor of their own, which starts with the first
        one. Raises SandboxUnavailable where this host gives a child no PID namespace of its own,
        PolicyError for a wider limit, SandboxError.

            with sandbox.session() as session:
                session.run("import math")
                assert session.run("math.sqrt(16)").value_repr == "4.0"
        """
        own = {"on_error": on_error, "services": services}
        return self._sessions.open(name, cpu_seconds_total, limits, undo, own)

    async def asession(self, **options: Any) -> "AsyncSession":
        """`session` for asyncio, with its options: what blocks is awaited, in a thread."""
        import asyncio

        from sandbox.runtime.sessions.aio import AsyncSession

        return AsyncSession(await asyncio.to_thread(lambda: self.session(**options)))
