"""Programs by name, from a text in which each begins with a line `=== its name`."""

import subprocess
import sys
from pathlib import Path
from typing import Any


def listed(file: str) -> dict[str, str]:
    """The programs in `file`, which stands next to this one."""
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    parts = [part.partition("\n") for part in text.split("=== ")[1:]]
    return {name: source for name, _, source in parts}


def assert_as_in_cpython(source: str, ran: Any) -> None:
    """Assert that `ran`, the result of `source`, is what this Python prints for it."""
    plain = subprocess.run([sys.executable, "-c", source], capture_output=True, check=True)
    assert ran.output.splitlines() == plain.stdout.decode().splitlines(), ran.error
    assert ran.status == "OK", ran
