"""Programs over packages print under `science` what they print under CPython.

The first of them are in `programs.txt`, the others by their theme in `programs/`.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from sandbox import Sandbox, SandboxUnavailable, Status

MODULES = {"scikit-learn": "sklearn", "pillow": "PIL", "python": "sys"}


class Program(NamedTuple):
    title: str
    code: str
    stdin: str

    @property
    def module(self) -> str:
        package = self.title.split(":")[0]
        return MODULES.get(package, package)


def programs() -> Iterator[Program]:
    folder = Path(__file__).parent
    files = [folder / "programs.txt", *sorted((folder / "programs").glob("*.txt"))]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    for part in re.split(r"^### ", text, flags=re.M)[1:]:
        title, body = part.split("\n", 1)
        lines = body.splitlines()
        stdin = "".join(f"{line[3:]}\n" for line in lines if line.startswith("<<<"))
        code = "\n".join(line for line in lines if not line.startswith("<<<"))
        yield Program(title, code + "\n", stdin)


PROGRAMS = list(programs())


@pytest.fixture(scope="module")
def science() -> Iterator[Sandbox]:
    try:
        sandbox = Sandbox("science", workers=1)
    except SandboxUnavailable as error:
        if error.layer == "packages":
            raise
        pytest.skip(f"the policy needs what this host does not have: {error.reason}")
    with sandbox:
        yield sandbox


def test_there_are_enough_of_them() -> None:
    assert len(PROGRAMS) >= 150
    assert len({program.title for program in PROGRAMS}) == len(PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.title)
def test_a_program_prints_what_it_prints_under_cpython(science: Sandbox, program: Program) -> None:
    needed = {program.module, *re.findall(r"^\s*(?:import|from) (\w+)", program.code, flags=re.M)}
    needed |= {"tzdata"} if "Europe/" in program.code else set()  # the machine's is not shown
    missing = sorted(name for name in needed if find_spec(name) is None)
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)}")
    plain = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program.code],
        input=program.stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd="/",
    )
    assert plain.returncode == 0, plain.stderr
    result = science.run(program.code, program.stdin)
    assert result.status is Status.OK, result.error
    assert result.stdout == plain.stdout
