"""Faults of processes around a guest: nothing hangs, no guest is blamed for another process."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from sandbox import Job, Policy, Sandbox, SandboxError, Status
from sandbox.runtime.caller.submission import submit

SLEEP = "import time\ntime.sleep(30)"


def alive(pids):
    found = []
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
        except psutil.NoSuchProcess:
            pass
    return found


def state(pid):
    try:
        return psutil.Process(pid).status()
    except psutil.NoSuchProcess:
        return ""


def wait_until(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


def family(sandbox):
    supervisor = psutil.Process(sandbox._pool._current.pid)
    return [supervisor.pid, *(child.pid for child in supervisor.children(recursive=True))]


def test_jobs_in_flight_run_again_when_the_supervisor_is_killed(native):
    with Sandbox("kernel-only", workers=4) as sandbox, ThreadPoolExecutor(4) as threads:
        code = "import time\nprint(input())\ntime.sleep(0.5)"
        futures = [threads.submit(sandbox.run, code, str(n)) for n in range(4)]
        time.sleep(0.25)
        first = family(sandbox)
        os.kill(first[0], signal.SIGKILL)
        assert [future.result().output for future in futures] == [f"{n}\n" for n in range(4)]
        wait_until(lambda: not alive(first))
        assert sandbox.run("print(1)").ok


@pytest.mark.parametrize("policy", ["strict", "contest", "kernel-only"])
def test_a_job_runs_again_under_each_policy(policy):
    """On a supervisor of its own, which passes every probe as the first one did."""
    with Sandbox(policy, workers=1) as sandbox:
        submission = submit(Job("print(input())", "again"), sandbox._terms)
        record = sandbox._pool.run_alone(submission)
        assert record.printed.text() == "again\n"


def test_a_job_that_takes_two_supervisors_down_is_named():
    with Sandbox("kernel-only", workers=2) as sandbox:
        stop = threading.Event()

        def assassin():
            # Stands for a guest with a kernel exploit: every supervisor that is running it dies.
            while not stop.is_set():
                for process in psutil.Process().children():
                    if process.pid != neighbour_pid:
                        os.kill(process.pid, signal.SIGKILL)
                time.sleep(0.05)

        neighbour_pid = 0
        thread = threading.Thread(target=assassin)
        with Sandbox("kernel-only", workers=1) as neighbour:
            neighbour_pid = neighbour._pool._current.pid
            thread.start()
            try:
                with pytest.raises(SandboxError, match=r"job [0-9a-f]{12}"):
                    sandbox.run(SLEEP)
                assert neighbour.run("print(1)").ok
            finally:
                stop.set()
                thread.join()
        assert sandbox.run("print(1)").ok


CALLER = """
import os, sys, threading
from sandbox import Sandbox
sandbox = Sandbox("kernel-only", workers=2)
threading.Thread(target=sandbox.run, args=("import time\\ntime.sleep(60)",), daemon=True).start()
sandbox.run("print(1)")
{extra}
print(sandbox._pool._current.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("extra", ["", "os.fork() or sys.stdin.read()"])
def test_when_the_caller_is_killed_nothing_of_it_stays(extra):
    caller = subprocess.Popen(
        [sys.executable, "-c", CALLER.format(extra=extra)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    pid = int(caller.stdout.readline())
    supervisor = psutil.Process(pid)
    pids = [pid, *(child.pid for child in supervisor.children(recursive=True))]
    assert len(pids) >= 2
    caller.kill()
    wait_until(lambda: not alive(pids))
    caller.communicate()


def _in_a_fork(sandbox, queue):
    queue.put((sandbox.run("print(input())", "child").output, sandbox._pool._current.pid))


def test_a_fork_of_the_caller_gets_a_supervisor_of_its_own(strict):
    strict.run("print(1)")
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    forked = context.Process(target=_in_a_fork, args=(strict, queue))
    forked.start()
    output, pid = queue.get(timeout=30)
    forked.join(30)
    assert output == "child\n"
    assert pid != strict._pool._current.pid
    assert strict.run("print('parent')").output == "parent\n"
    wait_until(lambda: not alive([pid]))


def test_a_fork_while_threads_run_jobs_harms_neither(strict):
    with ThreadPoolExecutor(4) as threads:
        futures = [threads.submit(strict.run, "print(input())", str(n)) for n in range(40)]
        pids = []
        for _ in range(5):
            pid = os.fork()
            if pid == 0:
                ok = strict.run("print('forked')").output == "forked\n"
                os._exit(0 if ok else 1)
            pids.append(pid)
        assert [f.result().output for f in futures] == [f"{n}\n" for n in range(40)]
        assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * 5


def test_sixty_four_threads_get_each_their_own_answer(strict):
    def ask(number):
        result = strict.run("n = input()\nprint(n * 50)", f"nonce-{number}-")
        return result.output == f"nonce-{number}-" * 50 + "\n"

    with ThreadPoolExecutor(64) as threads:
        assert all(threads.map(ask, range(300)))


def test_two_hundred_jobs_in_flight_under_asyncio(strict):
    async def main():
        results = await asyncio.gather(
            *(strict.arun("print(input())", f"nonce {n}") for n in range(200))
        )
        value = (await strict.acall("def f(x): return x * 2", "f", [21])).value
        ordered = [
            r.output async for r in strict.amap(Job("print(input())", str(n)) for n in "abc")
        ]
        return [r.output for r in results], value, ordered

    outputs, value, ordered = asyncio.run(main())
    assert outputs == [f"nonce {n}\n" for n in range(200)]
    assert value == 42
    assert ordered == ["a\n", "b\n", "c\n"]


def test_a_cancelled_job_takes_its_child_with_it(strict):
    def busy():
        return [pid for pid in family(strict)[1:] if state(pid) == psutil.STATUS_RUNNING]

    async def main():
        task = asyncio.ensure_future(strict.arun("while True: pass"))
        while not busy():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    wait_until(lambda: not busy())
    assert strict.run("print(1)").ok


def test_a_caller_that_is_busy_elsewhere_does_not_cost_the_guest_its_time(native):
    async def main():
        code = "import time\nfor n in range(20):\n    print('x' * 60000)\n    time.sleep(0.01)"
        task = asyncio.ensure_future(native.arun(code, wall_seconds=1))
        await asyncio.sleep(0.1)
        time.sleep(1.5)  # the caller's loop stands still, and reads nothing
        return await task

    assert asyncio.run(main()).status is Status.OK


def test_a_recycled_supervisor_is_replaced_without_a_gap():
    with Sandbox("strict", workers=2, recycle_after=10) as sandbox:
        pids = set()
        for _ in range(35):
            assert sandbox.run("print(1)").ok
            if sandbox._pool._current is not None:
                pids.add(sandbox._pool._current.pid)
        assert len(pids) >= 3
        wait_until(lambda: len(alive(pids)) <= 1)


def test_default_sandboxes_close_at_exit():
    code = textwrap.dedent("""
        from sandbox import restricted_execution
        from sandbox.runtime.caller import defaults
        print(restricted_execution("print(1)"))
        print(next(iter(defaults._open.values()))._pool._current.pid)
    """)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""
    wait_until(lambda: not alive([int(done.stdout.split()[-1])]))


def test_an_interrupt_of_every_process_is_told_to_no_program():
    """As a scheduler does it, which knows of processes and not of sessions."""
    policy = Policy.load("contest").replaced(services=True)
    with Sandbox(policy, workers=1) as sandbox:
        code = "try:\n    hit(); sum(range(10 ** 5))\nexcept BaseException: print('caught')"

        def hit():
            for pid in family(sandbox):
                os.kill(pid, signal.SIGINT)

        result = sandbox.run(code, services={"hit": hit})
        assert (result.status, result.stdout) == (Status.OK, ""), result
        assert sandbox.run("print(1)").output == "1\n"  # the supervisor and its spares go on


@pytest.fixture
def deadly(request):
    """A signal that ends any process that gets it. `nohup` has its children ignore one of them."""
    before = signal.signal(request.param, signal.SIG_DFL)
    yield request.param
    signal.signal(request.param, before)


@pytest.mark.parametrize(
    "deadly", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM], indirect=True
)
@pytest.mark.parametrize(
    ("who", "told"),
    [("children", "ended the child by {}"), ("all", "ended the child by {}|supervisor was lost")],
)
def test_a_signal_from_outside_is_no_verdict(deadly, who, told):
    """Where a child is no first process of a namespace, which such signals do not reach."""
    policy = Policy.load("contest").replaced(services=True, layers={"namespaces": "off"})
    with Sandbox(policy, workers=1) as sandbox:
        supervisor, forker = sandbox._pool.open().pid, sandbox._pool.open().hello["forker"]

        def hit():
            for pid in family(sandbox):
                if who == "all" or pid not in (supervisor, forker):
                    os.kill(pid, deadly)

        with pytest.raises(SandboxError, match=told.format(deadly.name)):
            sandbox.run("hit()\nwhile True: pass", services={"hit": hit})
