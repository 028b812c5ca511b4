"""`load_reward`: what a contained function is, what it gives, and what it keeps."""

import asyncio
import gc
import os
import pickle
import threading
import time

import pytest

from sandbox import (
    ContainedReward,
    PolicyError,
    RewardError,
    load_reward,
)

LENGTHS = "def lengths(completions, **kwargs):\n    return [float(len(c)) for c in completions]\n"
COUNTER = """
calls = 0
def counter(completions, **kwargs):
    global calls
    calls += 1
    return [float(calls) for c in completions]
"""


def test_it_has_the_shape_that_trainers_want():
    reward = load_reward(LENGTHS)
    assert isinstance(reward, ContainedReward)
    assert reward.__name__ == "lengths"
    assert reward(prompts=["p", "p"], completions=["a", "bb"], answer=["x", "y"]) == [1.0, 2.0]
    assert reward(["p", "p"], ["a", "bb"], [[1], [1, 2]]) == [1.0, 2.0]
    assert reward(completions=[]) == []


def test_it_can_be_loaded_from_a_file_and_pickled(tmp_path):
    file = tmp_path / "reward.py"
    file.write_text(LENGTHS, encoding="utf-8")
    copy = pickle.loads(pickle.dumps(load_reward(file)))
    assert copy(completions=["a", "bb"]) == [1.0, 2.0]
    assert copy.__name__ == "lengths"


def test_it_can_be_awaited_beside_others():
    reward = load_reward(LENGTHS)

    async def main():
        function = reward.as_coroutine()
        assert asyncio.iscoroutinefunction(function)
        assert function.__name__ == "lengths"
        return await asyncio.gather(*(function(completions=["a" * n]) for n in range(5)))

    assert asyncio.run(main()) == [[0.0], [1.0], [2.0], [3.0], [4.0]]


def test_threads_and_forks_can_call_it():
    reward = load_reward(LENGTHS)
    given = dict[int, list[float | None]]()
    threads = [
        threading.Thread(target=lambda n=n: given.update({n: reward(completions=["a" * n])}))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert given == {n: [float(n)] for n in range(6)}
    pid = os.fork()
    if not pid:
        os._exit(0 if reward(completions=["abc"]) == [3.0] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("1.0", "returned a float, not a list"),
        ("None", "returned None, not a list"),
        ("[1.0] * 3", "returned 3 rewards for 2 completions"),
        ("['a', 'b']", "returned a str as reward 0"),
        ("[0.0, float('nan')]", "a reward that is not finite, number 1"),
        ("[10 ** 400, 0]", "a reward that is not finite, number 0"),
        ("[object(), 1]", "object"),
    ],
)
def test_what_are_no_rewards_is_an_error(value, message):
    reward = load_reward(f"def f(completions, **kwargs):\n    return {value}\n")
    with pytest.raises(RewardError, match=message):
        reward(completions=["a", "b"])


def test_numbers_of_other_kinds_are_taken():
    reward = load_reward("def f(completions, **kwargs):\n    return (True, 2, None)\n")
    assert reward(completions=["a"] * 3) == [1.0, 2.0, None]


def test_an_exception_has_the_lines_of_the_function():
    source = "def f(completions, **kwargs):\n    return [1 / len(c) for c in completions]\n"
    with pytest.raises(RewardError) as raised:
        load_reward(source)(completions=["a", ""])
    assert raised.value.status == "ERROR"
    assert "ZeroDivisionError" in str(raised.value)
    assert "1 / len(c)" in raised.value.traceback
    assert "line 2" in raised.value.traceback
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (str(copy), copy.status) == (str(raised.value), "ERROR")


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("def f(:", RewardError, "SyntaxError"),
        ("import os\ndef f(completions): pass", RewardError, "import of module 'os'"),
        ("1 / 0", RewardError, "ZeroDivisionError"),
        ("def f(x): pass", ValueError, "no function with a parameter 'completions'"),
        (LENGTHS + LENGTHS.replace("lengths", "more"), ValueError, "lengths, more"),
    ],
)
def test_a_source_that_has_no_reward_is_refused_as_it_is_loaded(source, error, message):
    with pytest.raises(error, match=message):
        load_reward(source)


def test_a_policy_without_a_session_is_refused_and_one_with_it_for_programs():
    with pytest.raises(PolicyError, match="grants none"):
        load_reward(LENGTHS, policy="strict")
    with pytest.raises(PolicyError, match="gets no services"):
        load_reward(LENGTHS, executing="reward")
    with pytest.raises(PolicyError):
        load_reward(LENGTHS, cpu_seconds=100)


