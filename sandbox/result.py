"""The outcome of one execution: `Status`, the closed list of outcomes, and `Result`."""

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """The ways in which an execution ends. A fault of the sandbox raises `SandboxError`."""

    OK = "OK"  # ran to its end, or left through sys.exit() or sys.exit(0)
    ERROR = "ERROR"  # the guest raised, or left with another exit code
    SYNTAX = "SYNTAX"  # not Python
    DENIED = "DENIED"  # the policy refused it, before or while it ran
    CPU_LIMIT = "CPU_LIMIT"
    WALL_LIMIT = "WALL_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    OUTPUT_LIMIT = "OUTPUT_LIMIT"
    RECURSION_LIMIT = "RECURSION_LIMIT"
    CRASHED = "CRASHED"  # a signal ended it: the interpreter itself failed
    VIOLATION = "VIOLATION"  # a kernel layer killed it, or it broke the frame protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One execution, as data.

    `output` is all that the guest printed if it succeeded and empty if not; `error` is empty on
    success and one message if not; `stdout` is what was printed in either case, up to the cap, and
    `stderr` the first 64 KiB of what was written to `sys.stderr`, within the same cap by itself.
    `value` is what a called function returned (`Sandbox.call`), as plain data. `traceback` has the
    guest's own frames only. Times are seconds, memory is bytes on top of the interpreter.
    `exit_signal` is the signal that ended the child, if one did and was waited for. `measured` says
    whose figures these are: `"child"` (reported from inside, can be forged by a guest that broke
    the language layer) or `"kernel"`. `near_limit` marks a run that used over 80 % of a limit.
    `layers` are the layers that were active; `policy` is the policy's name. `files` are those that
    the job's `fetch` names, as the program left them, by name: as untrusted as its output.
    """

    output: str
    error: str
    status: Status
    stdout: str = ""
    stderr: str = ""
    value: Any = None
    traceback: str = ""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_bytes: int = 0
    exit_signal: int | None = None
    measured: str = "child"
    near_limit: bool = False
    layers: tuple[str, ...] = ()
    policy: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True if the guest ran to its end."""
        return self.status is Status.OK

    def as_tuple(self) -> tuple[str, str]:
        """Return `(output, error)`, the pair that `restricted_execution` returns."""
        return self.output, self.error

    def to_json(self) -> str:
        """This result as one JSON object, its files in base64; `from_json` reads it back, equal."""
        return json.dumps({**asdict(self), "files": in_base64(self.files)})

    @classmethod
    def from_json(cls, text: str) -> "Result":
        """Read what `to_json` wrote. Raises ValueError on unknown or missing keys."""
        data = json.loads(text)
        known = {field.name for field in fields(cls)}
        if not isinstance(data, dict):
            raise ValueError(f"not a Result: {type(data).__name__} instead of an object")
        if unknown := set(data) - known:
            raise ValueError(f"not a Result: it has {', '.join(sorted(unknown))}")
        try:
            data["status"] = Status(data["status"])
            data["layers"] = tuple(data.get("layers", ()))
            files = data.get("files", {})
            data["files"] = {name: base64.b64decode(text) for name, text in files.items()}
            return cls(**data)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a Result: {error}") from error


def in_base64(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the content of each file as text (RFC 4648, section 4)."""
    return {name: base64.b64encode(content).decode() for name, content in files.items()}
