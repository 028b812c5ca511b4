"""One fault among many jobs: it has a place of its own, and costs no other job its result."""

import asyncio
import os
import resource
import signal
import subprocess
import time

import psutil
import pytest

from sandbox import Fault, Job, PolicyError, Result, Sandbox, SandboxClosed, SandboxError
from sandbox.runtime.executions import execution

from .test_faults import wait_until


def broken():
    raise SandboxError("no machine")


BROKEN = Job("broken()", services={"broken": broken})


def printing(*numbers):
    return [Job(f"print({number})") for number in numbers]


def asynchronous(sandbox, jobs, **options):
    """`amap` as an iterator: what came before an exception is kept, as with `map`."""
    given, errors = [], []

    async def main():
        try:
            async for result in sandbox.amap(jobs, **options):
                given.append(result)
        except Exception as error:
            errors.append(error)

    asyncio.run(main())
    yield from given
    if errors:
        raise errors[0]


WAYS = pytest.mark.parametrize("way", [Sandbox.map, asynchronous])


def taken(results):
    """Return what an iterator gives, and what it then raises."""
    outputs = []
    try:
        for result in results:
            outputs.append(result.output if isinstance(result, Result) else result)
    except Exception as error:
        return outputs, error
    return outputs, None


@WAYS
def test_a_fault_is_given_in_the_place_of_its_result(way, serving):
    jobs = [*printing(0, 1), BROKEN, *printing(3, 4, 5, 6), BROKEN, *printing(8)]
    outputs, error = taken(way(serving, jobs, on_fault="yield"))
    assert error is None
    faults = [outputs.pop(7), outputs.pop(2)]
    assert outputs == [f"{n}\n" for n in (0, 1, 3, 4, 5, 6, 8)]
    for fault in faults:
        assert isinstance(fault, Fault)
        assert (fault.job, fault.reason) == (BROKEN, "no machine")
        assert not hasattr(fault, "ok")  # no caller takes it for a program that failed


@WAYS
def test_a_fault_is_raised_after_all_results_before_it(way, serving):
    jobs = [*printing(*range(5)), BROKEN, *printing(6, 7)]
    outputs, error = taken(way(serving, jobs))
    assert outputs == [f"{n}\n" for n in range(5)]
    assert type(error) is SandboxError
    assert serving.run("print(1)").ok


@WAYS
@pytest.mark.parametrize("on_fault", ["raise", "yield"])
@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (None, TypeError),
        (b"print(1)", TypeError),
        (Job("print(1)", limits={"cpu_seconds": 1e9}), PolicyError),
        (Job("print(1)", limits={"no_such": 1}), PolicyError),
        (Job(1), TypeError),
        (Job("f()", entry="f", args=[object()]), ValueError),
    ],
)
def test_what_is_no_job_is_told_after_all_results_before_it(way, on_fault, bad, kind, strict):
    outputs, error = taken(way(strict, [*printing(0, 1, 2), bad, *printing(4)], on_fault=on_fault))
    assert outputs == ["0\n", "1\n", "2\n"]
    assert isinstance(error, kind)


@WAYS
def test_what_the_iterator_of_jobs_raises_is_raised_after_all_results(way, strict):
    def jobs(error):
        yield from printing(*range(7))
        raise error

    for raised in (KeyError("a row"), SandboxError("not this sandbox's")):
        outputs, error = taken(way(strict, jobs(raised), on_fault="yield"))
        assert outputs == [f"{n}\n" for n in range(7)]
        assert error is raised


@WAYS
def test_a_sandbox_that_is_closed_ends_an_endless_iteration(way):
    sandbox = Sandbox("strict", workers=1)

    def jobs():
        yield from printing(0)
        sandbox.close()
        while True:
            yield from printing(1)

    outputs, error = taken(way(sandbox, jobs(), on_fault="yield"))
    assert isinstance(error, SandboxClosed)
    assert set(outputs) <= {"0\n"}


def test_there_are_two_ways_to_be_told_of_faults(strict):
    with pytest.raises(ValueError, match="on_fault"):
        strict.map([], on_fault="ignore")


