"""A reward for OpenRLHF with settings of its own, this file being its `--reward.remote_url`.

OpenRLHF loads `reward_func` from this file. With `--algo.dynamic_filtering_enable` a NaN drops the
group of a sample without a verdict; without it, leave `masked` out, and such a sample raises.
Run as a program, it rewards two completions.
"""

import json
import math

from sandbox.integrations.openrlhf import make_reward_func

reward_func = make_reward_func(masked=math.nan, limits={"cpu_seconds": 2.0})


def main() -> None:
    """Reward a right and a wrong completion, as OpenRLHF would ask for it."""
    prompt = "<|im_start|>user\nDouble the number.<|im_end|>\n<|im_start|>assistant\n"
    answers = ("print(2 * int(input()))", "print(2)")
    queries = [f"{prompt}```python\n{answer}\n```<|im_end|>" for answer in answers]
    label = json.dumps({"inputs": ["4\n"], "outputs": ["8\n"]})
    rewards = reward_func(queries, [prompt] * 2, [label] * 2)["rewards"]
    print("rewards:", *rewards.tolist())


if __name__ == "__main__":
    main()
