"""Programs over numpy print under `contest-numpy` what they print under CPython."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import Sandbox, Status

_TEXT = (Path(__file__).parent / "programs.txt").read_text(encoding="utf-8")
PROGRAMS = [part.split("\n", 1) for part in _TEXT.split("### ")[1:]]


def test_there_are_enough_of_them() -> None:
    assert len(PROGRAMS) >= 100
    assert len({title for title, _ in PROGRAMS}) == len(PROGRAMS)


@pytest.mark.parametrize(("title", "code"), PROGRAMS, ids=[title for title, _ in PROGRAMS])
def test_a_program_prints_what_it_prints_under_cpython(
    contest: Sandbox, title: str, code: str
) -> None:
    plain = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False
    )
    assert plain.returncode == 0, plain.stderr
    result = contest.run(code)
    assert (result.status, result.output) == (Status.OK, plain.stdout), result.error
