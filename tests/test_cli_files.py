"""`sandbox run --file SRC[:DEST] --out PATTERN`: what goes in and what is written."""

import json
from pathlib import Path

import pytest

from tests.command import sandbox

COPY = """
import os
for top, dirs, names in os.walk("."):
    for name in names:
        path = os.path.join(top, name)
        os.makedirs(os.path.join("out", top), exist_ok=True)
        open(os.path.join("out", path), "wb").write(open(path, "rb").read()[::-1])
    dirs[:] = [name for name in dirs if name != "out"]
"""


@pytest.fixture(name="work")
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "program.py").write_text(COPY)
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "a.bin").write_bytes(b"\x00\xff")
    (tmp_path / "data" / "deep" / "b.txt").write_text("abc")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> object:
    return sandbox("run", "program.py", "--policy", "contest", *arguments)


def test_a_file_and_a_directory_go_in_and_come_back(work: Path) -> None:
    done = run("--file", "data/a.bin", "--file", "data:d", "--out", "out/**")
    assert (done.returncode, done.stderr) == (0, "")
    assert (work / "out/a.bin").read_bytes() == b"\xff\x00"
    assert (work / "out/d/deep/b.txt").read_text() == "cba"
    assert (work / "out/d/a.bin").read_bytes() == b"\xff\x00"


def test_a_file_may_have_another_name_and_nothing_is_written_unasked(work: Path) -> None:
    assert run("--file", "data/a.bin:x/y.bin").returncode == 0
    assert not (work / "out").exists()
    assert run("--file", "data/a.bin:x/y.bin", "--out", "out/x/*").returncode == 0
    assert (work / "out/x/y.bin").exists()


def test_json_has_the_files_and_none_is_written(work: Path) -> None:
    done = run("--file", "data/a.bin", "--out", "out/*", "--json")
    assert json.loads(done.stdout)["files"] == {"out/a.bin": "/wA="}
    assert not (work / "out").exists()


def test_no_symbolic_link_is_followed_where_files_are_written(work: Path) -> None:
    outside = work / "outside"
    outside.mkdir()
    victim = outside / "a.bin"
    victim.write_text("mine")
    (work / "out").symlink_to(outside)
    done = run("--file", "data/a.bin", "--out", "out/*")
    assert (done.returncode, victim.read_text()) == (2, "mine")
    (work / "out").unlink()
    (work / "out").mkdir()
    (work / "out/a.bin").symlink_to(victim)
    assert run("--file", "data/a.bin", "--out", "out/*").returncode == 2
    assert victim.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--file", "nowhere"), "No such file"),
        (("--file", "data/a.bin:../x"), "'../x'"),
        (("--file", "data/a.bin:/etc/x"), "'/etc/x'"),
        (("--out", "../*"), "'../*'"),
    ],
)
def test_what_is_no_file_is_a_wrong_command_line(work: Path, arguments: object, told: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert told in " ".join(done.stderr.replace("│", " ").split())


def test_files_go_in_and_come_back_without_the_language_layer(work: Path) -> None:
    given = ("--file", "data:d", "--out", "out/**")
    done = sandbox("run", "program.py", "--policy", "kernel-only", *given)
    if "mount namespace" in done.stderr:
        pytest.skip("this host has no mount namespaces")
    assert (done.returncode, done.stderr) == (0, "")
    assert (work / "out/d/deep/b.txt").read_text() == "cba"
    assert (work / "out/d/a.bin").read_bytes() == b"\xff\x00"


def test_what_a_program_may_write_to_is_shown(work: Path) -> None:
    told = " ".join(sandbox("doctor", "--policy", "kernel-only").stdout.split())
    assert "a program has a scratch directory of its own in memory, of 65536 KiB" in told or (
        "a program has no scratch directory: that takes a mount namespace" in told
    )
    assert "a program has" not in sandbox("doctor", "--policy", "strict").stdout
