"""Programs of our own, each run here and by the CPython that runs the tests: the same output."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "language"))

import harness  # noqa: E402


def programs() -> list[object]:
    found = []
    for path in sorted((HERE / "programs").glob("*.txt")):
        for part in re.split(r"^### ", path.read_text(), flags=re.M)[1:]:
            title, text = part.split("\n", 1)
            found.append(pytest.param(text, id=f"{path.stem}: {title}"))
    return found


def split(text: str) -> tuple[str, str]:
    """The source, and the standard input that lines beginning with <<< give."""
    lines = text.splitlines()
    given = [line[4:] for line in lines if line.startswith("<<<")]
    source = "\n".join(line for line in lines if not line.startswith("<<<")) + "\n"
    return source, "".join(line + "\n" for line in given)


@pytest.fixture(scope="module")
def widest() -> object:
    return harness.world()


@pytest.mark.parametrize("text", programs())
def test_a_program_prints_and_fails_as_in_cpython(widest, text, tmp_path):
    source, stdin = split(text)
    needs = re.search(r"^#requires 3\.(\d+)", source, re.M)
    if needs and sys.version_info < (3, int(needs[1])):
        pytest.skip("needs a later Python")
    path = tmp_path / "program.py"
    path.write_text(source)
    expected = subprocess.run(
        [sys.executable, "-W", "ignore", path],
        input=stdin.encode(),
        capture_output=True,
        env={"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"},
        timeout=20,
        check=False,
    )
    ran = harness.run(widest, source, stdin)
    errors = expected.stderr.decode()
    same = (expected.stdout.decode(), expected.returncode == 0)
    assert (ran.output, ran.status == "OK") == same, (ran, errors)
    if "Traceback" in errors and "SystemExit" not in ran.traceback:
        assert ran.traceback in errors.replace(str(path), "<program>")
