"""`sandbox serve`. Imports nothing of the extra before it is called."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from sandbox.errors import RewardError, SandboxError
from sandbox.integrations.server.run import MissingExtra, serve
from sandbox.integrations.server.settings import Settings, read_tokens

_DEFAULT = Settings()
_MIB = 1 << 20
_REWARD = re.compile(r"(?P<name>[\w.-]{1,64})=(?P<file>.+)", re.ASCII)


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
    sessions: Annotated[
        int, typer.Option(min=0, help="Sessions that are open at once, branches among them.")
    ] = _DEFAULT.sessions,
    client_sessions: Annotated[
        int, typer.Option(min=0, help="As many of them one client may have.")
    ] = _DEFAULT.client_sessions,
    session_idle: Annotated[
        float, typer.Option(min=1.0, help="Seconds without a use until a session is evicted.")
    ] = _DEFAULT.session_idle_seconds,
    reward: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE", help="A reward function for /score; FILE::FUNCTION of several."
        ),
    ] = None,
    pytest: Annotated[
        bool,
        typer.Option(
            "--pytest", help="/run_code has language pytest too, behind the kernel's layers alone."
        ),
    ] = False,
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
            sessions=sessions,
            client_sessions=client_sessions,
            session_idle_seconds=session_idle,
            held_bytes=max(_DEFAULT.held_bytes, 2 * body_mib * _MIB),
        )
        serve(settings, policy, workers, _by_name(reward or ()), pytest=pytest)
    except SandboxError:  # a wrong policy is a ValueError as well, and has an exit code of its own
        raise
    except (ValueError, OSError, RewardError, MissingExtra) as error:
        raise typer.BadParameter(str(error)) from error


def _by_name(rewards: Iterable[str]) -> dict[str, str]:
    """Return files by the names that clients ask for. Raises ValueError."""
    found: dict[str, str] = {}
    for each in rewards:
        given = _REWARD.fullmatch(each)
        if given is None:
            raise ValueError(f"--reward {each!r}: give NAME=FILE, or NAME=FILE::FUNCTION")
        if given["name"] in found:
            raise ValueError(f"--reward: two have the name {given['name']!r}")
        found[given["name"]] = given["file"]
    return found
