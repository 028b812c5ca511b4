"""A stand-in for `sandbox` itself: what a guest asks it to run is run by the trusted side.

A reward function that is run in a child holds these names in place of the real ones. Each run goes
out as a request to the caller and comes back as plain data; the trusted side runs it in a child of
its own, under a policy and limits that the guest does not choose. So `policy` is taken and not
used, and nothing here opens, starts or holds anything.
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice
from typing import Any

from sandbox.errors import PolicyError, SandboxClosed, SandboxError, SandboxUnavailable
from sandbox.job import FIELDS, LOCAL, OPTIONS
from sandbox.job import Job as RealJob
from sandbox.language.guest.context import Context
from sandbox.language.stdlib.concurrency.threading import public
from sandbox.language.stdlib.served.grading import AT_ONCE, MANY, grading

SERVICE = "sandbox_job"  # what the trusted side must lend: (job: dict) -> dict
_CROSSING = tuple(name for name in FIELDS if name not in LOCAL)
_MADE = RealJob("")  # has the defaults
_ERRORS = (PolicyError, SandboxClosed, SandboxError, SandboxUnavailable)


class Job:
    """One program, its input and, for a call, its function: the fields of the real one."""

    def __init__(self, code: str, *given: Any, **named: Any) -> None:
        rest = FIELDS[1:]
        if len(given) > len(rest):
            raise TypeError(f"a Job takes at most {len(FIELDS)} arguments")
        fields = {**dict(zip(rest, given, strict=False)), **named}
        for name in fields:
            if name not in rest:
                raise TypeError(f"a Job has no {name!r}")
        if fields.pop("services", None):
            raise PolicyError("no session: no services")
        local = [fields.pop(name, None) for name in LOCAL]
        if any(local):
            raise PolicyError("a program that a reward function runs has no files")
        self.code = code
        for name in rest:
            if name not in LOCAL:
                value = fields.get(name)
                if value is None:
                    value = getattr(_MADE, name)
                setattr(self, name, dict(value) if type(value) is dict else value)

    @classmethod
    def of(cls, code: str, options: dict[str, Any], **fields: Any) -> "Job":
        """A job with the options of `run`, limits among them."""
        own = {name: options[name] for name in OPTIONS if options.get(name) is not None}
        limits = {name: value for name, value in options.items() if name not in OPTIONS}
        return cls(code, limits=limits, **own, **fields)


class Policy:
    """A policy by its name: which one is in force is not the guest's to say."""

    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    def load(cls, policy: Any) -> "Policy":
        """The policy of that name."""
        return policy if isinstance(policy, Policy) else cls(policy)

    def tightened(self, **limits: float) -> "Policy":
        """Itself: limits are set where a job is run."""
        return self


def sandbox(context: Context) -> dict[str, Any]:
    """The names of the package, served by the session of this world."""
    from sandbox.result import Result, Status

    state = context.state

    def run(job: Job) -> Any:
        service = state.services.get(SERVICE)
        if service is None:
            raise SandboxError("this execution has no session that would run a program")
        return _result(service(_request(job)), Result, Status)

    def run_all(jobs: Iterable[Job]) -> Iterator[Any]:
        """As many at once as the trusted side can, if it can."""
        many, waiting = state.services.get(MANY), iter(jobs)
        if many is None:
            for job in waiting:
                yield run(job)
            return
        while part := list(islice(waiting, AT_ONCE)):
            for answer in many(SERVICE, [_request(job) for job in part]):
                yield _result(answer, Result, Status)

    def restricted_execution(
        code: str, input_data: str = "", *, policy: object = "strict"
    ) -> tuple[str, str]:
        result = run(Job(code, input_data))
        return result.output, result.error

    class Sandbox:
        def __init__(self, policy: Any = "strict", workers: Any = None, **options: Any) -> None:
            self.policy = Policy.load(policy)
            self.workers = 1

        def run(self, code: str, stdin: str = "", **options: Any) -> Any:
            return run(Job.of(code, options, stdin=stdin))

        def run_job(self, job: Job) -> Any:
            return run(job)

        def call(
            self, code: str, entry: str, args: Any = (), kwargs: Any = None, **options: Any
        ) -> Any:
            return run(Job.of(code, options, entry=entry, args=args, kwargs=kwargs))

        def run_many(self, code: str, stdins: Iterable[str], **options: Any) -> list[Any]:
            return list(run_all(Job.of(code, options, stdin=stdin) for stdin in stdins))

        def call_many(
            self, code: str, entry: str, arguments: Iterable[Any], **options: Any
        ) -> list[Any]:
            jobs = (Job.of(code, options, entry=entry, args=args) for args in arguments)
            return list(run_all(jobs))

        def map(self, jobs: Iterable[Any], *, progress: bool = False) -> Iterator[Any]:
            return run_all(Job(job) if isinstance(job, str) else job for job in jobs)

        async def arun(self, code: str, stdin: str = "", **options: Any) -> Any:
            return self.run(code, stdin, **options)

        async def acall(
            self, code: str, entry: str, args: Any = (), kwargs: Any = None, **options: Any
        ) -> Any:
            return self.call(code, entry, args, kwargs, **options)

        async def amap(self, jobs: Iterable[Any], *, progress: bool = False) -> AsyncIterator[Any]:
            for result in self.map(jobs):
                yield result

        def close(self) -> None:
            return None

        def __enter__(self) -> "Sandbox":
            return self

        def __exit__(self, *_: object) -> None:
            return None

    Sandbox.__qualname__ = "Sandbox"
    own = {cls.__name__: public(cls, "sandbox") for cls in (Job, Policy, Sandbox)}
    errors = {error.__name__: error for error in _ERRORS}
    return {
        **own,
        **errors,
        "Result": Result,
        "Status": Status,
        "restricted_execution": restricted_execution,
        **grading(context),
    }


def _request(job: Job) -> dict[str, Any]:
    return {name: getattr(job, name) for name in _CROSSING}


def _result(fields: Any, result: Any, status: Any) -> Any:
    """The data that the trusted side sent, as what `Sandbox.run` returns."""
    kept = {**fields, "status": status(fields["status"]), "layers": tuple(fields["layers"])}
    return result(**kept)
