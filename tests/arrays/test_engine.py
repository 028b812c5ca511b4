"""Checks of the engine in a process of their own.

They import numpy, whose classes no test of the language layer in the same process could do with.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.mark.skipif(find_spec("numpy") is None, reason="numpy is not installed")
@pytest.mark.parametrize("checks", ["engine_checks.py", "bounds_checks.py"])
def test_the_checks_hold(checks: str) -> None:
    path = Path(__file__).parent / checks
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
