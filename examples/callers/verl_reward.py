"""What verl's trainers get for a batch of completions, without a trainer.

In a run of verl the same function is named in the configuration, and needs no code:

    reward.custom_reward_function.path=pkg://sandbox.integrations.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.continuous=True
"""

import json
import math

from sandbox.integrations.verl import compute_score

STDIN = json.dumps({"inputs": ["3\n", "10\n"], "outputs": ["6\n", "20\n"]})
CALL = json.dumps({"inputs": ["[3, 1, 2]", "[]"], "outputs": ["3", "0"], "fn_name": "size"})
ASSERT = {"assert_case": ["assert size([1]) == 1", "assert size([]) == 0"]}
ROWS = {
    "right": ("```python\nprint(2 * int(input()))\n```", STDIN),
    "half right": ("```python\nprint(6)\n```", STDIN),
    "a function": ("```python\ndef size(items):\n    return len(items)\n```", CALL),
    "leaves early": ("```python\nimport sys\nsys.exit(0)\n```", ASSERT),
    "no tests": ("```python\nprint(1)\n```", {"inputs": [], "outputs": []}),
}


def main() -> None:
    """Score each row as verl would ask for it."""
    for name, (completion, ground_truth) in ROWS.items():
        score = compute_score("apps", completion, ground_truth, {}, continuous=True)
        verdict = "no verdict" if math.isnan(score["score"]) else f"{score['score']:g}"
        print(f"{name}: {verdict}, {score['passed']:g} of {score['total']:g} tests")


if __name__ == "__main__":
    main()