def test_a_function_of_another_shape_is_invoked():
    source = """
def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    return {"score": float(ground_truth in solution_str), "about": [data_source]}
"""
    reward = load_reward(source, name="compute_score")
    given = {"data_source": "d", "solution_str": "42", "ground_truth": "2"}
    assert reward.invoke(**given) == {"score": 1.0, "about": ["d"]}
    assert reward.invoke("d", "42", "3") == {"score": 0.0, "about": ["d"]}


def test_calls_know_nothing_of_each_other():
    reward = load_reward(COUNTER)
    assert [reward(completions=["a"]) for _ in range(3)] == [[1.0]] * 3


def test_a_state_lasts_as_long_as_the_callable():
    reward = load_reward(COUNTER, stateful=True)
    assert [reward(completions=["a", "b"]) for _ in range(3)] == [[n, n] for n in (1.0, 2.0, 3.0)]
    assert (reward.row_wise, reward.why) == (False, "it keeps a state")
    copy = pickle.loads(pickle.dumps(reward))
    assert copy(completions=["a"]) == [1.0]
    reward.close()
    assert reward(completions=["a"]) == [1.0]
    copy.close()
    reward.close()


def test_an_exception_leaves_the_state_and_a_limit_ends_it():
    source = """
calls = []
def f(completions, **kwargs):
    calls.append(1)
    if completions == ["raise"]:
        raise ValueError("it is wrong")
    if completions == ["leave"]:
        exit(0)
    return [float(len(calls))]
"""
    reward = load_reward(source, stateful=True)
    assert reward(completions=["a"]) == [1.0]
    with pytest.raises(RewardError, match="ValueError: it is wrong"):
        reward(completions=["raise"])
    assert reward(completions=["a"]) == [3.0]
    with pytest.raises(RewardError, match="it left before it returned"):
        reward(completions=["leave"])
    assert reward(completions=["a"]) == [1.0]
    reward.close()


def test_threads_take_turns_with_a_state():
    reward = load_reward(COUNTER, stateful=True)
    given = []
    threads = [
        threading.Thread(target=lambda: given.extend(reward(completions=["a"]))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(given) == [float(n) for n in range(1, 9)]
    reward.close()


def test_a_fork_has_a_state_of_its_own():
    reward = load_reward(COUNTER, stateful=True)
    assert reward(completions=["a"]) == [1.0]
    pid = os.fork()
    if not pid:
        os._exit(0 if reward(completions=["a"]) == [1.0] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert reward(completions=["a"]) == [2.0]
    reward.close()


def test_the_child_of_a_state_ends_with_the_callable():
    reward = load_reward(COUNTER, stateful=True)
    reward(completions=["a"])
    del reward
    gc.collect()
    until = time.monotonic() + 10
    while any(thread.name == "reward state" for thread in threading.enumerate()):
        assert time.monotonic() < until
        time.sleep(0.02)


def test_chance_is_seeded():
    source = """
import random
def f(completions, **kwargs):
    return [random.random() for c in completions]
"""
    one, other = load_reward(source), load_reward(source, seed=1)
    assert one(completions=["a", "b"]) == one(completions=["a", "b"])
    assert one(completions=["a", "b"]) != other(completions=["a", "b"])


def test_programs_run_under_the_policy_of_the_caller():
    source = """
from sandbox import restricted_execution
def f(completions, **kwargs):
    return [float(not restricted_execution(c, "", policy="kernel-only")[1]) for c in completions]
"""
    completions = ["import math", "print(1)"]
    assert load_reward(source)(completions=completions) == [0.0, 1.0]
    assert load_reward(source, executing="contest")(completions=completions) == [1.0, 1.0]


def test_masks_of_a_grade_are_the_functions_to_give():
    source = """
from sandbox import grade, grade_many
def f(completions, tests, **kwargs):
    many = [g.score for g in grade_many(list(zip(completions, tests)))]
    assert many == [grade(c, t).score for c, t in zip(completions, tests)], many
    return many
"""
    right, wrong = {"inputs": ["1"], "outputs": ["1"]}, {"inputs": ["1"], "outputs": ["2"]}
    reward = load_reward(source, executing="contest")
    given = reward(completions=["print(input())"] * 3, tests=[right, wrong, None])
    assert given == [1.0, 0.0, None]


def test_what_grade_raises_is_raised_in_the_function():
    source = """
from sandbox import grade_many
def f(completions, **kwargs):
    try:
        grade_many([("x = 1", {"wrong": 1})])
    except ValueError as error:
        return [float("tests" in str(error)) for c in completions]
"""
    assert load_reward(source)(completions=["a"]) == [1.0]
