"""/execute and /execute_batch: a Job in, a Result out."""

import json
from typing import Any

import pytest

from sandbox import Result, Status


def test_a_job_is_run_and_its_result_reads_back(server: Any) -> None:
    status, answer = server.ask("/execute", {"code": "print(input()[::-1])", "stdin": "abc"})
    result = Result.from_json(json.dumps(answer))
    assert status == 200
    assert (result.output, result.status, result.policy) == ("cba\n", Status.OK, "contest")
    assert "seccomp" in result.layers


def test_a_function_is_called_with_its_arguments(server: Any) -> None:
    code = "def solve(a, b, *, c):\n    return [a, b, {'c': c}]"
    job = {"code": code, "entry": "solve", "args": [1, "x"], "kwargs": {"c": None}}
    assert server.ask("/execute", job)[1]["value"] == [1, "x", {"c": None}]


def test_a_guests_fault_is_a_result(server: Any) -> None:
    status, answer = server.ask("/execute", {"code": "import os\nos.fork()"})
    assert (status, answer["status"]) == (200, "DENIED")
    assert answer["error"]


def test_limits_tighten_and_never_widen(server: Any) -> None:
    job = {"code": "while True: pass", "limits": {"cpu_seconds": 0.2}}
    assert server.ask("/execute", job)[1]["status"] == "CPU_LIMIT"
    for wrong in (
        {"cpu_seconds": 1e6},
        {"cpu": 1},
        {"memory_mib": "x"},
        {"code": 1},
        {"services": {}},
        {"preamble": "x = 1"},
    ):
        status, answer = server.ask("/execute", {"code": "print(1)", "limits": wrong})
        assert status == 422, wrong
        assert next(iter(wrong)) in answer["fault"]


@pytest.mark.parametrize(
    "limits",
    [{"x" * (4 << 20): 1}, {"cpu_seconds": "x" * (4 << 20)}, {"cpu_seconds": [1] * 50_000}],
)
def test_what_is_wrong_with_a_limit_is_said_and_not_repeated(server: Any, limits: Any) -> None:
    status, answer = server.ask("/execute", {"code": "", "limits": limits})
    assert status == 422
    assert len(answer["fault"]) < 300
    for name, value in (("cpu_seconds", True), ("memory_mib", 1.5), ("cpu_seconds", None)):
        assert server.ask("/execute", {"code": "", "limits": {name: value}})[0] == 422


@pytest.mark.parametrize("more", [{"stdinn": "x"}, {"services": {}}, {"code": 1}, {"args": {}}])
def test_a_field_that_is_unknown_or_of_another_kind_is_refused(server: Any, more: Any) -> None:
    status, answer = server.ask("/execute", {"code": "print(1)", **more})
    assert status == 422
    assert next(iter(more)) in answer["fault"]


@pytest.mark.parametrize("value", ["float('nan')", "[1, {'a': float('-inf')}]", "[[1e999]]"])
def test_a_value_that_json_does_not_have_is_the_guests_error(server: Any, value: str) -> None:
    job = {"code": f"def f():\n    return {value}", "entry": "f"}
    status, answer = server.ask("/execute", job)
    assert (status, answer["status"], answer["value"]) == (200, "ERROR", None)
    assert "NaN" in answer["error"]


def test_a_surrogate_in_a_value_crosses_as_an_escape(server: Any) -> None:
    job = {"code": "def f():\n    return '\\ud800'", "entry": "f"}
    assert server.ask("/execute", job)[1]["value"] == "\ud800"


def test_the_longest_integer_crosses(server: Any) -> None:
    job = {"code": "def f(n):\n    return n + 1", "entry": "f", "args": [10**4299]}
    assert server.ask("/execute", job)[1]["value"] == 10**4299 + 1


def test_a_batch_is_answered_in_order(server: Any) -> None:
    jobs = [{"code": "print(int(input()) ** 2)", "stdin": str(n)} for n in range(50)]
    status, answer = server.ask("/execute_batch", {"jobs": jobs})
    assert status == 200
    assert [item["fault"] for item in answer["results"]] == [None] * 50
    squares = [f"{n * n}\n" for n in range(50)]
    assert [item["result"]["output"] for item in answer["results"]] == squares


