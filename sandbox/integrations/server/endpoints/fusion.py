"""`/run_code`, the interface of SandboxFusion: what it asks for here, and what it is answered."""

from base64 import b64decode
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from sandbox.integrations.server.endpoints.pytest_files import program_for
from sandbox.integrations.server.endpoints.requests import Text
from sandbox.job import Job
from sandbox.language.guest.files.tree import WORKING_DIRECTORY
from sandbox.policy.limits import Limits
from sandbox.result import Result, Status, in_base64
from sandbox.runtime.caller.ahead import Sealed
from sandbox.runtime.wire.files import given, patterns

_OUT_OF_TIME = {Status.CPU_LIMIT, Status.WALL_LIMIT}
_SIGSEGV, _SIGSYS = 11, 31
PYTHON, PYTEST = "python", "pytest"
_NO_PYTEST = "language 'pytest' is not run here: the server is to be started with --pytest"
_WALL_PER_CPU = 2  # CPU time decides; the clock is the backstop, and still within the client's wait


class RunCode(BaseModel):
    """A program, in SandboxFusion's words. What is not listed here is not looked at, as there."""

    model_config = ConfigDict(extra="ignore", strict=True)

    code: Text
    language: Text = "python"
    stdin: Text | None = None
    run_timeout: float | None = Field(default=10, gt=0, allow_inf_nan=False)
    compile_timeout: float | None = Field(default=10, allow_inf_nan=False)
    memory_limit_MB: float | None = Field(default=-1, allow_inf_nan=False)
    files: dict[str, Any] | None = Field(default_factory=dict)
    fetch_files: list[Any] | None = Field(default_factory=list)
    _made: tuple[str, list[Sealed]] | None = PrivateAttr(None)

    @classmethod
    def ready(cls, language: str, refusal: str, orders: list[Sealed]) -> Self:
        """A long one, made in a helper: it has its order, or why there is none, and no fields."""
        body = cls.model_construct(language=language)
        body._made = refusal, orders
        return body

    def refusal(self, languages: Collection[str]) -> str:
        """Why this cannot be run where there are `languages`; empty if it can."""
        if self._made is not None:
            return self._made[0]
        if self.language not in languages:
            if self.language == PYTEST:
                return _NO_PYTEST
            known = " and ".join(map(repr, languages))
            return f"language {self.language[:40]!r} is not run here, only {known}"
        try:
            decoded(self.files)
            patterns(wanted(self.fetch_files))
        except (ValueError, TypeError) as error:
            return str(error)
        return ""

    def job(self, limits: Limits) -> Job | Sealed:
        """The same for the sandbox of its language, whose `limits` a request can tighten only."""
        if self._made is not None:
            return self._made[1][0]
        tightened: dict[str, float] = {}
        if self.run_timeout is not None:
            tightened["cpu_seconds"] = min(self.run_timeout, limits.cpu_seconds)
            tightened["wall_seconds"] = min(_WALL_PER_CPU * self.run_timeout, limits.wall_seconds)
        if self.memory_limit_MB is not None and self.memory_limit_MB > 0:
            tightened["memory_mib"] = max(min(int(self.memory_limit_MB), limits.memory_mib), 1)
        code, files = self.code, decoded(self.files)
        if self.language == PYTEST:
            program, name = program_for(files)
            code, files = program, {**files, name: code.encode("utf-8", "surrogatepass")}
        fetch = wanted(self.fetch_files)
        return Job(code, self.stdin or "", limits=tightened, files=files, fetch=fetch)


def decoded(files: Mapping[str, Any] | None) -> dict[str, bytes]:
    """Decode the files the program finds: base64 (RFC 4648); a name with None is left out.

    Raises ValueError, TypeError.
    """
    found = {}
    for name, content in (files or {}).items():
        if content is None:
            continue
        if not isinstance(content, str):
            raise TypeError(f"the file {name[:100]!r} must be base64")
        try:
            found[_local(name)] = b64decode(content, validate=True)
        except ValueError:
            raise ValueError(f"the file {name[:100]!r} is not base64") from None
    return given(found)


def wanted(names: Iterable[Any] | None) -> list[str]:
    """Return the names of the files that come back. Raises ValueError, TypeError."""
    return [_local(name) for name in names or ()]


def _local(name: Any) -> Any:
    """Return a name as a job has it: clients begin some with `./`, and some with the directory."""
    if not isinstance(name, str):
        raise TypeError("the name of a file must be a string")
    for begin in ("./", f"{WORKING_DIRECTORY}/"):
        name = name.removeprefix(begin)
    if any(char in name for char in "*?"):
        raise ValueError("the name of a file has '*' or '?'")
    return name


class RunResult(BaseModel):
    """The end of the process: how, after how long, and what it printed."""

    status: Literal["Finished", "Error", "TimeLimitExceeded"]
    execution_time: float
    return_code: int | None
    stdout: str
    stderr: str


class RunCodeAnswer(BaseModel):
    """SandboxFusion's answer."""

    status: Literal["Success", "Failed", "SandboxError"]
    message: str
    compile_result: RunResult | None = None
    run_result: RunResult | None
    executor_pod_name: str | None = None
    files: dict[str, str] = Field(default_factory=dict)


def answer(result: Result, language: str = PYTHON) -> dict[str, Any]:
    """Return a result in SandboxFusion's words. Nothing is compiled apart from the run."""
    out_of_time = result.status in _OUT_OF_TIME
    # The end of what runs pytest for a client is none of the client's.
    is_pytests = language == PYTEST and result.error.startswith("SystemExit")
    ending = "" if result.ok or is_pytests else f"{result.traceback}{result.error}\n"
    run = {
        "status": "TimeLimitExceeded" if out_of_time else "Finished",
        "execution_time": result.wall_seconds,
        "return_code": None if out_of_time else _return_code(result),
        "stdout": result.stdout,
        "stderr": result.stderr + ending,
    }
    message = "" if result.ok else str(result.status)
    made = _answer("Success" if result.ok else "Failed", message, run)
    return {**made, "files": in_base64(result.files)}


def fault(message: str) -> dict[str, Any]:
    """Make the answer where there is no verdict."""
    return _answer("SandboxError", message, None)


def _answer(status: str, message: str, run: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "status": status,
        "message": message,
        "compile_result": None,
        "run_result": run,
        "executor_pod_name": None,
        "files": {},
    }


def _return_code(result: Result) -> int:
    """Return the code as `subprocess` has it: negative, the signal's number, where one ended it."""
    if result.status is Status.CRASHED:
        return -(result.exit_signal or _SIGSEGV)
    if result.status is Status.VIOLATION:
        return -(result.exit_signal or _SIGSYS)
    return 0 if result.ok else 1
