"""verl's reward: what it gives for every kind of row, and in verl's own managers and client."""

import json
import logging
import math
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sandbox import SandboxError
from sandbox.integrations import verl as reward

PAIRS = json.dumps({"inputs": ["1\n", "2\n"], "outputs": ["2\n", "3\n"]})
CALLS = json.dumps({"inputs": ["1\n2", "2\n5"], "outputs": ["3", "7"], "fn_name": "add"})
ASSERTIONS = {"assert_case": ["assert add(1, 2) == 3", "assert add('a', 'b') == 'ab'"]}
PLUS_ONE = "Here it is:\n```python\nprint(int(input()) + 1)\n```"
HALF = "```python\nprint(2)\n```"
ADD = "```python\ndef add(a, b):\n    return a + b\n```"
ADD_METHOD = "```python\nclass Solution:\n    def add(self, a, b):\n        return a + b\n```"
EXITS = "```python\nimport sys\nsys.exit(0)\n```"
KEYS = {"score", "acc", "passed", "total", "masked", "weaker"}


def score(solution: str, truth: Any, **more: Any) -> Any:
    return reward.compute_score("apps", solution, truth, {"index": 0}, **more)


@pytest.mark.parametrize(
    ("solution", "truth", "expected"),
    [
        (PLUS_ONE, PAIRS, 1.0),
        (HALF, PAIRS, 0.0),
        (ADD, CALLS, 1.0),
        (ADD_METHOD, CALLS, 1.0),
        (ADD, ASSERTIONS, 1.0),
        (HALF, ASSERTIONS, 0.0),
        (EXITS, ASSERTIONS, 0.0),
        ("no program", PAIRS, 0.0),
        ("```python\nprint(\n```", PAIRS, 0.0),
    ],
)
def test_a_program_is_scored_by_its_tests(solution: str, truth: Any, expected: float) -> None:
    got = score(solution, truth)
    assert (got["score"], got["acc"], got["masked"]) == (expected, expected, 0.0)
    assert set(got) == KEYS
    assert {type(value) for value in got.values()} == {float}


def test_partial_is_the_fraction_that_passed() -> None:
    got = score(HALF, PAIRS, partial=True)
    assert (got["score"], got["acc"], got["passed"], got["total"]) == (0.5, 0.0, 1.0, 2.0)
    assert score(HALF, PAIRS, partial=True, max_tests=1)["score"] == 1.0


def test_limits_and_policy_are_those_that_are_given() -> None:
    slow = "```python\nx = sum(range(10**8))\nprint(int(input()) + 1)\n```"
    assert score(slow, PAIRS, limits={"cpu_seconds": 0.2})["score"] == 0.0
    imports = "```python\nimport math\nprint(int(input()) + 1)\n```"
    assert score(imports, PAIRS)["score"] == 1.0
    assert score(imports, PAIRS, policy="strict")["score"] == 0.0


