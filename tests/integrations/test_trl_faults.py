"""Rewards for TRL: masks and faults, and in other processes, threads and event loops."""

import asyncio
import functools
import inspect
import multiprocessing
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from sandbox import SandboxUnavailable
from sandbox.integrations.trl import CodeReward, code_reward

from .trl_rows import (
    PAIRS,
    RIGHT,
    WRONG,
    as_trl,
    close_enough,
    repeated,
)


def number(actual, expected):
    return float(actual) == float(expected)


def broken(completion):
    if "raise" in completion:
        raise KeyError("no program")
    return None if "none" in completion else completion


def test_what_fails_in_one_row_masks_that_row(caplog):
    columns = {"inputs": [[""]] * 3, "outputs": [["1"]] * 3}
    texts = ["print(1)", "print('\\n many')", "print(2)"]
    reward = CodeReward(comparator=number, extract=str)
    assert as_trl(texts, columns, reward) == [1.0, None, 0.0]
    assert "the comparator raised ValueError" in caplog.text
    assert all("\n many" not in record.getMessage() for record in caplog.records)
    rewards = as_trl(["print(1)", "raise", "none"], columns, CodeReward(extract=broken))
    assert rewards == [1.0, None, None]


def test_the_share_of_masked_rows_is_logged_at_every_call():
    told = []
    columns = {"inputs": [["1"], None], "outputs": [["2"], None]}
    reward = CodeReward(name="unit_tests")
    reward(completions=[RIGHT, RIGHT], log_metric=lambda *args: told.append(args), **columns)
    reward(completions=[RIGHT], log_metric=lambda *args: told.append(args), **PAIRS)
    assert told == [("unit_tests/masked", 0.5), ("unit_tests/masked", 0.0)]


FAULT = """
import os, resource
from sandbox.integrations.trl import CodeReward
reward, columns = CodeReward(), {"inputs": [["1"]], "outputs": [["2"]]}
def ask(plus):
    return reward(completions=[f"```python\\nprint(int(input()) + {plus})\\n```"], **columns)
print(ask(1), ask(2))
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) - 1, hard))
print(ask(1), ask(2))
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
print(ask(1), ask(2))
"""


def test_a_fault_of_the_machine_is_no_reward_and_passes():
    """The process has no descriptor left for the pipes of a child; later it has."""
    done = subprocess.run([sys.executable, "-c", FAULT], capture_output=True, text=True, timeout=90)
    assert done.stdout.splitlines() == ["[1.0] [0.0]", "[None] [None]", "[1.0] [0.0]"], done.stderr
    assert "code_reward masks 1 of 1 completions" in done.stderr


SCARCE = """
import os, resource
from sandbox.integrations.trl import CodeReward
reward = CodeReward()
def held():
    return len(os.listdir("/proc/self/fd")) - 1
def ask(plus):
    programs = [f"```python\\nprint(int(input()) + {plus})  # {n}\\n```" for n in range(4)]
    return reward(completions=programs, inputs=[["1"]] * 4, outputs=[["2"]] * 4)
print(ask(1), ask(2))
before, (soft, hard) = held(), resource.getrlimit(resource.RLIMIT_NOFILE)
right, wrong = [], []
for _ in range(4):
    for more in range(8):
        resource.setrlimit(resource.RLIMIT_NOFILE, (held() + more, hard))
        right += ask(1)
        wrong += ask(2)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    ask(1)
print(*(sorted(set(seen), key=str) for seen in (right, wrong)))
print(held() - before)
"""


