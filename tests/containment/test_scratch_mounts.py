"""A scratch directory is one child's: its mounts stand, and nothing is left or told by it."""

import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from attempts import attempt

from sandbox import Result, Sandbox, SandboxUnavailable, Status
from sandbox.kernel.numbers import MACHINE, NUMBERS
from tests.containment.test_system_calls import ALLOWED_NUMBERS, BEYOND_ANY_FILTER, SHORT, sweep

Native = Callable[..., Result]
Open = Callable[..., Sandbox]

pytestmark = pytest.mark.skipif(MACHINE != "x86_64", reason="raw numbers are those of x86_64")

STDLIB = sysconfig.get_path("stdlib")
MOUNTS = {
    "another file system": "call(165, b'none', b'/box', b'tmpfs', 0, b'')",
    "a larger one": "call(165, b'none', b'/box', None, 32, b'size=1g')",
    "with programs": "call(165, b'none', b'/box', None, 32 | 4096, None)",
    "the library to write": f"call(165, b'none', b'{STDLIB}/os.py', None, 32 | 4096, None)",
    "the root to write": "call(165, b'none', b'/', None, 32 | 4096, None)",
    "the directory away": "call(166, b'/box', 2)",
    "all that covers the root away": "[call(166, b'/mnt', 2) for _ in range(3)][-1]",
    "a mount namespace": "call(272, 0x20000)",
    "a user namespace": "call(272, 0x10000000)",
    "another root": "call(155, b'/box', b'/box')",
    "a file system without a place": "call(430, b'tmpfs', 0)",
    "a copy of a tree": "call(428, -100, b'/', 1)",
    "other options": "call(442, -100, b'/', 0, bytes(32), 32)",
}


@pytest.mark.parametrize("what", MOUNTS)
def test_mounts_stand_for_good(native: Native, only: Open, what: str) -> None:
    try:
        apart = only("namespaces", "privileges", files=True)
    except SandboxUnavailable as error:
        pytest.skip(f"this host does not have it: {error.reason}")
    code = f"answer = {MOUNTS[what]}\nprint('held' if answer < 0 else answer)"
    assert native(code, sandbox=apart).output == "held\n"
    assert native(code).status is Status.VIOLATION


def test_nothing_of_one_child_is_left_for_another_or_for_the_host(native: Native) -> None:
    mark = "only-in-the-scratch-directory"
    write = f"for d in ('/box', '/tmp', '/mnt'): open(d + '/{mark}', 'w').write('x')\nprint('done')"
    assert native(write).output == "done\n"
    look = "print([n for d in ('/box', '/tmp', '/mnt') for n in os.listdir(d)])"
    assert mark not in native(look).output
    assert not any(Path(folder, mark).exists() for folder in ("/box", "/tmp", "/mnt"))


def test_what_a_guest_asks_of_a_shown_file_does_not_reach_it(native: Native) -> None:
    """Two guests could tell each other something by a lock, and a sync would keep the disk busy."""
    code = f"""
fd = os.open({STDLIB + "/colorsys.py"!r}, os.O_RDONLY)
lock = struct.pack('hhqqi', 0, 0, 0, 0, 0)
other = os.open({STDLIB + "/colorsys.py"!r}, os.O_RDONLY)
print(call(73, fd, 6), call(73, other, 6), call(74, fd), call(75, fd), call(162))
import fcntl
print(fcntl.fcntl(fd, fcntl.F_SETLK, lock)[:2] == lock[:2])
"""
    assert native(code).output == "0 0 0 0 -13\nTrue\n"


def test_every_other_system_call_kills(kernel_only: Sandbox) -> None:
    if "namespaces" not in kernel_only.layers:
        pytest.skip("this host has no mount namespaces")
    own = {NUMBERS[name] for name in ("pwrite64", "pwritev", "preadv2", "pwritev2")}
    held = [328 + 1, *range(329, 334), 452, 463, 464, 465, 466, 188, 189, 190, 197, 198, 199, 161]
    numbers = sorted({n for n in held if n not in ALLOWED_NUMBERS | BEYOND_ANY_FILTER | own})
    numbers += [n for n in range(0, 480, 5) if n not in ALLOWED_NUMBERS | BEYOND_ANY_FILTER | own]
    through = [
        (n, r.status)
        for n, r in sweep(kernel_only, SHORT, numbers)
        if r.status is not Status.VIOLATION
    ]
    assert through == []


def test_pipes_sockets_and_devices_cannot_be_made(native: Native) -> None:
    for expression in ("os.mkfifo('p')", "os.mknod('s', 0o140600)", "os.mknod('f')"):
        assert native(attempt(expression)).output == "PermissionError\n", expression
    bound = "__import__('socket').socket(1, 1).bind('s')"
    assert native(attempt(bound)).output == "PermissionError\n"


def test_a_guest_that_is_killed_leaves_its_files_nowhere(native: Native) -> None:
    before = _shared_kib()
    for _ in range(6):
        code = "open('f', 'wb').write(bytes(32 << 20))\nwhile True: pass"
        assert native(code, cpu_seconds=0.5).status is Status.CPU_LIMIT
    assert native("print(1)").output == "1\n"
    assert _shared_kib() - before < 5 * (32 << 10)  # of six, one may be on its way


def _shared_kib() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    (found,) = (line for line in lines if line.startswith("Shmem:"))
    return int(found.split()[1])
