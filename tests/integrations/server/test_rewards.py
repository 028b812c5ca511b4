"""/get_reward is asked as OpenRLHF asks."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from .conftest import held, until

TESTS = json.dumps({"inputs": ["1\n"], "outputs": ["2\n"]})
PROMPT = (
    "<|im_start|>user\nAdd one, as in ```python\nprint(2)\n```<|im_end|>\n<|im_start|>assistant\n"
)
RIGHT = "```python\nprint(int(input()) + 1)\n```<|im_end|>"
WRONG = "```python\nprint(3)\n```<|im_end|>"


def ask(server: Any, completions: list[str], labels: list[Any]) -> tuple[int, Any]:
    queries = [PROMPT + completion for completion in completions]
    prompts = [PROMPT] * len(queries)
    return server.ask("/get_reward", {"query": queries, "prompts": prompts, "labels": labels})


def test_queries_are_rewarded_in_order(server: Any) -> None:
    status, answer = ask(server, [RIGHT, WRONG, "no program", RIGHT], [TESTS] * 4)
    assert status == 200
    assert answer["rewards"] == answer["scores"] == [1.0, 0.0, 0.0, 1.0]
    assert answer["extra_logs"]["passed"] == [1.0, 0.0, 0.0, 1.0]


def test_a_label_may_be_a_test_file(server: Any) -> None:
    label = {"test": "from solution import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"}
    programs = ["```python\ndef add(a, b): return a + b\n```", "```python\nadd = max\n```"]
    status, answer = ask(server, programs, [label, label])
    if status == 503:
        pytest.skip("this host cannot show pytest to a child")
    assert (status, answer["rewards"]) == (200, [1.0, 0.0])


def test_no_queries_have_no_rewards(server: Any) -> None:
    assert ask(server, [], [])[1]["rewards"] == []


def test_a_query_without_a_verdict_has_no_answer_and_so_no_reward(server: Any) -> None:
    status, answer = ask(server, [RIGHT], [json.dumps({"inputs": [], "outputs": []})])
    assert status == 503
    assert "no verdict" in answer["fault"]


def test_what_is_no_request_for_rewards_is_refused(server: Any) -> None:
    assert ask(server, [RIGHT], [])[0] == 422
    assert ask(server, [RIGHT], [{"answer": 42}])[0] == 422
    body = {"query": ["x"], "prompts": ["something else"], "labels": [TESTS]}
    status, answer = server.ask("/get_reward", body)
    assert status == 422
    assert "prompt" in answer["fault"]


def test_more_queries_than_there_is_room_for_are_turned_away(run_server: Any) -> None:
    with run_server(workers=1, jobs=3) as server:
        status, answer = ask(server, [RIGHT] * 3, [TESTS] * 3)
        assert status == 413  # and not 504, which says that it is of use to try again
        assert answer["fault"] == "3 queries, of at most 2"
        assert ask(server, [RIGHT] * 2, [TESTS] * 2)[1]["rewards"] == [1.0, 1.0]


def test_a_client_that_leaves_leaves_its_thread_to_others(run_server: Any) -> None:
    code = "sum(range(1_000_000))\nprint(input())"
    label = {"inputs": ["1"] * 5000, "outputs": ["1"] * 5000}
    body = json.dumps(asked("p", code, label)).encode()
    head = b"POST /get_reward HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    with run_server(workers=1) as server:
        with server.connect() as connection:
            connection.sendall(head + b"content-length: %d\r\n\r\n" % len(body) + body)
            until(lambda: held(server) == 1)
            time.sleep(0.5)
        begun = time.monotonic()
        assert ask(server, [RIGHT], [TESTS])[1]["rewards"] == [1.0]
        assert time.monotonic() - begun < 20


def asked(prompt: str, code: str, label: Any) -> dict[str, Any]:
    return {"query": [f"{prompt}```python\n{code}\n```"], "prompts": [prompt], "labels": [label]}


@pytest.mark.parametrize(
    "label",
    [
        lambda: {"test_list": ["assert f([" + "1," * (1 << 20) + "])"]},
        lambda: {"test_list": ["assert f(1)"], "test_setup_code": "x\n" * (1 << 20)},
        lambda: {"prompt": "", "test": "x\n" * (1 << 20), "entry_point": "f"},
        lambda: {"test_cases": ["f(1)" + " " * (1 << 18)] * 5},
        lambda: json.dumps({"test_list": ["f\n" * (1 << 20)]}),
        lambda: {"inputs": ["[" + "[]," * (1 << 20) + "1]"], "outputs": ["1"], "fn_name": "f"},
        lambda: {"input_output": '{"inputs": [[' + "[]," * (1 << 20) + '1]], "outputs": [1]}'},
        lambda: "[" * 200_000 + "]" * 200_000,
    ],
    ids=["list", "setup", "check", "cases", "JSON", "call", "pairs", "nested"],
)
def test_a_label_that_takes_long_to_parse_is_refused_and_keeps_nobody_waiting(
    server: Any, label: Callable[[], Any]
) -> None:
    order = asked("p", "def f(x):\n    return x", label())
    before = time.monotonic()
    status, answer = server.ask("/get_reward", order)
    assert (status, "label" in answer["fault"]) == (422, True)
    assert time.monotonic() - before < 5


def test_a_long_label_that_is_not_parsed_is_read(server: Any) -> None:
    code = "print(len(input()))"
    given, wanted = "1," * (1 << 19), str(1 << 20)
    pairs = {"inputs": [given, given + "1,"], "outputs": [wanted, str((1 << 20) + 2)]}
    cases = [{"input": given, "output": wanted}] * 3
    for label in (pairs, {"input_output": json.dumps(pairs)}, {"test_cases": cases}):
        assert server.ask("/get_reward", asked("p", code, label))[1]["rewards"] == [1.0]
    calls = {"fn_name": "len", "public_test_cases": json.dumps([{"input": "[1]", "output": "1"}])}
    calls["public_test_cases"] = calls["public_test_cases"].replace("}", ', "type": "functional"}')
    assert server.ask("/get_reward", asked("p", "x = 1", calls))[1]["rewards"] == [1.0]


@pytest.mark.parametrize("name", ["test_list", "test"])
def test_tests_that_take_too_long_to_parse_are_refused_and_others_served_meanwhile(
    run_server: Any, name: str
) -> None:
    text = "a\n" * 500_000
    label = {"test_list": [text]} if name == "test_list" else {"test": text, "entry_point": "f"}
    with run_server(workers=1, helper_cpu_seconds=1) as server, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(server.ask, "/get_reward", asked("p", "def f(): pass", label))
        pings = 0
        while not answer.done():
            assert server.ask("/v1/ping") == (200, "pong")
            pings += 1
            time.sleep(0.01)  # else the helper, which comes last, had no processor
        assert answer.result()[0] == 422
        assert "1 s to read" in answer.result()[1]["fault"]
        assert pings > 10, "nobody else was served"
        assert ask(server, [RIGHT], [TESTS])[1]["rewards"] == [1.0]
