"""A Landlock domain with a few directories to write to, and nothing else that could hold."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.kernel import landlock, privileges
from sandbox.kernel.libc import syscall, text
from sandbox.kernel.steps import carry_out

pytestmark = pytest.mark.skipif(landlock.abi() == 0, reason="this kernel has no Landlock")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("own", "shown", "listed", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("content")
    (tmp_path / "own" / "to-other").symlink_to(tmp_path / "other")
    return tmp_path


def restricted(tree: Path, act: Callable[[], object]) -> str:
    """Do `act` in a fork that may write below `own` alone; return what came of it."""
    answer_r, answer_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.chdir(tree)
            free = os.dup2(answer_w, 3) + 1
            os.closerange(free, 4096)
            answer_w = 3
            steps = landlock.domain_of_its_own(
                landlock.abi(),
                read=[str(tree / "shown")],
                listed=[str(tree / "listed")],
                written=[str(tree / "own")],
                device="/dev/null",
                free=free,
            )
            carry_out([privileges.forbid_new_privileges(), *steps])
            os.dup(0)  # the number that was free is so again
            said = str(act())
        except OSError as error:
            said = type(error).__name__
        except BaseException as error:
            said = f"broken: {error!r}"
        os.write(answer_w, said.encode())
        os._exit(0)
    os.close(answer_w)
    with open(answer_r) as stream:
        said = stream.read()
    os.waitpid(pid, 0)
    return said


ALLOWED = {
    "open('own/file', 'r+').write('x')": "1",
    "open('own/new', 'w').write('xy')": "2",
    "os.mkdir('own/d')": "None",
    "os.rename('own/file', 'own/other')": "None",
    "os.unlink('own/file')": "None",
    "os.symlink('/etc/passwd', 'own/link')": "None",
    "os.link('own/file', 'own/hard')": "None",
    "os.truncate('own/file', 1)": "None",
    "os.listdir('listed')": "['file']",
    "open('shown/file').read()": "content",
    "open('/dev/null', 'w').write('x')": "1",
}
DENIED = """
open('other/file')
open('other/file', 'w')
open('other/new', 'w')
open('shown/file', 'r+')
open('shown/new', 'w')
open('listed/file')
open('own/to-other/new', 'w')
open('own/../other/new', 'w')
os.mkdir('other/d')
os.mkdir('d')
os.rmdir('other')
os.unlink('shown/file')
os.unlink('own/to-other/file')
os.rename('own/file', 'other/taken')
os.rename('other/file', 'own/taken')
os.rename('shown/file', 'own/taken')
os.link('other/file', 'own/hard')
os.link('own/file', 'other/hard')
os.symlink('x', 'other/link')
os.truncate('other/file', 0)
os.mkfifo('own/pipe')
os.mknod('own/device', 0o020666, os.makedev(1, 3))
os.mknod('own/socket', 0o140666)
os.listdir('other')
os.listdir('.')
os.execv('own/file', ['x'])
open('/etc/passwd')
open('/dev/zero')
mount()
""".strip().splitlines()


@pytest.mark.parametrize("expression", ALLOWED)
def test_file_work_is_done_where_it_is_granted(tree: Path, expression: str) -> None:
    assert restricted(tree, lambda: eval(expression)) == ALLOWED[expression]


@pytest.mark.parametrize("expression", DENIED)
def test_nothing_else_is_opened_made_or_changed(tree: Path, expression: str) -> None:
    if "truncate" in expression and landlock.abi() < 3:
        pytest.skip("Landlock knows of it from version 3 on")
    names = {"os": os, "mount": _mount}
    said = restricted(tree, lambda: eval(expression, names))
    assert said in ("PermissionError", "OSError"), said
    assert (tree / "other" / "file").read_text() == "content"
    assert os.listdir(tree / "other") == ["file"]


def _mount() -> int:
    return syscall("mount", text(b"none"), text(b"own"), text(b"tmpfs"), 0, text(b""))


def test_a_supervisor_that_is_restricted_may_end_its_children(tree: Path) -> None:
    def act() -> str:
        pid = os.fork()
        if pid == 0:
            while True:
                os.read(os.pipe()[0], 1)
        carry_out(landlock.deny_all_but_signals(landlock.abi()))
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        try:
            os.listdir("own")
        except PermissionError:
            return "held"
        return "listed"

    answer_r, answer_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.chdir(tree)
        carry_out([privileges.forbid_new_privileges()])
        os.write(answer_w, act().encode())
        os._exit(0)
    os.close(answer_w)
    with open(answer_r) as stream:
        assert stream.read() == "held"
    os.waitpid(pid, 0)
