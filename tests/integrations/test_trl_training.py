"""TRL's own trainer with our rewards: a tiny policy of random weights, on the CPU, no downloads."""

import contextlib
import functools
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("trl", reason="trl is not installed")

import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    TrainerCallback,
    set_seed,
)
from trl import GRPOConfig, GRPOTrainer
from trl.trainer.utils import get_callable_name, is_async_callable

from sandbox import Policy, RewardError
from sandbox.integrations.trl import CodeReward, code_reward, contained_rewards
from sandbox.runtime.caller.defaults import default_sandbox

from .contained_rows import failing

pytestmark = pytest.mark.xdist_group("torch")  # loaded by one process
ROOT = Path(__file__).resolve().parents[2]
LINES = ["print(1)", "print(2)", "print(", "while True: pass"]
TASKS = {"one": "1", "two": "2"}
TEMPLATE = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
TESTS = {"inputs": [""], "outputs": ["1"]}
GOOD, BAD = "```python\nprint(1)\n```", "```python\nprint(2)\n```"


def tiny_tokenizer():
    words = ["<pad>", "<eos>", *(f"{line}\n" for line in (*TASKS, *LINES))]
    numbers = {word: number for number, word in enumerate(words)}
    tokens = Tokenizer(models.WordLevel(numbers, unk_token="<pad>"))
    tokens.pre_tokenizer = pre_tokenizers.Split("\n", "merged_with_previous")
    tokens.decoder = decoders.Fuse()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token="<pad>", eos_token="<eos>"
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def tiny_model(tokenizer):
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=16,
        initializer_range=0.1,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return LlamaForCausalLM(config)


@pytest.fixture(name="trainer")
def _trainer(tmp_path):
    def made(rewards, rows, steps=1):
        set_seed(0)
        tokenizer = tiny_tokenizer()
        arguments = GRPOConfig(
            str(tmp_path),
            max_steps=steps,
            num_generations=16,
            per_device_train_batch_size=16 * len(rows),
            max_completion_length=1,
            learning_rate=0.02,
            lr_scheduler_type="constant",
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            bf16=False,
        )
        return GRPOTrainer(
            tiny_model(tokenizer),
            rewards,
            arguments,
            train_dataset=Dataset.from_list(rows),
            processing_class=tokenizer,
        )

    return made


def rows(prompt=lambda task: f"{task}\n"):
    return [
        {"prompt": prompt(task), "inputs": [""], "outputs": [output]}
        for task, output in TASKS.items()
    ]


def documented_functions():
    """`reward` and `batched` as the document on grading has them."""
    text = (ROOT / "docs/grading.md").read_text(encoding="utf-8")
    (block,) = [
        code
        for code in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if "def batched(" in code
    ]
    names = {"__name__": "document"}
    exec(compile(block, "grading.md", "exec"), names)
    return names["reward"], names["batched"]


def calculated(trainer, columns, completions):
    """What the trainer makes of its rewards for `completions`: one column per function."""
    inputs = [
        {"prompt": "one\n", **{name: column[number] for name, column in columns.items()}}
        for number in range(len(completions))
    ]
    prompts = [each["prompt"] for each in inputs]
    return trainer._calculate_rewards(inputs, prompts, completions, [[0]] * len(completions))


def test_the_trainer_gets_rewards_of_texts_and_conversations_and_nan_for_none(trainer):
    ready = trainer([CodeReward()], rows())
    columns = {"tests": [TESTS, TESTS, None]}
    talks = [[{"role": "assistant", "content": text}] for text in (GOOD, BAD, GOOD)]
    for completions in ([GOOD, BAD, GOOD], talks):
        (one, zero, none) = calculated(ready, columns, completions)[:, 0].tolist()
        assert (one, zero) == (1.0, 0.0)
        assert math.isnan(none)


