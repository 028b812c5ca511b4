"""What helpers do of a client's work: bounded, in turn, and a fault of ours is not the client's."""

import asyncio
import contextlib
import os
import re
import resource
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any

import psutil
import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed (the extra 'server')")

from anyio import BrokenWorkerProcess, to_process

from sandbox import SandboxError
from sandbox.integrations.server.bodies import helpers as module
from sandbox.integrations.server.bodies.helpers import Helpers, TooDear


def spin() -> None:
    while True:
        pass


def spin_in_c() -> None:
    re.match("(a|a)+$", "a" * 60 + "b")


def fill() -> int:
    return len(bytearray(1 << 40))


def long_answer() -> bytes:
    return b"x" * (900 << 20)


def sleep() -> None:
    time.sleep(3600)


def wrong() -> None:
    raise ValueError("it is wrong")


def burn() -> None:
    until = time.process_time() + 0.6
    while time.process_time() < until:
        pass


def time_left() -> tuple[float, int]:
    return signal.getitimer(signal.ITIMER_PROF)[0], resource.getrlimit(resource.RLIMIT_CPU)[0]


def with_helpers(
    use: Callable[[Helpers], Awaitable[None]],
    cpu_seconds: int = 1,
    wall_seconds: float = 300.0,  # other tests have the processors as well
) -> None:
    async def main() -> None:
        helpers = Helpers(1, cpu_seconds=cpu_seconds, memory_bytes=1 << 30)
        helpers._wall_seconds = wall_seconds
        await use(helpers)

    asyncio.run(main())


def test_a_helper_has_its_time_and_its_memory_and_is_replaced() -> None:
    async def use(helpers: Helpers) -> None:
        assert await helpers.run("a", len, "four") == 4
        for dear in (spin, spin_in_c, fill, long_answer):
            with pytest.raises(TooDear):
                await helpers.run("a", dear)
            assert await helpers.run("a", len, "four") == 4
        with pytest.raises(ValueError, match="it is wrong"):
            await helpers.run("a", wrong)

    with_helpers(use)


def test_each_task_of_a_helper_has_its_time_anew() -> None:
    """What the kernel has counted for all tasks together runs ahead of the clock of a process."""

    async def use(helpers: Helpers) -> None:
        for _ in range(3):
            await helpers.run("a", burn)
        left, limit = await helpers.run("a", time_left)
        assert 0 < left < 1.1  # in ticks
        assert limit == resource.getrlimit(resource.RLIMIT_CPU)[0]

    with_helpers(use)


def test_a_helper_that_is_killed_is_a_fault_of_the_machine_and_not_of_the_client() -> None:
    async def use(helpers: Helpers) -> None:
        task = asyncio.ensure_future(helpers.run("a", sleep))
        for _ in range(2):
            os.kill(await helper_of(task), signal.SIGKILL)
        with pytest.raises(SandboxError, match="a helper of the server was lost"):
            await task

    with_helpers(use, cpu_seconds=1)  # which it has not used, however long it stood still


def test_a_client_that_leaves_takes_its_helper_with_it() -> None:
    async def use(helpers: Helpers) -> None:
        task = asyncio.ensure_future(helpers.run("a", sleep))
        pid = await helper_of(task)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert not psutil.pid_exists(pid)
        assert await helpers.run("b", len, "four") == 4

    with_helpers(use, cpu_seconds=60)


def test_a_client_that_leaves_while_a_helper_starts_leaves_no_process() -> None:
    async def use(helpers: Helpers) -> None:
        before = len(psutil.Process().children())
        for moment in range(8):
            task = asyncio.ensure_future(helpers.run("a", len, "four"))
            await asyncio.sleep(0.01 * moment)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert await helpers.run("a", len, "four") == 4
        assert len(psutil.Process().children()) == before + 1

    with_helpers(use)


def test_helpers_find_files_where_proc_counts_processes_of_another_namespace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def use(helpers: Helpers) -> None:
        monkeypatch.setattr(os, "getpid", lambda: 1)
        assert await helpers.run("a", len, "four") == 4

    with_helpers(use)


def test_a_client_with_many_tasks_leaves_helpers_to_another() -> None:
    async def use(helpers: Helpers) -> None:
        order: list[str] = []

        async def one(client: str) -> None:
            await helpers.run(client, len, "")
            order.append(client)

        greedy = [asyncio.ensure_future(one("greedy")) for _ in range(20)]
        await asyncio.sleep(0)
        await one("modest")
        assert len(order) < 5
        await asyncio.gather(*greedy)

    with_helpers(use)


async def helper_of(task: "asyncio.Task[Any]") -> int:
    """The process that a task has started."""
    before = time.monotonic()
    while time.monotonic() < before + 30:
        assert not task.done()
        for process in psutil.Process().children():
            with contextlib.suppress(psutil.Error):  # it may end meanwhile, as the one before
                if "anyio.to_process" in process.cmdline() and process.status() == "sleeping":
                    await asyncio.sleep(1)  # it has begun by then
                    return process.pid
        await asyncio.sleep(0.05)
    raise AssertionError("no helper was started")


def fails_once(error: Exception) -> Callable[..., Awaitable[None]]:
    """As `to_process.run_sync`, which breaks at its first call."""
    calls, real = 0, to_process.run_sync

    async def run_sync(*args: Any, **options: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise error
        await real(*args, **options)

    return run_sync


# What anyio raises where its process is gone before it has begun, and where none can be started.
@pytest.mark.parametrize("error", [BrokenWorkerProcess(), ProcessLookupError(), OSError(24, "no")])
def test_a_task_whose_helper_is_lost_is_tried_again(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.to_process, "run_sync", fails_once(error))

    async def use(helpers: Helpers) -> None:
        assert await helpers.run("a", len, "four") == 4

    with_helpers(use)


def test_a_second_helper_that_does_not_start_is_a_fault_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = 0

    async def late_and_then_never(*_: Any, **__: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OSError(24, "no")
        await asyncio.sleep(1.1)
        raise BrokenWorkerProcess

    monkeypatch.setattr(module.to_process, "run_sync", late_and_then_never)

    async def use(helpers: Helpers) -> None:
        with pytest.raises(SandboxError, match="a helper of the server was lost"):
            await helpers.run("a", len, "four")

    with_helpers(use)
    assert calls == 2


def test_no_processor_for_a_helper_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(*_: Any, **__: Any) -> None:
        await asyncio.sleep(3600)

    monkeypatch.setattr(module.to_process, "run_sync", hang)

    async def use(helpers: Helpers) -> None:
        with pytest.raises(SandboxError, match="had no processor"):
            await helpers.run("a", len, "four")

    with_helpers(use, cpu_seconds=0, wall_seconds=0.1)
