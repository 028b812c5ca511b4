"""What is done in the event loop is bounded: counted in it, and by the order of events."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed (the extra 'server')")
pytest.importorskip("uvicorn", reason="uvicorn is not installed (the extra 'server')")
pytest.importorskip("prometheus_client", reason="prometheus_client is not installed")

from sandbox import Sandbox
from sandbox.integrations.server import jobs
from sandbox.integrations.server.admission.memory_budget import Budget
from sandbox.integrations.server.admission.visits import Visit, current
from sandbox.integrations.server.bodies import answers, strict_json
from sandbox.integrations.server.bodies.strict_json import NotJson, pieces, read_json, write_json
from sandbox.integrations.server.endpoints.requests import too_many

from .in_process import Ask, served


@pytest.fixture(name="contest", scope="module")
def _contest() -> Iterator[Sandbox]:
    with Sandbox("contest", 1) as sandbox:
        yield sandbox


def test_an_error_of_ours_that_nobody_foresaw_is_no_verdict(
    contest: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise LookupError("a defect")

    monkeypatch.setattr(jobs, "carry_out", fail)

    async def use(ask: Ask) -> None:
        status, answer = await ask("/execute", {"code": "print(1)"})
        assert (status, json.loads(answer)) == (503, {"fault": "the server failed: LookupError"})

    served(contest, use)


EVENTS = Counter[str]()
_counting: list[bool] = []


def _count(event: str, _: Any) -> None:
    if _counting and event == "compile":
        EVENTS[event] += 1


sys.addaudithook(_count)


def test_no_test_is_parsed_in_the_process_of_the_server(contest: Sandbox) -> None:
    """CPython says of each text that it parses."""
    code = "```python\ndef f(x):\n    return x\n```"
    label = {"test_list": ["assert f(1) == 1", "import math\nassert f(math.pi) == math.pi"]}
    body = {"query": [f"p{code}"], "prompts": ["p"], "labels": [label]}

    async def use(ask: Ask) -> None:
        EVENTS.clear()
        _counting.append(True)
        status, answer = await ask("/get_reward", body)
        _counting.clear()
        assert (status, json.loads(answer)["rewards"]) == (200, [1.0])
        assert not EVENTS["compile"]

    served(contest, use)


def test_no_long_body_is_read_in_the_process_of_the_server(
    contest: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def counted(body: bytes, most: int = 0) -> None:
        sizes.append(len(body))

    async def use(ask: Ask) -> None:
        for count in (10, 1 << 16, 1 << 20):
            status, answer = await ask("/execute", {"code": "print(1)", "stdin": "x" * count})
            assert (status, json.loads(answer)["output"]) == (200, "1\n")

    monkeypatch.setattr(strict_json, "check_count", counted)
    served(contest, use)
    assert len(sizes) == 1
    assert max(sizes) <= 1 << 16


def test_others_are_served_while_a_long_answer_is_made() -> None:
    async def main() -> None:
        ticks, over = 0, False

        async def tick() -> None:
            nonlocal ticks
            while not over:
                ticks += 1
                await asyncio.sleep(0)

        with Budget(1 << 30).share("a") as share:
            current.set(Visit("a", share))
            ticking = asyncio.ensure_future(tick())
            made = await answers.rendered(
                ["x" * (4 << 20), "\ufffd" * (1 << 20), list(range(9999))]
            )
            over = True
            await ticking
            assert share.held == sum(map(len, made))
        assert max(map(len, made)) < 1 << 18
        assert ticks >= len(made) > 100

    asyncio.run(main())


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"a": [1, -2.5, True, 'é"\\ \ud800 \0']},
        "\U0001f600\udc00" * 30_000,
        ["x" * 16383, "x" * 16384, "x" * 16385],
        [[[[]]], {}, [], "", ()],
        {"k" * 50_000: ["\n" * 40_000, {}]},
        list(range(50_000)),
        (10**4000, 1e308),
    ],
    ids=lambda value: repr(value)[:20] + str(type(value)),
)
def test_an_answer_in_pieces_is_the_same_answer(value: Any) -> None:
    assert b"".join(pieces(value)) == write_json(value)


def test_an_answer_as_deep_as_can_be_is_made_without_recursion() -> None:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    assert sum(map(len, pieces(value))) == 200_002
    while value:  # nor is it let go of by one
        value = value[0]


def test_what_has_too_many_fields_is_refused_before_each_is_looked_at(contest: Sandbox) -> None:
    many = {f"x{n}": 1 for n in range(50_000)}
    assert "fields" in too_many(many, {})
    assert "fields" in too_many({"jobs": [{}, many]}, {"jobs": ("jobs", 9)})
    assert not too_many({"jobs": [{"code": "1"}] * 9}, {"jobs": ("jobs", 9)})

    async def use(ask: Ask) -> None:
        for path, body in (
            ("/execute", {"code": "1", **many}),
            ("/execute_batch", {"jobs": [{"code": "1"}, {"code": "1", **many}]}),
        ):
            status, answer = await ask(path, body)
            assert status == 413
            assert len(answer) < 200

    served(contest, use)


def test_more_values_than_the_loop_can_bear_are_refused_unread() -> None:
    assert read_json(b"[" + b"0," * 90_000 + b"0]")
    with pytest.raises(NotJson, match="100000 values"):
        read_json(b"[" + b"0," * 110_000 + b"0]")


def test_a_value_that_a_program_returns_is_no_longer_than_the_server_reads(
    contest: Sandbox,
) -> None:
    async def use(ask: Ask) -> None:
        body = {"code": "def f(n): return 'x' * n", "entry": "f", "args": [3 << 20]}
        assert json.loads((await ask("/execute", body))[1])["status"] == "OK"
        body["args"] = [5 << 20]
        assert json.loads((await ask("/execute", body))[1])["status"] != "OK"
        body["limits"] = {"output_kib": 8192}
        assert (await ask("/execute", body))[0] == 422

    served(contest, use)


# -- helpers
