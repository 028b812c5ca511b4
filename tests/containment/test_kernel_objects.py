"""Keys, message queues, semaphores and shared memory: what a process reaches without a file."""

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from sandbox import Result, Sandbox, SandboxUnavailable, Status
from sandbox.kernel.numbers import MACHINE
from sandbox.runtime.caller import supervisor_handle

pytestmark = pytest.mark.skipif(MACHINE != "x86_64", reason="raw numbers are those of x86_64")

Native = Callable[..., Result]
Open = Callable[..., Sandbox]

NAME = f"containment-{os.getpid()}".encode()
ADD_KEY, KEYCTL = 248, 250
JOIN_SESSION, REVOKE, SESSION = 1, 3, -3

# Every way to a key: by its name in each keyring, by asking for it, by its number.
KEYS = """
RINGS = {"thread": -1, "process": -2, "session": -3, "user": -4, "user-session": -5}
def text(value):
    return ctypes.c_char_p(value.encode())

def add(name, ring):
    key = call(248, text("user"), text(name), b"CANARY", 6, RINGS[ring])
    call(250, 15, key, 60)  # seconds that it lives: some keyrings outlive this process
    return key

def is_read(key):
    return key > 0 and call(250, 11, key, ctypes.create_string_buffer(100), 100) > 0

def ways_to(name, number):
    for special in RINGS.values():  # a key is for who possesses it, by a keyring of its own
        call(250, 8, special, RINGS["process"])
    ways = {ring: call(250, 10, special, text("user"), text(name), 0)
            for ring, special in RINGS.items()}
    ways["request"] = call(249, text("user"), text(name), None, 0)
    ways["number"] = number
    return sorted(way for way, key in ways.items() if is_read(key))

"""


def opened(only: Open, *layers: str, **options: int) -> Sandbox:
    try:
        return only(*layers, **options)
    except SandboxUnavailable as error:
        pytest.skip(f"this host lacks {error.layer}: {error.reason}")


# -- keys


@pytest.fixture
def key() -> Iterator[int]:
    """The number of a key in a session keyring of this process's own, as a login makes one."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(KEYCTL, JOIN_SESSION, None) < 0:
        pytest.skip("this kernel has no keyrings, or this container refuses keyctl(2)")
    number = libc.syscall(ADD_KEY, b"user", NAME, b"CANARY", 6, SESSION)
    assert number > 0
    yield number
    libc.syscall(KEYCTL, REVOKE, number)


def test_without_a_layer_a_guest_reads_a_key_of_the_callers(
    native: Native, only: Open, key: int
) -> None:
    """The positive control."""
    result = native(f"{KEYS}print(*ways_to({NAME.decode()!r}, {key}))", sandbox=only())
    assert result.output == "number process request session\n"


@pytest.mark.parametrize("layers", [("privileges",), ("privileges", "namespaces")])
def test_privileges_leave_no_key_of_the_callers(
    native: Native, only: Open, key: int, layers: tuple[str, ...]
) -> None:
    sandbox = opened(only, *layers)
    result = native(f"{KEYS}print(ways_to({NAME.decode()!r}, {key}))", sandbox=sandbox)
    assert (result.status, result.output) == (Status.OK, "[]\n")


# What a victim does, which knows of no other guest: it keeps a key wherever it can.
KEEP = """
kept = {ring: add(name, ring) for ring in rings}
print(*sorted(ring for ring, key in kept.items() if key > 0), sep=",")
print(max(kept.values()), flush=True)
"""


def keep_and_look(native: Native, sandbox: Sandbox, rings: str) -> tuple[str, str]:
    """The keyrings that took a key, and the ways that another guest has to it."""
    name = f"victim's {time.monotonic_ns()}"  # some keyrings outlive the sandbox
    keep = f"{KEYS}rings, name = {rings}, {name!r}{KEEP}"
    kept, number = native(keep, sandbox=sandbox).output.split()
    look = f"{KEYS}print(*ways_to({name!r}, {number}), sep=',')"
    return kept, native(look, sandbox=sandbox).output.strip()


def test_without_a_layer_guests_meet_in_the_callers_session_keyring(
    native: Native, only: Open, key: int
) -> None:
    assert key > 0
    found = keep_and_look(native, only(), "['session']")
    assert found == ("session", "number,process,request,session")


def test_privileges_alone_leave_guests_only_the_keyrings_of_their_user(
    native: Native, only: Open, key: int
) -> None:
    """Which are the host's: SECURITY.md says so."""
    assert key > 0
    kept, _ = keep_and_look(native, opened(only, "privileges"), "RINGS")
    assert kept == "process,thread,user,user-session"
    kept, ways = keep_and_look(native, opened(only, "privileges"), "['process', 'thread']")
    assert (kept, ways) == ("process,thread", "")


