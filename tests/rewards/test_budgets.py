"""How long a call of a contained reward may take, and who is to blame if it was longer."""

import threading
import time

import pytest

from sandbox import RewardError, Sandbox, SandboxClosed, SandboxError, load_reward
from sandbox.grading.block import Block, ended, ending
from sandbox.grading.options import Settings
from sandbox.grading.sandboxes import Sandboxes
from sandbox.rewards import call_time, child
from sandbox.rewards.call_time import CallTime

LENGTHS = "def lengths(completions, **kwargs):\n    return [float(len(c)) for c in completions]\n"
ENDLESS = {
    "a program": "restricted_execution('while True: pass')",
    "inputs of one": "grade('while True: pass', {'inputs': ['1'] * 9, 'outputs': ['2'] * 9})",
    "calls": "grade('def f(x):\\n while 1: pass', {'fn_name': 'f', 'inputs': [[1]] * 9,"
    " 'outputs': [2] * 9})",
    "assertions": "grade('def f(x):\\n while 1: pass', {'test_list': ['assert f(1)'] * 9})",
    "assertions that never end": "grade('f = abs', {'test_list': ['f(1)\\nwhile 1: pass'] * 9})",
    "with a comparator": "grade('while True: pass', {'inputs': ['1'] * 9, 'outputs': ['2'] * 9},"
    " comparator=lambda a, b: True)",
    "many": "grade_many([(f'x = {n}\\nwhile 1: pass', {'inputs': ['1'], 'outputs': ['2']})"
    " for n in range(9)])",
}


def source(expression):
    return f"""
from sandbox import restricted_execution, grade, grade_many
def f(completions, **kwargs):
    {expression}
    return [1.0] * len(completions)
"""


@pytest.mark.parametrize("way", ENDLESS)
def test_a_call_is_over_in_the_midst_of_what_it_has_executed(way):
    reward = load_reward(source(ENDLESS[way]), budget_seconds=0.7)
    with pytest.raises(RewardError, match="longer than budget_seconds"):
        reward(completions=["a"])


def test_what_a_state_had_graded_ends_with_its_call():
    reward = load_reward(source(ENDLESS["many"]), stateful=True, budget_seconds=0.7)
    with pytest.raises(RewardError, match="budget_seconds"):
        reward(completions=["a"])
    ends = time.monotonic() + 30
    while any(thread.name == "reward state" for thread in threading.enumerate()):
        assert time.monotonic() < ends
        time.sleep(0.1)


def test_the_start_of_a_states_sandbox_is_none_of_its_time(monkeypatch):
    class Slow(Sandbox):
        def __init__(self, *args, **kwargs):
            time.sleep(1.5)
            super().__init__(*args, **kwargs)

    reward = load_reward(LENGTHS, stateful=True, budget_seconds=1.0)
    monkeypatch.setattr(child, "Sandbox", Slow)
    assert reward(completions=["a", "bb"]) == [1.0, 2.0]


def test_a_state_whose_sandbox_does_not_start_is_a_fault(monkeypatch):
    def broken(*args, **kwargs):
        raise SandboxError("no supervisor")

    reward = load_reward(LENGTHS, stateful=True, budget_seconds=1.0)
    monkeypatch.setattr(child, "Sandbox", broken)
    assert reward(completions=["a", "bb"]) == [None, None]


@pytest.mark.parametrize("closed", [False, True])
def test_a_state_that_ends_before_its_first_call_tells_that_call_alone(monkeypatch, closed):
    def broken(*args, **kwargs):
        raise SandboxError("no supervisor")

    monkeypatch.setattr(child, "Sandbox", broken)
    state = child.Child(load_reward(LENGTHS, stateful=True)._run())
    ends = time.monotonic() + 30
    while state.is_alive():
        assert time.monotonic() < ends
        time.sleep(0.01)
    if closed:
        state.close()
    else:
        with pytest.raises(SandboxError, match="no supervisor"):
            state.ask({}, {}, lambda: 10.0)
    assert state.ask({}, {}, lambda: 10.0) is None


# -- blame


@pytest.mark.parametrize("stateful", [False, True])
def test_a_fault_that_took_the_time_of_a_call_is_not_its_own(monkeypatch, caplog, stateful):
    real, faults = Sandbox.run_job, []

    def slow(self, job):
        if not faults:
            faults.append(1)
            raise SandboxError("its supervisor was lost")
        time.sleep(0.8)  # another starts
        return real(self, job)

    expression = "restricted_execution('print(1)')"
    reward = load_reward(source(expression), budget_seconds=0.6, stateful=stateful)
    monkeypatch.setattr(Sandbox, "run_job", slow)
    assert reward(completions=["a", "b"]) == [None, None]
    assert "the sandbox failed amid the call" in caplog.text
    reward.close()


def test_the_time_that_a_lost_supervisor_took_is_seen(monkeypatch):
    lost = iter([3, 3, 4])
    monkeypatch.setattr(call_time, "lost_supervisors", lambda: next(lost))
    taken = CallTime(-1.0)
    taken.check_fault()  # it was too late by itself
    with pytest.raises(SandboxError, match="budget_seconds"):
        taken.check_fault()


def test_a_fault_that_left_time_enough_is_forgotten():
    taken = CallTime(60.0)
    taken.note_fault()
    taken.check_fault()
    assert taken.within(5.0) == 5.0
    assert 59.0 < taken.within(100.0) <= 60.0
    assert 0 < CallTime(-1.0).within(100.0) < 0.1


# -- blocks


def test_an_inner_block_is_over_with_the_outer_one():
    with ending():
        outer = ended()
        with ending():
            inner = ended()
            assert (outer(), inner()) == (False, False)
        assert (outer(), inner()) == (False, True)
        inside = Block()
    assert (outer(), inside.is_over(), ended()()) == (True, True, False)


def test_a_block_has_no_more_time_than_the_one_around_it():
    soon = time.monotonic() + 5
    with ending(soon), ending(soon + 100):
        assert 0 < Block().left() <= 5
    with ending(soon), ending(time.monotonic() - 1):
        assert Block().is_over()


def test_grading_has_no_more_time_than_its_block():
    with ending(time.monotonic() + 3):
        sandboxes = Sandboxes(Settings.of({"policy": "strict", "cpu_seconds": 1.0}))
        assert sandboxes.limits["wall_seconds"] <= 3
        assert sandboxes.test_limits["wall_seconds"] <= 3
    with pytest.raises(SandboxClosed):
        sandboxes.check()
    with_limit = Sandboxes(Settings.of({"policy": "strict", "cpu_seconds": 1.0}))
    assert with_limit.limits == {"cpu_seconds": 1.0}
