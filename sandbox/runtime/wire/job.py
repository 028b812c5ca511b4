"""Jobs: made once by every public entry, and what of them crosses to a child.

A new option of a job is a field of `Job` and of `Options`, a check in `caller/submission.py` if it
needs one, and the place in the child that obeys it. All entries and integrations take it then.
"""

import marshal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from sandbox.policy.plan import LimitOptions, Limits
from sandbox.runtime.wire.protocol import JOB_LENGTH

Services = Mapping[str, Callable[..., Any]]
RUN, CALL, COMPILE = "run", "call", "compile"


class Options(LimitOptions, total=False):
    """What every entry that runs programs takes by keyword: limits, and these fields of `Job`."""

    services: Services | None
    preamble: str
    postamble: str


class Program(NamedTuple):
    """What is compiled: the program, and the texts that run in its namespace before and after."""

    code: str
    preamble: str = ""
    postamble: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """One program with its standard input and, for a call, the function and its arguments.

    `code` is the program's source and `stdin` what it reads, both text. With `entry`, the function
    of that name is called with `args` and `kwargs` once the program has run: plain data, that is
    JSON types and tuples. `limits` are limits below the policy's, by name and in the units of
    `Sandbox.run`. `services` are functions of the caller, by name, that the guest may call with
    plain data, if the policy grants a session. `preamble` is source that runs before the program,
    in its namespace, and `postamble` source that runs after it.

    Nothing is checked here: what runs the job raises for what is wrong with it.

        jobs = [Job("print(input())", stdin=line, limits={"cpu_seconds": 1}) for line in lines]
        for result in sandbox.map(jobs): ...
    """

    code: str
    stdin: str = ""
    entry: str | None = None
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    services: Services = field(default_factory=dict)
    preamble: str = ""
    postamble: str = ""

    @classmethod
    def of(cls, code: str, options: Mapping[str, Any], **fields_: Any) -> "Job":
        """Make a job of what an entry was given: `options` are `Options`, limits among them."""
        limits = {name: value for name, value in options.items() if name not in _OPTIONS}
        own = {name: options[name] for name in _OPTIONS if options.get(name) is not None}
        return cls(code, limits=limits, **own, **fields_)

    @property
    def program(self) -> Program:
        """What of the job is compiled."""
        return Program(self.code, self.preamble, self.postamble)


_OPTIONS = frozenset(Options.__annotations__) - frozenset(LimitOptions.__annotations__)
_FIELDS = tuple(field.name for field in fields(Job))
_LIMITS = tuple(field.name for field in fields(Limits))


class Task(NamedTuple):
    """What a child does with a job: it runs it, calls its function, or only compiles it.

    `limits` are those in force. `code` is what a child that only compiled gave back for the
    program, and `after` what one gave back for the postamble alone, after no program.
    """

    mode: str
    job: Job
    limits: Limits
    code: bytes = b""
    after: bytes = b""

    @property
    def output_bytes(self) -> int:
        """How much may be printed, and how long a returned value may be as text."""
        return self.limits.output_kib << 10

    def encode(self, key: bytes) -> bytes:
        """The bytes for the job pipe. Raises ValueError if the arguments are not plain data.

        `key` stands between length and data: the child's vault reads it, and no Python code does.
        Functions stay behind: of the services their names cross.
        """
        job = [getattr(self.job, name) for name in _FIELDS]
        job[_FIELDS.index("limits")] = {}
        job[_FIELDS.index("services")] = dict.fromkeys(self.job.services)
        limits = [getattr(self.limits, name) for name in _LIMITS]
        data = marshal.dumps([self.mode, job, limits, self.code, self.after])
        return b"".join((JOB_LENGTH.pack(len(data)), key, data))  # may be long: copied once

    @classmethod
    def decode(cls, mode: str, job: Any, limits: Any, code: bytes, after: bytes) -> "Task":
        """Read what `encode` wrote. It comes from the trusted side and is built-in data."""
        known = dict(zip(_LIMITS, limits, strict=True))
        return cls(mode, Job(*job), Limits(**known), code, after)


def length_prefixed(value: Any) -> bytes:
    """What a child reads from its job pipe. Raises ValueError for what is not plain data."""
    data = marshal.dumps(value)
    return JOB_LENGTH.pack(len(data)) + data
