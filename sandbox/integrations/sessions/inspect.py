"""For Inspect: a sandbox of samples, `sandbox="restricted"`, for tools that run Python.

Task(dataset, solver=[use_tools(python()), generate()], scorer=match(), sandbox="restricted")
"""

import posixpath
import re
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

try:
    import anyio
    from anyio import to_thread
    from inspect_ai.util import (
        ExecResult,
        OutputLimitExceededError,
        SandboxEnvironment,
        SandboxEnvironmentLimits,
        SandboxUserUnsupportedError,
        sandboxenv,
    )
except ImportError as error:
    raise ImportError(
        "sandbox.integrations.sessions.inspect needs the extra 'inspect':"
        f" pip install 'restricted-execution[inspect]' ({error})"
    ) from error
from pydantic import BaseModel

from sandbox.integrations.sessions.sample_files import Ended, SampleFiles, run_command
from sandbox.job import Job
from sandbox.policy.limits import LimitOptions
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.result import Result, Status
from sandbox.runtime.caller.defaults import default_sandbox

__all__ = ["RestrictedConfig", "RestrictedSandboxEnvironment"]

_FETCHED = [
    f"{root}{each}" for root in ("", "/tmp/", "/mnt/") for each in ("**", "**/.*", "**/.*/**")
]
_PYTHON = re.compile(r"(?:/usr/bin/|/usr/local/bin/)?python3?(?:\.\d+)?")
_SHELL = re.compile(r"(?:/usr)?(?:/bin/)?(?:ba)?sh")
_META = re.compile(r"[;&|<>$`()\n*?]")  # what only a shell has a meaning for
_NO_SHELL = (
    "there is no shell here, and no process but Python's: run `python3 -`, `python3 -c PROGRAM` or"
    " `python3 FILE`\n"
)
_LEFT_FILES = (Status.OK, Status.ERROR, Status.DENIED, Status.RECURSION_LIMIT)


class RestrictedConfig(BaseModel, frozen=True):
    """Configure `SandboxEnvironmentSpec("restricted", config)`: a policy, and limits under it."""

    policy: str = "contest"
    cpu_seconds: float | None = None
    wall_seconds: float | None = None
    memory_mib: int | None = None
    output_kib: int | None = None

    @property
    def limits(self) -> LimitOptions:
        """The limits that are given."""
        named = self.model_dump(exclude={"policy"}, exclude_none=True)
        return cast(LimitOptions, named)


class _Program(NamedTuple):
    code: str
    stdin: str


