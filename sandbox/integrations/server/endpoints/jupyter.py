"""`/run_jupyter`, the interface of SandboxFusion: cells of one notebook, one after the other."""

import contextlib
import time
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sandbox.integrations.server.endpoints.fusion import RunResult, decoded, wanted
from sandbox.integrations.server.endpoints.requests import Text, held_to
from sandbox.integrations.server.jobs import TooMuch
from sandbox.result import Status, in_base64
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.sessions.session import Session

_WALL_PER_CPU = 2  # CPU time decides; the clock is the backstop
_RAISED = {Status.ERROR, Status.SYNTAX}
_Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class RunJupyter(BaseModel):
    """Cells, in SandboxFusion's words. What is not listed here is not looked at, as there."""

    model_config = ConfigDict(extra="ignore", strict=True)

    cells: Annotated[list[Text], Field(max_length=1024)]
    cell_timeout: _Seconds = 0
    total_timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 45
    memory_limit_MB: float = Field(default=-1, allow_inf_nan=False)
    kernel: Literal["python3"] = "python3"
    files: dict[str, Any] = Field(default_factory=dict)
    fetch_files: list[Any] = Field(default_factory=list)


class CellRun(BaseModel):
    """One cell: what it printed, what it displays by MIME type, and how it failed."""

    stdout: str
    stderr: str
    display: list[dict[str, Any]]
    error: list[dict[str, Any]]


class RunJupyterAnswer(BaseModel):
    """SandboxFusion's answer."""

    status: Literal["Success", "Failed", "SandboxError"]
    message: str
    driver: RunResult | None
    cells: list[CellRun]
    executor_pod_name: str | None = None
    files: dict[str, str]


class Notebook:
    """One request's cells, in a session of their own. `run` is for a thread."""

    def __init__(
        self, body: RunJupyter, sandbox: Sandbox, most: Mapping[str, int], most_bytes: int
    ) -> None:
        """Make it. Raises ValueError, TypeError and PolicyError for a wrong body."""
        self._body, self._sandbox = body, sandbox
        self._files, self._fetch = decoded(body.files), wanted(body.fetch_files)
        limits = sandbox.policy.plan().limits
        self._options: dict[str, Any] = held_to(most, {})
        if body.memory_limit_MB > 0:
            memory = max(min(int(body.memory_limit_MB), limits.memory_mib), 1)
            self._options["memory_mib"] = memory
        self._cell: dict[str, Any] = {}
        if body.cell_timeout:
            self._cell["cpu_seconds"] = min(body.cell_timeout, limits.cpu_seconds)
        self._wall = limits.wall_seconds
        self._session: Session | None = None
        self._stopped = False
        self._bytes, self._most_bytes = 0, most_bytes

    def stop(self) -> None:
        """End what runs, from another thread, and run no other cell."""
        self._stopped = True
        if self._session is not None:
            self._session.interrupt()

    def run(self) -> dict[str, Any]:
        """Run the cells and return the answer. Raises SandboxError, ValueError."""
        begun, total = time.monotonic(), self._body.total_timeout
        cells: list[dict[str, Any]] = []
        out_of_time, cell = False, self._cell
        own = {"on_error": "keep", "cpu_seconds_total": total, **self._options}
        with self._sandbox.session(**own) as session:
            self._session = session
            for name, content in self._files.items():
                session.write_file(name, content)
            cpu_seconds = 0.0
            for code in self._body.cells:
                left = _WALL_PER_CPU * total - (time.monotonic() - begun)
                if self._stopped or left <= 0 or cpu_seconds >= total:
                    out_of_time = True
                    break
                cell = {**self._cell, "wall_seconds": min(left, self._wall)}
                result = session.run(code, **cell)
                cpu_seconds += result.cpu_seconds
                cells.append(_cell(result))
                self._count(result)
            found = {} if out_of_time else _fetched(session, self._fetch)
        return _answer(cells, out_of_time, time.monotonic() - begun, found)

    def _count(self, result: CellResult) -> None:
        """Count what is held of a cell for the answer. Raises TooMuch."""
        texts = [result.stdout, result.stderr, result.value_repr or "", result.traceback]
        self._bytes += sum(map(len, texts)) + sum(len(part["data"]) for part in result.parts)
        if self._bytes > self._most_bytes:
            raise TooMuch(f"the cells have more than {self._most_bytes} bytes")


def _fetched(session: Session, names: list[str]) -> dict[str, bytes]:
    """Return the files that are wanted and there."""
    found = {}
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            found[name] = session.read_file(name)
    return found


def _answer(
    cells: list[dict[str, Any]], out_of_time: bool, seconds: float, files: dict[str, bytes]
) -> dict[str, Any]:
    driver = {
        "status": "TimeLimitExceeded" if out_of_time else "Finished",
        "execution_time": seconds,
        "return_code": None if out_of_time else 0,
        "stdout": "",
        "stderr": "",
    }
    made = fault("")
    status = "Failed" if out_of_time else "Success"
    return {**made, "status": status, "driver": driver, "cells": cells, "files": in_base64(files)}


def fault(message: str) -> dict[str, Any]:
    """Make the answer where there is no verdict."""
    return {
        "status": "SandboxError",
        "message": message,
        "driver": None,
        "cells": [],
        "executor_pod_name": None,
        "files": {},
    }


def _cell(result: CellResult) -> dict[str, Any]:
    return {
        "stdout": result.stdout,
        "stderr": result.stderr,
        "display": _display(result),
        "error": [] if result.ok else [_error(result)],
    }


def _display(result: CellResult) -> list[dict[str, str]]:
    """Return what the cell shows: the value's representations in one, each figure by itself."""
    value: dict[str, str] = {}
    if result.value_repr is not None:
        value = {"text/plain": result.value_repr}
    others: list[dict[str, str]] = []
    for part in result.parts:
        if value and part["type"].startswith("text/"):
            value[part["type"]] = part["data"]
        else:
            others.append({part["type"]: part["data"]})
    return [*([value] if value else []), *others]


def _error(result: CellResult) -> dict[str, Any]:
    """Return an exception as Jupyter's protocol has it; a limit by the name of its status."""
    lines = result.traceback.splitlines()
    if result.status in _RAISED:
        name, _, value = (lines[-1] if lines else result.error).partition(": ")
    else:
        name, value = str(result.status), result.error
    return {"ename": name, "evalue": value, "traceback": lines or [result.error]}
