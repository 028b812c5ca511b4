"""Runs the command `sandbox` as a shell does."""

import os
import subprocess
import sys


def sandbox(*arguments: object, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """Run it with `arguments` and what is piped to it."""
    return subprocess.run(
        [sys.executable, "-m", "sandbox.cli", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
    )
