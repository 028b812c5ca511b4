"""The event loop holds no long body, and serves others between two pieces of an answer."""

import asyncio
import gc
import json
import os
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed (the extra 'server')")
pytest.importorskip("uvicorn", reason="uvicorn is not installed (the extra 'server')")
pytest.importorskip("prometheus_client", reason="prometheus_client is not installed")

from sandbox import Sandbox, SandboxError
from sandbox.integrations.server.bodies import received
from sandbox.integrations.server.bodies.exchange import Exchange
from sandbox.integrations.server.bodies.helpers import Helpers, TooDear

from .in_process import Ask, served

_LONG = 4 << 20


@pytest.fixture(name="contest", scope="module")
def _contest() -> Iterator[Sandbox]:
    with Sandbox("contest", 1) as sandbox:
        yield sandbox


def test_no_long_body_is_an_object_of_the_servers(contest: Sandbox) -> None:
    body = b'["' + b"\\n" * (_LONG // 2) + b'", wrong]'

    async def use(ask: Ask) -> None:
        await ask("/execute", body)  # so that all that is imported at the first has been
        tracemalloc.start()
        try:
            status, answer = await ask("/execute", body)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert (status, b"not JSON" in answer) == (400, True)
        assert most < _LONG // 8

    served(contest, use)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/execute", lambda: {"code": "print(len(input()))", "stdin": "x" * _LONG}),
        ("/execute", lambda: {"code": "x" * _LONG}),
        ("/execute", lambda: {"code": "def f(a): 1", "entry": "f", "args": ["x" * _LONG]}),
        (
            "/execute",
            lambda: {
                "code": "def f(**a): return len(a)",
                "entry": "f",
                "kwargs": {f"{n:0200}x": n for n in range(45_000)},
            },
        ),
        ("/execute", lambda: {f"{n:080}": n for n in range(90_000)}),
        ("/run_code", lambda: {"code": "print(len(input()))", "stdin": "x" * _LONG}),
        ("/execute_batch", lambda: {"jobs": [{"code": "1", "stdin": "x" * (_LONG // 8)}] * 8}),
    ],
    ids=["stdin", "program", "argument", "names", "fields", "run_code", "batch"],
)
def test_a_long_job_is_made_in_a_helper_and_is_no_object_of_the_servers(
    contest: Sandbox, path: str, body: Callable[[], Any]
) -> None:
    data = json.dumps(body()).encode()

    async def use(ask: Ask) -> None:
        wanted = await ask(path, data)
        assert wanted[0] in (200, 413)
        tracemalloc.start()
        try:
            status, _ = await ask(path, data)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert status == wanted[0]
        assert most < _LONG // 8

    served(contest, use)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/execute", {}),
        ("/execute", []),
        ("/execute", {"code": 1, "args": {}, "x": 1}),
        ("/execute", {"code": "1", "limits": {"cpu_seconds": 1e9}}),
        ("/execute", {"code": "1", "limits": {"no": 1}}),
        ("/execute", {"code": "def f(): 1", "entry": "f", "limits": {"output_kib": 8192}}),
        ("/execute", {"code": "print(input())", "stdin": "a"}),
        ("/execute", {"code": "print(1)", "limits": {"cpu_seconds": 0.5}}),
        ("/run_code", {"code": "print(1)", "files": {"a": "b"}}),
        ("/run_code", {"code": "print(1)", "language": "go"}),
        ("/run_code", {"code": "1/0", "run_timeout": 1}),
        ("/run_code", {"code": "print(1)", "run_timeout": 0}),
        ("/execute_batch", {"jobs": [{"code": "print(1)"}, {"code": "1/0"}]}),
        ("/execute_batch", {"jobs": [{"code": "print(1)"}, {"code": 1}]}),
        ("/execute_batch", {"jobs": []}),
        ("/execute_batch", {"jobs": [{"code": "1"}] * 1025}),
        ("/get_reward", {"query": [], "prompts": [], "labels": [1]}),
    ],
)
def test_a_long_body_is_answered_as_the_same_one_is_without_blanks(
    contest: Sandbox, path: str, body: Any
) -> None:
    short = json.dumps(body).encode()
    figures = ["cpu_seconds", "wall_seconds", "peak_memory_bytes", "execution_time", "near_limit"]
    figures.append("measured")  # whose they are: the kernel's, if they came with the last word

    def told(answer: bytes) -> Any:
        return json.loads(
            answer, object_pairs_hook=lambda pairs: {k: v for k, v in pairs if k not in figures}
        )

    async def use(ask: Ask) -> None:
        one, other = await ask(path, short), await ask(path, short + b" " * (1 << 17))
        assert (one[0], told(one[1])) == (other[0], told(other[1]))

    served(contest, use)


def test_a_long_body_says_the_same_as_a_short_one(contest: Sandbox) -> None:
    async def use(ask: Ask) -> None:
        for count in (0, 10, 60_000, 1 << 16, 1 << 17, 1 << 20):
            text = ("\ud800\U0001f600é\0\n" * count)[:count]
            body = {"code": "def f(a): return [len(a), a[-2:]]", "entry": "f", "args": [text]}
            status, answer = await ask("/execute", body)
            assert (status, json.loads(answer)["value"]) == (200, [count, text[-2:]])
        for count in (0, 1 << 17):
            status, answer = await ask("/execute", b" " * count)
            assert status in (400, 422)

    served(contest, use)


def test_others_are_served_while_a_client_takes_all_at_once(contest: Sandbox) -> None:
    ticks: list[int] = [0]
    seen: list[int] = []

    async def tick() -> None:
        while True:
            ticks[0] += 1
            await asyncio.sleep(0)

    async def use(ask: Ask) -> None:
        ticking = asyncio.ensure_future(tick())
        await ask(
            "/execute", {"code": "print('x' * (1 << 20))"}, took=lambda _: seen.append(ticks[0])
        )
        ticking.cancel()

    served(contest, use)
    assert len(seen) > 30
    # Two parts may come one after the other: what is cut in pieces is rendered in others.
    assert all(later > earlier for earlier, later in zip(seen, seen[2:], strict=False))


def test_no_descriptor_is_left_of_a_body_however_it_ends(contest: Sandbox) -> None:
    body = {"code": "print(1)", "stdin": "x" * (1 << 18)}

    async def use(ask: Ask) -> None:
        assert (await ask("/execute", body))[0] == 200  # a helper has its pipes from here on
        before = _files()
        assert (await ask("/execute", body))[0] == 200
        assert (await ask("/execute", b"[" * (1 << 18)))[0] == 400
        assert (await ask("/execute", {"x": "x" * (3 << 20)}))[0] == 413
        await ask("/execute", body, leaves=True)
        task = asyncio.ensure_future(ask("/execute", body))
        await asyncio.sleep(0.005)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        del task  # and the stack of what it was doing
        await asyncio.get_running_loop().shutdown_default_executor()  # all has been written
        await _only(before)

    served(contest, use, body_bytes=1 << 20)


@pytest.mark.parametrize(
    ("error", "wanted", "said"),
    [
        (SandboxError("a helper was lost"), 503, b"a helper was lost"),
        (TooDear("it takes too long to read"), 422, b"it takes too long to read"),
        (MemoryError(), 503, b"MemoryError"),
    ],
)
def test_a_long_body_that_no_helper_could_read_is_not_called_wrong(
    contest: Sandbox, monkeypatch: pytest.MonkeyPatch, error: Exception, wanted: int, said: bytes
) -> None:
    async def lost(*_: Any) -> None:
        raise error

    monkeypatch.setattr(Helpers, "run", lost)

    async def use(ask: Ask) -> None:
        for path in ("/execute", "/run_code", "/get_reward", "/execute_batch"):
            status, answer = await ask(path, {"code": "print(1)", "stdin": "x" * (1 << 17)})
            assert (status, said in answer) == (wanted, True)

    served(contest, use)


def test_no_descriptor_for_a_body_is_a_fault_and_no_verdict(
    contest: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> int:
        raise OSError(24, "Too many open files")

    async def use(ask: Ask) -> None:
        monkeypatch.setattr(received, "memory_file", none)
        status, answer = await ask("/execute", {"code": "print(1)", "stdin": "x" * (1 << 17)})
        assert (status, b"no room for the body" in answer) == (504, True)
        assert (await ask("/execute", {"code": "print(1)"}))[0] == 200

    served(contest, use)


def test_a_task_that_is_cancelled_as_it_is_given_leaves_nothing() -> None:
    async def main() -> None:
        helpers = Helpers(1, cpu_seconds=5, memory_bytes=1 << 30)
        assert await helpers.run("a", len, "four") == 4
        before = _files()
        for pause in (0.0, 0.001, 0.003):
            task = asyncio.ensure_future(helpers.run("a", len, "x" * _LONG))
            await asyncio.sleep(pause)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert await helpers.run("a", len, "four") == 4
        del task
        await asyncio.get_running_loop().shutdown_default_executor()
        await _only(before)

    asyncio.run(main())


def test_what_is_given_to_a_helper_is_in_no_other_file_once_its_task_is_over() -> None:
    """Its number is taken anew at once, and the thread that writes may come later."""

    async def main() -> None:
        with Exchange() as first:
            giving = asyncio.ensure_future(first.give("secret" * _LONG))
            await asyncio.sleep(0)
        with Exchange() as second:
            assert second.given == first.given
            await giving
            with open(second.given, "rb") as file:
                assert file.read() == b""

    asyncio.run(main())


def test_a_file_is_closed_though_nobody_waits_by_the_time_a_thread_is_free() -> None:
    async def main() -> None:
        loop, free = asyncio.get_running_loop(), threading.Event()
        loop.set_default_executor(ThreadPoolExecutor(1))
        busy = loop.run_in_executor(None, free.wait)
        with Exchange() as exchange:
            giving = asyncio.ensure_future(exchange.give("value"))
            await asyncio.sleep(0)
            giving.cancel()
            await asyncio.gather(giving, return_exceptions=True)
            free.set()
            await busy
            await loop.shutdown_default_executor()
            assert os.path.getsize(exchange.given) > 0  # by the thread that closes it

    asyncio.run(main())


async def _only(wanted: dict[str, Any]) -> None:
    """Fail unless the files in memory are those again, once no other thread is on its way out."""
    for _ in range(100):
        gc.collect()
        if _files() == wanted:
            return
        await asyncio.sleep(0.1)
    mapped = [one for one in gc.get_objects() if isinstance(one, memoryview)]
    assert _files() == wanted, [gc.get_referrers(one) for one in mapped]


def _files() -> dict[str, Any]:
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[name] = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:  # that of the listing itself
            continue
    return {name: file for name, file in found.items() if "memfd" in file}
