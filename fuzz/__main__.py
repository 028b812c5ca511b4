"""`python -m fuzz`, from a checkout."""

import sys

import typer

from sandbox.cli import FAULT_CODES
from sandbox.errors import SandboxError

from .command import fuzz

if __name__ == "__main__":
    app = typer.Typer(add_completion=False)
    app.command()(fuzz)
    try:
        app()
    except SandboxError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(next(code for kind, code in FAULT_CODES.items() if isinstance(error, kind)))
