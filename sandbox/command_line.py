"""Helpers that the commands share: reading a file argument, and `--limit NAME=VALUE`."""

import os
import select
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from sandbox.policy.limits import LIMITS

_PATIENCE_SECONDS = 2.0
LimitOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help=f"Tightens one of {', '.join(LIMITS)}: cpu_seconds=1. May be given several times.",
    ),
]


def read(path: str, parameter: str) -> str:
    """The text of a file, or of standard input for `-`. Raises typer.BadParameter."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 text: {error.reason} at byte {error.start}"
    raise typer.BadParameter(f"{path}: {reason}", param_hint=parameter)


def limits_of(texts: Sequence[str] | None) -> dict[str, Any]:
    """The limits in `texts`, by name. Raises typer.BadParameter for what is no NAME=VALUE."""
    return dict(map(_limit, texts or ()))


def _limit(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        return name, int(value) if value.isdecimal() else float(value)
    except ValueError:
        wrong = f"{text!r} is not NAME=VALUE with a number" if equals else f"{text!r} has no ="
        raise typer.BadParameter(wrong, param_hint="--limit") from None


def is_given_input() -> bool:
    """True if standard input is a pipe or a file; says so if what is in a pipe is long in coming.

    A terminal and /dev/null are none: without a word from the user nobody waits for what is typed.
    """
    try:
        kind = os.fstat(0).st_mode
    except OSError:  # it is closed
        return False
    if stat.S_ISFIFO(kind) and not select.select([0], [], [], _PATIENCE_SECONDS)[0]:
        complain("reading the program's input from the pipe; --stdin /dev/null gives it none")
    return stat.S_ISFIFO(kind) or stat.S_ISREG(kind) or stat.S_ISSOCK(kind)


def complain(text: str, style: str = "red") -> None:
    """Write `text` to standard error, in a colour where that is a terminal."""
    sys.stdout.flush()
    Console(stderr=True, soft_wrap=True).print(Text(text, style=style))
