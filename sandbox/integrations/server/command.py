"""`sandbox serve`. Imports nothing of the extra before it is called."""

from pathlib import Path
from typing import Annotated

import typer

from sandbox.errors import SandboxError
from sandbox.integrations.server.run import MissingExtra, serve
from sandbox.integrations.server.settings import Settings, read_tokens

_DEFAULT = Settings()
_MIB = 1 << 20


def serve_command(
    policy: Annotated[
        str, typer.Option("--policy", "-p", metavar="POLICY", help="What programs run under.")
    ] = "contest",
    host: Annotated[str, typer.Option(help="The address to listen on.")] = _DEFAULT.host,
    port: Annotated[int, typer.Option(help="0 chooses a free one.")] = _DEFAULT.port,
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many programs run at once.")
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(help="Clients' tokens, one a line; or SANDBOX_TOKEN."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Run or wait at once.")] = _DEFAULT.jobs,
    wait: Annotated[
        float, typer.Option(min=0.0, help="Seconds that a job may wait for a worker.")
    ] = _DEFAULT.wait_seconds,
    body_mib: Annotated[int, typer.Option(min=1, help="The largest request.")] = (
        _DEFAULT.body_bytes // _MIB
    ),
) -> None:
    """Serve a sandbox over HTTP: SandboxFusion's /run_code, OpenRLHF's /get_reward, our own.

    Without a token it listens on this machine only.
    """
    try:
        settings = Settings(
            host=host,
            port=port,
            tokens=read_tokens(token_file),
            jobs=jobs,
            wait_seconds=wait,
            body_bytes=body_mib * _MIB,
            held_bytes=max(_DEFAULT.held_bytes, 2 * body_mib * _MIB),
        )
        serve(settings, policy, workers)
    except SandboxError:  # a wrong policy is a ValueError as well, and has an exit code of its own
        raise
    except (ValueError, OSError, MissingExtra) as error:
        raise typer.BadParameter(str(error)) from error
