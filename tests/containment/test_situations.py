"""The same promises as root, as an ordinary user, in a container and without Landlock, for real."""

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sandbox
from sandbox.kernel import landlock
from sandbox.kernel.numbers import MACHINE

pytestmark = [
    pytest.mark.skipif(MACHINE != "x86_64", reason="raw numbers are those of x86_64"),
    pytest.mark.xdist_group("situations"),  # each is made once
]

HOST = Path(__file__).parent / "guest_host.py"
NEEDED = (
    "RestrictedPython", "psutil", "pydantic", "pydantic_core", "annotated_types",
    "typing_extensions", "typing_inspection", "tomli_w", "tqdm",
)  # fmt: skip
NOBODY = 65534
USER = (
    "setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--inh-caps=-all",
)  # fmt: skip
# What Docker leaves root by default: no CAP_SYS_ADMIN among it.
DOCKER = (
    "chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,"
    "sys_chroot,mknod,audit_write,setfcap"
)
CONTAINED_ROOT = ("setpriv", "--inh-caps=-all", f"--bounding-set=-all,+{DOCKER.replace(',', ',+')}")
CONTAINER = ("container", "clone3")
ROOTLESS = (*USER, "unshare", "-Ur")  # one id is mapped, and setgroups denied
READ_ONLY = "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys"


def after(mounts: str) -> tuple[str, ...]:
    """Begin in a mount namespace in which `mounts` were made."""
    return ("unshare", "--mount", "sh", "-c", f'{mounts} && exec "$0" "$@"')


# The user that starts it, what it has lost: (its command, filters, layers that must be missing).
SITUATIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...], set[str]]] = {
    "root on the host": ((), (), set()),
    "root without Landlock": ((), ("no-landlock",), {"landlock"}),
    "root in a container": (CONTAINED_ROOT, CONTAINER, {"namespaces"}),
    "root in an old container": (CONTAINED_ROOT, (*CONTAINER, "old-container"), {"namespaces"}),
    "root in a container without Landlock": (
        CONTAINED_ROOT, (*CONTAINER, "no-landlock"), {"namespaces", "landlock"},
    ),
    "root without CAP_SYS_ADMIN": (CONTAINED_ROOT, (), set()),
    "root with a read-only /proc/sys": (after(READ_ONLY), (), set()),
    "uid 0 of a namespace with one id": (ROOTLESS, (), set()),
    "an ordinary user": (USER, (), set()),
    "an ordinary user without Landlock": (USER, ("no-landlock",), {"landlock"}),
    "an ordinary user in a container": (USER, CONTAINER, {"namespaces"}),
    "an ordinary user in a container without Landlock": (
        USER, (*CONTAINER, "no-landlock"), {"namespaces", "landlock"},
    ),
}  # fmt: skip
ALWAYS = {"process", "rlimits", "descriptors", "privileges", "seccomp"}

HONEST = {
    "sum": ["OK", "6\n"],
    "class": ["OK", "aaa"],
    "error": ["ERROR", ""],
    "cpu": ["CPU_LIMIT", ""],
    "memory": ["MEMORY_LIMIT", ""],
    "output": ["OUTPUT_LIMIT", ""],
}


@pytest.fixture(scope="module")
def stage() -> Iterator[Path]:
    """The package, what it needs and perhaps an interpreter, where every user may read them."""
    folder = Path(tempfile.mkdtemp(prefix="containment-"))
    folder.chmod(0o755)
    source = Path(sandbox.__file__).parents[1]
    shutil.copytree(source / "sandbox", folder / "sandbox", ignore=_unused)
    shutil.copytree(source / "policies", folder / "policies", ignore=_unused)
    shutil.copy(HOST, folder)
    for name in NEEDED:
        origin = Path(str(getattr(importlib.util.find_spec(name), "origin", "")))
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, folder / name, ignore=_unused)
        else:
            shutil.copy(origin, folder)
    yield folder
    shutil.rmtree(folder)


_unused = shutil.ignore_patterns("tests")  # copies keep their times, so bytecode stays valid


