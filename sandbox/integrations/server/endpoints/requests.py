"""The requests of the server's own endpoints, and how a `Result` is answered."""

import math
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any, Self, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    PrivateAttr,
    WithJsonSchema,
    create_model,
)

from sandbox.errors import Problem, policy_error
from sandbox.job import OPTIONS, Files, Job, Options
from sandbox.policy.limits import Limits
from sandbox.result import Result, Status, in_base64
from sandbox.runtime.caller.ahead import Sealed


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


# Not pydantic's str, which refuses lone surrogates: a program that has one is judged as any other.
Text = Annotated[Any, AfterValidator(_text), WithJsonSchema({"type": "string"})]


_MOST_FIELDS = 16  # more than any request here has; each unknown one is a problem to be told
_MOST_PROBLEMS = 10
_MOST_COLUMNS = 64  # of a data set, beside the fields
_LIMITS = {field.name for field in fields(Limits)}


def _limits(given: dict[str, Any]) -> dict[str, float]:
    """Names and numbers, or an error that does not repeat what was sent, however long that is."""
    for name, value in given.items():
        if name not in _LIMITS:
            raise ValueError(f"no limit {name[:40]!r}: there are {', '.join(sorted(_LIMITS))}")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{name} must be a number, not a {type(value).__name__}")
    return given


LimitsOf = Annotated[dict[str, Any], AfterValidator(_limits)]


class _JobBody(BaseModel):
    """One program: run with `stdin`, or with `entry` called with `args` and `kwargs`.

    `limits` tighten the policy's, by their names in a policy (`{"cpu_seconds": 1}`). The other
    texts run in the program's namespace, before it and after it.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    code: Text
    stdin: Text = ""
    entry: Text | None = None
    args: list[Any] = Field(default_factory=list)
    kwargs: dict[str, Any] = Field(default_factory=dict)
    limits: LimitsOf = Field(default_factory=dict)

    _order: Sealed | None = PrivateAttr(None)

    @classmethod
    def ready(cls, order: Sealed) -> Self:
        """A long one, made in a helper: it has its order instead of fields."""
        body = cls.model_construct()
        body._order = order
        return body

    def job(self) -> Job | Sealed:
        """The same as the sandbox takes it."""
        if self._order is not None:
            return self._order
        return Job(**{name: getattr(self, name) for name in type(self).model_fields})


def _content(value: Any) -> bytes:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    try:
        return b64decode(value, validate=True)
    except ValueError:
        raise ValueError("must be base64") from None


# The content of a file (RFC 4648, section 4).
Content = Annotated[Any, AfterValidator(_content), WithJsonSchema({"type": "string"})]
# What else a job takes, as `Options` has it; functions of the caller's cannot cross.
_KINDS: dict[Any, Any] = {
    str: (Text, ""),
    Sequence[str]: (list[Text], []),
    Files: (dict[str, Content], {}),
}
_TEXTS = {
    name: _KINDS[hint]
    for name, hint in get_type_hints(Options).items()
    if name in OPTIONS and name != "services"
}
if TYPE_CHECKING:
    JobBody = _JobBody
else:
    JobBody = create_model("JobBody", __base__=_JobBody, __doc__=_JobBody.__doc__, **_TEXTS)


class BatchBody(BaseModel):
    """Many programs, answered in their order."""

    model_config = ConfigDict(extra="forbid", strict=True)

    jobs: Annotated[list[JobBody], FailFast()]  # of a thousand wrong ones, the first is told
    _orders: list[Sealed] | None = PrivateAttr(None)

    @classmethod
    def ready(cls, orders: list[Sealed]) -> Self:
        """A long one, made in a helper: it has its orders instead of jobs."""
        body = cls.model_construct()
        body._orders = orders
        return body

    def all_jobs(self) -> list[Job | Sealed]:
        """As the sandbox takes them."""
        return list(self._orders) if self._orders is not None else [j.job() for j in self.jobs]


class ResultAnswer(BaseModel):
    """One execution: the fields of a `Result`."""

    output: str
    error: str
    status: Status
    stdout: str
    stderr: str
    value: Any
    traceback: str
    cpu_seconds: float
    wall_seconds: float
    peak_memory_bytes: int
    exit_signal: int | None
    measured: str
    near_limit: bool
    layers: list[str]
    policy: str
    files: dict[str, str]


class BatchItem(BaseModel):
    """A result, or the fault of the sandbox that left the job without one."""

    result: ResultAnswer | None
    fault: str | None


class BatchAnswer(BaseModel):
    """One item per job, in their order."""

    results: list[BatchItem]


class FaultAnswer(BaseModel):
    """Why there is no verdict."""

    fault: str


def too_many(value: Any, longest: Mapping[str, tuple[str, int]]) -> str:
    """Say why `value` is not looked at field by field; empty if it is.

    To look costs far more than reading it.

    `longest` has for a field what its items are called, and how many there may be.
    """
    if not isinstance(value, dict):
        return ""
    if len(value) > _MOST_FIELDS:
        return f"an object of {len(value)} fields, of at most {_MOST_FIELDS}"
    columns = value.get("columns")
    if isinstance(columns, dict) and len(columns) > _MOST_COLUMNS:
        return f"{len(columns)} columns, of at most {_MOST_COLUMNS}"
    for name, (what, most) in longest.items():
        items = value.get(name)
        if not isinstance(items, list):
            continue
        if len(items) > most:
            return f"{len(items)} {what}, of at most {most}"
        if name == "jobs" and any(isinstance(i, dict) and len(i) > _MOST_FIELDS for i in items):
            return f"a job of more than {_MOST_FIELDS} fields"
    return ""


def problems(errors: Iterable[Mapping[str, Any]], within: int = 0) -> str:
    """Describe pydantic's `errors` without what was sent, and without the first `within` names."""
    first = [each for each, _ in zip(errors, range(_MOST_PROBLEMS), strict=False)]
    said = (f"{'.'.join(map(str, each['loc'][within:]))[:200]}: {each['msg']}" for each in first)
    return "; ".join(said)


def within_answers(job: Job, most: Mapping[str, int]) -> Job:
    """Return `job`, held to `most` if it is a call, whose value is read in the server.

    Raises PolicyError for a limit above it.
    """
    return job if job.entry is None else replace(job, limits=held_to(most, job.limits))


def held_to(most: Mapping[str, int], given: Mapping[str, float]) -> dict[str, float]:
    """Return the limits `given`, and `most` where they say nothing. Raises PolicyError."""
    limits = {**most, **given}
    for name, value in most.items():
        if limits[name] > value:
            reason = f"this server takes at most {value} of a value"
            raise policy_error(Problem(key=name, reason=reason))
    return limits


def answer(result: Result) -> dict[str, Any]:
    """Return `result` as plain JSON, which has no NaN and no infinity.

    A guest chose its value: one that JSON does not have is its error, and breaks no answer.
    """
    if not is_finite(result.value):
        error = "the returned value has NaN or an infinity, which JSON has not"
        result = replace(result, status=Status.ERROR, error=error, output="", value=None)
    # Not `asdict`, which copies a value of a million items, while all clients wait.
    told = {field.name: getattr(result, field.name) for field in fields(result)}
    return {**told, "files": in_base64(result.files)}


def is_finite(value: Any) -> bool:
    """Return False if there is NaN or an infinity in the plain data `value`."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(is_finite, value.values()))
    return not isinstance(value, list) or all(map(is_finite, value))
