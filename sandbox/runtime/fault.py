"""What takes the place of a result that there is not. For the caller: no child imports this."""

from dataclasses import dataclass

from sandbox.errors import SandboxError
from sandbox.runtime.job import Job


@dataclass(frozen=True, slots=True)
class Fault:
    """Stands in the results of `map` where the sandbox failed: no verdict on the program.

    `job` is the job as it was given, and may be run again; `reason` is the message of `error`. It
    has no `ok` and no `status`, so that nobody takes it for a failure of the program.
    """

    job: Job
    error: SandboxError

    @property
    def reason(self) -> str:
        """Say what happened, in words."""
        return str(self.error)


def gives_faults(on_fault: str) -> bool:
    """True if faults are to be given in the place of results. Raises ValueError."""
    if on_fault not in ("raise", "yield"):
        raise ValueError(f"on_fault must be 'raise' or 'yield', not {on_fault!r}")
    return on_fault == "yield"
