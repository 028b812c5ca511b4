"""Jobs: every public entry makes one `Job` of its arguments.

A new option of a job is a field of `Job` and of `Options`, a check in
`runtime/caller/submission.py` if it needs one, and the place in the child that obeys it. All
entries and integrations take it then.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from sandbox.policy.limits import LimitOptions

Services = Mapping[str, Callable[..., Any]]


class Options(LimitOptions, total=False):
    """The keyword arguments of every entry that runs programs: limits, and these `Job` fields."""

    services: Services | None
    preamble: str
    postamble: str
    argv: Sequence[str]


class Program(NamedTuple):
    """The texts that are compiled: program, and what runs in its namespace before and after."""

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
    plain data, if the policy grants services. `preamble` is source that runs before the program,
    in its namespace, and `postamble` source that runs after it. `argv` are its command-line
    arguments: `sys.argv[1:]`, text.

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
    argv: Sequence[str] = ()

    @classmethod
    def of(cls, code: str, options: Mapping[str, Any], **fields_: Any) -> "Job":
        """Make a job of an entry's arguments: `options` are `Options`, limits among them."""
        if not options:
            return cls(code, **fields_)
        limits = {name: value for name, value in options.items() if name not in OPTIONS}
        own = {name: options[name] for name in OPTIONS if options.get(name) is not None}
        return cls(code, limits=limits, **own, **fields_)

    @property
    def program(self) -> Program:
        """The parts of the job that are compiled."""
        return Program(self.code, self.preamble, self.postamble)


Jobs = Iterable[Job | str]  # as users give them
# The fields of `Job` that an entry takes by keyword, and all of them.
OPTIONS = tuple(
    name for name in Options.__annotations__ if name not in LimitOptions.__annotations__
)
FIELDS = tuple(field.name for field in fields(Job))


def as_job(given: Job | str) -> Job:
    """Return `given`, or the job of the program that a str is. Raises TypeError for all else."""
    job = Job(given) if isinstance(given, str) else given
    if not isinstance(job, Job):
        kind = type(job).__name__
        raise TypeError(f"a job must be a sandbox.Job or the text of one, not {kind}")
    return job
