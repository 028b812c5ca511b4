"""After thousands of executions the machine looks as it did before."""

import gc
import os
import random
import time

import psutil
import pytest

from sandbox import Job, Sandbox, Status

MIX = [
    ("print(input())", 12, Status.OK),
    ("raise ValueError(input())", 4, Status.ERROR),
    ("def f(:", 1, Status.SYNTAX),
    ("print('x' * 100000)", 2, Status.OUTPUT_LIMIT),
    ("x = [0] * 10 ** 10", 2, Status.MEMORY_LIMIT),
    ("def f(): f()\nf()", 2, Status.RECURSION_LIMIT),
    ("while True: pass", 1, Status.CPU_LIMIT),
    ("import time\ntime.sleep(60)", 1, Status.WALL_LIMIT),
    ("import ctypes\nctypes.string_at(0)", 2, Status.CRASHED),
    ("import os\nos.kill(1, 9)", 2, Status.VIOLATION),
    ("import os\nos._exit(0)", 2, Status.ERROR),
]
LIMITS = {"output_kib": 64, "cpu_seconds": 0.25, "wall_seconds": 0.8}


def look(pid):
    process = psutil.Process(pid)
    return {
        "descriptors": process.num_fds(),
        "threads": process.num_threads(),
        "zombies": sum(c.status() == psutil.STATUS_ZOMBIE for c in process.children()),
    }


@pytest.mark.parametrize("count", [int(os.environ.get("SOAK_EXECUTIONS", "300"))])
def test_nothing_leaks_over_many_mixed_executions(count):
    chance = random.Random(7)
    codes = chance.choices(MIX, weights=[weight for _, weight, _ in MIX], k=count)
    with Sandbox("kernel-only", workers=2, recycle_after=1 << 30) as sandbox:
        pid = sandbox._pool._current.pid
        assert all(r.ok for r in sandbox.map([Job("print(1)")] * 20))
        gc.collect()
        before = look(os.getpid()), look(pid), psutil.Process(pid).memory_info().rss
        mine = psutil.Process().memory_info().rss
        jobs = (Job(code, f"nonce {n}", limits=LIMITS) for n, (code, _, _) in enumerate(codes))
        for number, (result, (_, _, status)) in enumerate(
            zip(sandbox.map(jobs), codes, strict=True)
        ):
            assert result.status is status, (number, result)
            if status is Status.OK:
                assert result.output == f"nonce {number}\n"
        assert all(r.ok for r in sandbox.map([Job("print(1)")] * 20))
        gc.collect()
        deadline = time.monotonic() + 5
        while look(pid)["zombies"] and time.monotonic() < deadline:
            time.sleep(0.01)  # the last ones are being reaped
        after = look(os.getpid()), look(pid), psutil.Process(pid).memory_info().rss
        assert sandbox._pool._current.pid == pid
    for was, now in zip(before[:2], after[:2], strict=True):
        assert now["threads"] == was["threads"]
        assert now["descriptors"] <= was["descriptors"] + 8  # spares come and go
        assert now["zombies"] <= was["zombies"]
    assert after[2] < before[2] + (4 << 20)
    assert psutil.Process().memory_info().rss < mine + (24 << 20)
