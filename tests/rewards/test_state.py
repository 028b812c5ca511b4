"""A function with a state: each call gets its own answer, and no call lasts for ever."""

import threading

import pytest

from sandbox import RewardError, load_reward
from sandbox.runtime.caller.defaults import default_sandbox

COUNTS = """
n = 0
def f(completions, **kwargs):
    global n
    n += 1
    return [float(n) for _ in completions]
"""


def test_more_functions_with_a_state_than_workers_do_not_wait_for_one_another():
    rewards = [
        load_reward(COUNTS, stateful=True) for _ in range(default_sandbox("reward").workers + 1)
    ]
    told = []

    def call():
        told.extend(reward(completions=["a"]) for _ in range(2) for reward in rewards)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(60)
    for reward in rewards:
        reward.close()
    assert told == [[1.0]] * len(rewards) + [[2.0]] * len(rewards)


@pytest.mark.parametrize("stateful", [True, False])
def test_an_answer_that_the_function_gives_itself_is_no_later_calls(stateful):
    source = """
def f(completions, **kwargs):
    reward_tell("returned", [9.0 for _ in completions])
    return [float(len(each)) for each in completions]
"""
    reward = load_reward(source, stateful=stateful)
    for texts in (["a", "bb"], ["cc", "d"]):
        try:
            told = reward(completions=texts)
        except RewardError as error:
            told = str(error)
        assert told == [9.0, 9.0] or "call is" in told  # over, or none is going on
    reward.close()


def test_a_function_that_asks_for_the_next_call_is_told_that_one_is_going_on():
    source = """
def f(completions, **kwargs):
    reward_take()
    return [0.0 for _ in completions]
"""
    reward = load_reward(source, stateful=True, budget_seconds=30)
    with pytest.raises(RewardError, match="a call is going on"):
        reward(completions=["a"])
    reward.close()


def test_a_call_that_never_ends_is_ended_after_its_budget_and_the_next_begins_anew():
    source = COUNTS.replace("n += 1", "n += 1\n    while completions == ['loop']:\n        pass")
    reward = load_reward(source, stateful=True, budget_seconds=2)
    assert reward(completions=["a"]) == [1.0]
    with pytest.raises(RewardError) as raised:
        reward(completions=["loop"])
    assert raised.value.status == "WALL_LIMIT"
    assert reward(completions=["a"]) == [1.0]
    reward.close()


def test_a_call_that_waits_while_the_child_ends_gets_the_next_child():
    source = COUNTS.replace("n += 1", "n += 1\n    while completions == ['loop']:\n        pass")
    reward = load_reward(source, stateful=True, cpu_seconds=0.5)
    told = []

    def loop():
        with pytest.raises(RewardError):
            reward(completions=["loop"])

    def wait():
        told.append(reward(completions=["a"]))

    threads = [threading.Thread(target=each, daemon=True) for each in (loop, wait, wait)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    reward.close()
    assert sorted(told) in ([[1.0], [2.0]], [[1.0], [1.0]])  # some before the loop, some after


def test_what_is_logged_in_one_call_has_an_end():
    source = """
def f(completions, log_metric=None, **kwargs):
    for n in range(2000):
        try:
            log_metric("a", float(n))
        except Exception:
            break
    return [float(n) for _ in completions]
"""
    seen = []
    reward = load_reward(source)
    assert reward(completions=["a"], log_metric=lambda *said: seen.append(said)) == [1000.0]
    assert len(seen) == 1001  # and what was masked
