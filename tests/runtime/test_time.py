"""Whose time it is: a guest is charged for its own, all of it, and for no other process's."""

import asyncio
import math
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from sandbox import Job, Policy, Sandbox, Status
from sandbox.kernel.timers import cpu_seconds
from sandbox.runtime.executions import starvation, verdict
from sandbox.runtime.executions.record import ExecutionRecord, Exit
from sandbox.runtime.executions.starvation import OwnTime
from sandbox.runtime.executions.verdict import Setting, judge
from sandbox.runtime.supervisor.children import Child, ChildPool
from sandbox.runtime.wire import protocol

NAP = "import time\ntime.sleep({})\nprint(1)"
# A guest that prints more than a pipe holds waits for the caller, which reads.
WAITING = """
import time
for _ in range(6):
    print("x" * 80_000, flush=True)
    time.sleep(0.06)
"""


@pytest.fixture(scope="module")
def native_serving():
    policy = Policy.load("kernel-only").replaced(name="native-serving", services=True)
    with Sandbox(policy, workers=2) as sandbox:
        yield sandbox


def slow():
    time.sleep(1.2)


# -- the caller's own absences


def test_a_service_costs_no_other_job_of_run_many_its_time(native_serving):
    code = "import time\ntime.sleep(0.4)\nslow()\nprint(1)"
    results = native_serving.run_many(code, [""] * 4, services={"slow": slow}, wall_seconds=1.0)
    assert [result.status for result in results] == [Status.OK] * 4


def test_a_service_costs_no_job_without_services_its_time(native_serving):
    blocking = Job("slow()\nprint(1)", services={"slow": slow})
    beside = Job(WAITING, limits={"wall_seconds": 1.0})
    statuses = [result.status for result in native_serving.map([blocking, beside] * 3)]
    assert statuses == [Status.OK] * 6


def test_a_supervisor_that_has_to_be_replaced_costs_no_other_job_its_time(monkeypatch):
    with Sandbox("kernel-only", workers=3, recycle_after=1) as sandbox:  # one for each job
        run_alone, first = sandbox._pool.run_alone, sandbox._pool._current.pid

        def slowly(order):
            time.sleep(1.5)
            return run_alone(order)

        def jobs():
            yield Job(NAP.format(0.5))
            yield Job(WAITING, limits={"wall_seconds": 1.0})
            os.kill(first, signal.SIGKILL)
            yield Job("print(1)")

        monkeypatch.setattr(sandbox._pool, "run_alone", slowly)
        assert [result.status for result in sandbox.map(jobs())] == [Status.OK] * 3


def test_a_slow_iterator_of_jobs_costs_no_job_its_time(native):
    def jobs():
        for _ in range(3):
            yield Job(WAITING, limits={"wall_seconds": 0.8})
            time.sleep(1)

    with Sandbox("kernel-only", workers=4) as sandbox:
        assert [result.status for result in sandbox.map(jobs())] == [Status.OK] * 3


def test_beside_a_service_the_limit_is_still_one(native_serving):
    blocking = Job("slow()\nprint(1)", services={"slow": slow})
    sleeper = Job(NAP.format(60), limits={"wall_seconds": 0.5})
    statuses = [result.status for result in native_serving.map([blocking, sleeper] * 2)]
    assert statuses == [Status.OK, Status.WALL_LIMIT] * 2


def test_who_writes_often_gets_no_more_time_for_it(native):
    code = (
        "import time\nuntil = time.monotonic() + 20\n"
        "while time.monotonic() < until:\n    time.sleep(0.0005)\n    print(flush=True)\n"
    )
    assert native.run(code, wall_seconds=0.5).status is Status.WALL_LIMIT
    results = native.map([Job(code, limits={"wall_seconds": 0.5})] * 2)
    assert [result.status for result in results] == [Status.WALL_LIMIT] * 2


# -- a machine that stands still

