"""The text that tells a model of an execution that it asked for."""

from sandbox.result import Result, Status
from sandbox.runtime.sessions.result import CellResult

DESCRIPTION = (
    "Run a Python program in a sandbox and get what it printed, or how it failed. Print what you"
    " want to see. Each call is a new process: nothing is kept from one to the next, no"
    " file either, and there are no network and no third-party packages."
)


CELL_DESCRIPTION = (
    "Run a cell of Python in a session, as in a notebook: what earlier cells of that session have"
    " defined is there. Get what it printed, and the value of its last expression: `1 + 1` answers"
    " `2`. There are no network and no third-party packages."
)


def cell_text(result: CellResult) -> str:
    """Return what a cell printed and the value of its last expression, or how it failed."""
    if not result.ok:
        undone = "The session is as it was before this cell.\n" if result.undone else ""
        return f"{tool_text(result)}{undone}"
    if result.value_repr is None:
        return result.stdout
    gap = "\n" if result.stdout and not result.stdout.endswith("\n") else ""
    return f"{result.stdout}{gap}{result.value_repr}\n"


def tool_text(result: Result) -> str:
    """Return what was printed; of a failed program also its traceback or its status and error."""
    if result.ok:
        return result.output
    if result.status is Status.ERROR and result.traceback:
        return f"{result.stdout}{result.traceback}"
    return f"{result.stdout}{result.status}: {result.error}\n"
