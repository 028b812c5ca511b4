"""Functions by which a state of a session asks the vault for its cells: see `asking`."""

import sys
from typing import Any

from sandbox.interpreter.vault.asking import _opened

_audit = sys.audit


def lend(wait: Any) -> None:
    """Give the vault what waits for each job, in a state of a session; before the first one."""
    box: list[Any] = []
    _audit("sandbox.lend", box, wait)
    _opened(box)


def next_cell(status: str, error: str, traceback: str, value: str) -> Any:
    """Write what is printed and how the cell ended; return the next one, maybe in a fork of this.

    Only the frame that runs the program may ask it.
    """
    box: list[Any] = []
    _audit("sandbox.next_cell", box, status, error, traceback, value)
    return _opened(box)
