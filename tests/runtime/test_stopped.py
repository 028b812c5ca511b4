"""A process of ours that something outside stops (SIGSTOP) is a fault, and none that lasts."""

import asyncio
import contextlib
import os
import signal
import threading
import time

import psutil
import pytest

from sandbox import Job, Sandbox, SandboxError, Status
from sandbox.runtime.caller import supervisor_handle
from sandbox.runtime.executions import process_state, starvation
from sandbox.runtime.executions.process_state import Watch, is_stopped, state_of
from sandbox.runtime.executions.record import ExecutionRecord
from sandbox.runtime.executions.starvation import OwnTime
from sandbox.runtime.executions.verdict import Setting, judge

ENDLESS = "while True: pass"


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(process_state, "STOPPED_SECONDS", 0.6)


@contextlib.contextmanager
def within(seconds):
    before = time.monotonic()
    yield
    assert time.monotonic() - before < seconds


def supervisor_of(sandbox):
    return psutil.Process(sandbox._pool._current.pid)


def stopped(sandbox):
    """Stop the supervisor, after it has nothing more to hand over."""
    supervisor = supervisor_of(sandbox)
    supervisor.suspend()
    while sandbox._pool._current.asked:
        sandbox._pool._current.asked.pop().close()
    return supervisor


def test_a_job_of_a_stopped_supervisor_is_run_on_another():
    with Sandbox("strict", workers=1) as sandbox:
        assert sandbox.run("print(1)").ok
        supervisor = stopped(sandbox)
        with within(20):
            assert sandbox.run("print(2)").output == "2\n"
        assert not supervisor.is_running()


def test_a_job_of_a_stopped_forker_is_run_on_another():
    with Sandbox("strict", workers=1) as sandbox:
        forker = psutil.Process(sandbox._pool._current.hello["forker"])
        forker.suspend()
        with within(25):
            results = list(sandbox.map([Job(f"print({n})") for n in range(12)]))
        assert [result.output for result in results] == [f"{n}\n" for n in range(12)]
        assert not forker.is_running()


def test_a_batch_waits_for_a_stopped_supervisor_once():
    with Sandbox("strict", workers=2) as sandbox:
        stopped(sandbox)
        with within(25):
            results = list(sandbox.map([Job(f"print({n})") for n in range(12)]))
    assert [result.output for result in results] == [f"{n}\n" for n in range(12)]


def test_a_loop_waits_no_longer():
    async def main(sandbox):
        return await asyncio.gather(*(sandbox.arun(f"print({n})") for n in range(4)))

    with Sandbox("strict", workers=2) as sandbox:
        stopped(sandbox)
        with within(25):
            results = asyncio.run(main(sandbox))
    assert [result.output for result in results] == [f"{n}\n" for n in range(4)]


@pytest.mark.parametrize("measure", ["child", "kernel"])
def test_a_verdict_does_not_depend_on_it(measure):
    """The timer is the supervisor's; the limit of the resource stands behind it."""
    with Sandbox("strict", workers=1, measure=measure) as sandbox:
        assert sandbox.run("print(1)").ok
        waking = threading.Timer(0.2, supervisor_of(sandbox).suspend)
        waking.start()
        with within(40):
            result = sandbox.run(ENDLESS, cpu_seconds=1.0)
        waking.join()
    assert result.status is Status.CPU_LIMIT


def test_one_that_goes_on_is_kept():
    with Sandbox("strict", workers=1) as sandbox:
        supervisor = stopped(sandbox)
        waking = threading.Timer(0.2, supervisor.resume)
        waking.start()
        assert sandbox.run("print(2)").output == "2\n"
        waking.join()
        assert supervisor_of(sandbox) == supervisor


def test_nobody_waits_for_a_stopped_supervisor_to_end():
    sandbox = Sandbox("strict", workers=1)
    supervisor = stopped(sandbox)
    with within(4):
        sandbox.close()
    assert not supervisor.is_running()


def test_one_that_is_stopped_as_it_starts_is_started_again(monkeypatch):
    spawn, stops = supervisor_handle._spawn, []

    def spawned(*args):
        process, control = spawn(*args)
        if not stops:
            stops.append(process.pid)
            os.kill(process.pid, signal.SIGSTOP)
        return process, control

    monkeypatch.setattr(supervisor_handle, "_spawn", spawned)
    with within(30), Sandbox("strict", workers=1) as sandbox:
        assert sandbox.run("print(1)").ok
    assert not psutil.pid_exists(stops[0])


# -- the child


def test_a_child_that_was_stopped_did_not_take_too_long():
    with Sandbox("contest", workers=1) as sandbox:
        assert sandbox.run("print(1)").ok

        def stop():
            [execution] = sandbox._runner._in_flight()
            os.kill(execution.pid, signal.SIGSTOP)

        waking = threading.Timer(1.0, stop)
        waking.start()
        with pytest.raises(SandboxError, match="something outside the sandbox stopped the child"):
            sandbox.run(ENDLESS, cpu_seconds=9.0, wall_seconds=3.0)
        waking.join()


def test_stopped_time_is_told_from_a_guests_own(monkeypatch):
    monkeypatch.setattr(starvation, "waited_seconds", lambda pid, elapsed: 0.0)
    states = iter([False, True, False])
    monkeypatch.setattr(starvation, "is_stopped", lambda pid: next(states))
    clock = OwnTime(os.getpid(), 0.0)
    assert [clock.seconds(now) for now in (1.0, 3.0, 4.0)] == [1.0, 3.0, 4.0]
    assert clock.stopped == 2.0


@pytest.mark.parametrize(
    ("layers", "stopped_seconds", "is_fault"),
    [
        (("seccomp",), 1.0, True),
        (("seccomp",), 0.2, False),
        (("seccomp",), 0.0, False),
        (("landlock",), 3.0, False),  # it may have stopped itself
    ],
)
def test_a_stop_is_a_fault_if_without_it_there_was_time_left(
    strict, layers, stopped_seconds, is_fault
):
    limits = strict.policy.limits.plain()
    record = ExecutionRecord(
        out_of_wall=True,
        own_seconds=limits.wall_seconds + 0.5,
        stopped_seconds=stopped_seconds,
    )
    setting = Setting(policy="p", layers=layers, resident_bytes=0)
    if is_fault:
        with pytest.raises(SandboxError, match=r"stopped the child for 1\.0 s"):
            judge(record, limits, setting, "job")
    else:
        assert judge(record, limits, setting, "job").status is Status.WALL_LIMIT


# -- looking


def test_the_state_of_a_process():
    assert state_of(os.getpid()) in ("R", "S")
    assert state_of(1 << 30) == ""
    assert not is_stopped(1 << 30)


def test_only_who_is_stopped_at_each_look_counts_as_lost(monkeypatch):
    states = iter(["T", "S", "t", "T", "T"])
    monkeypatch.setattr(process_state, "state_of", lambda pid: next(states))
    watch, start = Watch(1), time.monotonic()
    looks = [watch.is_stopped(start + passed) for passed in (0.1, 1.0, 1.1, 2.0, 3.0, 3.3, 3.7)]
    assert looks == [False] * 6 + [True]
