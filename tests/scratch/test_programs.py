"""Programs over files print what CPython prints in an empty directory."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from sandbox import Sandbox, Status

PACKAGES = {"pandas", "numpy", "matplotlib", "PIL", "scipy"}


class Program(NamedTuple):
    title: str
    code: str


def programs() -> Iterator[Program]:
    text = (Path(__file__).parent / "programs.txt").read_text(encoding="utf-8")
    for part in re.split(r"^### ", text, flags=re.M)[1:]:
        yield Program(*part.split("\n", 1))


PROGRAMS = list(programs())


def test_there_are_enough_of_them() -> None:
    own = [program for program in PROGRAMS if program.title.split(":")[0] not in PACKAGES]
    assert len(own) >= 25
    assert len({program.title for program in PROGRAMS}) == len(PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.title)
def test_a_program_prints_what_it_prints_in_an_empty_directory(
    opened: Callable[[str], Sandbox], program: Program, tmp_path: Path
) -> None:
    package = program.title.split(":")[0]
    needed = {package} & PACKAGES
    if missing := sorted(name for name in needed if find_spec(name) is None):
        pytest.skip(f"not installed here: {', '.join(missing)}")
    (tmp_path / "empty").mkdir()
    (tmp_path / "temporary").mkdir()
    plain = subprocess.run(
        [sys.executable, "-B", "-W", "ignore", "-X", "utf8", "-c", program.code],
        capture_output=True,
        timeout=120,
        check=False,
        cwd=tmp_path / "empty",
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        preexec_fn=lambda: os.umask(0o022),  # as a program has it: what is made shows it
    )
    assert plain.returncode == 0, plain.stderr
    result = opened("science" if needed else "kernel-only").run(program.code)
    assert result.status is Status.OK, (result.error, result.traceback)
    assert result.stdout == plain.stdout.decode()
