"""`sandbox mcp`. Imports nothing of the extra before it is called."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from sandbox.integrations.mcp_server import MissingExtra, serve
from sandbox.policy.limits import LIMITS


def mcp_command(
    policy: Annotated[
        str, typer.Option("--policy", "-p", metavar="POLICY", help="What programs run under.")
    ] = "contest",
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many programs run at once.")
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help=f"Tightens one of {', '.join(LIMITS)}: cpu_seconds=2. output_kib is 64.",
        ),
    ] = None,
) -> None:
    """Serve a tool that runs Python to a model: the Model Context Protocol on stdin and stdout."""
    limits = dict(map(_limit, limit or []))
    try:
        with _ended_by_an_interrupt():
            serve(policy, workers, limits)
    except MissingExtra as error:
        raise typer.BadParameter(str(error)) from error


@contextmanager
def _ended_by_an_interrupt() -> Iterator[None]:
    """At once: the SDK has a thread that waits for input, and no exception ends that."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _limit(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        return name, int(value) if value.isdecimal() else float(value)
    except ValueError:
        wrong = f"{text!r} is not NAME=VALUE with a number" if equals else f"{text!r} has no ="
        raise typer.BadParameter(wrong, param_hint="--limit") from None
