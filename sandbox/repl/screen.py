"""What is shown. A guest's text cannot steer the terminal: its control characters are spelt out."""

import re
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sandbox.runtime.sessions.result import CellResult

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """Return `text` with its control characters as escapes, but for newline and tab."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class Screen:
    """Standard output and standard error."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        self._errors = Console(stderr=True, highlight=False)

    def cell(self, result: CellResult) -> None:
        """Show how a cell ended."""
        self._write(sys.stdout, result.stdout)
        self._write(sys.stderr, result.stderr)
        for part in result.parts:
            if not part["type"].startswith("text/"):
                self.note(f"[{harmless(part['type'])}, {len(part['data'])} characters]")
        if not result.ok:
            known = result.traceback or f"{result.status}: {result.error}\n"
            self.complain(harmless(known.rstrip("\n")))
            if result.undone:
                self.note("The cell was undone.")
        elif result.value_repr is not None:
            self._write(sys.stdout, result.value_repr)

    def _write(self, stream: TextIO, text: str) -> None:
        if text:
            shown = harmless(text) if stream.isatty() else text
            data = shown.encode(stream.encoding or "utf-8", "backslashreplace")
            stream.buffer.write(data if shown.endswith("\n") else data + b"\n")
            stream.flush()

    def say(self, text: str) -> None:
        """Show text of ours."""
        self._console.print(Text(text), soft_wrap=True)

    def note(self, text: str) -> None:
        """Show a remark."""
        self._console.print(Text(text, style="dim"), soft_wrap=True)

    def complain(self, text: str) -> None:
        """Show what went wrong."""
        self._errors.print(Text(text, style="red"), soft_wrap=True)

    def table(self, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
        """Show rows."""
        made = Table(*headings)
        for row in rows:
            made.add_row(*map(Text, row))
        self._console.print(made)
