"""OpenRLHF's reward function, loaded and read as its executor does."""

import asyncio
import importlib.util
import json
import math
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox import SandboxError
from sandbox.integrations import openrlhf as reward

TESTS = json.dumps({"inputs": ["1\n", "5\n"], "outputs": ["2\n", "6\n"]})
NO_TESTS = json.dumps({"inputs": [], "outputs": []})
PROMPT = "Add one. Example:\n```python\nprint(int(input()) + 1)\n```\nYours:"
RIGHT = "\n```python\nprint(int(input()) + 1)\n```"
WRONG = "\n```python\nprint(2)\n```"


@pytest.mark.parametrize(
    "end",
    ["", "<|im_end|>", "<|eot_id|>", "</s>", "<|endoftext|>\n", "<|im_end|>\n<|im_end|>", "<eos>",
     "<\uff5cend\u2581of\u2581sentence\uff5c>"],
)  # fmt: skip
def test_the_tokens_that_end_a_turn_are_no_part_of_the_program(end: str) -> None:
    assert reward.completion(PROMPT + RIGHT + end, PROMPT) == RIGHT
    figures = reward.rate([(PROMPT + RIGHT + end, PROMPT, TESTS)])
    assert figures["rewards"] == [1.0]


@pytest.mark.parametrize("piece", ["<|a|>", " ", "<|a", "<|a|> ", "</s>"])
def test_an_answer_of_nothing_but_ends_of_turns_costs_no_time(piece: str) -> None:
    for text in (piece * 100_000, piece * 100_000 + "x"):
        before = time.thread_time()
        reward.completion(PROMPT + text, PROMPT)
        assert time.thread_time() - before < 2


def test_an_example_in_the_prompt_is_never_the_answer() -> None:
    for query in (PROMPT, PROMPT + " no idea", "<s> " + PROMPT + " no idea"):
        assert reward.rate([(query, PROMPT, TESTS)])["rewards"] == [0.0]


def test_a_prompt_that_was_cut_short_is_found_by_its_end() -> None:
    long = "word " * 1000 + PROMPT
    assert reward.completion(long[500:] + WRONG, long) == WRONG
    assert reward.completion(long + WRONG + long, long) == WRONG + long
    with pytest.raises(ValueError, match="prompt"):
        reward.completion("something else" + RIGHT, PROMPT)


def test_each_program_is_rewarded_for_all_tests_and_nothing_less() -> None:
    rows = [(PROMPT + text, PROMPT, TESTS) for text in (RIGHT, WRONG, "no program", RIGHT)]
    figures = reward.rate(rows)
    assert figures["rewards"] == figures["scores"] == [1.0, 0.0, 0.0, 1.0]
    assert figures["extra_logs"]["masked"] == [0.0] * 4


def test_a_sample_without_a_verdict_raises_or_has_the_mask_that_was_asked_for() -> None:
    rows = [(PROMPT + RIGHT, PROMPT, NO_TESTS)]
    with pytest.raises(SandboxError, match="no verdict"):
        reward.rate(rows)
    figures = reward.rate(rows, masked=math.nan)
    assert math.isnan(figures["rewards"][0])
    assert figures["extra_logs"]["masked"] == [1.0]


