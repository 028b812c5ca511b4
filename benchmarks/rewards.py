"""Times three contained reward functions beside the same work without containment.

    python -m benchmarks.rewards [--rows 1024] [--rounds 7]

A function that looks at texts alone; one that runs a program for each row with
`restricted_execution`, and one that has them graded with `grade_many`, both beside `grade_many`
called here on the same programs. Interleaved in one run, the median of all rounds; all must give
the same rewards.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.grading import rows as graded_rows
from sandbox import grade_many, load_reward

_TEXT = """
import re
PATTERN = re.compile(r"<think>.*?</think>\\\\s*<answer>(.*?)</answer>", re.DOTALL)
def text_reward(completions, answer, **kwargs):
    rewards = []
    for completion, wanted in zip(completions, answer):
        found = PATTERN.search(completion)
        rewards.append(0.0 if found is None else 1.0 if found.group(1) == wanted else 0.5)
    return rewards
"""
_EACH = """
from sandbox import restricted_execution
def program_reward(completions, tests, **kwargs):
    rewards = []
    for code, test in zip(completions, tests):
        output, error = restricted_execution(code, test["inputs"][0], policy="contest")
        rewards.append(float(not error and output.strip() == test["outputs"][0].strip()))
    return rewards
"""
_MANY = """
from sandbox import grade_many
def graded_reward(completions, tests, **kwargs):
    return [grade.score for grade in grade_many(list(zip(completions, tests)))]
"""
_BLANK = "the reason is long, and so are its words. " * 20
_Times = dict[str, list[float]]


def main(arguments: list[str]) -> None:
    """Print a table of times."""
    parser = argparse.ArgumentParser(description="What containment costs a reward function.")
    parser.add_argument("--rows", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    texts = _texts(options.rows, options.rounds)
    programs = _programs(options.rows, max(options.rounds // 2, 1))
    table = Table(title=f"{options.rows} rows", title_justify="left")
    for heading in ("reward", "contained, ms", "beside it, ms", "ratio"):
        table.add_column(heading)
    for name, (contained, other) in {**texts, **programs}.items():
        one, two = statistics.median(contained), statistics.median(other)
        table.add_row(name, f"{one * 1000:.1f}", f"{two * 1000:.1f}", f"{one / two:.2f}")
    Console().print(table)


def _texts(count: int, rounds: int) -> dict[str, tuple[list[float], list[float]]]:
    completions = [
        f"<think>{_BLANK}</think><answer>{number % 7}</answer>" if number % 3 else _BLANK
        for number in range(count)
    ]
    answers = [str(number % 5) for number in range(count)]
    names: dict[str, Any] = {}
    exec(compile(_TEXT, "<reward>", "exec"), names)
    contained = load_reward(_TEXT)
    given = {"completions": completions, "answer": answers, "prompts": ["?"] * count}
    ways = {"contained": lambda: contained(**given), "in the trainer": lambda: _call(names, given)}
    times = _interleaved(ways, rounds)
    return {"a text": (times["contained"], times["in the trainer"])}


def _call(names: dict[str, Any], given: dict[str, Any]) -> Any:
    return names["text_reward"](**given)


def _programs(count: int, rounds: int) -> dict[str, tuple[list[float], list[float]]]:
    rows = list(graded_rows(count))
    codes, tests = [code for code, _ in rows], [test for _, test in rows]
    given: dict[str, Any] = {"completions": codes, "tests": tests}
    each, many = load_reward(_EACH, executing="contest"), load_reward(_MANY, executing="contest")
    ways: dict[str, Callable[[], Any]] = {
        "grade_many": lambda: [grade.score for grade in grade_many(zip(codes, tests, strict=True))],
        "each": lambda: each(**given),
        "many": lambda: many(**given),
    }
    times = _interleaved(ways, rounds)
    return {
        "a program, restricted_execution": (times["each"], times["grade_many"]),
        "a program, grade_many": (times["many"], times["grade_many"]),
    }


def _interleaved(ways: dict[str, Callable[[], Any]], rounds: int) -> _Times:
    """Measure the seconds of each way, after one round to warm up. Exits if they do not agree."""
    times: _Times = {name: [] for name in ways}
    for number in range(rounds + 1):
        gave = []
        for name, way in ways.items():
            begun = time.perf_counter()
            gave.append(way())
            if number:
                times[name].append(time.perf_counter() - begun)
        if any(rewards != gave[0] for rewards in gave):
            sys.exit("the rewards differ")
    return times


if __name__ == "__main__":
    main(sys.argv[1:])
