"""A server of the Model Context Protocol: `run_python_code`, and the tools of sessions.

On the standard streams, or by streamable HTTP. On the former standard output belongs to the
protocol. The SDK takes it away for the time that it serves, so that whatever else is printed goes
to standard error.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Annotated, Any, TypedDict, Unpack

from pydantic import Field

from sandbox.errors import SandboxError
from sandbox.integrations.server.admission.tokens import Tokens
from sandbox.integrations.server.settings import Settings
from sandbox.integrations.tool_text import DESCRIPTION, tool_text
from sandbox.job import Job, Options
from sandbox.policy.limits import LimitOptions
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.runtime.caller.ahead import carry_out
from sandbox.runtime.caller.client import Sandbox
from sandbox.version import NAME, version

SESSIONS = 16
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
    *,
    sessions: int = SESSIONS,
    http: Settings | None = None,
    **options: Unpack[Options],
) -> None:
    """Serve until standard input ends; with `http` there, until SIGTERM or SIGINT.

    `workers` is how many programs run at once, one per processor by default. `options` are those of
    `Sandbox.run`, for every program: limits among them, which `limits` may hold as well. Without
    one for `output_kib` a program may print 64 KiB: a model has to read it. A client has
    `sessions` at a time, and one more evicts the one that was idle for the longest. Of `http` the
    address, the tokens, and the bounds of bodies, connections and idleness count.

    Raises MissingExtra, PolicyError, and what opening a `Sandbox` raises.
    """
    tokens = () if http is None else http.tokens
    with Sandbox(policy, workers, sessions=max(sessions, 1) * max(len(tokens), 1)) as sandbox:
        chosen: Any = {**options, **(limits or {})}
        server = tool_server(sandbox, sessions=sessions, tokens=tokens, **chosen)
        if http is None:
            server.run("stdio")
            return
        from sandbox.integrations.mcp.http import serve_http

        serve_http(server, http, f"serving policy '{sandbox.policy.name}' by MCP")


def tool_server(
    sandbox: Sandbox,
    *,
    sessions: int = SESSIONS,
    tokens: Sequence[str] = (),
    **options: Unpack[Options],
) -> Any:
    """Make an `MCPServer` that runs programs in `sandbox`. Raises MissingExtra, PolicyError.

    Each of `tokens`, which the HTTP transport asks for, has `sessions` of its own; with none there
    are no tools for sessions.
    """
    own = sandbox.policy.limits.plain()
    template = Job.of("", {"output_kib": min(_OUTPUT_KIB, own.output_kib), **options})
    held = tighten(own, template.limits)
    try:
        from mcp.server import MCPServer
        from mcp.types import CallToolResult

        from sandbox.integrations.mcp.handles import Handles
        from sandbox.integrations.mcp.http import owner_of
        from sandbox.integrations.mcp.tools import add_session_tools, hints, told
    except ImportError as error:
        raise MissingExtra(_MISSING.format(error)) from error

    async def run_python_code(
        python_code: Annotated[str, Field(description="The program, as a whole.")],
        stdin: Annotated[str, Field(description="What it reads by input().")] = "",
    ) -> Annotated[CallToolResult, Execution]:
        try:
            job = replace(template, code=python_code, stdin=stdin)
            result = await carry_out(sandbox, job)
        except SandboxError as error:
            return told(f"The sandbox failed, not the program: {error}", is_error=True)
        execution = Execution(status=str(result.status), output=result.stdout, error=result.error)
        return told(tool_text(result), execution, is_error=not result.ok)

    server = MCPServer(NAME, version=version(), log_level="WARNING")
    bounds = f"It has {held.cpu_seconds:g} s of CPU time and {held.memory_mib} MiB of memory."
    alone = hints(reads=True, repeats=True)
    server.add_tool(run_python_code, description=f"{DESCRIPTION} {bounds}", annotations=alone)
    if sessions:
        handles = Handles(sandbox, sessions, template.limits)
        add_session_tools(server, handles, partial(owner_of, Tokens(tokens)), bounds)
    return server
