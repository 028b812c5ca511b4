"""A supervisor that is killed while it starts: another one is started, for a while."""

import marshal
import signal
import socket

import pytest

from sandbox import Sandbox, SandboxError
from sandbox.runtime import launch, protocol


def test_a_supervisor_that_is_killed_while_it_starts_is_started_again(monkeypatch):
    spawn, killed = launch._spawn, []

    def spawn_and_kill(group):
        process, control = spawn(group)
        if len(killed) < 2:
            process.kill()
            if killed:  # the second time it is gone before it is told what to do
                process.wait()
            killed.append(process.pid)
        return process, control

    monkeypatch.setattr(launch, "_spawn", spawn_and_kill)
    with Sandbox("strict", workers=1) as sandbox:
        assert sandbox.run("print(1)").ok
    assert len(killed) == 2


KILLED = [("seccomp", "kill(2), which is not on the list", "signal 9", False)]


@pytest.mark.parametrize(
    "greeting",
    [
        protocol.FATAL + marshal.dumps((protocol.KILLED, "something outside killed it")),
        protocol.HELLO + marshal.dumps({"child": 0, "active": {}, "attempts": KILLED}),
    ],
)
def test_a_child_that_is_killed_while_its_supervisor_starts_says_nothing_of_a_layer(
    monkeypatch, greeting
):
    greet, killed = launch._greeting, []

    def greeted(control, process):
        if len(killed) == 2:
            return greet(control, process)
        killed.append(process.pid)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        theirs.send(greeting)
        return greet(ours, process)

    monkeypatch.setattr(launch, "_greeting", greeted)
    with Sandbox("strict", workers=1) as sandbox:
        assert sandbox.run("print(1)").ok
    assert len(killed) == 2


def test_a_supervisor_that_is_always_killed_is_given_up(monkeypatch):
    spawn, killed = launch._spawn, []

    def spawn_and_kill(group):
        process, control = spawn(group)
        process.kill()
        killed.append(process)
        return process, control

    monkeypatch.setattr(launch, "_spawn", spawn_and_kill)
    with pytest.raises(SandboxError, match="status -9"):
        Sandbox("strict", workers=1)
    assert len(killed) == 3
    assert all(process.returncode == -signal.SIGKILL for process in killed)
