"""The same promises as root, as an ordinary user, in a container and without Landlock, for real."""

import functools
import importlib.util
import json
import os
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
    "typing_extensions", "typing_inspection", "tqdm",
)  # fmt: skip
NOBODY = 65534
USER = ("--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--inh-caps=-all")
# What Docker leaves root by default: no CAP_SYS_ADMIN among it.
DOCKER = (
    "chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,"
    "sys_chroot,mknod,audit_write,setfcap"
)
CONTAINED_ROOT = ("--inh-caps=-all", f"--bounding-set=-all,+{DOCKER.replace(',', ',+')}")
CONTAINER = ("container", "clone3")

# Who starts it, what it has lost: (setpriv's options, filters, layers that must be missing).
SITUATIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...], set[str]]] = {
    "root on the host": ((), (), set()),
    "root without Landlock": ((), ("no-landlock",), {"landlock"}),
    "root in a container": (CONTAINED_ROOT, CONTAINER, {"namespaces"}),
    "root in an old container": (CONTAINED_ROOT, (*CONTAINER, "old-container"), {"namespaces"}),
    "root in a container without Landlock": (
        CONTAINED_ROOT, (*CONTAINER, "no-landlock"), {"namespaces", "landlock"},
    ),
    "root without CAP_SYS_ADMIN": (CONTAINED_ROOT, (), set()),
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
    """One of this version that whoever `identity` is can run; a copy where there is none."""
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
    return ["setpriv", *identity] if identity else []


@pytest.fixture(scope="module", params=SITUATIONS)
def situation(request: pytest.FixtureRequest, stage: Path) -> dict[str, Any]:
    identity, filters, missing = SITUATIONS[request.param]
    if identity is not USER and os.getuid() != 0:
        pytest.skip("takes root")
    if identity is USER and os.getuid() != 0:
        identity = ()  # this user is an ordinary one
    if identity and shutil.which("setpriv") is None:
        pytest.skip("setpriv of util-linux is not installed")
    command = [*_as(identity), interpreter(stage, identity), str(stage / HOST.name), *filters]
    done = subprocess.run(
        command,
        env={**_environment(stage), "PATH": os.environ["PATH"]},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "missing": missing, "name": request.param}


def test_the_situation_is_what_it_says(situation: dict[str, Any]) -> None:
    wanted = NOBODY if situation["name"].startswith("an ordinary") and not os.getuid() else None
    assert situation["uid"] == (os.getuid() if wanted is None else wanted)
    active = set(situation["strict"]["layers"])
    assert not active & situation["missing"]


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
    assert {name: answer for name, answer in attacks.items() if answer != ["VIOLATION", ""]} == {}


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
