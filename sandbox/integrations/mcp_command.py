"""`sandbox mcp`. Imports nothing of the extra before it is called."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from sandbox.command_line import LimitOption, limits_of
from sandbox.errors import SandboxError
from sandbox.integrations.mcp_server import SESSIONS, MissingExtra, serve
from sandbox.integrations.server.settings import Settings, read_tokens

_DEFAULT = Settings()


def mcp_command(
    policy: Annotated[
        str, typer.Option("--policy", "-p", metavar="POLICY", help="What programs run under.")
    ] = "contest",
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many programs run at once.")
    ] = None,
    limit: LimitOption = None,
    sessions: Annotated[
        int, typer.Option(min=0, help="How many sessions a client has at a time; 0: no tools.")
    ] = SESSIONS,
    http: Annotated[
        bool,
        typer.Option("--http", help="By streamable HTTP, at /mcp, and not on stdin and stdout."),
    ] = False,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = _DEFAULT.host,
    port: Annotated[int, typer.Option(help="0 chooses a free one.")] = _DEFAULT.port,
    token_file: Annotated[
        Path | None, typer.Option(help="Clients' tokens, one a line; or SANDBOX_TOKEN.")
    ] = None,
) -> None:
    """Serve tools that run Python to a model: the Model Context Protocol on stdin and stdout.

    A program may print 64 KiB, unless --limit output_kib=... says something else. With --http and
    without a token it listens on this machine only.
    """
    limits: Any = limits_of(limit)
    try:
        if http:
            settings = Settings(host=host, port=port, tokens=read_tokens(token_file))
            serve(policy, workers, limits, sessions=sessions, http=settings)
        else:
            with _ended_by_an_interrupt():
                serve(policy, workers, limits, sessions=sessions)
    except SandboxError:  # a wrong policy is a ValueError as well, and has an exit code of its own
        raise
    except (MissingExtra, ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from error


@contextmanager
def _ended_by_an_interrupt() -> Iterator[None]:
    """End the process at once at an interrupt.

    The SDK has a thread that waits for input, and no exception ends that.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
