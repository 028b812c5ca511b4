"""`Session`: a program that is run cell by cell, with its state between them."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from sandbox.errors import SandboxError
from sandbox.job import Services
from sandbox.policy.limits import LimitOptions
from sandbox.runtime.sessions.branch import ON_ERROR, Branch, Entry
from sandbox.runtime.sessions.cell_run import Interrupt
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.wire import cells, files
from sandbox.runtime.wire.cells import CellTask
from sandbox.runtime.wire.trusted_json import copy_kwargs, copy_plain


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
        branch: Branch,
        *,
        on_error: str = "undo",
        services: Services | None = None,
        is_root: bool = True,
    ) -> None:
        self._on_error = _checked(on_error)
        self._branch, self._is_root = branch, is_root
        self.services: Services = dict(services or {})

    # -- cells

    def run(
        self,
        code: str,
        stdin: str = "",
        *,
        on_error: str | None = None,
        interrupt: Interrupt | None = None,
        **limits: Unpack[LimitOptions],
    ) -> CellResult:
        """Run one cell, with `stdin` as its standard input; return how it ended.

        The value of a last expression comes back as `value_repr`, and as `value` where it is plain
        data; the program finds it as `_`. Limits hold for the cell; they tighten the session's.
        `on_error` overrides the session's for this cell. `interrupt` is for this cell alone what
        `Session.interrupt` is for the one that runs: `interrupt.wish()` ends it, at any time.

        Raises TypeError for what is no text, PolicyError for a wider limit, SessionLost if the
        session is no more, SandboxError for a fault of the sandbox.

            session.run("total = sum(range(10))\\ntotal").value_repr  # "45"
        """
        chosen = self._on_error if on_error is None else _checked(on_error)
        task = CellTask(mode=cells.RUN, code=code, stdin=stdin)
        return self._branch.run(task, limits, chosen, self.services, interrupt=interrupt)

    def call(
        self,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        interrupt: Interrupt | None = None,
        **limits: Unpack[LimitOptions],
    ) -> CellResult:
        """Call the function `entry` of the session with plain data; `value` is what it returns.

        Arguments and value are those of `Sandbox.call`. What it changes lasts, as a cell's does.
        Raises as `run` does, and ValueError for other arguments.
        """
        given = {"args": copy_plain(tuple(args)), "kwargs": copy_kwargs(kwargs or {})}
        task = CellTask(mode=cells.CALL, name=entry, **given)
        own = self._on_error, self.services
        return self._branch.run(task, limits, *own, interrupt=interrupt)

    def get(self, name: str) -> Any:
        """Return the plain data that the variable `name` holds.

        Raises KeyError if there is no such variable, ValueError if it holds anything else.
        """
        result = self._do(CellTask(mode=cells.GET, name=name), lasts=False, raises=False)
        if result.error.startswith("NameError"):
            raise KeyError(name)
        return _good(result).value

    def set(self, name: str, value: Any) -> None:
        """Let the variable `name` hold `value`: plain data, of which the session has a copy.

        Raises ValueError for what is no name or not plain data.
        """
        if not name.isidentifier() or name.startswith("__"):
            raise ValueError(f"a variable cannot be called {name!r}")
        self._do(CellTask(mode=cells.SET, kwargs=copy_kwargs({name: value})))

    # -- files

    def write_file(self, name: str, content: bytes | str) -> None:
        """Write a file, by its name below the working directory. Raises ValueError for a wrong one.

        Under a policy with a scratch directory files belong to the session: its branches share
        them, and no cell's files are undone. Else they are part of the state.
        """
        given = files.given({name: content})
        if len(given[name]) > self._branch.tree.limits.files_kib << 10:
            raise ValueError(f"files_kib: {name!r} is larger than the policy's limit")
        self._do(CellTask(mode=cells.WRITE, files=given))

    def read_file(self, name: str) -> bytes:
        """Return the content of a file, as untrusted as output. Raises FileNotFoundError."""
        task = CellTask(mode=cells.READ, fetch=files.patterns([name]))
        found = self._do(task, lasts=False).files
        if name not in found:
            raise FileNotFoundError(f"the session has no file {name!r}")
        return found[name]

    def files(self) -> list[str]:
        """List the names of the files in the working directory and below, in order."""
        listed = self._do(CellTask(mode=cells.LIST), lasts=False).value
        return [str(name) for name in listed or []]

    # -- states

    def checkpoint(self, name: str = "") -> str:
        """Keep the state as it is now, and return its name: one of your own, or a fresh one.

        Costs a fork, and what later cells change of its memory. Raises PolicyError beyond the
        policy's `branches`.
        """
        return self._branch.checkpoint(name)

    def restore(self, mark: str) -> None:
        """Go back to the state that `checkpoint` kept as `mark`, which stays. Raises KeyError."""
        self._branch.restore(mark)

    def forget(self, mark: str) -> None:
        """Let go of a checkpoint. Raises KeyError."""
        self._branch.forget(mark)

    def fork(self, count: int = 1) -> list["Session"]:
        """Return `count` sessions that have this state, independent of this one and each other.

        Each ends when it is closed, or with the session that `Sandbox.session` made. Raises
        PolicyError beyond the policy's `branches`, ValueError for a count below 1.

            first, second = session.fork(2)
        """
        if count < 1:
            raise ValueError("count must be at least 1")
        own: dict[str, Any] = {"on_error": self._on_error, "services": self.services}
        return [Session(each, is_root=False, **own) for each in self._branch.fork(count)]

    # -- its course

    @property
    def log(self) -> tuple[Entry, ...]:
        """What has made this state, in order: `replay` creates it elsewhere, or after a loss.

        Exact under a deterministic policy; else as exact as the program is. Services are called
        again. Entries can be pickled.
        """
        return tuple(self._branch.log)

    def replay(self, log: Sequence[Entry]) -> None:
        """Do again what `log` says, in this session. Raises SandboxError where a step fails."""
        for entry in log:
            result = self._branch.run(entry.task, entry.limits, "keep", self.services)
            if result.undone or result.ok is not entry.ok:
                raise SandboxError(f"a step of the log failed as it was done again: {result.error}")

    @property
    def execution_count(self) -> int:
        """The number of cells that ran so far, undone ones included."""
        return self._branch.count

    def interrupt(self) -> None:
        """End the cell that runs now, from another thread; it is undone. Nothing runs: nothing."""
        self._branch.interrupt()

    def close(self) -> None:
        """End this session and, if `Sandbox.session` made it, its branches. Idempotent."""
        self.end("it was closed")

    def end(self, why: str) -> None:
        """Close it; what is asked of it later raises SessionLost, which says `why`."""
        self._branch.end(why, is_root=self._is_root)

    @property
    def is_alive(self) -> bool:
        """False once it was closed or lost."""
        return self._branch.is_alive

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, task: CellTask, *, lasts: bool = True, raises: bool = True) -> CellResult:
        result = self._branch.run(task, {}, "undo", self.services, lasts=lasts)
        return _good(result) if raises else result


def _good(result: CellResult) -> CellResult:
    if not result.ok:
        raise ValueError(result.error.removeprefix("ValueError: "))
    return result


def _checked(on_error: str) -> str:
    if on_error not in ON_ERROR:
        raise ValueError(f"on_error must be 'undo' or 'keep', not {on_error!r}")
    return on_error
