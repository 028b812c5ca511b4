"""The stand-in for a result that there is not. For the caller: no child imports this."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sandbox.errors import CONFIGURATION, SandboxError
from sandbox.job import Job

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Fault:
    """Stands in the results of `map` where the sandbox failed: no verdict on the program.

    `job` is the job as it was given, and may be run again; `reason` is the message of `error`. It
    has no `ok` and no `status`, so that no caller takes it for a failure of the program.
    """

    job: Job
    error: SandboxError

    @property
    def reason(self) -> str:
        """Say what happened, in words."""
        return str(self.error)


def gives_faults(on_fault: str) -> bool:
    """Return True if faults are to be given in the place of results. Raises ValueError."""
    if on_fault not in ("raise", "yield"):
        raise ValueError(f"on_fault must be 'raise' or 'yield', not {on_fault!r}")
    return on_fault == "yield"


def twice(once: Callable[[], _T], note_fault: Callable[[], object] = bool) -> _T:
    """Return what `once` gives; after a fault of the sandbox, which may be over, all of it anew.

    `note_fault` is called in between. A wrong configuration is raised at once: it would be met
    again. Raises what `once` raises.
    """
    try:
        return once()
    except CONFIGURATION:
        raise
    except SandboxError:
        note_fault()
        return once()
