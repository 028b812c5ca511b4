"""Namespaces alone and Landlock alone: nothing of the host to see, to write or to reach."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from attempts import attempt, reading

from sandbox import Result, Sandbox, SandboxUnavailable, Status
from sandbox.kernel import landlock
from sandbox.policy.packages import library

Native = Callable[..., Result]
Open = Callable[..., Sandbox]


@pytest.fixture
def namespaces(only: Open) -> Sandbox:
    try:
        return only("namespaces", workers=2)
    except SandboxUnavailable as error:
        pytest.skip(f"this host has no namespaces: {error.reason}")


def test_namespaces_alone_leave_no_file_and_no_process_to_see(
    native: Native, namespaces: Sandbox, canary: Path
) -> None:
    assert native(reading(canary), sandbox=namespaces).output == "FileNotFoundError\n"
    for path in ("/etc/passwd", "/proc/self/status", "/proc/1/maps", "/sys", "/dev/null"):
        assert native(reading(Path(path)), sandbox=namespaces).output == "FileNotFoundError\n"
    top = {path.split("/")[1] for path in library()}
    assert native("print(*os.listdir('/'))", sandbox=namespaces).output.split() == sorted(top)
    assert native("print(*os.listdir('/..'))", sandbox=namespaces).output.split() == sorted(top)
    pids = native("print(os.getpid(), os.getppid())", sandbox=namespaces)
    assert pids.output == "1 0\n"


def test_namespaces_alone_leave_nowhere_to_write(native: Native, namespaces: Sandbox) -> None:
    for expression in ("os.mkdir('/x')", "open('/x', 'w')", "os.symlink('/', '/x')"):
        result = native(attempt(expression), sandbox=namespaces)
        assert result.output in ("OSError\n", "PermissionError\n"), expression


def test_namespaces_alone_leave_no_network(native: Native, namespaces: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        tried = attempt(f"__import__('socket').socket().connect(('127.0.0.1', {port}))")
        assert native(tried, sandbox=namespaces).output == "OSError\n"
    interfaces = native("import socket\nprint(socket.if_nameindex())", sandbox=namespaces)
    assert interfaces.output in ("[(1, 'lo')]\n", "[]\n")


def test_namespaces_alone_leave_no_name_of_the_host(native: Native, namespaces: Sandbox) -> None:
    names = "open('/proc/sys/kernel/hostname').read(), open('/proc/sys/kernel/domainname').read()"
    assert native(attempt(names), sandbox=namespaces).output == "FileNotFoundError\n"
    uname = "room = ctypes.create_string_buffer(390)\ncall(63, room)\nprint(os.uname().nodename)\n"
    domain = "print(room.raw[325:390].split(bytes(1))[0].decode())"
    assert native(uname + domain, sandbox=namespaces).output == "sandbox\nsandbox\n"


def test_namespaces_alone_leave_no_abstract_socket_and_no_shared_memory(
    native: Native, namespaces: Sandbox
) -> None:
    name = f"containment-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{name}")
        listening.listen()
        tried = attempt(f"__import__('socket').socket(1).connect('\\0{name}')")
        assert native(tried, sandbox=namespaces).output == "ConnectionRefusedError\n"


def test_killing_a_child_kills_all_that_it_forked(native: Native, namespaces: Sandbox) -> None:
    code = """
import signal, time
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        signal.pthread_sigmask(0, range(1, 65))
        while True: time.sleep(100)
print("forked", flush=True)
while True: pass
"""
    result = native(code, sandbox=namespaces, cpu_seconds=0.3)
    assert (result.status, result.stdout) == (Status.CPU_LIMIT, "forked\n")
    supervisor = psutil.Process(namespaces._pool.open().pid)
    alike = [
        p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == supervisor.cmdline()
    ]
    parents = {process.pid: _ancestors(process) for process in alike}
    assert [pid for pid, above in parents.items() if supervisor.pid in above[1:]] == []


def _ancestors(process: psutil.Process) -> list[int]:
    try:
        return [parent.pid for parent in process.parents()]
    except psutil.NoSuchProcess:  # it ended meanwhile: no stray
        return []


# -- landlock


@pytest.fixture
def domain(only: Open) -> Sandbox:
    if landlock.abi() < 1:
        pytest.skip("this kernel has no Landlock")
    return only("landlock", workers=2)


def test_landlock_alone_denies_every_file(native: Native, domain: Sandbox, canary: Path) -> None:
    assert native(reading(canary), sandbox=domain).output == "PermissionError\n"
    beside = canary.parent
    for expression in (
        f"open({str(beside / 'new')!r}, 'w')",
        f"os.mkdir({str(beside / 'new')!r})",
        f"os.unlink({str(canary)!r})",
        f"os.symlink('x', {str(beside / 'new')!r})",
        f"os.rename({str(canary)!r}, {str(beside / 'new')!r})",
        f"os.listdir({str(beside)!r})",
        f"os.execv({'/bin/true'!r}, ['true'])",
        "open('/proc/self/mem', 'r+b')",
        "open('/dev/null')",
    ):
        assert native(attempt(expression), sandbox=domain).output in (
            "PermissionError\n",
            "OSError\n",
        ), expression
    assert canary.read_text() == "CANARY of the host"
    assert [p.name for p in beside.iterdir()] == ["canary"]


def test_landlock_alone_denies_tcp(native: Native, domain: Sandbox) -> None:
    if landlock.abi() < 4:
        pytest.skip("TCP is denied from ABI 4 on")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        tried = attempt(f"__import__('socket').socket().connect(('127.0.0.1', {port}))")
        assert native(tried, sandbox=domain).output == "PermissionError\n"
    bound = attempt("__import__('socket').socket().bind(('127.0.0.1', 0))")
    assert native(bound, sandbox=domain).output == "PermissionError\n"


def test_landlock_alone_denies_signals_and_abstract_sockets(
    native: Native, domain: Sandbox
) -> None:
    if landlock.abi() < 6:
        pytest.skip("signals and abstract sockets are denied from ABI 6 on")
    for target in ("os.getppid()", str(os.getpid())):
        assert native(attempt(f"os.kill({target}, 0)"), sandbox=domain).output == (
            "PermissionError\n"
        )
    name = f"containment-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{name}")
        listening.listen()
        tried = attempt(f"__import__('socket').socket(1).connect('\\0{name}')")
        assert native(tried, sandbox=domain).output == "PermissionError\n"


# -- seccomp