FROZEN = """
import asyncio, sys
from sandbox import Job, Sandbox

code = "import time\\nfor _ in range(30): time.sleep(0.02)\\nprint(1)"
limits = {"wall_seconds": 1.5}

async def later(sandbox):
    return await sandbox.arun(code, **limits)

with Sandbox("kernel-only", workers=2) as sandbox:
    sandbox.run("print(1)")
    print("ready", flush=True)
    if sys.argv[1] == "run":
        results = [sandbox.run(code, **limits)]
    elif sys.argv[1] == "map":
        results = list(sandbox.map([Job(code, limits=limits)] * 2))
    else:
        results = [asyncio.run(later(sandbox))]
    print(*{str(result.status) for result in results}, flush=True)
"""


@pytest.mark.parametrize("way", ["run", "map", "arun"])
def test_a_machine_that_stood_still_is_not_the_guests_fault(way):
    """As with a cgroup that is frozen, or a virtual machine that is paused: all of it stops."""
    caller = subprocess.Popen(
        [sys.executable, "-c", FROZEN, way], stdout=subprocess.PIPE, text=True
    )
    try:
        assert caller.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process = psutil.Process(caller.pid)
        tree = [process, *process.children(recursive=True)]
        for each in tree:
            each.suspend()
        time.sleep(2.5)
        for each in tree:
            each.resume()
        assert caller.communicate(timeout=60)[0] == "OK\n"
    finally:
        caller.kill()
        caller.wait()


def test_under_asyncio_a_result_that_waited_for_a_busy_loop_is_not_late(native):
    async def main():
        task = asyncio.ensure_future(native.arun(NAP.format(0.3), wall_seconds=1))
        await asyncio.sleep(0.1)
        time.sleep(2)
        return await task

    assert asyncio.run(main()).status is Status.OK


@pytest.mark.parametrize(
    ("absent", "waited", "own"), [(0, 0, 10), (4, 0, 6), (0, 4, 6), (4, 3, 6), (3, 4, 6)]
)
def test_the_same_seconds_are_not_excused_twice(absent, waited, own, monkeypatch):
    starved = iter([1.0, 1.0 + waited])
    monkeypatch.setattr(starvation, "waited_seconds", lambda pid, elapsed: next(starved))
    clock = OwnTime(0, 100.0)
    assert clock.seconds(100.0) == 0  # what it waited for before it had a job
    clock.excuse(absent, served=False)
    assert clock.seconds(110.0) == own


def test_an_answer_and_the_scheduler_take_their_time_one_after_the_other(monkeypatch):
    starved = iter([0.0, 3.0, None])
    monkeypatch.setattr(starvation, "waited_seconds", lambda pid, elapsed: next(starved))
    clock = OwnTime(0, 100.0)
    clock.seconds(100.0)
    clock.excuse(4.0, served=True)
    assert clock.seconds(110.0) == 3
    assert clock.seconds(112.0) == 5  # it has ended: nothing is known, nothing excused


# -- the limit itself


@pytest.mark.parametrize("seconds", [1.1, 1.2])
def test_what_comes_after_the_wall_limit_comes_too_late(seconds, native):
    result = native.run(f"import time\nprint(1, flush=True)\ntime.sleep({seconds})", wall_seconds=1)
    assert (result.status, result.stdout) == (Status.WALL_LIMIT, "1\n")
    assert result.near_limit


def test_time_that_is_not_its_own_brings_no_guest_near_the_limit(native_serving):
    services = {"slow": slow}
    result = native_serving.run("slow()\nprint(1)", services=services, wall_seconds=1.2)
    assert (result.status, result.near_limit) == (Status.OK, False)
    assert result.wall_seconds > 1.1


SETTING = Setting(policy="p", layers=(), resident_bytes=0)
FINAL = b'{"status":"OK","cpu":0.1,"peak":0,"error":"","traceback":"","value":null}'


@pytest.mark.parametrize(
    ("cpu", "status"), [(0.99, Status.OK), (1.0, Status.CPU_LIMIT), (4.85, Status.CPU_LIMIT)]
)
def test_the_kernels_figure_is_held_against_the_limit(cpu, status, native):
    limits = native.policy.plan().limits
    cpu *= limits.cpu_seconds
    ended = Exit(protocol.BY_ITSELF, 0, cpu, 0)
    result = judge(ExecutionRecord(final=FINAL, fed=True, exit=ended), limits, SETTING, "job")
    assert (result.status, result.cpu_seconds) == (status, cpu)
    assert verdict._parse(FINAL, limits).status is Status.OK


