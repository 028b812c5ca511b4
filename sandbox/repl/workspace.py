"""A session and its branches as a person uses them: one at a time, with cells to be undone."""

import contextlib
import keyword
import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from functools import partial
from typing import Any, TypeVar

from sandbox.errors import PolicyError, SandboxError, SessionLost
from sandbox.policy.limits import LimitOptions
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.sessions.session import Session

MAIN = "main"
_T = TypeVar("_T")
_UNDONE_CELLS = 5  # of a branch; each is a state that is kept, of the policy's `branches`
_AGAIN_SECONDS = 0.05
_COMPLETING: LimitOptions = {"cpu_seconds": 0.5, "wall_seconds": 5.0}
_DOTTED = re.compile(r"((?:[^\W\d]\w*\.)*)(\w*)")


class Workspace:
    """Runs cells in the branch that is current. Ctrl-C interrupts the cell, not this program."""

    def __init__(self, sandbox: Sandbox, files: Mapping[str, bytes], **options: Any) -> None:
        self._sandbox, self._files, self._options = sandbox, dict(files), options
        self._thread = ThreadPoolExecutor(1, "cell")  # an interrupt must not meet a half sent cell
        self.limits: dict[str, Any] = {}
        self.branches: dict[str, Session] = {}
        self._marks: dict[str, list[str]] = {}  # by branch: the checkpoints before its last cells
        self.current, self._count = MAIN, 0
        self.reset()

    @property
    def session(self) -> Session:
        """The current branch."""
        return self.branches[self.current]

    def reset(self) -> None:
        """Begin anew: without any state, branch or file but those given. Raises SandboxError."""
        for session in self.branches.values():
            session.close()
        session = self._wait(lambda: self._sandbox.session(**self._options))
        self.branches, self._marks, self.current = {MAIN: session}, {MAIN: []}, MAIN
        for name, content in self._files.items():
            self._wait(partial(session.write_file, name, content))

    def run(self, code: str) -> CellResult:
        """Run a cell. Raises SandboxError, ValueError, TypeError."""
        mark = self._keep()
        try:
            result = self._wait(lambda: self.session.run(code, **self.limits))
        except SandboxError:
            self._drop(mark)
            raise
        if result.undone:
            self._drop(mark)
        return result

    def undo(self) -> bool:
        """Go back to before the last cell of this branch that is kept; False if none is."""
        marks = self._marks[self.current]
        if not marks:
            return False
        self._wait(lambda: self.session.restore(marks[-1]))
        self._drop(marks[-1])
        return True

    def fork(self, name: str) -> str:
        """Make a branch, go to it, and return its name. Raises SandboxError, ValueError."""
        name = name or next(n for n in self._names() if n not in self.branches)
        if name in self.branches:
            raise ValueError(f"there is a branch {name!r} already")
        (made,) = self._with_room(lambda: self.session.fork(1))
        self.branches[name], self._marks[name] = made, []
        self.current = name
        return name

    def switch(self, name: str) -> None:
        """Go to another branch. Raises ValueError."""
        if name not in self.branches:
            raise ValueError(f"no branch {name!r}: there are {', '.join(self.branches)}")
        self.current = name

    def names(self) -> list[str]:
        """Return the names of the files in the working directory."""
        return self._wait(self.session.files)

    def completions(self, word: str) -> list[str]:
        """Return names that begin with `word`: the guest's, or attributes of one of its objects.

        They are asked in a branch of their own, so that nothing here changes.
        """
        found = _DOTTED.fullmatch(word)
        if found is None:
            return []
        owner, start = found.groups()
        asked = f"dir({owner[:-1]})" if owner else "list(globals())"
        names = self._asked(asked)
        if not owner:
            names += [*keyword.kwlist, *self._sandbox.policy.plan().builtins]
        fitting = {n for n in names if n.startswith(start) and (start or not n.startswith("_"))}
        return sorted(owner + name for name in fitting)

    def _asked(self, expression: str) -> list[str]:
        with contextlib.suppress(SandboxError, ValueError):
            (branch,) = self._with_room(lambda: self.session.fork(1))
            try:
                value = self._wait(lambda: branch.run(expression, **_COMPLETING)).value
            finally:
                self._wait(branch.close)
            if isinstance(value, list):
                return [name for name in value if isinstance(name, str) and name.isidentifier()]
        return []

    def close(self) -> None:
        """End all."""
        for session in self.branches.values():
            session.close()
        self._thread.shutdown(wait=False)

    # -- what is kept to be undone

    def _keep(self) -> str:
        self._count += 1
        mark = f"before-{self._count}"
        try:
            self._with_room(lambda: self.session.checkpoint(mark))
        except PolicyError:  # so many branches that none is left
            return ""
        marks = self._marks[self.current]
        marks.append(mark)
        if len(marks) > _UNDONE_CELLS:
            self._drop(marks[0])
        return mark

    def _drop(self, mark: str) -> None:
        self._drop_of(self.current, mark)

    def _drop_of(self, branch: str, mark: str) -> None:
        if mark in self._marks[branch]:
            self._marks[branch].remove(mark)
            with contextlib.suppress(SessionLost, KeyError):
                self._wait(lambda: self.branches[branch].forget(mark))

    def _with_room(self, call: Callable[[], _T]) -> _T:
        """Return what `call` gives; where states are too many, forget what could be undone."""
        while True:
            try:
                return self._wait(call)
            except PolicyError:
                longest = max(self._marks, key=lambda name: len(self._marks[name]))
                if not self._marks[longest]:
                    raise
                self._drop_of(longest, self._marks[longest][0])

    def _names(self) -> Any:
        number = 0
        while True:
            number += 1
            yield f"fork-{number}"

    def _wait(self, call: Callable[[], _T]) -> _T:
        """Return what `call` gives, in a thread. Ctrl-C interrupts the cell that it runs."""
        running: Future[_T] = self._thread.submit(call)
        seconds: float | None = None
        while True:
            try:
                return running.result(seconds)
            except NotYet:
                if running.done():  # its own
                    return running.result()
            except KeyboardInterrupt:
                seconds = _AGAIN_SECONDS
            with contextlib.suppress(SessionLost, KeyError):
                self.session.interrupt()
