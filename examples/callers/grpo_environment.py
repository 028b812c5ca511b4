"""GRPO with an interpreter for each rollout: `python grpo_environment.py MODEL`, a chat model that
calls tools, such as Qwen/Qwen3-0.6B.
"""

import functools
import sys

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from sandbox.integrations.sessions.trl import CodeEnvironment

TASK = (
    "Write a Python program that reads a number and prints the next one. Try it with the tool"
    " run_python, then hand it in with the tool submit."
)
ROWS = [
    {
        "prompt": [{"role": "user", "content": TASK}],
        "inputs": ["1\n", "41\n", "-1\n"],
        "outputs": ["2\n", "42\n", "0\n"],
    }
] * 8


def main(model: str) -> None:
    settings = {"partial": True, "cpu_seconds": 2, "grading": {"cpu_seconds": 2}}
    trainer = GRPOTrainer(
        model,
        args=GRPOConfig("grpo-environment", max_steps=4, num_generations=8, report_to="none"),
        train_dataset=Dataset.from_list(ROWS),
        environment_factory=functools.partial(CodeEnvironment, **settings),
    )
    trainer.train()


if __name__ == "__main__":
    main(sys.argv[1])