@pytest.mark.parametrize("way", ["run", "map"])
def test_a_supervisor_that_hangs_is_retired_after_its_time(way, monkeypatch):
    monkeypatch.setattr(execution, "_WAIT_FOR_CHILD_SECONDS", 4.0)
    with Sandbox("strict", workers=1) as sandbox:
        hung = psutil.Process(sandbox._pool._current.pid)
        children = hung.children(recursive=True)
        hung.suspend()
        jobs = printing(*range(10))  # more than it has made children for
        if way == "run":
            outputs = [sandbox.run(job.code).output for job in jobs]
        else:
            outputs = [result.output for result in sandbox.map(jobs)]
        assert outputs == [f"{n}\n" for n in range(10)]
        assert sandbox._pool._current.pid != hung.pid
        wait_until(lambda: not any(each.is_running() for each in [hung, *children]))


def test_a_supervisor_that_does_not_stop_a_child_is_retired(monkeypatch):
    monkeypatch.setattr(execution, "_WAIT_FOR_END_SECONDS", 0.5)
    with Sandbox("kernel-only", workers=1) as sandbox:
        sandbox.run("print(1)")
        hung = psutil.Process(sandbox._pool._current.pid)

        def jobs():
            yield Job("import time\ntime.sleep(60)", limits={"wall_seconds": 1})
            hung.suspend()
            yield from printing(1)

        with Sandbox("kernel-only", workers=1):  # another one has nothing to do with it
            sandbox.workers = sandbox._runner.workers = 2
            statuses = [str(result.status) for result in sandbox.map(jobs())]
        assert statuses == ["WALL_LIMIT", "OK"]
        assert sandbox._pool._current is None or sandbox._pool._current.pid != hung.pid
        wait_until(lambda: not hung.is_running())


# -- interrupts, descriptors, forks


def test_an_interrupt_leaves_no_supervisor_behind(monkeypatch):
    with Sandbox("strict", workers=1, recycle_after=2) as sandbox:
        pool = sandbox._pool
        first = psutil.Process(pool._current.pid)
        start = pool._start

        def interrupt(supervisor, order):
            raise KeyboardInterrupt

        monkeypatch.setattr(pool, "_start", interrupt)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                sandbox.run("print(1)")
        monkeypatch.setattr(pool, "_start", start)
        assert sandbox.run("print(1)").ok
        wait_until(lambda: not first.is_running())


def test_an_interrupted_end_of_a_supervisor_is_made_up_for(monkeypatch):
    with Sandbox("strict", workers=1, recycle_after=1) as sandbox:
        first = psutil.Process(sandbox._pool._current.pid)
        wait = subprocess.Popen.wait

        def interrupt(self, timeout=None):
            monkeypatch.setattr(subprocess.Popen, "wait", wait)
            raise KeyboardInterrupt

        monkeypatch.setattr(subprocess.Popen, "wait", interrupt)
        with pytest.raises(KeyboardInterrupt):
            sandbox.run("print(1)")
        assert sandbox.run("print(1)").ok
        wait_until(lambda: not first.is_running())


def test_a_caller_without_descriptors_is_told_so_and_keeps_its_supervisor(strict):
    strict.run("print(1)")
    pid = strict._pool._current.pid
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    told = []
    for free in range(8):
        held = []
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
        try:
            while True:
                held.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            for descriptor in held[:free]:
                os.close(descriptor)
            held = held[free:]
        try:
            strict.run("print(1)", cpu_seconds=1)
        except SandboxError as error:
            told.append(str(error))
        finally:
            for descriptor in held:
                os.close(descriptor)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(told) >= 3
    assert all("EMFILE" in text and "ulimit -n" in text for text in told)
    assert strict.run("print(1)").ok
    assert strict._pool._current.pid == pid


def test_a_fork_cannot_go_on_with_its_parents_iteration(strict):
    results = strict.map(printing(*range(20)))
    outputs = [next(results).output]
    pid = os.fork()
    if pid == 0:
        try:
            next(results)
        except SandboxError as error:
            own = [result.output for result in strict.map(printing(1))]
            os._exit(0 if "process" in str(error) and own == ["1\n"] else 1)
        finally:
            os._exit(2)
    deadline = time.monotonic() + 60
    while (ended := os.waitpid(pid, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.02)
    if ended[0] == 0:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert ended == (pid, 0)
    outputs += [result.output for result in results]
    assert outputs == [f"{n}\n" for n in range(20)]
