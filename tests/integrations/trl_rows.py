"""Columns and completions as TRL passes them to a reward function."""

import json

RIGHT = "```python\nprint(int(input()) + 1)\n```"
WRONG = "```python\nprint(int(input()))\n```"
PAIRS = {"inputs": [["1\n", "7\n"]], "outputs": [["2\n", "8\n"]]}
ADD = "Sure.\n```python\ndef add(a, b):\n    return a + b\n```"
SUB = "Sure.\n```python\ndef add(a, b):\n    return a - b\n```"
CASES = [{"input": "1\n", "output": "2\n", "type": "stdin_stdout", "fn_name": None}]
VERIFICATION = {"language": "python", "test_cases": CASES}
HEADER = 'from typing import List\n\ndef add(a: int, b: int) -> int:\n    """Sum."""\n'
CHECK = "def check(candidate):\n    assert candidate(1, 2) == 3\n"
FORMS = {
    "inputs and outputs": (RIGHT, WRONG, PAIRS),
    "calls": (ADD, SUB, {"inputs": [[[1, 2]]], "outputs": [[3]], "fn_name": ["add"]}),
    "verification_info": (RIGHT, WRONG, {"verification_info": [VERIFICATION]}),
    "verification_info as text": (RIGHT, WRONG, {"verification_info": [json.dumps(VERIFICATION)]}),
    "test_cases": (RIGHT, WRONG, {"test_cases": [CASES]}),
    "tests": (RIGHT, WRONG, {"tests": [{"inputs": ["1"], "outputs": ["2"]}]}),
    "HumanEval": (ADD, SUB, {"test": [CHECK], "entry_point": ["add"]}),
    "MBPP": (ADD, SUB, {"test_list": [["assert add(1, 2) == 3"]], "test_imports": [[]]}),
}


def as_trl(texts, columns, reward, prompts=None):
    """What `GRPOTrainer` passes."""
    return reward(
        prompts=prompts or ["?"] * len(texts),
        completions=list(texts),
        completion_ids=[[1]] * len(texts),
        trainer_state=None,
        log_extra=lambda column, values: None,
        log_metric=lambda name, value: None,
        **columns,
    )


def repeated(columns, count):
    return {name: values * count for name, values in columns.items()}


def conversation(text):
    return [{"role": "assistant", "content": text}]


def close_enough(actual, expected):
    return abs(float(actual) - float(expected)) < 0.1
