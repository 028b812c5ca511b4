"""The forker: a supervisor without it is a lost one, and nothing of either stays."""

import contextlib
import os
import re
import resource
import signal
import threading
import time
from pathlib import Path

import psutil
import pytest

from sandbox import Job, Policy, Sandbox, SandboxError, Status
from sandbox.runtime.caller import supervisor_handle
from sandbox.runtime.executions import execution
from sandbox.runtime.supervisor.room import RESERVE_MIB


def wait_until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


def supervisor_of(sandbox):
    return psutil.Process(sandbox._pool.open().pid)


def forker_of(sandbox):
    return psutil.Process(sandbox._pool.open().hello["forker"])


def family(sandbox):
    supervisor = supervisor_of(sandbox)
    return [supervisor, *supervisor.children(recursive=True)]


def are_gone(processes):
    return not any(process.is_running() for process in processes)  # a zombie still runs


@pytest.fixture(params=["strict", "kernel-only"])
def sandbox(request):
    with Sandbox(request.param, workers=2) as made:
        assert made.run("print(1)").ok
        yield made


def test_children_are_the_supervisors_and_the_forker_has_none(sandbox):
    assert forker_of(sandbox).parent() == supervisor_of(sandbox)
    assert forker_of(sandbox).children() == []
    wait_until(lambda: len(supervisor_of(sandbox).children()) > 1)


@pytest.mark.skipif(os.getuid() != 0, reason="the descriptors of an undumpable process are root's")
def test_the_forker_holds_nothing_of_any_child(sandbox):
    def held():
        try:
            ends = [str(end.readlink()) for end in folder.iterdir()]
        except FileNotFoundError:  # it was at work
            return []
        return sorted(re.sub(r"^socket:.*", "socket", end) for end in ends)

    folder = Path(f"/proc/{forker_of(sandbox).pid}/fd")
    assert all(result.ok for result in sandbox.map([Job("print(1)")] * 20))
    # Where each child mounts a file system of its own, it makes its own rules.
    mounts = sandbox.policy.files and "namespaces" in sandbox.layers
    shared = "landlock" in sandbox.layers and not mounts
    rules = ["anon_inode:[landlock-ruleset]"] if shared else []
    wait_until(lambda: held() == sorted(["/dev/null", "/dev/null", "socket", *rules]))


def test_a_child_may_have_all_the_memory_that_it_is_promised(sandbox):
    """Its bounds go by what the forker had when it began, and that does not grow."""
    assert all(result.ok for result in sandbox.map([Job("print(1)")] * 30))
    forker = forker_of(sandbox)
    pages = int(Path(f"/proc/{forker.pid}/statm").read_text().split()[5])
    promised = sandbox.policy.limits.memory_mib + RESERVE_MIB << 20
    bound = pages * resource.getpagesize() + promised
    wait_until(lambda: _heap_bounds(supervisor_of(sandbox).children(), forker) == {bound})


def _heap_bounds(children, forker):
    bounds = set()
    for child in children:
        with contextlib.suppress(psutil.NoSuchProcess):  # it had a job, and ended
            if child != forker:
                bounds.add(child.rlimit(psutil.RLIMIT_DATA)[0])
    return bounds


_SOCKETS = """
import os, stat
def is_socket(number):
    try:
        return stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:
        return False
print([number for number in range(1024) if is_socket(number)])
"""


def test_no_child_has_the_command_socket_even_without_the_layer():
    off = {"descriptors": "off", "seccomp": "off"}
    policy = Policy.load("kernel-only").replaced(layers=off, testing=True)
    with Sandbox(policy, workers=1) as sandbox:
        seen = sandbox.run("import os, stat\nprint(stat.S_ISREG(os.fstat(0).st_mode))")
        sockets = sandbox.run(_SOCKETS)
    assert (seen.output, sockets.output) == ("True\n", "[]\n"), "0 is the input, and no socket"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_sandbox_goes_on_when_its_forker_is_killed(sandbox, number):
    first = family(sandbox)
    os.kill(forker_of(sandbox).pid, number)
    wait_until(lambda: are_gone(first[1:]))
    assert sandbox.run("print(input())", "2").output == "2\n"
    assert supervisor_of(sandbox) != first[0]
    wait_until(lambda: are_gone(first))


def test_a_job_in_flight_runs_again_when_the_forker_is_killed():
    code = "import time\nprint(input())\ntime.sleep(0.7)"
    with Sandbox("kernel-only", workers=2) as sandbox:
        first, results = family(sandbox), []
        thread = threading.Thread(target=lambda: results.append(sandbox.run(code, "again")))
        thread.start()
        time.sleep(0.3)
        first = family(sandbox)
        forker_of(sandbox).kill()
        thread.join()
        assert [result.output for result in results] == ["again\n"]
        wait_until(lambda: are_gone(first))


@pytest.mark.parametrize("end", ["close", "kill"])
def test_nothing_stays_of_a_forker_that_is_stopped(end):
    with Sandbox("strict", workers=2) as sandbox:
        assert sandbox.run("print(1)").ok
        everybody = family(sandbox)
        forker_of(sandbox).suspend()
        if end == "kill":
            supervisor_of(sandbox).kill()
            wait_until(lambda: are_gone(everybody[1:]))
            assert sandbox.run("print(2)").ok
    wait_until(lambda: are_gone(everybody))


