"""The requests of the server's own endpoints, and how a `Result` is answered."""

import math
from dataclasses import asdict, replace
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from sandbox.result import Result, Status
from sandbox.runtime.job import Job


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


# Not pydantic's str, which refuses lone surrogates: a program that has one is judged as any other.
Text = Annotated[Any, AfterValidator(_text), WithJsonSchema({"type": "string"})]


class JobBody(BaseModel):
    """One program: run with `stdin`, or with `entry` called with `args` and `kwargs`.

    `limits` tighten the policy's, by their names in a policy (`{"cpu_seconds": 1}`).
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    code: Text
    stdin: Text = ""
    entry: Text | None = None
    args: list[Any] = Field(default_factory=list)
    kwargs: dict[str, Any] = Field(default_factory=dict)
    limits: dict[str, Any] = Field(default_factory=dict)

    def job(self) -> Job:
        """The same as the sandbox takes it."""
        return Job(self.code, self.stdin, self.entry, self.args, self.kwargs, self.limits)


class BatchBody(BaseModel):
    """Many programs, answered in their order."""

    model_config = ConfigDict(extra="forbid", strict=True)

    jobs: list[JobBody]


class ResultAnswer(BaseModel):
    """One execution: the fields of a `Result`."""

    output: str
    error: str
    status: Status
    stdout: str
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


def answer(result: Result) -> dict[str, Any]:
    """`result` as plain JSON, which has no NaN and no infinity.

    A guest chose its value: one that JSON does not have is its error, and breaks no answer.
    """
    if _is_finite(result.value):
        return asdict(result)
    error = "the returned value has NaN or an infinity, which JSON has not"
    refused = replace(result, status=Status.ERROR, error=error, output="", value=None)
    return asdict(refused)


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return not isinstance(value, list) or all(map(_is_finite, value))
