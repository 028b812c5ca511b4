"""Jobs: as the user gives them, and as they cross to a child."""

import marshal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sandbox.runtime.wire.protocol import JOB_LENGTH

Services = Mapping[str, Callable[..., Any]]
RUN, CALL, COMPILE = "run", "call", "compile"


@dataclass(frozen=True, slots=True)
class Job:
    """One program with its standard input and, for a call, the function and its arguments.

    `args` and `kwargs` are plain data: JSON types, and tuples. Limits below the policy's can be set
    per job: `limits` holds keyword arguments as `Sandbox.run` takes them. `services` are functions
    of the caller that the guest may call, if the policy grants a session. `preamble` runs before
    the program, in its namespace.
    """

    code: str
    stdin: str = ""
    entry: str | None = None
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    services: Services = field(default_factory=dict)
    preamble: str = ""


class ChildJob(NamedTuple):
    """What a child is fed. Marshalled: it comes from the trusted side and is built-in data."""

    mode: str
    source: str
    code: bytes = b""  # what a child that only compiles gave back, for all texts
    stdin: str = ""
    entry: str = ""
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}
    output_bytes: int = 0
    recursion_limit: int = 0
    value_items: int = 0
    value_depth: int = 0
    stack_bytes: int = 0  # where its stack's limit is: the supervisor may have tightened it
    services: tuple[str, ...] = ()
    preamble: str = ""
    postamble: str = ""
    after: bytes = b""  # what such a child gave back for the postamble alone, after no program

    def encode(self, key: bytes) -> bytes:
        """The bytes for the job pipe. Raises ValueError if the arguments are not plain data.

        `key` stands between length and data: the child's vault reads it, and no Python code does.
        """
        data = marshal.dumps(list(self))
        return b"".join((JOB_LENGTH.pack(len(data)), key, data))  # may be long: copied once


def length_prefixed(value: Any) -> bytes:
    """What a child reads from its job pipe. Raises ValueError for what is not plain data."""
    data = marshal.dumps(value)
    return JOB_LENGTH.pack(len(data)) + data
