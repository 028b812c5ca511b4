"""Puts the tables next to the tests on the path."""

import sys
from pathlib import Path

import pytest

from sandbox.audit.walk import reach

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def quick(monkeypatch):
    """For tests of all but the search: it gives what is returned here, found nothing."""
    nothing = {"hits": [], "objects": 0, "steps": 0, "refused": 0, "ends": [], "layers": []}
    nothing |= {"public": {}, "complete": True, "stepped_over": [], "per_grant": {}, "roots": []}
    nothing |= {"reached": {}, "faults": []}
    monkeypatch.setattr(reach, "walk", lambda *_: nothing)
    return nothing


@pytest.fixture
def written(tmp_path):
    def write(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write
