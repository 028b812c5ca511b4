"""Programs of our own, each run here and by the CPython that runs the tests: the same output."""

import re
import subprocess
import sys
from pathlib import Path

import harness
import pytest

HERE = Path(__file__).parent
OF_SITE = re.compile(r"(?<![.\w])(exit|quit|help|copyright|credits|license)\b")


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


def guests_part(errors: str, path: Path) -> str:
    """What CPython wrote to standard error, without the library's frames and without paths."""
    errors = errors.replace(str(path), "<program>")
    errors = re.sub(r"(cannot import name .* from .*) \(.*?\)", r"\1", errors)
    # A frame is two lines or three; in an exception group a margin stands before each.
    frame = r'^([ |]*)  File "/[^"]*", line \d+, in .*\n(?:\1    .*\n)*'
    return re.sub(frame, "", errors, flags=re.M)


@pytest.mark.parametrize("text", programs())
def test_a_program_prints_and_fails_as_in_cpython(widest, text, tmp_path):
    source, stdin = split(text)
    needs = re.search(r"^#requires 3\.(\d+)", source, re.M)
    if needs and sys.version_info < (3, int(needs[1])):
        pytest.skip("needs a later Python")
    path = tmp_path / "program.py"
    path.write_text(source)
    # What site imports is an accident of the environment: it takes most of the start, and moves
    # when garbage is first found and so the order of finalizers. Its own builtins need it.
    bare = "__del__" in source or not OF_SITE.search(source)
    expected = subprocess.run(
        [sys.executable, *["-S"] * bare, "-W", "ignore", path],
        input=stdin.encode(),
        capture_output=True,
        env={"PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"},
        timeout=20,
        check=False,
    )
    ran = harness.run(widest, source, stdin)
    errors = guests_part(expected.stderr.decode(), path)
    same = (expected.stdout.decode(), expected.returncode == 0)
    assert (ran.output, ran.status == "OK") == same, (ran, errors)
    if ran.error.startswith("SystemExit"):
        return
    if ran.status in ("ERROR", "SYNTAX"):
        assert ran.traceback
        assert errors.endswith(ran.traceback)
        assert errors_first_line(ran.error) in errors
    else:
        assert ran.traceback in errors


def errors_first_line(error: str) -> str:
    """Of `Type: message (line 1)` the part that CPython has in its last lines too."""
    return re.sub(r" \(line \d+\)$", "", error).split("\n")[0]
