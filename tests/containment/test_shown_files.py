"""Files that are shown: read, and nothing else, by namespaces alone, Landlock alone and both."""

import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attempts import attempt, reading

from sandbox import Policy, Result, Sandbox, SandboxUnavailable, Status
from sandbox.policy.packages import library

Native = Callable[..., Result]
Open = Callable[..., Sandbox]

STDLIB = sysconfig.get_path("stdlib")
SHOWN = Path(STDLIB, "colorsys.py")
PACKAGES = [
    {"name": "packaging", "preload": ["packaging"], "reason": "A package of pure Python."},
]


def with_packages(policy: Policy, **changes: object) -> Policy:
    return policy.replaced(name="with-packages", packages=PACKAGES, files=None, **changes)


@pytest.fixture(scope="module")
def packaged() -> Iterator[Sandbox]:
    policy = with_packages(Policy.load("kernel-only"), layers={"namespaces": "required"})
    try:
        sandbox = Sandbox(policy, workers=1)
    except SandboxUnavailable as error:
        pytest.skip(f"files are shown in a mount namespace: {error.reason}")
    with sandbox:
        yield sandbox


@pytest.fixture(params=["namespaces", "landlock"])
def alone(request: pytest.FixtureRequest, only: Open) -> Sandbox:
    try:
        return only(request.param)
    except SandboxUnavailable as error:
        pytest.skip(f"this host does not have it: {error.reason}")


def _readable_by_all(path: Path) -> bool:
    return all(os.stat(each).st_mode & 0o005 == 0o005 for each in path.parents)


def test_one_barrier_alone_shows_the_library_for_reading(native: Native, alone: Sandbox) -> None:
    if os.getuid() and not _readable_by_all(SHOWN):
        pytest.skip("without privileges this interpreter's files cannot be reached")
    assert native(f"print(open({str(SHOWN)!r}).read(3))", sandbox=alone).output == '"""\n'
    writes = [f"open({str(SHOWN)!r}, {mode!r})" for mode in ("w", "a", "r+", "x")]
    writes += [f"open({STDLIB + '/planted.py'!r}, 'w')", f"os.unlink({str(SHOWN)!r})"]
    writes += [f"os.rename({str(SHOWN)!r}, '/tmp/x')", f"os.mkdir({STDLIB + '/planted'!r})"]
    for expression in writes:
        assert "Error" in native(attempt(expression), sandbox=alone).output, expression
    assert not Path(STDLIB, "planted.py").exists()


def test_one_barrier_alone_shows_nothing_else(native: Native, alone: Sandbox, canary: Path) -> None:
    packages = Path(STDLIB, "site-packages")
    for path in (canary, Path("/etc/passwd"), Path("/proc/self/environ"), packages):
        answer = native(reading(path), sandbox=alone).output
        assert answer in ("FileNotFoundError\n", "PermissionError\n"), path
    for path in (packages, Path("/etc"), canary.parent):
        answer = native(attempt(f"os.listdir({str(path)!r})"), sandbox=alone).output
        assert answer in ("FileNotFoundError\n", "PermissionError\n"), path


WALKS = (
    "{shown}/../../../../../../../../etc/passwd",
    "{shown}/./../site-packages/../../../../../../etc/passwd",
    "/proc/self/root/etc/passwd",
    "/proc/1/root/etc/passwd",
    "/dev/fd/0/../../../etc/passwd",
    "/../etc/passwd",
)


@pytest.mark.parametrize("walk", WALKS)
def test_no_path_leads_out_of_what_is_shown(native: Native, alone: Sandbox, walk: str) -> None:
    path = walk.format(shown=f"{STDLIB}/json")
    for expression in (f"open({path!r})", f"os.readlink({path!r})"):
        assert "Error" in native(attempt(expression), sandbox=alone).output


def test_what_is_shown_never_becomes_code(native: Native, packaged: Sandbox) -> None:
    code = f"""
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open({str(SHOWN)!r}, os.O_RDONLY)
print(call(9, 0, 4096, 5, 2, fd, 0), call(9, 0, 4096, 1, 2, fd, 0))
"""
    assert native(code, sandbox=packaged).output == "-1 -13\n"
    mapped = f"{code.split('print')[0]}call(10, call(9, 0, 4096, 3, 0x22, -1, 0), 4096, 5)"
    assert native(mapped, sandbox=packaged).status is Status.VIOLATION
    executed = native(f"print(call(59, {str(sys.executable)!r}.encode(), None, None))")
    assert executed.output == "-1\n"


def test_namespaces_alone_map_nothing_shown_as_code(native: Native, only: Open) -> None:
    sandbox = _opened(only, "namespaces")
    code = f"fd = os.open({str(SHOWN)!r}, os.O_RDONLY)\nprint(call(9, 0, 4096, 5, 2, fd, 0))"
    assert native(code, sandbox=sandbox).output == "-1\n"  # EPERM: the mount is noexec
    assert native(code.replace("5, 2", "1, 2"), sandbox=sandbox).output != "-1\n"


def _opened(only: Open, *layers: str) -> Sandbox:
    try:
        return only(*layers)
    except SandboxUnavailable as error:
        pytest.skip(f"this host does not have it: {error.reason}")


def test_mounts_stand_for_good(native: Native, only: Open) -> None:
    sandbox = _opened(only, "namespaces", "privileges")
    text = "ctypes.c_char_p"
    remount = f"call(165, {text}(b'none'), {text}({STDLIB!r}.encode()), None, 32 | 4096, None)"
    unmount = f"call(166, {text}({library()[0]!r}.encode()), 2)"
    assert native(f"print({remount}, {unmount})", sandbox=sandbox).output == "-1 -1\n"


def test_without_namespaces_nothing_is_shown_and_nothing_looked_up(
    native: Native, without: Open
) -> None:
    sandbox = without("namespaces")
    for call in ("open", "os.stat", "os.readlink", "os.listdir", "os.chdir"):
        for path in (str(SHOWN), "/etc/passwd", "/"):
            answer = native(attempt(f"{call}({path!r})"), sandbox=sandbox).output
            assert answer == "FileNotFoundError\n", (call, path)
    assert native("import json, wave\nprint(json.dumps(1))", sandbox=sandbox).status is Status.ERROR


def test_a_package_is_shown_by_its_records_and_nothing_beside_it(
    native: Native, packaged: Sandbox
) -> None:
    code = """
import packaging, packaging.tags, importlib.metadata as m
print(packaging.tags.__name__, m.version("packaging") == packaging.__version__)
site = os.path.dirname(os.path.dirname(packaging.__file__))
print([n for n in os.listdir(site) if not n.startswith("packaging")])
for name in ("RECORD", "direct_url.json", "INSTALLER"):
    print(os.path.exists(f"{site}/packaging-{packaging.__version__}.dist-info/{name}"))
"""
    lines = native(code, sandbox=packaged).output.splitlines()
    assert lines[0] == "packaging.tags True"
    assert lines[1:] == ["[]", "False", "False", "False"]
    hidden = "import packaging, sys\nsys.modules.pop('pytest', None)\nimport pytest"
    assert "ModuleNotFoundError" in native(hidden, sandbox=packaged).error


def test_nobody_sees_packages_whose_policy_grants_none(native: Native) -> None:
    assert "ModuleNotFoundError" in native("import packaging").error
