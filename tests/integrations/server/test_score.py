"""/score: functions that the server was started with, called for what clients send."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from ..contained_rows import evasive, losing
from .conftest import running, until

SOURCE = """
from sandbox import restricted_execution

def same(completions, answer, **kwargs):
    return [float(c == a) for c, a in zip(completions, answer)]

def runs(prompts, completions, **kwargs):
    rewards = []
    for prompt, completion in zip(prompts, completions):
        output, error = restricted_execution(completion[-1]["content"], prompt)
        rewards.append(None if error else float(output))
    return rewards

def fails(completions, **kwargs):
    return [len(kwargs["missing"])] * len(completions)

def slow(completions, **kwargs):
    rewards = []
    for completion in completions:
        total = sum(range(2_000_000))
        rewards.append(float(len(completion)))
    return rewards

def many(completions, **kwargs):
    for n in range(10_000):
        restricted_execution(f"print({n})", "")
    return [1.0] * len(completions)
"""
NAMES = ("same", "runs", "fails", "slow", "many")


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("score")
    (folder / "rewards.py").write_text(SOURCE, encoding="utf-8")
    strike = "def reward(completions, **kwargs):\n    strike()\n    return [1] * len(completions)"
    (folder / "evasive.py").write_text(evasive(strike, folder / "mark"), encoding="utf-8")
    return folder


@pytest.fixture(name="rewards", scope="module")
def _rewards(folder: Path) -> dict[str, str]:
    named = {name: f"{folder}/rewards.py::{name}" for name in NAMES}
    return {**named, "evasive": f"{folder}/evasive.py"}


@pytest.fixture(name="scoring", scope="module")
def _scoring(rewards: dict[str, str]) -> Iterator[Any]:
    with running(workers=1, rewards=rewards) as server:
        yield server


def score(server: Any, reward: str, completions: list[Any], **more: Any) -> tuple[int, Any]:
    return server.ask("/score", {"reward": reward, "completions": completions, **more})


def test_completions_are_rewarded_in_order(scoring: Any) -> None:
    got = score(scoring, "same", ["a", "b", "c"], columns={"answer": ["a", "x", "c"]})
    assert got == (200, {"rewards": [1.0, 0.0, 1.0], "masked": 0})
    assert score(scoring, "same", []) == (200, {"rewards": [], "masked": 0})


def test_programs_that_a_function_has_executed_run_under_the_policy_of_the_server(
    scoring: Any,
) -> None:
    codes = ["import math\nprint(math.sqrt(int(input())))", "print(1 / 0)"]
    talks = [[{"role": "assistant", "content": code}] for code in codes]
    got = score(scoring, "runs", talks, prompts=["16", "16"])
    assert got == (200, {"rewards": [4.0, None], "masked": 1})


def test_it_says_what_it_has_and_knows_no_other_reward(scoring: Any) -> None:
    assert scoring.ask("/healthz")[1]["rewards"] == sorted([*NAMES, "evasive"])
    status, answer = score(scoring, "x" * 1000, ["a"])
    assert status == 422
    assert answer["fault"].endswith("there are evasive, fails, many, runs, same, slow")
    assert len(answer["fault"]) < 200


def test_a_server_without_rewards_has_none(server: Any) -> None:
    assert score(server, "same", ["a"]) == (422, {"fault": "no reward 'same': there are none"})
    assert server.ask("/healthz")[1]["rewards"] == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"completions": "a"}, "completions"),
        ({"columns": {"answer": []}}, "0 of 'answer' for 1 completions"),
        ({"columns": {"answer": "a"}}, "answer"),
        ({"columns": {"prompts": ["a"]}}, "no column can be called 'prompts'"),
        ({"columns": {"self": ["a"]}}, "no column can be called 'self'"),
        ({"columns": {"log_metric": ["a"]}}, "no column can be called 'log_metric'"),
        ({"prompts": ["a", "b"]}, "2 of 'prompts' for 1 completions"),
        ({"source": "def same(completions): return [1]"}, "source"),
        ({"policy": "kernel-only"}, "policy"),
    ],
)
def test_what_is_no_request_for_rewards_is_refused(scoring: Any, body: Any, fault: str) -> None:
    status, answer = scoring.ask("/score", {"reward": "same", "completions": ["a"], **body})
    assert status == 422
    assert fault in answer["fault"]


def test_what_is_too_much_is_refused_before_it_is_looked_at(scoring: Any) -> None:
    assert score(scoring, "same", ["a"] * 2000)[0] == 413
    columns = {f"c{n}": ["a"] for n in range(65)}
    status, answer = score(scoring, "same", ["a"], columns=columns)
    assert (status, answer["fault"]) == (413, "65 columns, of at most 64")
    assert scoring.ask("/score", raw=b" " * (17 << 20))[0] == 413


def test_a_long_body_is_read_by_a_helper(scoring: Any) -> None:
    texts = [letter * 20_000 for letter in "abcdefgh"]
    got = score(scoring, "same", texts, columns={"answer": texts[:4] + ["x"] * 4})
    assert got == (200, {"rewards": [1.0] * 4 + [0.0] * 4, "masked": 0})


def test_a_fault_of_the_function_is_told_without_its_source(scoring: Any) -> None:
    before = scoring.metric('sandbox_scores_total{outcome="failed",reward="fails"}')
    status, answer = score(scoring, "fails", ["a", "b"])
    assert status == 422
    assert answer == {"fault": "fails: KeyError: 'missing' (line 15)"}
    after = scoring.metric('sandbox_scores_total{outcome="failed",reward="fails"}')
    assert after - before == 2


def test_an_evasive_source_does_nothing_to_the_server(scoring: Any, folder: Path) -> None:
    assert score(scoring, "evasive", ["a"]) == (200, {"rewards": [1.0], "masked": 0})
    assert not (folder / "mark").exists()


def test_a_fault_of_the_sandbox_is_null_and_passes(rewards: dict[str, str]) -> None:
    answer = {"answer": ["a", "b"]}
    with running(workers=1, rewards=rewards) as server:
        with losing(psutil.Process(server.process.pid)):
            got = score(server, "same", ["a", "x"], columns=answer)
        assert got == (200, {"rewards": [None, None], "masked": 2})
        assert server.metric('sandbox_scores_total{outcome="masked",reward="same"}') == 2
        assert server.metric('sandbox_scores_total{outcome="scored",reward="same"}') == 0
        got = score(server, "same", ["a", "x"], columns=answer)
        assert got == (200, {"rewards": [1.0, 0.0], "masked": 0})


def test_a_call_has_a_worker_s_place_and_ends_when_its_client_leaves(scoring: Any) -> None:
    body = json.dumps({"reward": "many", "completions": ["a"]}).encode()
    head = b"POST /score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    with scoring.connect() as connection:
        connection.sendall(head + b"content-length: %d\r\n\r\n" % len(body) + body)
        until(lambda: scoring.metric("sandbox_jobs_running") == 1)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(scoring.run_code, "print(1)")
            until(lambda: scoring.metric("sandbox_jobs_held") == 2)
            time.sleep(0.3)
            assert not waiting.done()
            connection.close()
            assert waiting.result()["status"] == "Success"
    assert scoring.metric("sandbox_jobs_running") == 0


def test_a_batch_that_can_be_parted_lets_another_client_in_between(scoring: Any) -> None:
    texts = ["a" * (n + 1) for n in range(40)]
    assert score(scoring, "slow", texts[:30])[1]["rewards"][-1] == 30.0
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(score, scoring, "slow", texts)
        until(lambda: scoring.metric("sandbox_jobs_held") > 1)
        assert scoring.run_code("print(1)")["status"] == "Success"
        assert not long.done()
        assert long.result()[1]["rewards"] == [float(len(text)) for text in texts]


# -- the command


def serve(*arguments: str) -> "subprocess.CompletedProcess[str]":
    code = "from sandbox.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", "--port", "0", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        (["{folder}/rewards.py"], "give NAME=FILE"),
        (["a b={folder}/rewards.py"], "give NAME=FILE"),
        (["a={folder}/rewards.py::same", "a={folder}/evasive.py"], "two have the name 'a'"),
        (["a={folder}/missing.py"], "No such file"),
        (["a={folder}/rewards.py"], "several reward functions"),
        (["a={folder}/rewards.py::other"], "no function 'other'"),
        (["a={folder}/broken.py"], "ZeroDivisionError"),
    ],
)
def test_a_server_does_not_start_with_a_reward_that_it_cannot_call(
    folder: Path, rewards: list[str], message: str
) -> None:
    (folder / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    options = [part for each in rewards for part in ("--reward", each.format(folder=folder))]
    done = serve(*options)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
