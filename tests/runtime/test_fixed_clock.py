"""The clock of a deterministic policy: what a program does moves it, and nothing else."""

import pytest

from sandbox import Policy, Sandbox


@pytest.fixture(scope="module")
def same():
    with Sandbox(Policy.load("contest").replaced(deterministic=True)) as sandbox:
        yield sandbox


def test_clocks_start_at_a_constant_and_move_by_readings_and_sleeps(same):
    told = same.run(
        "import time, datetime\n"
        "print(time.time(), time.perf_counter(), time.process_time())\n"
        "time.sleep(2.5)\n"
        "print(time.monotonic_ns(), time.process_time_ns(), time.time_ns())\n"
        "print(datetime.datetime.now(), datetime.datetime.now(datetime.timezone.utc))\n"
        "print(datetime.date.today(), time.strftime('%H:%M:%S'))\n"
        "print(time.localtime()[:6], time.tzname)\n"
        "class Own(datetime.datetime): pass\n"
        "print(type(Own.now()).__name__, type(Own.today()).__name__, Own.utcnow())\n"
    )
    assert told.output.splitlines() == [
        "1735689600.001 0.002 0.003",
        "2504000000 5000000 1735689602506000000",
        "2025-01-01 00:00:02.507000 2025-01-01 00:00:02.508000+00:00",
        "2025-01-01 00:00:02",
        "(2025, 1, 1, 0, 0, 2) ('UTC', 'UTC')",
        "Own Own 2025-01-01 00:00:02.514000",
    ], told


def test_a_loop_that_waits_for_a_moment_ends(same):
    told = same.run("import time\nend = time.time() + 2\nwhile time.time() < end: pass\nprint(1)")
    assert told.output == "1\n", told


TIES = """
import asyncio
async def fail(n):
    await asyncio.sleep(0.1)
    raise ValueError(n)
async def steps(name, log):
    await asyncio.sleep(0.02)
    log.append(name)
    await asyncio.sleep(0)
    log.append(name.upper())
async def main():
    try:
        async with asyncio.TaskGroup() as group:
            for i in range(3): group.create_task(fail(i))
    except* ValueError as errors:
        print(len(errors.exceptions), [str(e) for e in errors.exceptions])
    tasks = [asyncio.create_task(asyncio.sleep(0.05, i)) for i in range(4)]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending))
    log = []
    await asyncio.gather(*(steps(n, log) for n in "abc"))
    print("".join(log))
    loop, order = asyncio.get_running_loop(), []
    at = loop.time() + 0.01
    for n in range(7): loop.call_at(at, order.append, n)
    loop.call_at(at - 0.005, order.append, "first")
    await asyncio.sleep(0.05)
    print(order)
    start = loop.time()
    tasks = [asyncio.create_task(asyncio.sleep(n)) for n in (3600, 0.02)]
    await asyncio.wait(tasks, return_when="FIRST_COMPLETED")
    print(loop.time() - start < 1)
asyncio.run(main())
"""


def test_timers_of_one_time_are_due_in_one_round_as_in_cpython(same):
    told = same.run(TIES)
    assert told.output.splitlines() == [
        "3 ['0', '1', '2']",
        "4 0",
        "abcABC",
        "['first', 2, 6, 5, 3, 0, 1, 4]",
        "True",
    ], told


@pytest.mark.parametrize("seconds", ["-1", "float('nan')", "float('inf')", "'x'", "None"])
def test_a_wrong_sleep_is_an_error(same, seconds):
    told = same.run(f"import time\ntime.sleep({seconds})")
    assert told.status == "ERROR"
    assert told.error.partition(":")[0] in ("ValueError", "OverflowError", "TypeError")
