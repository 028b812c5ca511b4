"""Puts the helpers next to the tests on the path."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import harness


@pytest.fixture(scope="session")
def widest() -> object:
    """A world in which everything that can be granted is granted."""
    made = harness.world()
    harness.prepared(made)  # now: what a test changes in this process is not in it
    return made


@pytest.fixture
def run(widest: object) -> object:
    """Runs a program in it."""
    return lambda source, stdin="", **options: harness.run(widest, source, stdin, **options)
