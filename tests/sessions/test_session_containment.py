"""A guest with native control in a session: processes within a bound, and nothing beyond it."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator

import pytest

from sandbox import (
    Policy,
    Sandbox,
    SandboxError,
    SandboxUnavailable,
    Session,
    SessionLost,
    Status,
)
from sandbox.kernel.namespaces import SIBLING_FLAGS
from sandbox.kernel.numbers import NUMBERS
from tests.sessions.test_session_faults import come_down_to, states_of

NATIVE = f"""
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
NUMBERS = {NUMBERS!r}

def call(name, *arguments):
    slots = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    answer = libc.syscall(ctypes.c_long(NUMBERS[name]), *slots)
    return -ctypes.get_errno() if answer == -1 else answer

def bomb(spin):
    made = 0
    while True:
        answer = call("clone", {SIBLING_FLAGS}, 0, 0, 0, 0)
        if answer == 0:
            while spin: pass
            call("pause")
        if answer < 0:
            return made, answer
        made += 1
"""


@pytest.fixture(scope="module")
def threaded() -> Iterator[Sandbox]:
    """What bounds threads bounds forks, too: a guest may fork within it while its cell runs."""
    policy = Policy.load("kernel-only").replaced(name="threaded", threads=2)
    with Sandbox(policy, workers=1) as sandbox:
        yield sandbox


@pytest.fixture
def bombing(threaded: Sandbox) -> Session:
    session = threaded.session()
    assert session.run(NATIVE).ok
    return session


@pytest.fixture
def held(native: Sandbox) -> Session:
    session = native.session()
    assert session.run(NATIVE).ok
    return session


def test_a_guest_cannot_fork_by_itself(held: Session) -> None:
    with held as session:
        assert session.run("bomb(spin=True)").value == [0, -11]  # EAGAIN
        (branch,) = session.fork()
        assert branch.run("bomb(spin=True)").value == [0, -11]
        session.run("import resource\nhard = resource.getrlimit(resource.RLIMIT_NPROC)[1]")
        session.run("both = (ctypes.c_ulong * 2)(hard, hard)")
        assert session.run("call('prlimit64', 0, 6, ctypes.byref(both), 0)").value == -1  # EPERM
        assert session.run("bomb(spin=True)").value == [0, -11]
        assert len(come_down_to(2, session)) == 2


def test_a_fork_bomb_is_bounded_and_ends_with_its_cell(bombing: Session) -> None:
    with bombing as session:
        most = 3 * (2 * Policy.load("kernel-only").limits.branches + 2) + 2
        result = session.run("bomb(spin=True)\nwhile True: pass", wall_seconds=2)
        assert (result.status, result.undone) == (Status.WALL_LIMIT, True)
        assert len(states_of(session)) <= most
        assert session.run("1 + 1").value == 2
        assert len(come_down_to(1, session)) == 1


def test_what_a_kept_cell_has_forked_ends_with_the_next(bombing: Session) -> None:
    with bombing as session:
        result = session.run("bomb(spin=False)[0] > 0")
        assert result.value is True
        assert session.run("1 + 1").value == 2
        assert len(come_down_to(1, session)) == 1


def test_forks_end_with_their_session(bombing: Session) -> None:
    processes: list[int] = []

    def close() -> None:
        processes.extend(states_of(bombing))
        bombing.close()

    threading.Timer(1.5, close).start()
    with pytest.raises(SessionLost):
        bombing.run("bomb(spin=True)\nwhile True: pass")
    assert len(processes) > 10
    for _ in range(100):
        if not any(os.path.exists(f"/proc/{pid}") for pid in processes):
            break
        time.sleep(0.05)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in processes)


@pytest.mark.parametrize(
    "call",
    [
        "call('kill', 1, 9)",
        "call('kill', -1, 9)",
        "call('tgkill', 1, 1, 6)",
        "call('setpgid', 0, 0)",
        "call('prlimit64', 1, 7, 0, 0)",
        "call('clone', 17, 0, 0, 0, 0)",
        "call('clone', 0x10000000 | 17, 0, 0, 0, 0)",
        "call('unshare', 0x10000000)",
        "call('recvmsg', 0, 0, 0)",
        "call('sendmsg', 4, 0, 0)",
        "call('timer_create', 0, 0, 0)",
        "call('setns', 0, 0)",
        "call('execve', 0, 0, 0)",
        "call('setsid')",
    ],
)
def test_no_call_of_a_state_reaches_another_process(held: Session, call: str) -> None:
    """It fails, or ends the state; the branch beside it and the keeper go on."""
    with held as session:
        (beside,) = session.fork()
        result = session.run(f"answer = {call}\nassert answer < 0, answer")
        assert result.status in (Status.OK, Status.VIOLATION), result
        assert beside.run("1 + 1").value == 2
        assert session.run("1 + 1").value == 2


def test_what_a_state_writes_by_itself_is_its_own_verdict_alone(held: Session) -> None:
    with held as session:
        (beside,) = session.fork()
        result = session.run("os.write(4, b'Z\\x05\\0\\0\\0hello' * 9)")
        assert (result.status, result.undone) == (Status.VIOLATION, True)
        flood = "while True: os.write(4, struct.pack('<cI', b'O', 60_000) + b'x' * 60_000)"
        assert session.run(flood, wall_seconds=5).status is Status.VIOLATION
        assert beside.run("1 + 1").value == 2


def test_an_idle_state_has_no_processor(bombing: Session) -> None:
    """What it has forked by itself ends with the cell, also when that is kept."""
    with bombing as session:
        spinning = f"while call('clone', {SIBLING_FLAGS}, 0, 0, 0, 0) == 0:\n    while True: pass"
        assert session.run(spinning).ok
        assert len(come_down_to(1, session)) == 1
        assert session.run("1 + 1").value == 2


def test_what_a_state_says_between_cells_ends_it_and_nothing_else(bombing: Session) -> None:
    """What would pile up in the caller, which waits for no word of it."""
    with bombing as session:
        (beside,) = session.fork()
        session.run(
            "import signal\nsignal.signal(signal.SIGALRM, lambda *_: os.write(4, b'x' * 99))"
        )
        session.run("signal.setitimer(signal.ITIMER_REAL, 0.5)")
        time.sleep(1.5)
        with pytest.raises(SessionLost):
            session.run("1")
        assert beside.run("1 + 1").value == 2


def test_another_process_cannot_speak_for_a_fork(bombing: Session) -> None:
    """A process of the guest's takes the order, and has one that is dead by then say it is made."""
    with bombing as session:
        (beside,) = session.fork()
        thief = f"""
if call('clone', {SIBLING_FLAGS}, 0, 0, 0, 0) == 0:
    import socket
    line = socket.socket(fileno=os.dup(3))
    while True:
        try:
            data, given, _, _ = line.recvmsg(1, 64)
        except OSError:
            continue
        for _, _, packed in given:
            end = struct.unpack('i', packed[:4])[0]
            if call('clone', {SIBLING_FLAGS}, 0, 0, 0, 0) == 0:
                os.write(end, b'R')
                os._exit(0)
"""
        session.run(thief)
        with contextlib.suppress(SandboxError):
            session.run("1 + 1")
        assert beside.run("1 + 1").value == 2
        assert beside.run("2 + 2").value == 4


def test_answers_that_a_guest_does_not_read_end_it() -> None:
    policy = Policy.load("kernel-only").replaced(name="served", services=True)
    with (
        Sandbox(policy, workers=1) as sandbox,
        sandbox.session(services={"much": lambda: "x" * (1 << 20)}) as session,
    ):
        (beside,) = session.fork()
        assert session.run("len(much())").value == 1 << 20
        flood = """
import os, struct, time
asked = b'["much", [], {}]'
while True:
    os.write(4, struct.pack('<cI', b'Q', len(asked)) + asked)
    time.sleep(0.05)
"""
        assert session.run(flood, wall_seconds=20).status is Status.VIOLATION
        assert beside.run("1 + 1").value == 2


def test_without_a_pid_namespace_there_is_no_session() -> None:
    policy = Policy.load("kernel-only")
    layers = {**policy.layers.model_dump(), "namespaces": "off"}
    without = policy.replaced(name="open", layers=layers, files=None)
    with Sandbox(without, workers=1) as sandbox, pytest.raises(SandboxUnavailable):
        sandbox.session()
