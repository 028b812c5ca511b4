"""A supervisor that is killed while it starts: another one is started, for a while."""

import gc
import marshal
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest

from sandbox import Job, Sandbox, SandboxError, SandboxUnavailable
from sandbox.runtime.caller import supervisor_handle
from sandbox.runtime.caller.host import interpreter_flags
from sandbox.runtime.wire import protocol


def test_a_supervisor_that_is_killed_while_it_starts_is_started_again(monkeypatch):
    spawn, killed = supervisor_handle._spawn, []

    def spawn_and_kill(*arguments):
        process, control = spawn(*arguments)
        if len(killed) < 2:
            process.kill()
            if killed:  # the second time it is gone before it is told what to do
                process.wait()
            killed.append(process.pid)
        return process, control

    monkeypatch.setattr(supervisor_handle, "_spawn", spawn_and_kill)
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
    greet, killed = supervisor_handle.await_greeting, []

    def greeted(control, process):
        if len(killed) == 2:
            return greet(control, process)
        killed.append(process.pid)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        theirs.send(greeting)
        return greet(ours, process)

    monkeypatch.setattr(supervisor_handle, "await_greeting", greeted)
    with Sandbox("strict", workers=1) as sandbox:
        assert sandbox.run("print(1)").ok
    assert len(killed) == 2


KILLING = """
from sandbox.runtime.supervisor.children import ChildPool
examine = ChildPool.examine
def examine_and_kill(*a, **k):
    examine(*a, **k)
    return "signal 9"
ChildPool.examine = examine_and_kill
"""


@pytest.mark.parametrize("policy", ["strict", "kernel-only"])  # each has other children try first
def test_a_child_that_is_killed_as_it_tries_a_layer_says_nothing_of_it(monkeypatch, policy):
    boot = supervisor_handle._BOOT.replace("main(config)\n", f"exec({KILLING!r})\nmain(config)\n")
    monkeypatch.setattr(supervisor_handle, "_BOOT", boot)
    with pytest.raises(SandboxError, match="something outside killed the child") as refused:
        Sandbox(policy, workers=1)
    assert not isinstance(refused.value, SandboxUnavailable)


KILLED_AMID_NAMESPACES = """
import os, signal
from sandbox.kernel import namespaces
real, own = namespaces.{name}, os.getpid()
def killed(*arguments):
    if {when}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments)
namespaces.{name} = killed
"""


@pytest.mark.parametrize(
    ("what", "name", "when"),
    [
        pytest.param(
            *("maps ids", "_write", "arguments[0] == f'/proc/{os.getppid()}/uid_map'"),
            marks=pytest.mark.skipif(os.getuid() != 0, reason="only root has another map its ids"),
        ),
        ("tries it", "enter", "os.getpid() != own"),
    ],
)
def test_a_process_killed_as_namespaces_are_entered_says_nothing_of_the_host(
    monkeypatch, what, name, when
):
    """The supervisor would be open without them."""
    code = KILLED_AMID_NAMESPACES.format(name=name, when=when)
    boot = supervisor_handle._BOOT.replace("main(config)\n", f"exec({code!r})\nmain(config)\n")
    monkeypatch.setattr(supervisor_handle, "_BOOT", boot)
    with pytest.raises(SandboxError, match=f"killed the process that {what}") as refused:
        Sandbox("kernel-only", workers=1)
    assert not isinstance(refused.value, SandboxUnavailable)


def test_no_supervisor_has_fewer_layers_than_the_one_that_it_replaces(monkeypatch):
    refuse = "from sandbox.kernel import landlock\ndef abi(): raise OSError(38, 'a bad moment')\n"
    boot = supervisor_handle._BOOT.replace(
        "main(config)\n", f"exec({refuse + 'landlock.abi = abi'!r})\nmain(config)\n"
    )
    jobs = [Job("print(1)", limits={}), Job("print(2)")]
    with Sandbox("kernel-only", workers=1, recycle_after=1) as sandbox:
        assert sandbox.run("print(0)").ok
        assert "landlock" in sandbox.layers
        monkeypatch.setattr(supervisor_handle, "_BOOT", boot)
        faults = list(sandbox.map(jobs, on_fault="yield"))
        assert ["landlock (a bad moment)" in fault.reason for fault in faults] == [True, True]
        monkeypatch.undo()
        assert sandbox.run("print(3)").ok
    monkeypatch.setattr(supervisor_handle, "_BOOT", boot)
    with Sandbox("kernel-only", workers=1) as sandbox:  # on such a host it opens, and says so
        assert "landlock" not in sandbox.layers


def test_a_supervisor_that_is_always_killed_is_given_up(monkeypatch):
    spawn, killed = supervisor_handle._spawn, []

    def spawn_and_kill(*arguments):
        process, control = spawn(*arguments)
        process.kill()
        killed.append(process)
        return process, control

    monkeypatch.setattr(supervisor_handle, "_spawn", spawn_and_kill)
    with pytest.raises(SandboxError, match="status -9"):
        Sandbox("strict", workers=1)
    assert len(killed) == 3
    assert all(process.returncode == -signal.SIGKILL for process in killed)


