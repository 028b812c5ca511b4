"""The sessions of one sandbox: how they begin, which are evicted, how all of them end."""

import itertools
import math
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any

from sandbox.errors import SandboxClosed, SandboxUnavailable
from sandbox.policy.tighten import tighten
from sandbox.runtime.caller.pool import Pool
from sandbox.runtime.caller.remedies import remedy_for
from sandbox.runtime.caller.submission import Terms, check_services
from sandbox.runtime.caller.supervisor_handle import Lease
from sandbox.runtime.sessions.branch import Branch
from sandbox.runtime.sessions.connection import Connection
from sandbox.runtime.sessions.session import Session
from sandbox.runtime.sessions.tree import Tree

_CELLS_IN_SUM = 100  # so many times the CPU limit of a cell, where no sum is given


class Sessions:
    """Begins sessions, at most `most` at a time. Thread-safe.

    No thread and no timer looks at them: those that have been idle for `idle_seconds` are found
    when another begins, and when `evict_idle` is called.
    """

    def __init__(
        self, terms: Terms, missing: Mapping[str, str], most: int, idle_seconds: float
    ) -> None:
        """Begin none yet. Raises ValueError for a wrong bound."""
        if most < 1:
            raise ValueError("sessions must be at least 1")
        if not idle_seconds > 0:
            raise ValueError("session_idle_seconds must be greater than zero")
        self._terms, self._missing = terms, dict(missing)
        self._most, self._idle_seconds = most, idle_seconds
        self._pool: Pool | None = None
        self._lock = threading.RLock()
        self._open: dict[int, tuple[weakref.ref[Session], Connection, Lease]] = {}
        self._numbers = itertools.count(1)
        self._closed = False

    def open(
        self,
        name: str,
        cpu_seconds_total: float | None,
        limits: Mapping[str, Any],
        undo: bool,
        own: Mapping[str, Any],
    ) -> Session:
        """Begin a session; `own` are options of `Session`. Raises as `Sandbox.session` says."""
        plan = self._terms.plan
        if "namespaces" not in self._terms.setting.layers:
            why = self._missing.get("namespaces", "the layer is off")
            reason = f"a session's processes end with their namespace, and there is none: {why}"
            raise SandboxUnavailable("namespaces", reason, remedy_for("namespaces"))
        inside = tighten(plan.limits, limits) if limits else plan.limits
        if own.get("services"):
            check_services(own["services"], plan)
        total = cpu_seconds_total or _CELLS_IN_SUM * inside.cpu_seconds
        if not 0 < total < math.inf:
            raise ValueError("cpu_seconds_total must be greater than zero, and finite")
        less = (plan.limits.memory_mib - inside.memory_mib) << 20
        with self._lock:
            self.evict_idle()
            self._make_room()
            number = next(self._numbers)
            pool = self._started()
        name = f"session {name or number}"
        lease, channel = pool.begin_session(name, less)
        try:
            tree = Tree(Connection(name, channel), self._terms, inside, total)
        except BaseException:
            channel.close()
            pool.give_back(lease, lost=False)
            raise
        session = Session(Branch(tree, undo=undo), **own)
        with self._lock:
            self._open[number] = weakref.ref(session), tree.connection, lease
        weakref.finalize(tree.connection, _give_back, pool, lease)
        return session

    def evict_idle(self) -> int:
        """End the sessions that have been idle for too long; return how many."""
        with self._lock:
            now = time.monotonic()
            idle = [s for s in self._living() if now - s.used_at >= self._idle_seconds]
            for session in idle:
                session.end(f"evicted: it was idle for {self._idle_seconds:g} s")
            self._forget_ended()
            return len(idle)

    def _make_room(self) -> None:
        self._forget_ended()
        living = sorted(self._living(), key=lambda session: session.used_at)
        for session in living[: max(len(self._open) + 1 - self._most, 0)]:
            session.end(
                f"evicted: more than {self._most} sessions, and it was idle for the longest"
            )
        self._forget_ended()

    def _living(self) -> list[Session]:
        """Return the sessions that no cell runs in now."""
        found = (reference() for reference, _, _ in self._open.values())
        return [session for session in found if session is not None and not session.is_busy]

    def _forget_ended(self) -> None:
        for number, (_, connection, lease) in list(self._open.items()):
            if connection.lost:
                del self._open[number]
                assert self._pool is not None
                self._pool.give_back(lease, lost=False)

    def _started(self) -> Pool:
        if self._closed:
            raise SandboxClosed("the sandbox is closed")
        if self._pool is None:
            plan = self._terms.plan
            self._pool = Pool(plan, spares=1, recycle_after=self._most, sessions=2 * self._most)
        return self._pool

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._closed = True
            for _, connection, _ in self._open.values():
                connection.close("its sandbox was closed")
            pool, self._pool = self._pool, None
            self._open.clear()
        if pool is not None:
            pool.close()

    def after_fork(self) -> None:
        """Leave, in a fork of the caller, the parent its sessions."""
        self._lock = threading.RLock()
        for _, connection, _ in self._open.values():
            connection.abandon()
        self._open.clear()
        if self._pool is not None:
            self._pool.after_fork()


def _give_back(pool: Pool, lease: Lease) -> None:
    pool.give_back(lease, lost=False)