def test_too_few_descriptors_at_any_moment_are_no_reward_and_leave_none_behind():
    """Where the supervisor is asked, where it is started anew, where a child's pipes arrive."""
    done = subprocess.run(
        [sys.executable, "-c", SCARCE], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    first, answers, more = done.stdout.splitlines()
    assert first == "[1.0, 1.0, 1.0, 1.0] [0.0, 0.0, 0.0, 0.0]"
    assert answers == "[1.0, None] [0.0, None]"
    assert int(more) <= 3


def test_what_is_wrong_with_the_host_is_not_masked(monkeypatch):
    def unavailable(*args, **kwargs):
        raise SandboxUnavailable("landlock", "it is not there", "Use a newer kernel.")

    monkeypatch.setattr("sandbox.integrations.trl.grade_many", unavailable)
    with pytest.raises(SandboxUnavailable, match="newer kernel"):
        as_trl([RIGHT], PAIRS, CodeReward())


# Trainers pickle, fork, spawn and call from threads.


def supervisors():
    """Children of this process."""
    return [child.pid for child in psutil.Process().children()]


def graded(reward, results):
    results.put((reward.__name__, as_trl([RIGHT, WRONG], repeated(PAIRS, 2), reward)))


def asked_of(context, reward):
    results = context.Queue()
    process = context.Process(target=graded, args=(reward, results))
    process.start()
    answer = results.get(timeout=60)
    process.join()
    return answer


INERT = """
import pickle, sys, psutil
from sandbox.integrations.trl import CodeReward
reward = pickle.loads(pickle.dumps(CodeReward(partial=True, cpu_seconds=1)))
print(psutil.Process().children())
print(sorted({"trl", "torch", "transformers", "datasets"} & set(sys.modules)))
print(reward(completions=["```python\\nprint(2)\\n```"], inputs=[["", ""]], outputs=[["2", "3"]]))
print(len(psutil.Process().children()))  # of whichever thread
"""


def test_nothing_starts_and_no_framework_loads_before_the_first_call():
    done = subprocess.run([sys.executable, "-c", INERT], capture_output=True, text=True, timeout=90)
    assert done.stdout.splitlines() == ["[]", "[]", "[0.5]", "1"], done.stderr


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_reward_function_goes_to_other_processes_before_and_after_its_first_call(method):
    reward = CodeReward(name="unit_tests", comparator=close_enough)
    context = multiprocessing.get_context(method)
    assert asked_of(context, reward) == ("unit_tests", [1.0, 0.0])
    assert as_trl([RIGHT], PAIRS, reward) == [1.0]
    assert asked_of(context, reward) == ("unit_tests", [1.0, 0.0])
    assert as_trl([RIGHT], PAIRS, pickle.loads(pickle.dumps(reward))) == [1.0]


def test_it_works_in_many_threads_at_once_and_touches_no_signal():
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    texts = [f"```python\nprint(int(input()) + {n % 3})\n```" for n in range(12)]
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(as_trl, texts, repeated(PAIRS, 12), CodeReward()) for _ in range(4)]
        assert all(each.result() == [0.0, 1.0, 0.0] * 4 for each in asked)
    assert {number: signal.getsignal(number) for number in signal.valid_signals()} == before


def test_the_same_program_with_the_same_tests_runs_once(monkeypatch):
    from sandbox.grading import grade_row

    ran = []
    run = grade_row.Row.grade
    monkeypatch.setattr(
        grade_row.Row, "grade", lambda self, *args: ran.append(0) or run(self, *args)
    )
    columns = {name: [list(values[0]) for _ in range(16)] for name, values in PAIRS.items()}
    assert as_trl([RIGHT, WRONG] * 8, columns, CodeReward()) == [1.0, 0.0] * 8
    assert len(ran) == 2


def test_the_coroutine_grades_beside_others_and_leaves_the_loop_free():
    waiting = "```python\nwhile True: pass\n```"
    slow = functools.partial(code_reward, reward=CodeReward(cpu_seconds=0.5))

    async def main():
        turns = 0
        grading = asyncio.gather(
            slow(completions=[waiting], **PAIRS), code_reward(completions=[RIGHT], **PAIRS)
        )
        while not grading.done():
            await asyncio.sleep(0.01)
            turns += 1
        return turns, await grading

    turns, rewards = asyncio.run(main())
    assert rewards == [[0.0], [1.0]]
    assert turns > 10
    assert inspect.iscoroutinefunction(code_reward)
    assert code_reward.__name__ == "code_reward"


def test_a_coroutine_that_is_cancelled_ends_what_it_had_begun():
    compared = []

    def compare(actual, expected):
        compared.append(actual)
        time.sleep(0.02)
        return True

    columns = {"inputs": [["1"] * 500], "outputs": [["2"] * 500]}
    reward = CodeReward(partial=True, comparator=compare)

    async def cancelled():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(as_trl([RIGHT], columns, ask), 1)

    ask = functools.partial(code_reward, reward=reward)
    asyncio.run(cancelled())  # which waits for its threads
    assert 0 < len(compared) < 400
    assert asyncio.run(as_trl([RIGHT], PAIRS, ask)) == [1.0]


INTERRUPTED = """
import os, signal, threading, time
from sandbox.integrations.trl import CodeReward
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell ignores it
reward = CodeReward(cpu_seconds=0.5)
reward(completions=["```python\\nprint(1)\\n```"], inputs=[[""]], outputs=[["1"]])
texts = [f"```python\\nwhile {n + 1}: pass\\n```" for n in range(200)]
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
try:
    reward(completions=texts, inputs=[[""]] * 200, outputs=[["1"]] * 200)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started < 15)
print(reward(completions=["```python\\nprint(1)\\n```"], inputs=[[""]], outputs=[["1"]]))
"""


def test_an_interrupt_ends_a_batch_soon_and_spoils_nothing():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.splitlines() == ["interrupted True", "[1.0]"], done.stderr