def interpreter(stage: Path, identity: tuple[str, ...]) -> str:
    """Return a Python of this version that the user of `identity` can run; a copy if need be."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, f"/usr/bin/python{version}", str(stage / "python")):
        if _runs(candidate, stage, identity):
            return candidate
    return _copied(stage, version)


def _runs(candidate: str, stage: Path, identity: tuple[str, ...]) -> bool:
    itself = "subprocess.run([sys.executable, '-c', ''], check=True)"
    check = [candidate, "-c", f"import subprocess, sys, sandbox, pydantic, psutil\n{itself}"]
    done = subprocess.run(
        [*_as(identity), *check], env=_environment(stage), cwd="/", capture_output=True
    )
    return done.returncode == 0


def _environment(stage: Path) -> dict[str, str]:
    """With the folder where a copied interpreter finds its shared library."""
    return {"PYTHONPATH": str(stage), "LD_LIBRARY_PATH": str(stage / "lib")}


@functools.cache
def _copied(stage: Path, version: str) -> str:
    library = Path(os.__file__).parent
    ignore = shutil.ignore_patterns("test", "site-packages", "config-*", "idlelib")
    shutil.copytree(library, stage / "lib" / f"python{version}", ignore=ignore)
    for shared in library.parent.glob("libpython*.so*"):
        shutil.copy(shared, stage / "lib")
    (stage / "bin").mkdir()
    return str(shutil.copy(Path(sys.executable).resolve(), stage / "bin" / f"python{version}"))


def _as(identity: tuple[str, ...]) -> list[str]:
    """The command that starts another as `identity`; skips where this user cannot."""
    if os.getuid() != 0:
        if identity[: len(USER)] != USER:
            pytest.skip("takes root")
        identity = identity[len(USER) :]  # this user is an ordinary one
    for tool in {"setpriv", "unshare", "prlimit"} & set(identity):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} of util-linux is not installed")
    return list(identity)


def told(stage: Path, identity: tuple[str, ...], filters: tuple[str, ...]) -> dict[str, Any]:
    """What guest_host.py says in a situation."""
    user = USER if identity[: len(USER)] == USER else ()
    command = [*_as(identity), interpreter(stage, user), str(stage / HOST.name), *filters]
    done = subprocess.run(
        command,
        env={**_environment(stage), "PATH": os.environ["PATH"]},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module", params=SITUATIONS)
def situation(request: pytest.FixtureRequest, stage: Path) -> dict[str, Any]:
    identity, filters, missing = SITUATIONS[request.param]
    return {**told(stage, identity, filters), "missing": missing, "name": request.param}


def test_the_situation_is_what_it_says(situation: dict[str, Any]) -> None:
    wanted = NOBODY if situation["name"].startswith("an ordinary") and not os.getuid() else None
    assert situation["uid"] == (os.getuid() if wanted is None else wanted)
    active = set(situation["strict"]["layers"])
    assert not active & situation["missing"]
    if "namespaces" in situation["missing"]:  # a container's filter refuses keyctl(2), too
        assert "no keyrings" in situation["strict"]["layers"]["privileges"]


def test_strict_opens_with_the_layers_that_are_left(situation: dict[str, Any]) -> None:
    active = set(situation["strict"]["layers"])
    assert active >= ALWAYS | {"language"}
    if landlock.abi():
        assert ("landlock" in active) == ("landlock" not in situation["missing"])


@pytest.mark.parametrize("policy", ["strict", "kernel-only"])
def test_honest_programs_and_limits_have_the_same_results(
    situation: dict[str, Any], policy: str
) -> None:
    report = situation[policy]
    if "honest" not in report:
        pytest.skip("this policy does not open here, as another test shows")
    wall = report["honest"].pop("wall")
    assert wall == (["WALL_LIMIT", ""] if policy == "kernel-only" else ["DENIED", ""])
    assert report["honest"] == HONEST
    assert report["after"] == "well\n"


@pytest.mark.parametrize("policy", ["strict", "kernel-only"])
def test_attacks_are_contained(situation: dict[str, Any], policy: str) -> None:
    report = situation[policy]
    if "attacks" not in report:
        pytest.skip("this policy does not open here, as another test shows")
    attacks = report["attacks"]
    if policy == "strict":
        assert {tuple(answer) for answer in attacks.values()} == {("DENIED", "")}
        return
    free = {name: attacks.pop(name)[0] for name in ("import", "walk", "forge", "silent")}
    assert free == {"import": "OK", "walk": "OK", "forge": "VIOLATION", "silent": "ERROR"}
    asked = [attacks.pop(name) for name in ("open", "fork", "socket", "exec")]  # refused by errno
    assert asked == [["ERROR", ""]] * 4
    assert {name: answer for name, answer in attacks.items() if answer != ["VIOLATION", ""]} == {}


def test_files_and_threads_are_opened_where_namespaces_bound_them(
    situation: dict[str, Any],
) -> None:
    report = situation["kernel-only"]
    if "opened" not in report:
        pytest.skip("this policy does not open here, as another test shows")
    opened = report["opened"]
    assert opened.pop("another file").startswith("ERROR FileNotFoundError")
    assert opened.pop("a name") == "False False\n"
    assert opened.pop("a file of the library, to write").startswith("ERROR PermissionError")
    scratch = "namespaces" in report["layers"]
    refused = "OSError: [Errno 30] Read-only file system" if scratch else "PermissionError"
    assert opened.pop("a place in the library").startswith(f"ERROR {refused}")
    if scratch:
        assert opened.pop("files of its own") == "own ['x'] /box True 0o100644\n"
        assert opened.pop("places outside") == "[]\n"
        assert opened.pop("files in and out") == "{'/tmp/out': b'xy', 'in': b'x'}"
    else:
        assert opened.pop("files of its own").startswith("ERROR PermissionError")
        assert opened.pop("places outside") == "[]\n"
        assert "a scratch directory is mounted in a mount namespace" in opened.pop(
            "files in and out"
        )
    assert opened.pop("many threads").startswith("ERROR RuntimeError: can't start new thread")
    if "namespaces" in report["layers"]:
        assert opened.pop("a forbidden call in a thread").startswith("VIOLATION")
        assert opened == {
            "late import": "wave\n", "input": "b'in' True\n", "threads": "[1, 2]\n",
        }  # fmt: skip
    else:
        assert opened.pop("late import").startswith("ERROR ModuleNotFoundError")
        assert opened.pop("input").startswith("ERROR FileNotFoundError")
        assert all("RuntimeError: can't start new thread" in said for said in opened.values())


def test_without_namespaces_and_without_landlock_unrestricted_python_is_refused(
    situation: dict[str, Any],
) -> None:
    report = situation["kernel-only"]
    barriers = set(situation["strict"]["layers"]) & {"namespaces", "landlock"}
    if barriers:
        assert set(report["layers"]) >= barriers | ALWAYS
        return
    assert report["layer"] == "namespaces or landlock"
    assert "namespaces: " in report["reason"]
    assert "landlock: " in report["reason"]
    assert "user namespaces" in report["remedy"]
    assert "landlock in the lsm= list" in report["remedy"]


# What a sandbox does not open in, and what it has to say: (what it is started by, filters, words).
REFUSED: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "the /proc of another PID namespace": (
        ("unshare", "--pid", "--fork"), (), "belongs to another PID namespace: .*--mount-proc",
    ),
    "no /proc": (after("mount -t tmpfs none /proc"), (), "/proc is not mounted: mount"),
    "too little CPU time": (
        (*USER, "prlimit", "--cpu=4:4"), (), r"RLIMIT_CPU is 4 s, and \d+ s are needed.*ulimit -H",
    ),
    "no pending signals": (
        (*USER, "prlimit", "--sigpending=0:0"), (), "no timer for each of 1 workers.*ulimit -i",
    ),
    "no timers": (USER, ("no-timers",), "no timer for each .*seccomp profile permit timer_create"),
    "no room for keys": (USER, ("no-room-for-keys",), "raise kernel.keys.maxkeys"),
    "few descriptors": (
        (*USER, "prlimit", "--nofile=15:15"), (), "15 file descriptors, and .*17.*ulimit -n",
    ),
    "no process": ((*USER, "prlimit", "--nproc=0:0"), (), r"\(EAGAIN\): .*ulimit -u"),
    "real root with one id": (("unshare", "-Ur"), (), "not count the processes of real root"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_every_job_fail_is_refused_at_the_start_with_a_remedy(
    stage: Path, name: str
) -> None:
    identity, filters, words = REFUSED[name]
    answer = told(stage, identity, filters)
    for policy in ("strict", "kernel-only"):
        assert re.search(words, answer[policy].get("error", "it opened")), answer[policy]
