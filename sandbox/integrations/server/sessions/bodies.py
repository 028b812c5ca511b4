"""The bodies of requests about sessions, and of their answers."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sandbox.integrations.server.endpoints import requests
from sandbox.integrations.server.endpoints.requests import LimitsOf, ResultAnswer, Text
from sandbox.runtime.sessions.result import CellResult

OnError = Literal["undo", "keep"]
Name = Annotated[str, Field(max_length=100)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class SessionBody(_Body):
    """A session to begin: what becomes of cells that fail, and limits of each and of all cells.

    `limits` tighten the policy's, by their names in a policy; `cpu_seconds_total` holds for all
    cells together.
    """

    on_error: OnError = "undo"
    undo: bool = True
    cpu_seconds_total: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    limits: LimitsOf = Field(default_factory=dict)


class CellBody(_Body):
    """One cell. `limits` tighten the session's; `on_error` is the session's unless it is given."""

    code: Text
    stdin: Text = ""
    on_error: OnError | None = None
    limits: LimitsOf = Field(default_factory=dict)


class CallBody(_Body):
    """A call of the function `entry`, which the session has, with plain data."""

    entry: Text
    args: list[Any] = Field(default_factory=list)
    kwargs: dict[str, Any] = Field(default_factory=dict)
    limits: LimitsOf = Field(default_factory=dict)


class ForkBody(_Body):
    """How many branches to make."""

    count: int = Field(default=1, ge=1, le=1024)


class CheckpointBody(_Body):
    """Name the checkpoint; with an empty name the server chooses one."""

    name: Name = ""


class MarkBody(_Body):
    """Which checkpoint."""

    checkpoint: Name


class SessionAnswer(BaseModel):
    """A session of this client's.

    Who has the `id` and the same token can use it. It is evicted `evicted_in_seconds` after its
    last use. `parent` is the session that it was forked from.
    """

    id: str
    parent: str | None
    policy: str
    on_error: str
    undo: bool
    limits: dict[str, float]
    busy: bool
    execution_count: int
    checkpoints: list[str]
    idle_seconds: float
    evicted_in_seconds: float


class SessionsAnswer(BaseModel):
    """The branches that were made."""

    sessions: list[SessionAnswer]


class CellAnswer(ResultAnswer):
    """One cell: the fields of a `CellResult`."""

    value_repr: str | None
    parts: list[dict[str, str]]
    execution_count: int
    undone: bool


class MarkAnswer(BaseModel):
    """The checkpoint that was made, gone back to, or let go of."""

    checkpoint: str


class InterruptAnswer(BaseModel):
    """Whether there was a cell to interrupt."""

    interrupted: bool


class FilesAnswer(BaseModel):
    """The names of the files in the session's working directory and below."""

    files: list[str]


class FileAnswer(BaseModel):
    """A file that was written."""

    name: str
    size: int


class GoneAnswer(BaseModel):
    """A session that is no more, how it ended, and why."""

    fault: str
    ended: Literal["closed", "evicted", "lost"]


def cell_answer(result: CellResult) -> dict[str, Any]:
    """Return what a cell gave as plain JSON. A last value that JSON does not have is its repr."""
    if not requests.is_finite(result.value):
        result = replace(result, value=None)
    return requests.answer(result)


def call_answer(result: CellResult) -> dict[str, Any]:
    """Return what a call gave as plain JSON: one that JSON does not have is its error."""
    return requests.answer(result)