def loaded(path: str) -> Any:
    """As `SingleTurnAgentExecutor` loads `--reward.remote_url`."""
    spec = importlib.util.spec_from_file_location("reward_func", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reward_func


def test_the_file_is_loaded_by_its_path_and_gives_what_the_trainer_reads() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    function = loaded(str(reward.__file__))
    info = function([PROMPT + RIGHT], [PROMPT], [TESTS])
    assert set(info) == {"rewards", "scores", "extra_logs"}
    # What `_process_response_into_experience` makes of them.
    assert torch.tensor([info["rewards"]]).flatten().tolist() == [1.0]
    assert torch.tensor([info["scores"]])[0].item() == 1.0
    assert info["extra_logs"]["total"].flatten()[0].item() == 2.0
    batch = function([PROMPT + RIGHT, PROMPT + WRONG], [PROMPT] * 2, [TESTS] * 2)
    assert batch["rewards"].tolist() == [1.0, 0.0]


def test_a_file_of_ones_own_sets_what_it_wants(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    file = tmp_path / "reward.py"
    file.write_text(
        "from sandbox.integrations.openrlhf import make_reward_func\n"
        "reward_func = make_reward_func(policy='strict', masked=float('nan'))\n"
    )
    function = loaded(str(file))
    imports = "\n```python\nimport math\nprint(int(input()) + 1)\n```"
    info = function([PROMPT + imports, PROMPT + RIGHT], [PROMPT] * 2, [TESTS, NO_TESTS])
    assert info["rewards"][0].item() == 0.0
    assert math.isnan(info["scores"][1].item())


# -- OpenRLHF itself


class Letters:
    """A tokenizer whose tokens are characters."""

    def __call__(self, text: str, **_: Any) -> Any:
        import torch

        return {"input_ids": torch.tensor([[ord(letter) for letter in text]])}

    def decode(self, ids: Any, skip_special_tokens: bool = False) -> str:
        return "".join(map(chr, ids))


class Engine:
    """A model that always answers the same."""

    def __init__(self, answer: str) -> None:
        self._tokens = [ord(letter) for letter in answer]

    async def generate(self, *_: Any, **__: Any) -> Any:
        output = SimpleNamespace(token_ids=self._tokens, finish_reason="stop", logprobs=None)
        return SimpleNamespace(outputs=[output])


def rollout_of() -> Any:
    """What OpenRLHF's executor makes of one answer to `PROMPT`, with a reward at a path or URL."""
    agent = pytest.importorskip(
        "openrlhf.utils.agent", reason="OpenRLHF is not installed", exc_type=ImportError
    )
    wanted = SimpleNamespace(max_tokens=500, logprobs=None)

    def execute(remote_url: str, answer: str, label: Any) -> Any:
        executor = agent.SingleTurnAgentExecutor(remote_url)
        run = executor.execute(PROMPT, label, wanted, 4000, Letters(), Engine(answer))
        return asyncio.run(run)

    return execute


@pytest.fixture(name="rollout")
def _rollout() -> Any:
    return rollout_of()


def test_its_executor_gets_the_reward_from_the_file(rollout: Any) -> None:
    path = str(reward.__file__)
    right = rollout(path, RIGHT + "<|im_end|>", TESTS)
    assert (right["reward"].tolist(), right["scores"].tolist()) == ([1.0], [1.0])
    assert right["extra_logs"]["passed"].tolist() == [2.0]
    assert rollout(path, WRONG + "<|im_end|>", TESTS)["reward"].tolist() == [0.0]


def test_its_executor_leaves_a_sample_without_a_verdict_without_a_reward(rollout: Any) -> None:
    without = rollout(str(reward.__file__), RIGHT, NO_TESTS)
    assert (without["reward"], without["scores"]) == (None, None)


def test_its_executor_gets_the_reward_from_the_server(rollout: Any) -> None:
    from .server.conftest import running

    token = "a-token-in-an-address"
    with running(workers=1, tokens=(token,)) as server:
        url = f"http://any:{token}@127.0.0.1:{server.port}/get_reward"
        right = rollout(url, RIGHT + "<|im_end|>", TESTS)
        assert (right["reward"], right["scores"]) == ([1.0], [1.0])
        assert right["extra_logs"]["total"] == [2.0]
        without = rollout(url, RIGHT, NO_TESTS)
        assert (without["reward"], without["scores"]) == (None, None)
        figures = server.ask("/metrics", headers={"authorization": f"Bearer {token}"})[1]
        assert 'sandbox_answers_total{code="503",endpoint="/get_reward"} 5.0' in figures
