"""An honest function gives the same rewards contained as in the trainer, and twice the same."""

import asyncio
import inspect
from pathlib import Path
from typing import ClassVar

import pytest

import sandbox
from sandbox import load_reward
from sandbox.audit.reward.reading.entry import entries
from sandbox.audit.reward.reading.look import parse
from sandbox.audit.reward.samples import FORMATS, SHAPES, ordinary

STYLES = dict(
    part.split("\n", 1)
    for part in (Path(__file__).parent / "styles.txt").read_text().split("### ")[1:]
)
HONEST = dict(
    part.split("\n", 1)
    for part in (Path(__file__).parents[1] / "audit/reward/honest.txt")
    .read_text()
    .split("### ")[1:]
)


class _State:
    global_step, max_steps, epoch, num_train_epochs = 5, 100, 0.5, 1
    log_history: ClassVar = []


def _ignored(*_):
    return None


TRAINERS = {"trainer_state": _State(), "log_extra": _ignored, "log_metric": _ignored}

PROGRAM = "```python\nprint(int(input() or 4) * 0 + 42)\n```"
COMPLETIONS = [
    "<think>\nStep 1: so\n</think>\n<answer>40+2</answer>",
    "```python\nprint(42)\n```",
    "The answer is \\boxed{42}, or 1/2: B 42",
    "First, 40 and then 2. #### 42",
    '<tool>{"name": "run"}</tool> the the the the cat',
    '{"a": 1, "b": 2}',
    "no",
    "no",
    "```python\nprint(41)\n```",
    "answer please: 42.0",
]
COUNT = len(COMPLETIONS)
TEST = {"inputs": [""], "outputs": ["42"]}
COLUMNS = {
    "completions": COMPLETIONS,
    "prompts": ["no"] * COUNT,
    "completion_ids": [list(range(len(c) % 11)) for c in COMPLETIONS],
    "solution": ["42"] * COUNT,
    "answer": ["42", "cat", "B", "42"] + ["42"] * (COUNT - 4),
    "expected": ["42"] * COUNT,
    "tests": [TEST] * COUNT,
    "nums": [[40, 2]] * COUNT,
    "target": [42] * COUNT,
    "tool": [{"name": "run"}] * COUNT,
    "trainer_state": _State(),
}


def _native(source, entry, given):
    names = {"__name__": "reward", "restricted_execution": sandbox.restricted_execution}
    exec(compile(source, "<reward>", "exec"), names)
    function = eval(entry.expression, names)
    given = dict(given)
    positional = [given.pop("completions")] if entry.positional else []
    if entry.parameters is not None:
        given = {name: value for name, value in given.items() if name in entry.parameters}
    value = function(*positional, **given)
    return list(asyncio.run(value) if inspect.iscoroutine(value) else value)


def test_there_are_many_styles():
    assert len(STYLES) >= 40


@pytest.mark.parametrize("title", STYLES)
def test_the_rewards_are_those_of_the_function_itself(title):
    source = STYLES[title]
    [entry] = entries(parse(source))
    wanted = _native(source, entry, COLUMNS)
    assert len(set(wanted)) > 1, wanted
    reward = load_reward(source)
    for _ in range(3):  # the third in parts, if its rows are independent
        assert reward(**COLUMNS) == pytest.approx(wanted), (reward.row_wise, reward.why)


@pytest.mark.parametrize("title", HONEST)
def test_what_the_gate_lets_pass_runs_contained_as_it_does_in_the_trainer(title):
    source = HONEST[title]
    for entry in entries(parse(source)):
        reward = load_reward(source, name=entry.name)
        shape, given, wanted = _first_that_works(source, entry)
        for _ in range(2):
            assert reward(**given) == pytest.approx(wanted), (title, entry.name, shape)


def _first_that_works(source, entry):
    """Columns of a shape that the function takes; a function without a seed has two answers."""
    for shape in range(SHAPES):
        for kind in FORMATS:
            case = ordinary(kind, (), shape)
            given = {**TRAINERS, **case.arguments(entry.columns, entry.required, ())}
            try:
                wanted = _native(source, entry, given)
            except Exception:
                continue
            if all(isinstance(reward, (int, float, type(None))) for reward in wanted):
                return shape, given, wanted
    pytest.fail(f"no columns that {entry.name} takes")
