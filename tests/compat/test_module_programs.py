"""Programs of several files, each run here and by CPython in a directory with these files."""

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
    for path in sorted((HERE / "modules").glob("*.txt")):
        for part in re.split(r"^### ", path.read_text(), flags=re.M)[1:]:
            title, text = part.split("\n", 1)
            pieces = re.split(r"^--- (.*)\n", text, flags=re.M)[1:]
            files = dict(zip(pieces[::2], pieces[1::2], strict=True))
            found.append(pytest.param(files, id=title))
    return found


def frames(text: str) -> list[tuple[str, str]]:
    """Where a traceback leads through the program's files: file and line."""
    return re.findall(r'File "(\S+?\.py|<program>)", line (\d+)', text)


@pytest.mark.parametrize("files", programs())
def test_a_program_of_several_files_does_as_in_cpython(widest, contest, files, tmp_path) -> None:
    source = files["program"]
    others = {name: text.encode() for name, text in files.items() if name != "program"}
    work = tmp_path / "work"
    work.mkdir()
    for name, data in others.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(data)
    (work / "program.py").write_text(source)
    expected = subprocess.run(
        [sys.executable, "-W", "ignore", "program.py"],
        capture_output=True,
        cwd=work,
        env={"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        timeout=20,
        check=False,
    )
    ran = harness.run(widest, source, files=others)
    real = os.path.realpath(work)
    errors = expected.stderr.decode().replace(f"{real}/program.py", "<program>")
    errors = errors.replace(real, "/box")
    assert ran.output == expected.stdout.decode().replace(real, "/box"), (ran, errors)
    assert (ran.status == "OK") == (expected.returncode == 0), (ran, errors)
    sandboxed = contest.run(source, files=others)
    printed = expected.stdout.decode().replace(real, "/box")
    assert (sandboxed.stdout, str(sandboxed.status)) == (printed, ran.status), sandboxed
    if ran.status != "OK":
        assert ran.traceback.splitlines()[-1] in errors
        assert [*frames(ran.traceback)] == [
            each for each in frames(errors) if "/lib/" not in each[0]
        ]
