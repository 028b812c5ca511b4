"""Ordinary programs trip no wire: behind all layers they end as they do behind the guards alone."""

import re
import sys
from pathlib import Path

import pytest

from sandbox import Job, Sandbox, Status

PROGRAMS = Path(__file__).parents[1] / "compat" / "programs"
_REQUIRES = re.compile(r"#requires (\d+)\.(\d+)")


def programs(path):
    for part in re.split(r"^### ", path.read_text(), flags=re.M)[1:]:
        title, text = part.split("\n", 1)
        required = _REQUIRES.search(text)
        if required is None or sys.version_info >= tuple(map(int, required.groups())):
            lines = text.splitlines()
            stdin = "\n".join(line[4:] for line in lines if line.startswith("<<<"))
            code = "\n".join(line for line in lines if not line.startswith("<<<"))
            yield title, Job(code + "\n", stdin=stdin)


@pytest.fixture(scope="module")
def contest():
    with Sandbox("contest") as sandbox:
        yield sandbox


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.txt")), ids=lambda path: path.stem)
def test_no_ordinary_program_ends_as_a_violation(contest, path):
    found = list(programs(path))
    if not found:
        pytest.skip("all of its programs are for later Pythons")
    titles, jobs = zip(*found, strict=True)
    ended = [result.status for result in contest.map(jobs)]
    bad = (Status.VIOLATION, Status.CRASHED)
    wrong = [f"{title}: {status}" for title, status in zip(titles, ended, strict=True)]
    assert [line for line, status in zip(wrong, ended, strict=True) if status in bad] == []
    assert Status.OK in ended
