"""The loop: a cell is read, run and shown; a line that begins with % is a command."""

from collections.abc import Callable
from typing import NamedTuple

from sandbox.errors import SandboxError, SessionLost
from sandbox.policy.limits import TABLE, Limits
from sandbox.policy.tighten import tighten
from sandbox.repl.cells import is_whole
from sandbox.repl.prompts import Prompt
from sandbox.repl.screen import Screen, harmless
from sandbox.repl.workspace import MAIN, Workspace


class _End(Exception):
    """The person is done."""


class _Command(NamedTuple):
    takes: str
    does: str
    call: "Callable[[Loop, list[str]], None]"


class Loop:
    """Reads cells until the input ends."""

    def __init__(self, workspace: Workspace, prompt: Prompt, screen: Screen, own: Limits) -> None:
        """Begin. `own` are the limits of the session."""
        self.workspace, self.screen, self._prompt = workspace, screen, prompt
        self._own = own

    def run(self) -> None:
        """Read and run until the input ends, or `%quit`."""
        while True:
            try:
                cell = self._read()
                if cell.strip():
                    self._do(cell)
            except KeyboardInterrupt:
                self.screen.note("\nKeyboardInterrupt")
            except (EOFError, _End):
                return

    def _read(self) -> str:
        """Return the next cell. Raises EOFError, KeyboardInterrupt."""
        branch = self.workspace.current
        first = ">>> " if branch == MAIN else f"{branch} >>> "
        source = self._prompt.read(first)
        while not source.startswith("%") and not is_whole(source):
            source += "\n" + self._prompt.read("... ".rjust(len(first)))
        return source

    def _do(self, cell: str) -> None:
        try:
            if cell.startswith("%"):
                self._command(cell[1:].split())
            else:
                self.screen.cell(self.workspace.run(cell))
        except SessionLost as error:
            self.screen.complain(f"SessionLost: {error}")
            self.workspace.reset()
            self.screen.note("A new session has begun, without any state.")
        except (SandboxError, ValueError, TypeError) as error:
            self.screen.complain(f"{type(error).__name__}: {harmless(str(error))}")

    def _command(self, words: list[str]) -> None:
        name, given = (words[0], words[1:]) if words else ("help", [])
        if name not in COMMANDS:
            raise ValueError(f"no command %{name}: %help lists them")
        COMMANDS[name].call(self, given)

    # -- commands

    def fork(self, given: list[str]) -> None:
        """Make a branch and go to it."""
        self.screen.note(f"This is the branch {self.workspace.fork(' '.join(given))}.")

    def switch(self, given: list[str]) -> None:
        """Go to another branch."""
        self.workspace.switch(" ".join(given) or MAIN)

    def branches(self, given: list[str]) -> None:
        """List the branches."""
        for name in self.workspace.branches:
            self.screen.say(f"{'*' if name == self.workspace.current else ' '} {name}")

    def undo(self, given: list[str]) -> None:
        """Undo the last cell."""
        done = self.workspace.undo()
        self.screen.note("The last cell is undone." if done else "There is no cell to undo.")

    def limits(self, given: list[str]) -> None:
        """Show the limits of a cell, or tighten them."""
        wanted = dict(self.workspace.limits)
        for each in given:
            name, equals, value = each.partition("=")
            if not equals:
                raise ValueError(f"{each!r} is not NAME=VALUE")
            wanted[name] = int(value) if value.isdecimal() else float(value)
        if "memory_mib" in wanted:
            raise ValueError("memory_mib is the session's: sandbox repl --limit memory_mib=...")
        now = tighten(self._own, wanted)
        self.workspace.limits = wanted
        rows = [
            (each.name, f"{getattr(now, each.name):,} {each.unit}", each.does) for each in TABLE
        ]
        self.screen.table(("limit", "of a cell", ""), rows)

    def reset(self, given: list[str]) -> None:
        """Begin anew."""
        self.workspace.reset()
        self.screen.note("A new session has begun.")

    def files(self, given: list[str]) -> None:
        """List the files."""
        for name in self.workspace.names():
            self.screen.say(harmless(name))

    def help(self, given: list[str]) -> None:
        """List the commands."""
        rows = [(f"%{name} {each.takes}", each.does) for name, each in COMMANDS.items()]
        self.screen.table(("command", "what it does"), rows)

    def quit(self, given: list[str]) -> None:
        """End."""
        raise _End


COMMANDS = {
    "fork": _Command("[NAME]", "makes a branch with this state, and goes to it", Loop.fork),
    "switch": _Command("[NAME]", "goes to another branch; main without a name", Loop.switch),
    "branches": _Command("", "lists the branches", Loop.branches),
    "undo": _Command("", "goes back to before the last cell; five times in a row", Loop.undo),
    "limits": _Command("[NAME=VALUE]...", "shows what a cell may use, or tightens it", Loop.limits),
    "reset": _Command("", "begins anew, without any state", Loop.reset),
    "files": _Command("", "lists the files of the session", Loop.files),
    "help": _Command("", "lists the commands", Loop.help),
    "quit": _Command("", "ends, as the end of the input does", Loop.quit),
}
