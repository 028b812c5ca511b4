"""`Session`: a program that is run cell by cell, with its state between them."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from sandbox.errors import Problem, SandboxError, SessionLost, policy_error
from sandbox.job import Services
from sandbox.policy.limits import LimitOptions, Limits
from sandbox.policy.tighten import tighten
from sandbox.result import Status
from sandbox.runtime.caller.submission import check_services, check_text
from sandbox.runtime.sessions.cell_run import CellRun
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.sessions.tree import FIRST, NONE, Tree
from sandbox.runtime.wire import cells, files
from sandbox.runtime.wire.cells import CellTask
from sandbox.runtime.wire.trusted_json import copy_kwargs, copy_plain

ON_ERROR = ("undo", "keep")
# Ends of a cell after which its state is as good as before: the exception is all that there was.
_PLAIN = (Status.ERROR, Status.DENIED, Status.SYNTAX, Status.RECURSION_LIMIT)


@dataclass(frozen=True, slots=True)
class Entry:
    """One step of a session's log: a cell whose effect lasts, as `Session.replay` does it again."""

    task: CellTask
    limits: Mapping[str, float] = field(default_factory=dict)


class Session:
    """A program's state, in a process of its own behind every layer of its policy.

    Made by `Sandbox.session`. Each cell runs in a fork of the state: one that raises, meets a
    limit, crashes or violates the policy is undone, and the session goes on from before it.
    `on_error="keep"` keeps what a cell has done until it raised, as Jupyter does. Cells of one
    session run one at a time; branches are sessions of their own, and run beside each other.
    `services` are functions of the caller's that its cells may call; they may be set at any time.

        with Sandbox("contest").session() as session:
            session.run("x = 20")
            assert session.run("x + 1").value == 21
    """

    def __init__(
        self,
        tree: Tree,
        *,
        on_error: str = "undo",
        undo: bool = True,
        services: Services | None = None,
        is_root: bool = True,
        state: int = FIRST,
        count: int = 0,
        log: Sequence[Entry] = (),
    ) -> None:
        _check_on_error(on_error)
        self._tree, self._state, self._is_root = tree, state, is_root
        self._on_error, self._undo = on_error, undo
        self.services: Services = dict(services or {})
        self._log, self._count = list(log), count
        self._marks: dict[str, tuple[int, int, int]] = {}
        self._busy, self._running = threading.RLock(), list[CellRun]()
        self.used_at, self._lost = time.monotonic(), ""

    # -- cells

    def run(
        self,
        code: str,
        stdin: str = "",
        *,
        on_error: str | None = None,
        **limits: Unpack[LimitOptions],
    ) -> CellResult:
        """Run one cell, with `stdin` as its standard input; return how it ended.

        The value of a last expression comes back as `value_repr`, and as `value` where it is plain
        data; the program finds it as `_`. Limits hold for the cell; they tighten the session's.
        `on_error` overrides the session's for this cell.

        Raises TypeError for what is no text, PolicyError for a wider limit, SessionLost if the
        session is no more, SandboxError for a fault of the sandbox.

            session.run("total = sum(range(10))\\ntotal").value_repr  # "45"
        """
        if on_error is not None:
            _check_on_error(on_error)
        task = CellTask(mode=cells.RUN, code=code, stdin=stdin)
        return self._run(task, limits, on_error or self._on_error)

    def call(
        self,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **limits: Unpack[LimitOptions],
    ) -> CellResult:
        """Call the function `entry` of the session with plain data; `value` is what it returns.

        Arguments and value are those of `Sandbox.call`. What it changes lasts, as a cell's does.
        Raises as `run` does, and ValueError for other arguments.
        """
        given = {"args": copy_plain(tuple(args)), "kwargs": copy_kwargs(kwargs or {})}
        return self._run(CellTask(mode=cells.CALL, name=entry, **given), limits, self._on_error)

    def get(self, name: str) -> Any:
        """Return the plain data that the variable `name` holds.

        Raises KeyError if there is no such variable, ValueError if it holds anything else.
        """
        result = self._run(CellTask(mode=cells.GET, name=name), {}, "undo", lasts=False)
        if result.error.startswith("NameError"):
            raise KeyError(name)
        return self._checked(result).value

    def set(self, name: str, value: Any) -> None:
        """Let the variable `name` hold `value`: plain data, of which the session has a copy.

        Raises ValueError for what is no name or not plain data.
        """
        if not name.isidentifier() or name.startswith("__"):
            raise ValueError(f"a variable cannot be called {name!r}")
        given = copy_kwargs({name: value})
        self._checked(self._run(CellTask(mode=cells.SET, kwargs=given), {}, "undo"))

    # -- files

    def write_file(self, name: str, content: bytes | str) -> None:
        """Write a file, by its name below the working directory. Raises ValueError for a wrong one.

        Under a policy with a scratch directory files belong to the session: its branches share
        them, and no cell's files are undone. Else they are part of the state.
        """
        given = files.given({name: content})
        if len(given[name]) > self._tree.limits.files_kib << 10:
            raise ValueError(f"files_kib: {name!r} is larger than the policy's limit")
        self._checked(self._run(CellTask(mode=cells.WRITE, files=given), {}, "undo"))

    def read_file(self, name: str) -> bytes:
        """Return the content of a file, as untrusted as output. Raises FileNotFoundError."""
        fetch = files.patterns([name])
        result = self._run(CellTask(mode=cells.READ, fetch=fetch), {}, "undo", lasts=False)
        found = self._checked(result).files
        if name not in found:
            raise FileNotFoundError(f"the session has no file {name!r}")
        return found[name]

    def files(self) -> list[str]:
        """List the names of the files in the working directory and below, in order."""
        result = self._run(CellTask(mode=cells.LIST), {}, "undo", lasts=False)
        return [str(name) for name in self._checked(result).value or []]

    # -- states

    def checkpoint(self, name: str = "") -> str:
        """Keep the state as it is now, and return its name: one of your own, or a fresh one.

        Costs a fork, and what later cells change of its memory. Raises PolicyError beyond the
        policy's `branches`.
        """
        with self._ready():
            mark = name or f"state-{len(self._marks) + 1}"
            old = self._marks.pop(mark, None)
            if old is not None:
                self._tree.drop(old[0])
            (state,) = self._tree.fork(self._state, 1)
            self._marks[mark] = (state, len(self._log), self._count)
            return mark

    def restore(self, mark: str) -> None:
        """Go back to the state that `checkpoint` kept as `mark`, which stays. Raises KeyError."""
        with self._ready():
            if mark not in self._marks:
                raise KeyError(mark)
            kept, logged, count = self._marks[mark]
            (state,) = self._tree.fork(kept, 1)
            before, self._state = self._state, state
            del self._log[logged:]
            self._count = count
            self._tree.drop(before)

    def forget(self, mark: str) -> None:
        """Let go of a checkpoint. Raises KeyError."""
        with self._ready():
            self._tree.drop(self._marks.pop(mark)[0])

    def fork(self, count: int = 1) -> list["Session"]:
        """Return `count` sessions that have this state, independent of this one and each other.

        Each ends when it is closed, or with the session that `Sandbox.session` made. Raises
        PolicyError beyond the policy's `branches`.

            first, second = session.fork(2)
        """
        if count < 1:
            raise ValueError("count must be at least 1")
        with self._ready():
            made = self._tree.fork(self._state, count)
            own = {"on_error": self._on_error, "undo": self._undo, "services": self.services}
            own |= {"is_root": False, "count": self._count, "log": self._log}
            return [Session(self._tree, state=state, **own) for state in made]

    # -- its course

    @property
    def log(self) -> tuple[Entry, ...]:
        """What has made this state, in order: `replay` creates it elsewhere, or after a loss.

        Exact under a deterministic policy; else as exact as the program is. Services are called
        again. Entries can be pickled.
        """
        return tuple(self._log)

    def replay(self, log: Sequence[Entry]) -> None:
        """Do again what `log` says, in this session. Raises SandboxError where a step fails."""
        for entry in log:
            result = self._run(entry.task, entry.limits, "keep")
            if result.undone:
                raise SandboxError(f"a step of the log failed when it was done again: {result.error}")

    @property
    def execution_count(self) -> int:
        """The number of cells that ran so far, undone ones included."""
        return self._count

    def interrupt(self) -> None:
        """End the cell that runs now, from another thread; it is undone. Nothing runs: nothing."""
        for run in self._running[-1:]:
            run.was_interrupted = True
            self._tree.connection.send(run.stopping())

    def close(self) -> None:
        """End this session and, if `Sandbox.session` made it, its branches. Idempotent."""
        self.end("it was closed")

    def end(self, why: str) -> None:
        """End it; what is asked of it later raises SessionLost, which says `why`."""
        if self._lost:
            return
        self._lost = why
        if self._is_root:
            self._tree.connection.close(why)
        elif not self._tree.connection.lost:
            self._tree.drop(self._state, *(mark[0] for mark in self._marks.values()))

    @property
    def is_alive(self) -> bool:
        """False once it was closed or lost."""
        return not self._lost and not self._tree.connection.lost

    @property
    def is_busy(self) -> bool:
        """True while a cell of this session runs."""
        return bool(self._running)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- one cell

    def _ready(self) -> threading.RLock:
        """Return the lock to hold. Raises SessionLost."""
        if self._lost:
            raise SessionLost(f"{self._tree.connection.name}: {self._lost}")
        self._tree.check_alive()
        self.used_at = time.monotonic()
        return self._busy

    def _run(
        self, task: CellTask, limits: Mapping[str, Any], on_error: str, *, lasts: bool = True
    ) -> CellResult:
        with self._ready():
            tree, own = self._tree, self._tree.limits
            if "memory_mib" in limits:
                reason = "it is the session's, not a cell's: give it to Sandbox.session"
                raise policy_error(Problem(key="limits.memory_mib", reason=reason))
            inside = tighten(own, limits) if limits else own
            refused = check_text(task.code, task.stdin, inside)
            if self.services:
                check_services(self.services, tree.terms.plan)
            counts = task.mode in (cells.RUN, cells.CALL)
            self._count += counts
            if refused or tree.cpu_seconds_left <= 0:
                return self._refused(refused)
            if tree.cpu_seconds_left < inside.cpu_seconds:
                inside = replace(inside, cpu_seconds=tree.cpu_seconds_left)
            sent = replace(
                task,
                number=self._count,
                services=tuple(self.services),
                output_bytes=inside.output_bytes,
            )
            try:
                self._state, result = tree.run(
                    self._state,
                    sent,
                    inside,
                    services=self.services,
                    in_place=not self._undo,
                    keeps=lambda ended: lasts and _lasts(ended, on_error),
                    running=self._note_running,
                )
            finally:
                self.used_at = time.monotonic()
            return self._noted(task, limits, on_error, result, lasts=lasts)

    def _noted(
        self,
        task: CellTask,
        limits: Mapping[str, Any],
        on_error: str,
        result: CellResult,
        *,
        lasts: bool,
    ) -> CellResult:
        kept = _lasts(result, on_error) or not self._undo
        if lasts and kept:
            self._log.append(Entry(task, dict(limits)))
        if self._state == NONE:
            self._lost = f"a cell has ended its state, and none is kept: {result.error}"
        return replace(result, execution_count=self._count, undone=lasts and not kept)

    def _note_running(self, run: CellRun | None) -> None:
        self._running[:] = [] if run is None else [run]

    def _refused(self, reason: str) -> CellResult:
        terms = self._tree.terms
        status, told = Status.DENIED, f"{reason} (policy '{terms.plan.name}')"
        if not reason:
            status, told = Status.CPU_LIMIT, "CPU limit: the session has used up its cpu_seconds_total"
        return CellResult(
            output="",
            error=told,
            status=status,
            layers=terms.setting.layers,
            policy=terms.plan.name,
            execution_count=self._count,
            undone=True,
        )

    def _checked(self, result: CellResult) -> CellResult:
        if result.ok:
            return result
        told = result.error.removeprefix("ValueError: ")
        raise ValueError(told)


def session_limits(limits: Limits, given: Mapping[str, Any]) -> Limits:
    """Return the limits of a session. Raises PolicyError for a wider or unknown one."""
    return tighten(limits, given) if given else limits


def _lasts(result: CellResult, on_error: str) -> bool:
    return result.ok or (on_error == "keep" and result.status in _PLAIN)


def _check_on_error(on_error: str) -> None:
    if on_error not in ON_ERROR:
        raise ValueError(f"on_error must be 'undo' or 'keep', not {on_error!r}")
