"""What becomes of faults, limits, budgets and interrupts in a call of a contained reward."""

import os
import signal
import threading

import psutil
import pytest

from sandbox import (
    RewardError,
    SandboxClosed,
    SandboxError,
    load_reward,
)
from sandbox.rewards.child import Run
from sandbox.runtime.caller.defaults import default_sandbox

LENGTHS = "def lengths(completions, **kwargs):\n    return [float(len(c)) for c in completions]\n"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("    while True: pass", "CPU_LIMIT"),
        ("    return [len('x' * (1 << 32))]", "MEMORY_LIMIT"),
        ("    import os", "DENIED"),
        ("    exit(0)", "OK"),
        ("    raise SystemExit(3)", "ERROR"),
    ],
)
def test_a_limit_or_a_refusal_is_the_functions_own(body, status):
    reward = load_reward(f"def f(completions, **kwargs):\n{body}\n", cpu_seconds=0.3)
    with pytest.raises(RewardError) as raised:
        reward(completions=["a"])
    assert raised.value.status == status


def test_a_lost_supervisor_costs_no_reward():
    source = "def f(completions, **kwargs):\n    return [float(c) for c in completions]\n"
    reward = load_reward(source)
    for _ in range(5):
        supervisor = psutil.Process(default_sandbox("reward")._pool._current.pid)
        killing = threading.Timer(0.01, supervisor.kill)
        killing.start()
        given = [reward(completions=["1", "2"]) for _ in range(20)]
        killing.join()
        assert given == [[1.0, 2.0]] * 20


def test_a_fault_masks_and_says_so(monkeypatch, caplog):
    reward = load_reward(LENGTHS)

    def broken(self, case, lent):
        raise SandboxError("two supervisors were lost")

    monkeypatch.setattr(Run, "once", broken)
    metrics = {}
    given = reward(completions=["a", "b"], log_metric=metrics.__setitem__)
    assert given == [None, None]
    assert metrics == {"lengths/masked": 1.0}
    assert "lengths masks 2 completions: two supervisors were lost" in caplog.text


def test_a_fault_of_some_rows_masks_these_alone(monkeypatch):
    reward = load_reward(LENGTHS, row_wise=True, workers=2)
    once = Run.once

    def broken(self, case, lent):
        if "bad" in case["named"]["completions"]:
            raise SandboxError("a fault")
        return once(self, case, lent)

    monkeypatch.setattr(Run, "once", broken)
    completions = ["a"] * 5 + ["bad"] + ["a"] * 6
    assert reward(completions=completions) == [1.0] * 5 + [None] + [1.0] * 6


def test_a_wrong_configuration_is_raised_and_masks_nothing(monkeypatch):
    reward = load_reward(LENGTHS)

    def closed(self, case, lent):
        raise SandboxClosed("the sandbox is closed")

    monkeypatch.setattr(Run, "once", closed)
    with pytest.raises(SandboxClosed):
        reward(completions=["a"])


def test_a_call_has_a_budget_of_time_for_all_that_it_has_executed():
    source = """
from sandbox import restricted_execution
def f(completions, **kwargs):
    while True:
        restricted_execution("print(1)", "")
"""
    reward = load_reward(source, budget_seconds=0.5)
    with pytest.raises(RewardError, match="budget_seconds"):
        reward(completions=["a"])


def test_a_call_has_that_budget_also_where_it_asks_for_nothing():
    source = "def f(completions, **kwargs):\n    while completions: pass\n"
    with pytest.raises(RewardError) as raised:
        load_reward(source, budget_seconds=0.5)(completions=["a"])
    assert raised.value.status == "WALL_LIMIT"


def test_an_interrupt_ends_the_parts_of_a_batch():
    source = """
from sandbox import restricted_execution
def f(completions, **kwargs):
    while True:
        restricted_execution("print(1)", "")
"""
    reward = load_reward(source, row_wise=True, workers=2)
    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    waking = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1))
    waking.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            reward(completions=["a"] * 4)
    finally:
        waking.join()
        signal.signal(signal.SIGUSR1, before)