def test_a_supervisor_whose_forker_hangs_is_retired_after_its_time(monkeypatch):
    monkeypatch.setattr(execution, "_WAIT_FOR_CHILD_SECONDS", 4.0)
    with Sandbox("strict", workers=1) as sandbox:
        hung = family(sandbox)
        forker_of(sandbox).suspend()
        jobs = [Job(f"print({n})") for n in range(10)]  # more than there are children for
        assert [result.output for result in sandbox.map(jobs)] == [f"{n}\n" for n in range(10)]
        wait_until(lambda: are_gone(hung))


def test_who_runs_meanwhile_meets_its_limits_though_the_forker_hangs(monkeypatch):
    with Sandbox("kernel-only", workers=1) as sandbox:
        sandbox.run("print(1)")
        forker_of(sandbox).suspend()
        assert sandbox.run("while True: pass", cpu_seconds=0.2).status is Status.CPU_LIMIT
        forker_of(sandbox).resume()
        assert sandbox.run("print(2)").output == "2\n"


def planted(monkeypatch, source):
    """Have `source` run in each supervisor before it starts."""
    boot = supervisor_handle._BOOT.replace("main(config)\n", f"exec({source!r})\nmain(config)\n")
    monkeypatch.setattr(supervisor_handle, "_BOOT", boot)


@pytest.mark.parametrize("policy", ["strict", "contest"])
def test_a_machine_that_cannot_fork_for_a_while_delays_jobs(policy):
    with Sandbox(policy, workers=1) as sandbox:
        if "namespaces" not in sandbox.layers and os.getuid() == 0:
            pytest.skip("the kernel does not count the processes of the forker's uid here")
        forker = forker_of(sandbox)
        before = forker.rlimit(psutil.RLIMIT_NPROC)
        forker.rlimit(psutil.RLIMIT_NPROC, (0, before[1]))
        threading.Timer(2.5, forker.rlimit, (psutil.RLIMIT_NPROC, before)).start()
        jobs = [Job(f"print({n})") for n in range(10)]
        assert [result.output for result in sandbox.map(jobs)] == [f"{n}\n" for n in range(10)]
        assert forker_of(sandbox) == forker


def test_a_machine_that_cannot_fork_any_more_is_no_verdict(monkeypatch):
    planted(monkeypatch, "import sandbox.runtime.supervisor.supervisor as s\ns._FORK_FAILURES = 3")
    with Sandbox("strict", workers=1) as sandbox:
        if "namespaces" not in sandbox.layers and os.getuid() == 0:
            pytest.skip("the kernel does not count the processes of the forker's uid here")
        forker = forker_of(sandbox)
        before = forker.rlimit(psutil.RLIMIT_NPROC)
        forker.rlimit(psutil.RLIMIT_NPROC, (0, before[1]))
        with pytest.raises(SandboxError, match=r"cannot fork: .*clone: Resource temporarily"):
            list(sandbox.map([Job("print(1)")] * 10))


def test_a_limit_of_processes_that_a_start_meets_has_a_remedy(monkeypatch):
    planted(
        monkeypatch,
        "import errno, os, sandbox.kernel.namespaces as n\n"
        "def refuse(*, pid_namespace): raise OSError(errno.EAGAIN, 'clone: no more')\n"
        "from sandbox.runtime.supervisor import jail\n"
        "enter = jail.enter\n"
        "def entered(*how):\n made = enter(*how)\n n.fork = refuse\n return made\n"
        "jail.enter = entered",
    )
    with pytest.raises(SandboxError, match=r"clone: no more.*`ulimit -u`"):
        Sandbox("strict", workers=1)


LOST = """
import os
from sandbox.runtime.supervisor import forker_link
order = forker_link.Link.order
def lose(self, act, slot, job, result, kill=os.kill):
    kill(self.pid, 9)
    return order(self, act, slot, job, result)
forker_link.Link.order = lose
"""


def test_a_forker_that_is_killed_at_the_start_says_nothing_of_the_host(monkeypatch):
    planted(monkeypatch, LOST)
    with pytest.raises(SandboxError, match="something outside killed its forker") as refused:
        Sandbox("strict", workers=1)
    assert type(refused.value) is SandboxError


UNTOLD = """
import os
from sandbox.kernel import siblings
from sandbox.kernel.numbers import NUMBERS
def made(real, clone, kill, own):
    class Native:
        forks = 0
        def step(self, *call):
            answer = real(*call)
            if call[0] == clone and answer > 0:
                self.forks += 1
                if self.forks == {forks}:
                    kill(own(), {signal})
            return answer
    return Native()
siblings.native = made(siblings.native.step, NUMBERS["clone"], os.kill, os.getpid)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_nothing_stays_of_a_child_that_the_forker_did_not_come_to_tell_of(monkeypatch, number):
    planted(monkeypatch, UNTOLD.format(forks=9, signal=int(number)))
    policy = Policy.load("kernel-only").tightened(memory_mib=73)
    with Sandbox(policy, workers=1) as sandbox:
        command = supervisor_of(sandbox).cmdline()  # has the size of the stack, which is rare
        first = supervisor_of(sandbox)
        monkeypatch.undo()
        jobs = [Job(f"print({n})") for n in range(15)]
        assert [result.output for result in sandbox.map(jobs)] == [f"{n}\n" for n in range(15)]
        assert supervisor_of(sandbox) != first

    def left():
        return [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == command]

    wait_until(lambda: not left() and not first.is_running())