@pytest.mark.parametrize(
    ("truth", "more"),
    [
        ({"inputs": [], "outputs": []}, {}),
        (None, {}),
        ({"answer": "42"}, {}),
        ("not json", {}),
        (ASSERTIONS | {"assert_case": ["assert ad(1) =="]}, {}),
        ({"assert_case": 5}, {}),
        ({"inputs": "12", "outputs": "34"}, {}),
        ("[" * 100_000 + "]" * 100_000, {}),
        (PAIRS, {"limits": {"cpu_seconds": 1e6}}),
        (PAIRS, {"policy": "no-such-policy"}),
        (PAIRS, {"max_tests": -1}),
        (PAIRS, {"max_tests": 0}),
        (PAIRS, {"comparator": "no-such-comparator"}),
    ],
)
def test_a_sample_without_a_verdict_is_nan_and_never_zero(
    truth: Any, more: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        got = score(ADD, truth, **more)
    assert math.isnan(got["score"])
    assert math.isnan(got["acc"])
    assert got["masked"] == 1.0
    assert set(got) == KEYS
    assert "no verdict on a sample of apps" in caplog.text
    assert score(ADD, truth, masked_score=0.5, **more)["score"] == 0.5
    with pytest.raises((SandboxError, ValueError)):
        score(ADD, truth, masked_score=None, **more)


@pytest.mark.parametrize("solution", [None, 7, [None], {"content": 7}])
def test_a_solution_that_no_trainer_gives_is_nan(solution: Any) -> None:
    assert math.isnan(score(solution, PAIRS)["score"])
    with pytest.raises(TypeError):
        score(solution, PAIRS, masked_score=None)
    assert score({"role": "assistant", "content": PLUS_ONE}, PAIRS)["score"] == 1.0


def test_a_fault_of_the_sandbox_is_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    from sandbox.runtime.caller import client

    def fail(*_: Any, **__: Any) -> None:
        raise SandboxError("the machine failed")

    monkeypatch.setattr(client.Sandbox, "run", fail)
    assert math.isnan(score(PLUS_ONE, PAIRS)["score"])


def test_threads_share_it() -> None:
    with ThreadPoolExecutor(8) as pool:
        scores = pool.map(lambda n: score(PLUS_ONE if n % 2 else HALF, PAIRS)["score"], range(16))
        assert list(scores) == [0.0, 1.0] * 8


def test_spawned_processes_have_their_own() -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        rows = [("apps", PLUS_ONE, PAIRS), ("apps", HALF, PAIRS)] * 2
        scores = pool.starmap(reward.compute_score, rows)
    assert [each["score"] for each in scores] == [1.0, 0.0, 1.0, 0.0]
    assert scores[0][0] == 1.0, "element 0 is lost on the way"


def test_element_zero_is_the_score_and_no_other_key_appears() -> None:
    got = score(PLUS_ONE, PAIRS)
    assert float(got[0]) == 1.0
    with pytest.raises(KeyError):
        got[1]
    assert set(got) == KEYS


# -- verl itself


@pytest.fixture(name="managers")
def _managers() -> Any:
    return pytest.importorskip(
        "verl.workers.reward_manager", reason="verl is not installed", exc_type=ImportError
    )


class Letters:
    """A tokenizer whose tokens are characters."""

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        return "".join(chr(int(i)) for i in ids if int(i))

    def batch_decode(self, rows: Any, skip_special_tokens: bool = True) -> list[str]:
        return [self.decode(row) for row in rows]


def batch(rows: list[tuple[str, Any]]) -> Any:
    """verl's batch of these completions and ground truths, padded as verl pads them."""
    import numpy as np
    import torch
    from verl import DataProto

    prompt, longest = "Q: ", max(len(text) for text, _ in rows)
    responses = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.ones(len(rows), len(prompt) + longest, dtype=torch.long)
    for number, (text, _) in enumerate(rows):
        responses[number, : len(text)] = torch.tensor([ord(letter) for letter in text])
        mask[number, len(prompt) + len(text) :] = 0
    prompts = torch.tensor([[ord(letter) for letter in prompt]] * len(rows))
    extra = [{"index": number} for number in range(len(rows))]
    return DataProto.from_dict(
        tensors={"prompts": prompts, "responses": responses, "attention_mask": mask},
        non_tensors={
            "reward_model": np.array([{"ground_truth": t} for _, t in rows], dtype=object),
            "data_source": np.array(["apps"] * len(rows), dtype=object),
            "extra_info": np.array(extra, dtype=object),
        },
    )


ROWS = [(PLUS_ONE, PAIRS), (HALF, PAIRS), (ADD, ASSERTIONS), (ADD, None)]


def loaded() -> Any:
    from verl.utils.import_utils import load_extern_object

    return load_extern_object("pkg://sandbox.integrations.verl", "compute_score")


def at_last_tokens(rewards: Any) -> list[float]:
    return [row[len(text) - 1].item() for row, (text, _) in zip(rewards, ROWS, strict=True)]


def test_verl_loads_it_by_its_package_path(managers: Any) -> None:
    assert loaded() is reward.compute_score


def test_the_manager_naive_gives_each_sample_its_score_at_its_last_token(managers: Any) -> None:
    manager = managers.get_reward_manager_cls("naive")(Letters(), 0, compute_score=loaded())
    answer = manager(batch(ROWS), return_dict=True)
    rewards = at_last_tokens(answer["reward_tensor"])
    assert rewards[:3] == [1.0, 0.0, 1.0]
    assert math.isnan(rewards[3])
    assert answer["reward_extra_info"]["masked"] == [0.0, 0.0, 0.0, 1.0]
    assert set(answer["reward_extra_info"]) == KEYS
    assert answer["reward_tensor"][:3].sum().item() == 2.0


def test_the_manager_prime_scores_in_its_processes(managers: Any) -> None:
    manager = managers.get_reward_manager_cls("prime")(Letters(), 0, compute_score=loaded())
    data = batch(ROWS)
    rewards = manager(data)
    scores = at_last_tokens(rewards)
    assert scores[:3] == [1.0, 0.0, 1.0]
    assert math.isnan(scores[3])


@pytest.mark.parametrize("name", ["naive", "dapo"])
def test_the_managers_of_the_reward_loop_take_its_scores(managers: Any, name: str) -> None:
    import asyncio

    loop_managers = pytest.importorskip(
        "verl.experimental.reward_loop.reward_manager",
        reason="this verl has no reward loop",
        exc_type=ImportError,
    )
    from omegaconf import OmegaConf

    config = OmegaConf.create({"reward": {"reward_kwargs": {}}})
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        manager = loop_managers.get_reward_manager_cls(name)(config, Letters(), loaded())
        data = batch(ROWS)
        answers = [
            loop.run_until_complete(manager.run_single(data[n : n + 1])) for n in range(len(ROWS))
        ]
    finally:
        asyncio.set_event_loop(None)
        loop.close()
    assert [answer["reward_score"] for answer in answers[:3]] == [1.0, 0.0, 1.0]
    assert math.isnan(answers[3]["reward_score"])
    assert all(set(answer["reward_extra_info"]) == KEYS for answer in answers)