@pytest.mark.parametrize(
    ("said", "cpu", "status"),
    [
        (0.97, 0.98, Status.OK),  # the timer met it as it freed its memory
        (0.97, 1.05, Status.OK),
        (0.97, 1.2, Status.CPU_LIMIT),  # no process takes so long to end: it says what is not
        (1.01, 1.05, Status.CPU_LIMIT),
        (None, 0.97, Status.CPU_LIMIT),  # it was stopped before it had said anything
    ],
)
def test_what_a_process_takes_to_end_is_not_its_programs(said, cpu, status, native):
    limits = native.policy.tightened(cpu_seconds=1.0).plan().limits
    ended = Exit(protocol.BY_CPU, signal.SIGKILL, cpu, 0)
    final = FINAL.replace(b'"cpu":0.1', b'"cpu":%.2f' % said) if said is not None else None
    record = ExecutionRecord(final=final, fed=True, exit=ended, wall_seconds=2.0)
    assert judge(record, limits, SETTING, "job").status is status


@pytest.mark.parametrize(
    ("said", "cpu", "status"),
    [
        ("OK", 0.99, Status.OK),
        ("OK", 1.0, Status.CPU_LIMIT),  # the timer, which looks at ticks, would have met it or not
        ("ERROR", 1.01, Status.CPU_LIMIT),
        ("VIOLATION", 1.01, Status.VIOLATION),
    ],
)
def test_a_final_frame_that_nobody_waits_to_verify_is_held_to_its_figure(said, cpu, status, native):
    limits = native.policy.tightened(cpu_seconds=1.0).plan().limits
    final = FINAL.replace(b'"cpu":0.1', b'"cpu":%.2f' % cpu).replace(b"OK", said.encode())
    result = judge(ExecutionRecord(final=final, fed=True), limits, SETTING, "job")
    assert (result.status, result.cpu_seconds, result.value) == (status, cpu, None)


def test_a_child_that_no_timer_meets_is_stopped_by_its_clock():
    """The kernel's timers look at ticks; between two of them a guest can sleep over each."""
    children = ChildPool(SimpleNamespace(threads=0), None, SimpleNamespace(pid=0), slots=0)
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        child = Child(burner.pid, 1, -1, -1)
        child.cpu_end, child.look_at = cpu_seconds(burner.pid) + 0.3, time.monotonic() + 0.3
        children.by_pid[burner.pid] = child
        assert children.end_overdue() <= 0.3
        deadline = time.monotonic() + 60
        while burner.poll() is None and time.monotonic() < deadline:
            time.sleep(children.end_overdue())
        assert burner.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        assert child.cause == protocol.BY_CPU
    finally:
        burner.kill()
        burner.wait()


EVADING = """
import time
tick, offset = {tick}, {offset}
while time.process_time() < 2.5:
    phase = (time.monotonic_ns() - offset) % tick
    if phase > tick * 0.8:
        time.sleep((tick - phase + tick * 0.1) / 1e9)
    elif phase < tick * 0.1:
        time.sleep((tick * 0.1 - phase) / 1e9)
print(time.process_time())
"""


@pytest.mark.parametrize("hertz", [100, 250, 1000])
def test_who_sleeps_over_each_tick_meets_the_cpu_limit_all_the_same(hertz, native):
    tick = 1_000_000_000 // hertz
    limits = {"cpu_seconds": 0.5, "wall_seconds": 8}
    jobs = [
        Job(EVADING.format(tick=tick, offset=tick * part // 4), limits=limits) for part in range(4)
    ]
    for result in native.map(jobs):
        assert result.status in (Status.CPU_LIMIT, Status.WALL_LIMIT)
        assert result.cpu_seconds < 1.5


def test_a_dead_child_has_used_more_than_any_limit():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert cpu_seconds(gone.pid) == math.inf
