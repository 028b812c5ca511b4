"""`sandbox mcp`. Imports nothing of the extra before it is called."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from sandbox.command_line import LimitOption, limits_of
from sandbox.integrations.mcp_server import MissingExtra, serve


def mcp_command(
    policy: Annotated[
        str, typer.Option("--policy", "-p", metavar="POLICY", help="What programs run under.")
    ] = "contest",
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many programs run at once.")
    ] = None,
    limit: LimitOption = None,
) -> None:
    """Serve a tool that runs Python to a model: the Model Context Protocol on stdin and stdout.

    A program may print 64 KiB, unless --limit output_kib=... says something else.
    """
    limits = limits_of(limit)
    try:
        with _ended_by_an_interrupt():
            serve(policy, workers, **limits)
    except MissingExtra as error:
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