def test_a_start_that_is_interrupted_twice_leaves_no_process(monkeypatch):
    """The second interrupt hits the clearing up after the first."""
    interrupted = []

    def at_the_greeting(_control, process):
        interrupted.append(process.pid)
        monkeypatch.undo()
        monkeypatch.setattr(process, "wait", at_the_end)
        raise KeyboardInterrupt

    def at_the_end(_seconds):
        monkeypatch.undo()
        raise KeyboardInterrupt

    with Sandbox("strict", workers=1, recycle_after=1) as sandbox:
        assert sandbox.run("print(1)").output == "1\n"
        monkeypatch.setattr(supervisor_handle, "await_greeting", at_the_greeting)
        with pytest.raises(KeyboardInterrupt):
            sandbox.run("print(2)")
        assert sandbox.run("print(3)").output == "3\n"
    assert interrupted
    assert not psutil.pid_exists(interrupted[0])


def test_a_process_that_an_interrupt_took_before_it_was_told_of_is_no_zombie(monkeypatch):
    made = []

    def sleeping(*_):
        made.append(subprocess.Popen(["sleep", "2"]))  # ends after the sandbox that follows
        return made[-1]

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(supervisor_handle, "_popen", sleeping)
    monkeypatch.setattr(supervisor_handle, "SupervisorHandle", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Sandbox("strict", workers=1)
    monkeypatch.undo()
    pid = made.pop().pid
    with Sandbox("strict", workers=1) as sandbox:
        assert sandbox.run("print(1)").ok
    assert not psutil.pid_exists(pid)


def test_an_interrupt_between_a_fork_and_its_note_leaves_no_zombie(monkeypatch):
    """As Ctrl-C does it: C has forked, and Python is told to interrupt before it has the pid."""
    made, real = [], subprocess._fork_exec

    def fork(*arguments):
        made.append(real(*arguments))
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
        return made[-1]

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        monkeypatch.setattr(subprocess, "_fork_exec", fork)
        with pytest.raises(KeyboardInterrupt):
            Sandbox("strict", workers=1)
    finally:
        signal.signal(signal.SIGINT, before)
    monkeypatch.undo()
    with Sandbox("strict", workers=1) as sandbox:
        assert sandbox.run("print(1)").ok
    assert len(made) == 1
    assert not psutil.pid_exists(made[0])


def test_a_supervisor_is_not_ended_by_the_callers_soft_limit_of_cpu_time():
    before = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (100_000, before[1]))
    try:
        with Sandbox("strict", workers=1) as sandbox:
            supervisor = psutil.Process(sandbox._pool.open().pid)
            assert supervisor.rlimit(psutil.RLIMIT_CPU) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)


def test_a_supervisor_with_few_descriptors_has_fewer_spares_and_serves_all(monkeypatch):
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit of util-linux is not installed")
    command = supervisor_handle._command
    monkeypatch.setattr(
        supervisor_handle, "_command", lambda stack: ["prlimit", "--nofile=23:23", *command(stack)]
    )
    with Sandbox("strict", workers=3) as sandbox:
        assert {r.output for r in sandbox.map([Job("print(7)")] * 40)} == {"7\n"}
        children = psutil.Process(sandbox._pool.open().pid).children()
        assert len(children) <= 3 + 1  # of six spares that it would have
    with pytest.raises(SandboxError, match="23 file descriptors, and 4 workers need 26"):
        Sandbox("strict", workers=4)


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_who_was_lost_as_it_was_made_is_reaped_when_a_sandbox_closes():
    """An interrupt between the fork and the return leaves a process that no handle stands for."""
    with Sandbox("kernel-only", workers=1):
        pid = subprocess.Popen(["sleep", "0.5"]).pid
        gc.collect()
        deadline = time.monotonic() + 20
        while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize("keeps", [True, False])
def test_a_supervisor_keeps_compiled_modules_where_its_caller_does(tmp_path, keeps):
    """Most of them no other process imports: each start would compile them."""
    settings = {
        "PYTHONPYCACHEPREFIX": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "" if keeps else "1",
    }
    code = "from sandbox import Sandbox; Sandbox('strict').close()"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **settings})
    assert bool([*tmp_path.rglob("sandbox/language/guest/world.*.pyc")]) is keeps


def test_a_free_threaded_build_is_refused_before_anything_is_started(monkeypatch):
    monkeypatch.setattr(sys, "abiflags", "t")
    with pytest.raises(SandboxUnavailable, match="free-threaded build"):
        Sandbox("strict", workers=1)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="there is no such way in")
def test_no_other_process_can_have_a_supervisor_run_a_file():
    ask = "import sys\nprint(sys.is_remote_debug_enabled())"
    command = [sys.executable, *interpreter_flags(), "-c", ask]
    assert subprocess.check_output(command, text=True) == "False\n"
    with Sandbox("strict", workers=1) as sandbox:
        supervisor = psutil.Process(sandbox._pool._current.process.pid)
        assert "disable-remote-debug" in supervisor.cmdline()
