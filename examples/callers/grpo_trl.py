"""Trains a policy with TRL's GRPO on rewards for code, in about a minute on two processors.

    pip install 'restricted-execution[trl]' matplotlib
    python examples/callers/grpo_trl.py [--steps N] [--plot FILE.png]

The policy is a small Llama with random weights. Its tokens are lines of Python, and a completion is
two of them: a program that has to read a number and to print what the prompt asks for. Some lines
are of no use, one never ends and one asks for what no program gets. Every completion runs in the
sandbox against tests; the reward is the share of them that it passes.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import matplotlib
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import (
        LlamaConfig,
        LlamaForCausalLM,
        PreTrainedTokenizerFast,
        ProgressCallback,
        TrainerCallback,
        set_seed,
    )
    from trl import GRPOConfig, GRPOTrainer
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}: pip install 'restricted-execution[trl]' matplotlib") from None

from sandbox.integrations.trl import CodeReward

TASKS: dict[str, Callable[[int], int]] = {
    "successor": lambda n: n + 1,
    "double": lambda n: 2 * n,
    "square": lambda n: n * n,
    "negation": lambda n: -n,
    "half": lambda n: n // 2,
}
LINES = (
    "n = int(input())",
    "print(n + 1)",
    "print(2 * n)",
    "print(n * n)",
    "print(-n)",
    "print(n // 2)",
    "while True: pass",
    "import os; print(os.environ)",
)
NUMBERS = (1, 2, 7)  # the tests' inputs; for one of them, some wrong lines are right
GENERATIONS = 16  # of each task, in every step


def tokenizer() -> PreTrainedTokenizerFast:
    """One token per line, and one per task."""
    words = ["<pad>", "<eos>", *(f"{line}\n" for line in (*TASKS, *LINES))]
    numbers = {word: number for number, word in enumerate(words)}
    tokens = Tokenizer(models.WordLevel(numbers, unk_token="<pad>"))
    tokens.pre_tokenizer = pre_tokenizers.Split("\n", "merged_with_previous")
    tokens.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=tokens, pad_token="<pad>", eos_token="<eos>")


def policy(tokens: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """A model of random weights; all that it will know it learns from rewards."""
    shape = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 16}
    ids = {"pad_token_id": tokens.pad_token_id, "eos_token_id": tokens.eos_token_id}
    return LlamaForCausalLM(
        LlamaConfig(vocab_size=len(tokens), initializer_range=0.1, **shape, **heads, **ids)
    )


def row(task: str) -> dict[str, Any]:
    """A prompt, and its tests: standard inputs and what is to be printed for each."""
    inputs, outputs = zip(*[(str(n), str(TASKS[task](n))) for n in NUMBERS], strict=True)
    return {"prompt": f"{task}\n", "inputs": list(inputs), "outputs": list(outputs)}


def train(steps: int, folder: str) -> list[dict[str, float]]:
    """Train, and return what was logged at each step."""
    set_seed(0)
    tokens = tokenizer()
    data = Dataset.from_list([row(task) for task in TASKS])
    reward = CodeReward(partial=True, extract=str, cpu_seconds=0.05)
    reward.check(data)
    trainer = GRPOTrainer(
        policy(tokens),
        reward,
        GRPOConfig(
            folder,
            max_steps=steps,
            num_generations=GENERATIONS,
            per_device_train_batch_size=GENERATIONS * len(TASKS),
            max_completion_length=2,
            learning_rate=3e-3,
            lr_scheduler_type="constant",
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
        ),
        train_dataset=data,
        processing_class=tokens,
        callbacks=[Telling()],
    )
    trainer.remove_callback(ProgressCallback)
    trainer.train()
    return [entry for entry in trainer.state.log_history if "reward" in entry]


class Telling(TrainerCallback):
    """One line for every tenth step."""

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if logs and "reward" in logs and state.global_step % 10 == 0:
            print(f"step {state.global_step}: reward {logs['reward']:.2f}", flush=True)


def plot(log: list[dict[str, float]], file: Path) -> None:
    """The mean reward of each step, and its mean over the last five."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rewards = [entry["rewards/code_reward/mean"] for entry in log]
    recent = [rewards[max(0, n - 4) : n + 1] for n in range(len(rewards))]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    steps = range(1, len(rewards) + 1)
    axes.plot(steps, rewards, ".", color="0.6", label="each step")
    axes.plot(steps, [sum(r) / len(r) for r in recent], label="mean of five steps")
    axes.set(xlabel="step", ylabel="mean share of tests passed", ylim=(0, 1.02))
    axes.set_title(f"GRPO, {GENERATIONS * len(TASKS)} programs per step")
    axes.legend(loc="lower right")
    figure.savefig(file, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--plot", type=Path, default=Path("grpo_trl.png"), metavar="FILE.png")
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        log = train(options.steps, folder)
    plot(log, options.plot)
    first, last = (entry["rewards/code_reward/mean"] for entry in (log[0], log[-1]))
    seconds = time.perf_counter() - started
    print(f"reward {first:.2f} -> {last:.2f} in {len(log)} steps, {seconds:.0f} s: {options.plot}")


if __name__ == "__main__":
    torch.set_num_threads(1)  # the model is tiny
    main()