@sandboxenv(name="restricted")
class RestrictedSandboxEnvironment(SandboxEnvironment):
    """A sample's files, and Python programs over them, each in a process of its own.

    `sandbox="restricted"` is the policy `contest`, `sandbox=("restricted", "science")` another, a
    path to a .toml file too; `RestrictedConfig` gives limits as well. There is no shell and no
    program but Python: `exec` takes `python3 -`, `python3 -c PROGRAM` and `python3 FILE`, through
    `sh -c` and `bash -c`, too, and a few commands about the sample's files. Another command ends
    with status 127, one that names a path with PermissionError; an environment and arguments of
    programs end with status 2.

    A program finds the sample's files and leaves its own, unless it was ended by a limit. What
    fails prints its traceback to standard error and ends with status 1, or with that of
    `sys.exit`; a limit of the policy is status 137, that of `timeout` TimeoutError. A fault of the
    sandbox raises SandboxError, which is an error of the sample.
    """

    def __init__(self, config: RestrictedConfig | None = None) -> None:
        super().__init__()
        self._config = config or RestrictedConfig()
        self._files = SampleFiles()

    @classmethod
    async def sample_init(
        cls, task_name: str, config: BaseModel | str | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """Begin a sample, without files. Raises PolicyError for a wrong policy or limit."""
        if isinstance(config, str):  # Inspect takes it for a file's name beside the task
            named = config if config.endswith(".toml") else posixpath.basename(config)
            config = RestrictedConfig(policy=named)
        chosen = RestrictedConfig.model_validate((config or RestrictedConfig()).model_dump())
        tighten(Policy.load(chosen.policy).limits.plain(), chosen.limits)
        await to_thread.run_sync(default_sandbox, chosen.policy)
        return {"default": cls(chosen)}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: BaseModel | str | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Drop the samples' files. No process is left of a sample."""
        for environment in environments.values():
            environment.as_type(cls)._files = SampleFiles()

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        """Return the configuration that a log has."""
        return RestrictedConfig(**config)

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a Python program, or a command about files. See the class for what there is."""
        if user is not None:
            raise SandboxUserUnsupportedError(f"there is no user {user!r} here, and none but one")
        given = input.encode() if isinstance(input, str) else input or b""
        simple = _without_shell(cmd)
        if simple is None:
            return _result(Ended(127, stderr=_NO_SHELL))
        if simple[0] == "sleep" and len(simple) == 2:
            return await _sleep(simple[1], timeout)
        ended = run_command(self._files, simple, given, cwd)
        if ended is not None:
            return _result(ended)
        if not _PYTHON.fullmatch(simple[0]):
            if "/" in simple[0]:
                raise PermissionError(f"{simple[0]}: nothing but Python may be run here")
            return _result(Ended(127, stderr=f"{simple[0]}: not found: {_NO_SHELL}"))
        program = self._program(simple[1:], given, cwd)
        if isinstance(program, Ended):
            return _result(program)
        if env:
            return _result(Ended(2, stderr="a program has no environment here\n"))
        result = await to_thread.run_sync(self._run, program, timeout, abandon_on_cancel=True)
        return self._told(result, timeout)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file of the sample's, below /box (the working directory), /tmp or /mnt."""
        content = contents.encode() if isinstance(contents, str) else contents
        self._files.write(self._files.path(file), content)

    async def read_file(self, file: str, text: bool = True) -> Any:
        """Read a file of the sample's."""
        content = self._files.read(self._files.path(file))
        if len(content) > SandboxEnvironmentLimits.MAX_READ_FILE_SIZE:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        return content.decode() if text else content

    def _program(self, args: Sequence[str], given: bytes, cwd: str | None) -> _Program | Ended:
        stdin = given.decode("utf-8", "replace")
        args = [arg for arg in args if arg not in ("-u", "-B", "-I", "-s")]
        if args in ([], ["-"]):
            return _Program(stdin, "")
        if len(args) == 2 and args[0] == "-c":
            return _Program(args[1], stdin)
        if len(args) == 1 and args[0] in ("--version", "-V"):
            return _Program("import sys\nprint('Python', sys.version.split()[0])", "")
        if len(args) == 1 and not args[0].startswith("-"):
            try:
                content = self._files.read(self._files.path(args[0], cwd))
                return _Program(content.decode(), stdin)
            except (OSError, UnicodeDecodeError) as error:
                return Ended(2, stderr=f"python3: can't open file: {error}\n")
        return Ended(2, stderr="python3: options and arguments of programs are not supported\n")

    def _run(self, program: _Program, timeout: int | None) -> Result:
        sandbox = default_sandbox(self._config.policy)
        limits = self._config.limits
        if timeout is not None:
            most = limits.get("wall_seconds", sandbox.policy.limits.plain().wall_seconds)
            limits["wall_seconds"] = min(float(timeout), most)
        job = Job(
            program.code,
            program.stdin,
            files=self._files.given(),
            fetch=_FETCHED,
            limits=cast(dict[str, float], limits),
        )
        return sandbox.run_job(job)

    def _told(self, result: Result, timeout: int | None) -> ExecResult[str]:
        if result.status in _LEFT_FILES:
            self._files.take(dict(result.files))
        if result.status is Status.OUTPUT_LIMIT:
            most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR
            raise OutputLimitExceededError(most, result.stdout[-10_000:])
        if result.status is Status.WALL_LIMIT and timeout is not None:
            raise TimeoutError(f"the command took more than {timeout} seconds")
        code = _exit_code(result)
        told = f"{result.status}: {result.error}\n" if not result.traceback else result.traceback
        stderr = result.stderr + (told if not result.ok and code != 0 and _says(result) else "")
        return _result(Ended(code, result.stdout, stderr))


def _without_shell(cmd: Sequence[str]) -> list[str] | None:
    """Return the one command that a shell is given, or `cmd`; None where it takes a shell."""
    if not cmd:
        return None
    if not _SHELL.fullmatch(cmd[0]):
        return list(cmd)
    rest = [arg for arg in cmd[1:] if arg not in ("--login", "-l", "-e")]
    if len(rest) == 2 and rest[0] in ("-c", "-lc"):
        try:
            words = shlex.split(rest[1])
        except ValueError:
            return None
        bare = re.sub(r"'[^']*'", "", rest[1])  # what is quoted so means itself
        return (
            words if words and not _META.search(bare) and not _SHELL.fullmatch(words[0]) else None
        )
    return None


def _exit_code(result: Result) -> int:
    if result.ok:
        return 0
    if result.status in (Status.CPU_LIMIT, Status.WALL_LIMIT, Status.MEMORY_LIMIT):
        return 137
    asked = re.match(r"SystemExit: (\d{1,3}) \(", result.error)
    return int(asked[1]) & 0xFF if asked else 1


def _says(result: Result) -> bool:
    """Tell whether CPython would say how it ended: not of `sys.exit(3)`."""
    return re.match(r"SystemExit: \d+ \(", result.error) is None


def _result(ended: Ended) -> ExecResult[str]:
    return ExecResult(ended.status == 0, int(ended.status), ended.stdout, ended.stderr)


async def _sleep(seconds: str, timeout: int | None) -> ExecResult[str]:
    try:
        wanted = float(seconds)
    except ValueError:
        return _result(Ended(1, stderr=f"sleep: {seconds!r}\n"))
    if timeout is not None and wanted > timeout:
        await anyio.sleep(timeout)
        raise TimeoutError(f"the command took more than {timeout} seconds")
    await anyio.sleep(wanted)
    return _result(Ended(0))