def test_a_batch_with_one_wrong_job_runs_none_and_says_why(server: Any) -> None:
    jobs = [{"code": "print(1)"}, {"code": "print(1)", "limits": {"cpu_seconds": -1}}]
    assert server.ask("/execute_batch", {"jobs": jobs})[0] == 422
    assert server.ask("/execute_batch", {"jobs": []}) == (200, {"results": []})


def test_a_batch_that_is_too_long_is_refused(server: Any) -> None:
    status, answer = server.ask("/execute_batch", {"jobs": [{"code": ""}] * 1025})
    assert status == 413
    assert "1025" in answer["fault"]


def test_a_batch_is_counted_before_its_jobs_are_looked_at(server: Any) -> None:
    """None of these is a job, which takes long to say of a million."""
    assert server.ask("/execute_batch", {"jobs": [1] * 1025})[0] == 413
    assert server.ask("/execute_batch", {"jobs": [1] * 1024})[0] == 422
    for name, what in (("query", "queries"), ("prompts", "prompts"), ("labels", "labels")):
        asked = {"query": [1], "prompts": [1], "labels": [1], name: [1] * 2049}
        status, answer = server.ask("/get_reward", asked)
        assert (status, f"2049 {what}" in answer["fault"]) == (413, True)


def test_values_of_a_batch_count_for_its_answer(run_server: Any) -> None:
    job = {"code": "def f():\n    return [10 ** 9] * 50_000", "entry": "f"}
    with run_server(answer_bytes=1 << 20) as server:
        assert server.ask("/execute_batch", {"jobs": [job]})[0] == 200
        assert server.ask("/execute_batch", {"jobs": [job] * 3})[0] == 413


def test_a_batch_whose_results_are_too_large_for_an_answer_is_refused(run_server: Any) -> None:
    job = {"code": "print('x' * (1 << 20))"}
    with run_server(answer_bytes=9 << 20) as server:
        assert server.ask("/execute_batch", {"jobs": [job] * 4})[0] == 200  # stdout and output
        assert server.ask("/execute_batch", {"jobs": [job] * 5})[0] == 413
        status, answer = server.ask("/execute_batch", {"jobs": [job] * 200})
        assert status == 413
        assert "9437184" in answer["fault"]
        assert server.metric('sandbox_jobs_total{status="OK"}') < 50, "it went on"
        assert server.ask("/healthz")[1]["jobs"] == 0


def test_a_job_gets_its_turn_beside_a_long_batch(run_server: Any) -> None:
    from concurrent.futures import ThreadPoolExecutor

    slow = {"code": "x = 0\nfor i in range(100000): x += i\nprint(x)"}
    with run_server(workers=1) as server, ThreadPoolExecutor(1) as pool:
        batch = pool.submit(server.ask, "/execute_batch", {"jobs": [slow] * 60})
        while server.ask("/healthz")[1]["jobs"] < 60:
            pass
        assert server.run_code("print(1)")["status"] == "Success"
        assert not batch.done(), "the job waited for the whole batch"
        assert len(batch.result()[1]["results"]) == 60


def test_a_value_of_more_items_than_the_server_reads_is_an_error(server: Any) -> None:
    """It would be parsed in the event loop, where all clients wait."""
    job = {"code": "def f(n):\n    return [[]] * n", "entry": "f", "args": [60_000]}
    answer = server.ask("/execute", job)[1]
    assert (answer["status"], answer["value"]) == ("ERROR", None)
    assert "value_items: the value has more than 100000 items" in answer["error"]
    assert len(server.ask("/execute", {**job, "args": [40_000]})[1]["value"]) == 40_000
    status, answer = server.ask("/execute", {**job, "limits": {"value_items": 500_000}})
    assert (status, "value_items" in answer["fault"]) == (422, True)
    answer = server.ask("/execute", {**job, "limits": {"value_items": 10}})[1]
    assert "value_items: the value has more than 10 items" in answer["error"]
