"""A server of the Model Context Protocol with one tool, `run_python_code`, on the standard streams.

Standard output belongs to the protocol. The SDK takes it away for the time that it serves, so that
whatever else is printed goes to standard error.
"""

from dataclasses import replace
from os import PathLike
from typing import Annotated, Any, TypedDict, Unpack

from sandbox.errors import SandboxError
from sandbox.integrations.tool_text import DESCRIPTION, tool_text
from sandbox.job import Job, Options
from sandbox.policy.limits import LimitOptions
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.runtime.caller.ahead import carry_out
from sandbox.runtime.caller.client import Sandbox
from sandbox.version import NAME, version

_OUTPUT_KIB = 64
_MISSING = "sandbox mcp needs the extra 'mcp': pip install 'restricted-execution[mcp]' ({})"


class MissingExtra(ImportError):
    """The SDK of the extra `mcp` is not installed, or too old."""


class Execution(TypedDict):
    """The tool's structured answer; `output` is what was printed in any case."""

    status: str
    output: str
    error: str


def serve(
    policy: "str | PathLike[str] | Policy" = "contest",
    workers: int | None = None,
    limits: LimitOptions | None = None,
    **options: Unpack[Options],
) -> None:
    """Serve until standard input ends.

    `workers` is how many programs run at once, one per processor by default. `options` are those of
    `Sandbox.run`, for every program: limits among them, which `limits` may hold as well. Without
    one for `output_kib` a program may print 64 KiB: a model has to read it.

    Raises MissingExtra, PolicyError, and what opening a `Sandbox` raises.
    """
    with Sandbox(policy, workers) as sandbox:
        chosen: Any = {**options, **(limits or {})}
        tool_server(sandbox, **chosen).run("stdio")


def tool_server(sandbox: Sandbox, **options: Unpack[Options]) -> Any:
    """Make an `MCPServer` that runs programs in `sandbox`. Raises MissingExtra, PolicyError."""
    own = sandbox.policy.limits.plain()
    template = Job.of("", {"output_kib": min(_OUTPUT_KIB, own.output_kib), **options})
    held = tighten(own, template.limits)
    try:
        from mcp.server import MCPServer
        from mcp.types import CallToolResult, TextContent
    except ImportError as error:
        raise MissingExtra(_MISSING.format(error)) from error

    def answer(text: str, is_error: bool, structured: Execution | None) -> CallToolResult:
        content: list[Any] = [TextContent(type="text", text=text)]
        return CallToolResult(content=content, is_error=is_error, structured_content=structured)

    async def run_python_code(
        python_code: str, stdin: str = ""
    ) -> Annotated[CallToolResult, Execution]:
        try:
            job = replace(template, code=python_code, stdin=stdin)
            result = await carry_out(sandbox, job)
        except SandboxError as error:
            return answer(f"The sandbox failed, not the program: {error}", True, None)
        told = Execution(status=str(result.status), output=result.stdout, error=result.error)
        return answer(tool_text(result), not result.ok, told)

    server = MCPServer(NAME, version=version(), log_level="WARNING")
    bounds = f"It has {held.cpu_seconds:g} s of CPU time and {held.memory_mib} MiB of memory."
    server.add_tool(run_python_code, description=f"{DESCRIPTION} {bounds}")
    return server
