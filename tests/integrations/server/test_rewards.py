"""/get_reward is asked as OpenRLHF asks."""

import json
from typing import Any

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
    with run_server(workers=1, jobs=2) as server:
        assert ask(server, [RIGHT] * 3, [TESTS] * 3)[0] == 504
        assert ask(server, [RIGHT] * 2, [TESTS] * 2)[1]["rewards"] == [1.0, 1.0]
