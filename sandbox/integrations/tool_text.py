"""The text that tells a model of an execution that it asked for."""

from sandbox.result import Result, Status

DESCRIPTION = (
    "Run a Python program in a sandbox and get what it printed, or how it failed. Print what you"
    " want to see. Each call is a new process: nothing is kept from one to the next, no"
    " file either, and there are no network and no third-party packages."
)


def tool_text(result: Result) -> str:
    """Return what was printed; of a failed program also its traceback or its status and error."""
    if result.ok:
        return result.output
    if result.status is Status.ERROR and result.traceback:
        return f"{result.stdout}{result.traceback}"
    return f"{result.stdout}{result.status}: {result.error}\n"