def test_the_coroutine_runs_in_the_trainer_s_loop_beside_another_function(trainer):
    partial = functools.partial(code_reward, reward=CodeReward(partial=True))
    ready = trainer([CodeReward(name="all"), code_reward, partial], rows())
    tests = {"inputs": ["", ""], "outputs": ["1", "2"]}
    rewards = calculated(ready, {"tests": [tests] * 2}, [GOOD, "nothing"])
    assert rewards.tolist() == [[0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]
    assert ready.reward_func_names == ["all", "code_reward", "code_reward"]


def test_the_trainer_sees_what_is_asynchronous_and_the_names():
    assert not is_async_callable(CodeReward())
    assert is_async_callable(functools.partial(code_reward, reward=CodeReward()))
    assert get_callable_name(pickle.loads(pickle.dumps(CodeReward(name="unit")))) == "unit"


def test_malformed_rows_end_a_training_with_their_place(trainer):
    ready = trainer([CodeReward()], rows())
    with pytest.raises(ValueError, match="row 1: its tests cannot be read"):
        calculated(ready, {"tests": [TESTS, {"inputs": [""], "outputs": []}]}, [GOOD, GOOD])


def test_one_step_of_training_runs_programs_and_moves_the_weights(trainer):
    ready = trainer([CodeReward(extract=str, cpu_seconds=0.1)], rows())
    before = [weights.clone() for weights in ready.model.parameters()]
    ready.train()
    pairs = zip(before, ready.model.parameters(), strict=True)
    assert any(not torch.equal(old, new) for old, new in pairs)
    (log,) = [entry for entry in ready.state.log_history if "reward" in entry]
    assert 0 < log["rewards/code_reward/mean"] < 1
    assert log["code_reward/masked"] == 0


def test_a_training_raises_the_reward_with_conversations_off_the_main_thread(trainer):
    def as_chat(task):
        return [{"role": "user", "content": f"{task}\n"}]

    def extract(completion):
        return completion[-1]["content"]

    ready = trainer([CodeReward(extract=extract, cpu_seconds=0.1)], rows(as_chat), steps=40)
    thread = threading.Thread(target=ready.train)
    thread.start()
    thread.join()
    rewards = [entry["reward"] for entry in ready.state.log_history if "reward" in entry]
    assert len(rewards) == 40
    assert sum(rewards[:3]) / 3 < 0.5
    assert sum(rewards[-3:]) / 3 > 0.8


CONTAINED = """
from sandbox import restricted_execution

def runs(completions, answer, trainer_state, log_metric, **kwargs):
    log_metric("step", trainer_state.global_step)
    rewards = []
    for completion, expected in zip(completions, answer):
        output, error = restricted_execution(completion, "")
        rewards.append(1.0 if not error and output.strip() == expected else 0.0)
    return rewards

def prints(completions, **kwargs):
    return [0.1 if "print" in completion else 0.0 for completion in completions]
"""


class Losing(TrainerCallback):
    """The sandbox of reward functions fails throughout the steps `masked`, and dies before one."""

    def __init__(self, masked, killed):
        self.masked, self.killed, self.failing = masked, killed, contextlib.ExitStack()

    def on_step_begin(self, args, state, control, **kwargs):
        step = state.global_step + 1
        if step in self.masked:
            self.failing.enter_context(failing())
        if step == self.killed:
            os.kill(default_sandbox("reward")._pool._current.pid, signal.SIGKILL)

    def on_step_end(self, args, state, control, **kwargs):
        self.failing.close()


def test_contained_functions_raise_the_reward_while_their_sandbox_is_lost_and_comes_back(trainer):
    quick = Policy.load("strict").tightened(cpu_seconds=0.1)
    rewards = contained_rewards(CONTAINED, executing=quick)[:1]
    data = [{"prompt": f"{task}\n", "answer": output} for task, output in TASKS.items()]
    ready = trainer(rewards, data, steps=40)
    ready.add_callback(Losing(masked=(5,), killed=12))
    ready.train()
    logs = [entry for entry in ready.state.log_history if "reward" in entry]
    # One death of a supervisor is nothing that is seen: another takes over.
    assert [log["step"] for log in logs if log["runs/masked"]] == [5]
    ran = [log["reward"] for log in logs]
    assert len(ran) == 40
    assert sum(ran[:3]) / 3 < 0.5
    assert sum(ran[-3:]) / 3 > 0.8


def test_a_fault_of_a_contained_function_ends_the_training(trainer):
    source = "def reward(completions, **kwargs):\n    return [1 / 0]"
    ready = trainer(contained_rewards(source), rows())
    with pytest.raises(RewardError, match="reward: ZeroDivisionError"):
        ready.train()


def test_contained_functions_are_awaited_beside_each_other(trainer):
    ready = trainer([each.as_coroutine() for each in contained_rewards(CONTAINED)], rows())
    assert all(map(is_async_callable, ready.reward_funcs))
    rewards = calculated(ready, {"answer": ["1", "1"]}, ["print(1)", "none"])
    assert rewards.tolist() == [[1.0, pytest.approx(0.1)], [0.0, 0.0]]
    assert ready.reward_func_names == ["runs", "prints"]


def test_the_functions_of_the_document_work_in_the_trainer_as_they_stand(trainer):
    ready = trainer(list(documented_functions()), [{"prompt": "one\n", "extra_data": {}}])
    column = {"extra_data": [{"expected_output": "1"}] * 3}
    rewards = calculated(ready, column, [GOOD, BAD, "no idea"])
    assert rewards.tolist() == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]


def test_the_example_trains_and_draws_its_curve(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    file = tmp_path / "curve.png"
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "examples/callers/grpo_trl.py"),
            "--steps",
            "2",
            "--plot",
            str(file),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"reward 0\.\d\d -> 0\.\d\d in 2 steps", done.stdout)
    assert file.read_bytes().startswith(b"\x89PNG")
