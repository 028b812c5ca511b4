"""Fixtures of all the tests that run a program here and by CPython."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import Sandbox

sys.path.insert(0, str(Path(__file__).parent.parent / "language"))

import harness


@pytest.fixture(scope="module")
def widest() -> object:
    return harness.world()


@pytest.fixture(scope="module")
def contest() -> Iterator[Sandbox]:
    with Sandbox("contest", workers=1) as sandbox:
        yield sandbox
