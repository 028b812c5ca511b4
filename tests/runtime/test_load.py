"""The same verdicts on a quiet machine and on a crowded one."""

from sandbox import Job, Sandbox, Status

LIMITS = {"cpu_seconds": 0.3, "memory_mib": 48}
KINDS = [
    ("print(sum(map(int, input().split())))", Status.OK),
    ("n = 300_000\nwhile n: n -= 1\nprint(n)", Status.OK),
    ("x = bytearray(24 << 20)\nprint(len(x))", Status.OK),
    ("while True: pass", Status.CPU_LIMIT),
    ("x = bytearray(96 << 20)\nprint(len(x))", Status.MEMORY_LIMIT),
    ("print(input()[99])", Status.ERROR),
]


def _run(workers):
    jobs = [Job(code, f"{n} 1 2", limits=LIMITS) for n in range(8) for code, _ in KINDS]
    with Sandbox("strict", workers=workers) as sandbox:
        return list(sandbox.map(jobs))


def test_verdicts_do_not_depend_on_how_crowded_the_machine_is():
    few, many = _run(2), _run(32)
    assert [r.status for r in few] == [status for _ in range(8) for _, status in KINDS]
    assert [(r.status, r.as_tuple()) for r in few] == [(r.status, r.as_tuple()) for r in many]
