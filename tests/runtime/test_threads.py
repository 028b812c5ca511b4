"""What several threads print: all of it, once, whatever else goes on."""

from collections.abc import Iterator

import pytest

from sandbox import Policy, Result, Sandbox, Status

START = """
import sys, threading, time
def start(work, count, daemon=False):
    threads = [threading.Thread(target=work, args=(n,), daemon=daemon) for n in range(count)]
    for thread in threads: thread.start()
    return threads
"""


@pytest.fixture(scope="module")
def threaded() -> Iterator[Sandbox]:
    policy = Policy.load("kernel-only").replaced(name="threaded", threads=6)
    with Sandbox(policy, workers=1) as sandbox:
        if "namespaces" not in sandbox.layers:
            pytest.skip("threads are bounded in a namespace, which this host has not")
        yield sandbox


def run(sandbox: Sandbox, code: str, **options: object) -> Result:
    return sandbox.run(START + code, **options)


@pytest.mark.parametrize(
    "write",
    [
        "sys.stdout.write(f'{k}:{j}\\n')",
        "sys.stdout.write(f'{k}:{j}\\n'); sys.stdout.flush()",
        "sys.stdout.buffer.write(b'%d:%d\\n' % (k, j))",
        "sys.stdout.write(f'{k}:{j}\\n'); sys.stderr.write('.')",
        "sys.stdout.write(f'{k}:{j}\\n'); time.sleep(0.0005)",  # more than one batch by time
    ],
)
def test_each_line_of_each_thread_comes_once(threaded: Sandbox, write: str) -> None:
    code = f"""
def work(k):
    for j in range(500): {write}
for thread in start(work, 6): thread.join()
"""
    result = run(threaded, code)
    assert result.status is Status.OK, result
    wanted = sorted(f"{k}:{j}" for k in range(6) for j in range(500))
    assert sorted(result.stdout.splitlines()) == wanted
    assert result.stderr in ("", "." * 3000)


def test_daemons_that_print_at_the_end_break_nothing(threaded: Sandbox) -> None:
    code = """
open('out.txt', 'w').write('x' * 100_000)
def work(k):
    while True: sys.stdout.write('daemon\\n')
start(work, 4, daemon=True)
"""
    for _ in range(4):
        result = run(threaded, code, fetch=["*.txt"])
        assert (result.status, result.files) == (Status.OK, {"out.txt": b"x" * 100_000}), result
        assert set(result.stdout.splitlines()) <= {"daemon"}


def test_threads_together_have_the_output_of_one(threaded: Sandbox) -> None:
    code = """
def work(k):
    for _ in range(100_000): sys.stdout.write('x' * 99 + '\\n')
for thread in start(work, 6): thread.join()
"""
    result = run(threaded, code, output_kib=64)
    assert (result.status, len(result.stdout)) == (Status.OUTPUT_LIMIT, 64 << 10), result.error


def test_a_thread_that_fails_ends_no_other(threaded: Sandbox) -> None:
    code = """
def work(k):
    if k == 3: raise ValueError('one fails')
    sys.stdout.write(f'{k}\\n')
for thread in start(work, 6): thread.join()
"""
    result = run(threaded, code)
    assert (result.status, sorted(result.stdout.split())) == (Status.OK, ["0", "1", "2", "4", "5"])
    assert "ValueError: one fails" in result.stderr
