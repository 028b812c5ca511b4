"""What a guest, a client or an author sends costs its reader no more than `door_work` states."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hostile.doors import DOORS
from tests.door_work import BOUNDS, QUADRATIC

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.xdist_group("doors")  # one process counts for all of them


@pytest.fixture(scope="module")
def told() -> Any:
    """What was counted in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.door_work"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_each_door_has_a_bound() -> None:
    assert set(BOUNDS) == set(DOORS)


@pytest.mark.parametrize("name", DOORS)
def test_the_work_for_what_comes_in_by_a_door_is_bounded_by_its_size(told: Any, name: str) -> None:
    assert told["doors"][name] == ""


def test_each_function_of_c_that_a_door_calls_has_a_reason_to_be_linear(told: Any) -> None:
    assert told["unlisted"] == []


@pytest.mark.parametrize("name", QUADRATIC)
def test_a_quadratic_door_is_found(told: Any, name: str) -> None:
    assert "AssertionError" in told["quadratic"][name]
