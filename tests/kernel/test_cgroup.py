"""Control groups: on this kernel where it has version 2, and on trees as other hosts have them."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import Policy, Sandbox
from sandbox.kernel import cgroup

LIMITS = {"memory_bytes": 1 << 30, "processes": 21, "cpus": 3}
ALL = "cpuset cpu io memory pids"


class Host:
    """A host's cgroup tree and its /proc/self, as files."""

    def __init__(self, folder: Path, own: str, root: str = "/") -> None:
        self.proc, self.tree = folder / "proc", folder / "tree"
        self.proc.mkdir()
        line = f"34 25 0:29 {root} {self.tree} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
        v1 = f"35 25 0:30 / {folder}/v1 rw shared:10 - cgroup cgroup rw,memory\n"
        (self.proc / "mountinfo").write_text(v1 + line)
        (self.proc / "cgroup").write_text(f"4:memory:/elsewhere\n0::{own}\n")

    def group(self, path: str, controllers: str, handed_down: str = "") -> Path:
        folder = self.tree / path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.procs").write_text("")
        (folder / "cgroup.controllers").write_text(controllers)
        (folder / "cgroup.subtree_control").write_text(handed_down)
        return folder

    def make(self) -> cgroup.Group | None:
        return cgroup.make(**LIMITS, proc=self.proc)


@pytest.fixture(autouse=True)
def _no_systemd(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cgroup, "_SYSTEMD", tmp_path / "run/systemd/system")


def made(folder: Path) -> dict[str, str]:
    """What was written to the one group that was made in `folder`."""
    (group,) = folder.glob("restricted-execution-*")
    return {path.name: path.read_text() for path in group.iterdir()}


def test_a_group_is_made_beside_the_callers_own_with_every_limit(tmp_path: Path) -> None:
    host = Host(tmp_path, own="/app.service/main")
    parent = host.group("app.service", ALL, handed_down=ALL)
    host.group("app.service/main", ALL)
    group = host.make()
    assert group is not None
    assert group.description == "1024 MiB, 21 processes and 3 processors for the sandbox"
    assert made(parent) == {
        "memory.max": str(1 << 30),
        "memory.swap.max": "0",
        "pids.max": "21",
        "cpu.max": "300000 100000",
    }
    assert group.take(4711)
    assert made(parent)["cgroup.procs"] == "4711"


def test_a_container_sees_its_own_group_as_the_root(tmp_path: Path) -> None:
    """With a cgroup namespace, and with a mount of a part of the host's tree."""
    host = Host(tmp_path, own="/pod/main", root="/pod")
    parent = host.group(".", ALL, handed_down=ALL)
    host.group("main", ALL)
    assert cgroup.delegated(host.proc) == parent


def test_controllers_that_are_there_are_handed_down(tmp_path: Path) -> None:
    host = Host(tmp_path, own="/app/main")
    parent = host.group("app", ALL)
    control = parent / "cgroup.subtree_control"
    assert cgroup.delegated(host.proc) is None  # a file does not take it as the kernel does
    assert control.read_text() == "+cpu +memory +pids"
    control.write_text("cpu memory pids")
    assert cgroup.delegated(host.proc) == parent


def test_a_group_of_version_1_alone_or_out_of_sight_is_none(tmp_path: Path) -> None:
    host = Host(tmp_path, own="/../../elsewhere")
    host.group(".", ALL, handed_down=ALL)
    host.group("elsewhere", ALL, handed_down=ALL)
    assert host.make() is None
    (host.proc / "cgroup").write_text("4:memory:/elsewhere\n")
    assert host.make() is None
    (host.proc / "cgroup").write_text("0::/elsewhere\n")
    assert host.make() is not None
    (host.proc / "mountinfo").write_text("")
    assert host.make() is None


def test_where_systemd_manages_the_tree_only_what_it_marked_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host(tmp_path, own="/session.scope/main")
    parent = host.group("session.scope", ALL, handed_down=ALL)
    host.group("session.scope/main", ALL)
    assert cgroup.delegated(host.proc) == parent
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    assert cgroup.delegated(host.proc) is None
    try:
        os.setxattr(parent, "user.delegate", b"1")
    except OSError:
        monkeypatch.setattr(cgroup, "_mark", lambda path, _: b"1" if path == parent else b"")
    assert cgroup.delegated(host.proc) == parent


def test_a_sandbox_puts_its_supervisor_into_the_group_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host(tmp_path, own="/main")
    parent = host.group(".", ALL, handed_down=ALL)
    monkeypatch.setattr(cgroup, "delegated", lambda _proc: parent)
    with Sandbox(Policy.load("strict"), workers=2) as sandbox:
        written = made(parent)
        assert written["cgroup.procs"] == str(sandbox._pool.open().pid)
        assert written["cpu.max"] == "300000 100000"
        assert int(written["memory.max"]) >= 2 * 512 << 20
        assert "3 processors" in sandbox.layers["cgroup"]
        assert sandbox.run("print(1)").layers == tuple(sandbox.layers)
    assert made(parent)["cgroup.kill"] == "1"


def test_a_group_that_takes_no_process_is_no_layer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host(tmp_path, own="/main")
    parent = host.group(".", ALL, handed_down=ALL)
    monkeypatch.setattr(cgroup, "delegated", lambda _proc: parent)
    monkeypatch.setattr(cgroup.Group, "take", lambda _group, _pid: False)
    with Sandbox("strict", workers=1) as sandbox:
        assert "cgroup" not in sandbox.layers


@pytest.fixture
def real(tmp_path: Path) -> Iterator[cgroup.Group]:
    """A group of the running kernel's, without limits: the controllers may be version 1's."""
    with contextlib.suppress(StopIteration, OSError):
        _, point = next(cgroup._mounts(Path("/proc/self")))
        group = cgroup.Group(Path(point) / f"restricted-execution-test-{os.getpid()}")
        yield group
        group.remove()
        return
    pytest.skip("no cgroup2 file system that this process may write to")


def test_removing_a_group_kills_what_is_in_it(real: cgroup.Group) -> None:
    code = "import os, time\nos.fork()\nprint(flush=True)\ntime.sleep(60)"
    go = f"input()\n{code}"
    with subprocess.Popen(
        [sys.executable, "-c", go], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert real.take(process.pid)
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.stdout.read(2) == b"\n\n"  # both are there
        inside = (real._path / "cgroup.procs").read_text().split()
        assert len(inside) == 2
        real.remove()
        assert process.wait(10) == -9
    assert not real._path.exists()


def test_a_limit_that_the_kernel_does_not_take_makes_no_group(real: cgroup.Group) -> None:
    if (real._path / "memory.max").exists():
        pytest.skip("this kernel's version 2 has the memory controller")
    with pytest.raises(OSError, match=r"memory\.max"):
        real.limit(**LIMITS)
