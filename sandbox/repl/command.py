"""`sandbox repl`."""

import contextlib
import sys
from typing import Annotated, Any

import typer

from sandbox.command_files import FileOption, files_of
from sandbox.command_line import LimitOption, limits_of
from sandbox.policy.tighten import tighten


def repl_command(
    policy: Annotated[
        str, typer.Option("--policy", "-p", metavar="POLICY", help="What cells run under.")
    ] = "contest",
    limit: LimitOption = None,
    files: FileOption = None,
    undo_errors: Annotated[
        bool, typer.Option("--undo-errors", help="A cell that raises is undone.")
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Without prompt_toolkit, also where it is installed.")
    ] = False,
) -> None:
    """Run Python cell by cell at a prompt, in a session. %help lists the commands.

    The tab key completes names of the program's. Ctrl-C interrupts the cell, Ctrl-D ends.
    """
    limits: Any = limits_of(limit)
    given = files_of(files)
    from sandbox import Sandbox
    from sandbox.repl.loop import COMMANDS, Loop
    from sandbox.repl.prompts import prompt_for
    from sandbox.repl.screen import Screen
    from sandbox.repl.workspace import Workspace

    with Sandbox(policy, workers=1) as sandbox:
        own = tighten(sandbox.policy.plan().limits, limits)
        on_error = "undo" if undo_errors else "keep"
        workspace = Workspace(sandbox, given, on_error=on_error, **limits)

        def complete(word: str) -> list[str]:
            if word.startswith("%"):
                return [f"%{name}" for name in COMMANDS if name.startswith(word[1:])]
            return workspace.completions(word)

        screen, prompt = Screen(), prompt_for(complete, plain=plain)
        if sys.stdin.isatty():
            screen.note(
                f"A session under the policy '{sandbox.policy.name}'. %help lists commands."
            )
        with contextlib.closing(workspace), contextlib.closing(prompt):
            Loop(workspace, prompt, screen, own).run()
