"""Where lines come from: prompt_toolkit if it is there, else `input` with readline, or a pipe."""

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

Complete = Callable[[str], list[str]]  # from what stands before the cursor, a word, to whole words
WORD = re.compile(r"%?[\w.]*\Z")
_HISTORY_LINES = 2000


class Prompt(Protocol):
    """A source of lines."""

    def read(self, prompt: str) -> str:
        """Return the next line, or several that were pasted. Raises EOFError, KeyboardInterrupt."""

    def close(self) -> None:
        """Keep the history."""


def prompt_for(complete: Complete, *, plain: bool) -> Prompt:
    """Return the best prompt that there is: `plain` is one without prompt_toolkit."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _Piped()
    if not plain:
        with contextlib.suppress(ImportError):
            return _Toolkit(complete)
    return _Plain(complete)


def _history(name: str) -> Path | None:
    """Return the file that keeps what was typed, readable by its owner only; None for none."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    file = Path(state).expanduser() / "restricted-execution" / name
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
    except (OSError, RuntimeError):
        return None
    return file


class _Piped:
    """Lines of a file or a pipe, without a prompt."""

    def read(self, prompt: str) -> str:
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.removesuffix("\n")

    def close(self) -> None:
        pass


class _Plain:
    """`input`, which has readline's editing, history and completion where Python has it."""

    def __init__(self, complete: Complete) -> None:
        self._readline: Any = None
        self._file = _history("repl-history")
        with contextlib.suppress(ImportError):
            import readline

            self._readline = readline
            readline.set_completer(_states(complete))
            readline.set_completer_delims(" \t\n()[]{}<>=+-*/&|^~!@,:;'\"`")
            is_libedit = "libedit" in (readline.__doc__ or "")
            readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
            readline.set_history_length(_HISTORY_LINES)
            if self._file is not None:
                with contextlib.suppress(OSError):
                    readline.read_history_file(self._file)

    def read(self, prompt: str) -> str:
        return input(prompt)

    def close(self) -> None:
        if self._readline is not None and self._file is not None:
            with contextlib.suppress(OSError):
                self._readline.write_history_file(self._file)


def _states(complete: Complete) -> Callable[[str, int], str | None]:
    """Return `complete` as readline wants it: one answer for each number."""
    found: list[str] = []

    def state(word: str, number: int) -> str | None:
        if number == 0:
            found[:] = complete(word)
        return found[number] if number < len(found) else None

    return state


class _Toolkit:
    """prompt_toolkit's prompt."""

    def __init__(self, complete: Complete) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import Completer, Completion
        from prompt_toolkit.history import FileHistory, InMemoryHistory

        class Names(Completer):
            def get_completions(self, document: Any, event: Any) -> Iterable[Any]:
                found = WORD.search(document.text_before_cursor)
                word = found[0] if found else ""
                for each in complete(word):
                    yield Completion(each, -len(word))

        file = _history("repl-history-toolkit")
        history = InMemoryHistory() if file is None else FileHistory(str(file))
        self._session: Any = PromptSession(
            history=history, completer=Names(), complete_while_typing=False
        )

    def read(self, prompt: str) -> str:
        return str(self._session.prompt(prompt))

    def close(self) -> None:
        pass
