"""Programs that read and write files, each run here and by CPython in an empty directory."""

import os
import re
import subprocess
import sys
from pathlib import Path

import harness
import pytest

HERE = Path(__file__).parent


def programs() -> list[object]:
    found = []
    for path in sorted((HERE / "files").glob("*.txt")):
        for part in re.split(r"^### ", path.read_text(), flags=re.M)[1:]:
            title, text = part.split("\n", 1)
            found.append(pytest.param(text, id=f"{path.stem}: {title}"))
    return found


def test_there_are_enough() -> None:
    assert len(programs()) >= 80


@pytest.mark.parametrize("text", programs())
def test_a_program_with_files_prints_and_fails_as_in_cpython(
    widest, contest, text, tmp_path
) -> None:
    lines = text.splitlines(keepends=True)
    source = "".join(line for line in lines if not line.startswith("<<<"))
    stdin = "".join(line[3:] for line in lines if line.startswith("<<<"))
    needs = re.search(r"^#requires 3\.(\d+)", source, re.M)
    if needs and sys.version_info < (3, int(needs[1])):
        pytest.skip("needs a later Python")
    program, work = tmp_path / "program.py", tmp_path / "work"
    program.write_text(source)
    work.mkdir()
    (tmp_path / "tmp").mkdir()
    expected = subprocess.run(
        [sys.executable, "-W", "ignore", program],
        input=stdin.encode(),
        capture_output=True,
        cwd=work,
        env={"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "TMPDIR": str(tmp_path / "tmp")},
        timeout=20,
        check=False,
    )
    ran = harness.run(widest, source, stdin)
    printed = expected.stdout.decode().replace(os.path.realpath(work), "/box")
    printed = printed.replace(os.path.realpath(tmp_path / "tmp"), "/tmp")
    assert ran.output == printed, (ran, expected.stderr.decode())
    assert (ran.status == "OK") == (expected.returncode == 0), (ran, expected.stderr.decode())
    sandboxed = contest.run(source, stdin)
    assert (sandboxed.stdout, str(sandboxed.status)) == (printed, ran.status), sandboxed
    if ran.status != "OK":
        last = ran.traceback.splitlines()[-1]
        assert last in expected.stderr.decode()
