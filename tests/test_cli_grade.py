"""`sandbox grade`, as a shell sees it."""

import json
from pathlib import Path

import pytest

from tests.command import sandbox


@pytest.fixture(name="program")
def _program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text("print(input()[::-1])\n")
    return path


@pytest.fixture(name="tests")
def _tests(tmp_path: Path) -> Path:
    path = tmp_path / "tests.json"
    path.write_text(json.dumps({"inputs": ["ab", "cd", "ee"], "outputs": ["ba", "x", "ee"]}))
    return path


def test_grade_tells_each_case_and_exits_by_the_score(program: Path, tests: Path) -> None:
    done = sandbox("grade", program, "--tests", tests)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "test 1: passed",
        "test 2: failed: wrong answer",
        "test 3: skipped: an earlier test failed",
        "1 of 3 tests passed",
    ]
    assert "2 of 3 tests passed" in sandbox("grade", program, "--tests", tests, "--all").stdout
    answer = json.loads(sandbox("grade", program, "--tests", tests, "--json").stdout)
    assert (answer["score"], answer["passed"], answer["total"]) == (0.0, 1, 3)
    good = json.dumps({"inputs": ["ab"], "outputs": ["ba"]})
    done = sandbox("grade", program, "--tests", "-", "--limit", "cpu_seconds=1", stdin=good)
    assert (done.returncode, done.stdout) == (0, "test 1: passed\n1 of 1 tests passed\n")


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("[]", 70, "there are no tests"),
        ("{", 2, "not JSON"),
        ('{"what": 1}', 2, "what"),
    ],
)
def test_grade_says_what_is_wrong_with_tests(
    text: str, code: int, told: str, program: Path, tests: Path
) -> None:
    tests.write_text(text)
    done = sandbox("grade", program, "--tests", tests)
    assert (done.returncode, told in done.stdout + done.stderr) == (code, True)
