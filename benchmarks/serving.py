"""A server of our own for the benchmarks that need one."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_ENDING_SECONDS = 180


@contextmanager
def served(*options: str) -> Iterator[int]:
    """Start a `sandbox serve` with `options` on loopback; yield its port, to the end of the block.

    Raises SystemExit with what it said if it does not start.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "sandbox.cli", "serve", "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r":(\d+)$", line.strip())
        if not found:
            raise SystemExit(line + process.stderr.read())
        yield int(found[1])
    finally:
        process.terminate()
        process.communicate(timeout=_ENDING_SECONDS)
