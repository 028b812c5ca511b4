"""The sessions of one sandbox: how they begin, which are evicted, how all of them end."""

import itertools
import math
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any

from sandbox.errors import SandboxClosed, SandboxError, SandboxUnavailable, SessionLost
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
        self, terms: Terms, hello: Mapping[str, Any], most: int, idle_seconds: float
    ) -> None:
        """Begin none yet. Raises ValueError for a wrong bound."""
        if most < 1:
            raise ValueError("sessions must be at least 1")
        if not idle_seconds > 0:
            raise ValueError("session_idle_seconds must be greater than zero")
        self._terms, self._hello = terms, hello  # a supervisor's: what this host gives
        self._most, self._idle_seconds = most, idle_seconds
        self._pool: Pool | None = None
        self._lock = threading.RLock()
        self._open: dict[int, tuple[weakref.ref[Tree], Lease]] = {}
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
            why = self._hello["missing"].get("namespaces", "the layer is off")
            reason = f"a session's processes end with their namespace, and there is none: {why}"
            raise SandboxUnavailable("namespaces", reason, remedy_for("namespaces"))
        if plan.threads and not self._hello["uids"]:
            reason = "threads of a session are bounded by its own uid, and there is one for all"
            raise SandboxUnavailable("privileges", reason, remedy_for("privileges"))
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
            connection = Connection(name, channel, lease.supervisor.pids)
            tree = Tree(connection, self._terms, inside, total)
        except BaseException as error:
            channel.close()
            pool.give_back(lease, lost=isinstance(error, SessionLost))
            raise
        session = Session(Branch(tree, undo=undo), **own)
        with self._lock:
            self._open[number] = weakref.ref(tree), lease
        weakref.finalize(tree, tree.connection.close, "nothing held it any more")
        return session

    def evict_idle(self) -> int:
        """End the sessions that have been idle for too long; return how many."""
        with self._lock:
            now = time.monotonic()
            idle = [tree for tree in self._living() if now - tree.used_at >= self._idle_seconds]
            for tree in idle:
                if not tree.is_busy:
                    tree.connection.close(f"evicted: it was idle for {self._idle_seconds:g} s")
            return len(idle)

    def _make_room(self) -> None:
        living = sorted(self._living(), key=lambda tree: (tree.is_busy, tree.used_at))
        for tree in living[: max(len(living) + 1 - self._most, 0)]:
            if tree.is_busy:
                raise SandboxError(
                    f"{self._most} sessions are open, and a cell runs in each: close one, or allow"
                    " more (`Sandbox(..., sessions=n)`)"
                )
            why = f"evicted: more than {self._most} sessions, and it was idle for the longest"
            tree.connection.close(why)

    def _living(self) -> list[Tree]:
        """Return the sessions that there are, and forget the others."""
        living = list[Tree]()
        for number, (reference, lease) in list(self._open.items()):
            tree = reference()
            if tree is not None and not tree.connection.lost:
                living.append(tree)
                continue
            del self._open[number]
            if self._pool is not None:
                self._pool.give_back(lease, lost=False)
        return living

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
            for tree in self._living():
                tree.connection.close("its sandbox was closed")
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def after_fork(self) -> None:
        """Leave, in a fork of the caller, the parent its sessions."""
        self._lock = threading.RLock()
        for reference, _ in self._open.values():
            tree = reference()
            if tree is not None:
                tree.connection.abandon()
        self._open.clear()
        if self._pool is not None:
            self._pool.after_fork()
