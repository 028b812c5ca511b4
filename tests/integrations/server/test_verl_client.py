"""verl's own client, pointed at the server by its URL and nothing else.

Without verl, test_run_code.py asks as its client does.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from .conftest import held, raw_job, running, until

ADD = "```python\ndef add(a, b):\n    return a + b\n```"
TOKEN = "a-token-in-an-address"


@pytest.fixture(name="verl_score")
def _verl_score(server: Any) -> Any:
    """verl's `sandbox_fusion.compute_score`."""
    fusion = pytest.importorskip(
        "verl.utils.reward_score.sandbox_fusion",
        reason="verl is not installed",
        exc_type=ImportError,
    )

    def score(solution: str, truth: Any, url: str = "", **more: Any) -> Any:
        url = url or f"{server.url}/run_code"
        return fusion.compute_score(url, None, 1024, solution, truth, continuous=True, **more)

    return score


def test_standard_input_is_scored_by_its_fraction(verl_score: Any) -> None:
    truth = json.dumps({"inputs": ["1\n", "2\n"], "outputs": ["2\n", "4\n"]})
    score, cases = verl_score("```python\nprint(int(input()) + 1)\n```", truth)
    assert score == 0.5
    assert [case["status"] for case in cases] == ["success", "wrong_answer"]


@pytest.mark.parametrize(
    "solution",
    [
        ADD,
        "```python\nclass Solution:\n    def add(self, a: int, b: int):\n        return a + b\n```",
        "```python\ndef add(a, b):\n    heap = [a, b]\n    heapify(heap)\n    return sum(heap)```",
    ],
    ids=["function", "method", "a name of the preamble"],
)
def test_the_wrapper_that_it_generates_for_calls_runs_under_the_default_policy(
    verl_score: Any, solution: str
) -> None:
    truth = {"inputs": ["1\n2", "3\n4"], "outputs": ["3", "7"], "fn_name": "add"}
    score, cases = verl_score(solution, truth)
    assert score == 1.0, cases


def test_values_come_back_as_the_wrapper_prints_them(verl_score: Any) -> None:
    solution = "```python\ndef f(x):\n    return [x, {'a': None}, True]\n```"
    truth = {"inputs": ['"é"'], "outputs": ['["\\u00e9", {"a": null}, true]'], "fn_name": "f"}
    assert verl_score(solution, truth)[0] == 1.0


def test_assertions_fail_and_pass(verl_score: Any) -> None:
    score, cases = verl_score(
        ADD, {"assert_case": ["assert add(1, 2) == 3", "assert add(1, 2) == 4"]}
    )
    assert score == 0.5
    assert [case["status"] for case in cases] == ["success", "runtime_error"]
    assert "AssertionError" in cases[1]["stderr"]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("print(", "runtime_error"),
        ("1 / 0", "runtime_error"),
        ("while True: pass", "timeout"),
        ("import os; os.fork()", "runtime_error"),
        ("x = bytearray(10**10)", "runtime_error"),
    ],
)
def test_each_failure_has_its_name(verl_score: Any, code: str, status: str) -> None:
    truth = {"inputs": [""], "outputs": ["x"]}
    score, cases = verl_score(f"```python\n{code}\n```", truth, timeout=1)
    assert (score, cases[0]["status"]) == (0.0, status)


def test_large_output_is_compared_whole(verl_score: Any) -> None:
    truth = {"inputs": [""], "outputs": ["0123456789" * 300_000]}
    assert verl_score("```python\nprint('0123456789' * 300_000)\n```", truth)[0] == 1.0


def test_a_token_in_the_address_lets_it_in(verl_score: Any) -> None:
    truth = {"inputs": [""], "outputs": ["42"]}
    with running(workers=1, tokens=(TOKEN,)) as guarded:
        address = f"127.0.0.1:{guarded.port}/run_code"
        solution = "```python\nprint(42)\n```"
        assert verl_score(solution, truth, f"http://any:{TOKEN}@{address}")[0] == 1.0
        assert verl_score(solution, truth, f"http://{address}")[1][0]["status"] == "api_error"


def test_a_full_server_is_asked_again(verl_score: Any) -> None:
    truth = {"inputs": [""], "outputs": ["42"]}
    full = 'sandbox_answers_total{code="504",endpoint="/run_code"}'
    with running(workers=1, jobs=1) as server, ThreadPoolExecutor(1) as pool:
        connection = server.connect()
        connection.sendall(raw_job("while True: pass"))
        until(lambda: held(server) == 1)
        url = f"{server.url}/run_code"
        asked = pool.submit(verl_score, "```python\nprint(42)\n```", truth, url)
        until(lambda: full in server.ask("/metrics")[1])
        connection.close()  # and its job is over
        score, cases = asked.result()
    assert (score, cases[0]["status"]) == (1.0, "success")