def test_with_a_user_namespace_no_guest_finds_a_key_of_another(
    native: Native, only: Open, key: int
) -> None:
    assert key > 0
    sandbox = opened(only, "privileges", "namespaces")
    for _ in range(3):  # the next gets the slot and perhaps the uid of the one before
        assert keep_and_look(native, sandbox, "RINGS") == ("process,thread", "")


# -- IPC objects

EVERYTHING = "POSIX message queue,message queue,semaphore,shared memory"
# The first guest makes one of each and stays; the second opens them by key or name, or makes them.
MAKE = """
import time
made = {
    "shared memory": call(29, 0x5EC2E7, 4096, 0o1666),
    "semaphore": call(64, 0x5EC2E7, 1, 0o1666),
    "message queue": call(68, 0x5EC2E7, 0o1666),
    "POSIX message queue": call(240, text("containment"), 0o102, 0o666, None),
}
print(*sorted(kind for kind, number in made.items() if number >= 0), sep=",", flush=True)
time.sleep(hold)
"""
OPEN = """
found = {
    "shared memory": call(29, 0x5EC2E7, 4096, 0),
    "semaphore": call(64, 0x5EC2E7, 1, 0),
    "message queue": call(68, 0x5EC2E7, 0),
    "POSIX message queue": call(240, text("containment"), 2),
}
print(*sorted(kind for kind, number in found.items() if number >= 0), sep=",")
"""
REMOVE = """
call(31, call(29, 0x5EC2E7, 4096, 0), 0, None)
call(66, call(64, 0x5EC2E7, 1, 0), 0, 0)
call(71, call(68, 0x5EC2E7, 0), 0, None)
call(241, text("containment"))
"""


def meet(native: Native, sandbox: Sandbox) -> tuple[str, str]:
    """What a guest could make, and what of it another found meanwhile."""
    made: list[Result] = []
    program = f"{KEYS}hold = 1.5{MAKE}{REMOVE}"
    first = threading.Thread(target=lambda: made.append(native(program, sandbox=sandbox)))
    first.start()
    found = set()
    while first.is_alive():
        found |= set(native(KEYS + OPEN, sandbox=sandbox).output.strip().split(","))
    return made[0].output.strip(), ",".join(sorted(found - {""}))


def test_without_a_layer_guests_meet_in_every_kind_of_ipc_object(
    native: Native, only: Open
) -> None:
    assert meet(native, only(workers=2)) == (EVERYTHING, EVERYTHING)


@pytest.mark.parametrize("layers", [("namespaces",), ("namespaces", "privileges")])
def test_namespaces_leave_siblings_no_ipc_object(
    native: Native, only: Open, layers: tuple[str, ...]
) -> None:
    """None can be made, and so none can be filled beyond every limit of memory."""
    assert meet(native, opened(only, *layers, workers=2)) == ("", "")


def test_where_the_limits_cannot_be_set_each_child_has_an_ipc_namespace(
    native: Native, only: Open
) -> None:
    before = supervisor_handle._BOOT
    no_sysctl = "from sandbox.kernel import namespaces\nnamespaces._IPC_LIMITS['/proc/no'] = ''\n"
    supervisor_handle._BOOT = before.replace("main(config)\n", f"{no_sysctl}main(config)\n")
    try:
        sandbox = opened(only, "namespaces", workers=2)
    finally:
        supervisor_handle._BOOT = before
    assert meet(native, sandbox) == (EVERYTHING, "")
