"""When the collector runs: between a program's instructions, and often enough."""

import sys

import pytest

from sandbox import Policy, Sandbox
from sandbox.runtime.child import garbage

AMID_C_CODE = """
seen = []
class Loop:
    def __init__(self):
        self.me = self
    def __del__(self):
        seen.append("ended")
for _ in range(50):
    Loop()
numbers = list(range(100_000))
made = list(map(seen.append, zip(numbers, numbers)))  # many objects, and no Python code between
while "ended" not in seen:
    made = [[number] for number in range(1000)]
print(seen.index("ended"), seen.count("ended"))
"""
CYCLES = """
class Node:
    pass
for _ in range(600_000):
    a = [None] * 10
    a[0] = a
kept = []
for number in range(100_000):
    a, b = Node(), Node()
    a.other, b.other = b, a
    if number % 10 == 0:
        kept.append(a)
print(len(kept))
"""
BEFORE_3_12 = sys.version_info < (3, 12)


@pytest.mark.parametrize("policy", ["strict", "algorithms", "contest"])
def test_a_finalizer_never_runs_in_the_middle_of_c_code(policy):
    with Sandbox(policy, workers=1) as sandbox:
        result = sandbox.run(AMID_C_CODE)
    assert result.stdout == "100000 50\n", result


def test_garbage_that_refers_to_itself_is_freed_in_time():
    with Sandbox("strict", workers=1) as sandbox:
        result = sandbox.run(CYCLES, memory_mib=64)
    assert result.stdout == "10000\n", result


def test_finalizers_wait_while_a_guard_has_the_collector_off(monkeypatch):
    ran = []
    on_tick = garbage.make_handler()
    young = (garbage._YOUNG + 1, 0, 0)
    told = {"count": lambda: young, "collect": lambda generation: ran.append(generation) or 0}
    on_tick(0, None, is_on=lambda: False, **told)
    assert ran == []
    on_tick(0, None, is_on=lambda: True, **told)
    assert ran == [1]


def test_all_is_looked_at_when_a_quarter_was_added():
    ran = []
    on_tick = garbage.make_handler()
    told = {"collect": lambda generation: ran.append(generation) or 0, "is_on": lambda: True}
    for _ in range(40):
        on_tick(0, None, count=lambda: (10_000, 0, 0), **told)
    # After 80,000, of which nothing was freed; then when as many as a quarter more are there.
    assert [at for at, generation in enumerate(ran) if generation == 2] == [8, 17, 26, 35]


def test_ticks_are_for_the_language_layer_of_3_11_alone():
    strict = Policy.load("strict")
    assert garbage.is_deferred(strict.plan()) == BEFORE_3_12
    assert not garbage.is_deferred(strict.replaced(deterministic=True).plan())
    assert not garbage.is_deferred(Policy.load("kernel-only").plan())
