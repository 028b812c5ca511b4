"""Rewards as TRL asks for them: rows, masks, other processes and threads, hostile completions."""

import asyncio
import functools
import inspect
import json
import logging
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox import PolicyError, SandboxUnavailable, grade
from sandbox.grading import formats
from sandbox.integrations import columns as column_reading
from sandbox.integrations.trl import CodeReward, code_reward

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


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_graded_in_every_form_of_tests_and_both_of_completions(form):
    right, wrong, columns = FORMS[form]
    texts = [right, wrong, conversation(right), conversation(wrong)]
    assert as_trl(texts, repeated(columns, 4), CodeReward()) == [1.0, 0.0, 1.0, 0.0]


def test_the_columns_that_are_known_are_the_forms_that_grading_reads():
    assert set(column_reading.FORMS) == {*formats._SHAPES, "tests"}


def test_a_program_that_continues_the_prompt_is_graded_with_it():
    body = "```python\n    total: List[int] = [a, b]\n    return sum(total)\n```"
    columns = {"test": [CHECK], "entry_point": ["add"]}
    assert as_trl([body], columns, CodeReward(), prompts=[HEADER]) == [1.0]
    assert as_trl([body], columns, CodeReward(), [[{"role": "user", "content": HEADER}]]) == [1.0]
    assert as_trl([body], columns, CodeReward(), prompts=["Write add."]) == [0.0]


def test_the_column_of_tests_can_be_chosen_whole_or_by_its_parts():
    chosen = CodeReward("unit")
    assert as_trl([RIGHT, WRONG], {"unit": [VERIFICATION] * 2, "test": ["?"] * 2}, chosen) == [1, 0]
    parts = CodeReward({"test": "unit", "entry_point": "name", "prompt": "head"})
    columns = {"unit": [CHECK], "name": ["add"], "head": [HEADER], "test_list": [["?"]]}
    assert as_trl(["```python\n    return a + b\n```"], columns, parts) == [1.0]


def test_a_row_without_tests_has_no_reward():
    columns = {"inputs": [["1"], None, []], "outputs": [["2"], None, []]}
    assert as_trl([RIGHT] * 3, columns, CodeReward()) == [1.0, None, None]
    assert as_trl([RIGHT, RIGHT], {"unit": [None, ""]}, CodeReward("unit")) == [None, None]
    assert as_trl([], {"inputs": [], "outputs": []}, CodeReward()) == []


def test_partial_credit_is_the_share_of_tests_passed():
    columns = {"inputs": [["1", "2", "3", "4"]], "outputs": [["1", "0", "3", "0"]]}
    copy = "```python\nprint(input())\n```"
    assert as_trl([copy], columns, CodeReward()) == [0.0]
    assert as_trl([copy], columns, CodeReward(partial=True)) == [0.5]
    assert as_trl([copy], columns, CodeReward(partial=True, early_stop=True)) == [0.25]


def close_enough(actual, expected):
    return abs(float(actual) - float(expected)) < 0.1


def test_comparator_policy_limits_and_extraction_are_chosen():
    columns = {"inputs": [["1"]], "outputs": [["1.05"]]}
    text = "print(float(input()))"
    assert as_trl([text], columns, CodeReward(extract=str)) == [0.0]
    assert as_trl([text], columns, CodeReward(extract=str, comparator=close_enough)) == [1.0]
    maths = "```python\nimport math\nprint(math.floor(1.5))\n```"
    columns = {"inputs": [[""]], "outputs": [["1"]]}
    assert as_trl([maths], columns, CodeReward()) == [1.0]
    assert as_trl([maths], columns, CodeReward(policy="strict")) == [0.0]
    typed = "```python\ndef f(x: List[int]):\n    return x[0]\n```"
    calls = {"inputs": [[[[1]]]], "outputs": [[1]], "fn_name": ["f"]}
    assert as_trl([typed], calls, CodeReward()) == [1.0]
    assert as_trl([typed], calls, CodeReward(preamble="")) == [0.0]
    slow = "```python\nfor n in range(10**9): pass\nprint(1)\n```"
    assert as_trl([slow], columns, CodeReward(cpu_seconds=0.1)) == [0.0]


def test_settings_that_are_wrong_are_refused_when_they_are_made():
    with pytest.raises(ValueError, match="no comparator 'fuzzy'"):
        CodeReward(comparator="fuzzy")
    with pytest.raises(PolicyError, match="nowhere"):
        CodeReward(policy="nowhere")
    with pytest.raises(PolicyError, match=r"cpu_second: unknown limit .did you mean cpu_seconds"):
        CodeReward(cpu_second=1)
    with pytest.raises(PolicyError, match="may tighten"):
        CodeReward(cpu_seconds=10**6)


def test_a_test_that_shares_a_process_with_the_program_can_be_left_out():
    code = "```python\nclass Stack:\n    def size(self):\n        return 0\n```"
    columns = {"test_list": [["s = Stack()\nassert s.size() == 0"]]}
    assert as_trl([code], columns, CodeReward()) == [1.0]
    assert as_trl([code], columns, CodeReward(mask_weaker=True)) == [None]
    assert as_trl([ADD], FORMS["MBPP"][2], CodeReward(mask_weaker=True)) == [1.0]


# What a trainer or a data set gets wrong is told, and rewards nobody.


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"answer": ["1", "2"]}, "none of the columns .answer, prompt. is known to have tests"),
        ({"inputs": [["1"]], "outputs": [["2"]]}, "column 'inputs' has 1 rows, and completions 2"),
        ({"test_list": [["x"]] * 3}, "column 'test_list' has 3 rows, and completions 2"),
        ({"tests": "ab"}, "column 'tests' is no list but a str"),
        ({"inputs": [["1"]] * 2, "outputs": [["2"], ["2", "3"]]}, "row 1: .* 1 inputs and 2 out"),
        ({"inputs": [["1"]] * 2, "outputs": [["2"], None]}, "row 1: .* inputs and outputs are"),
        ({"test": [CHECK] * 2}, "row 0: .* prompt, test and entry_point are text"),
        ({"test": ["def check(c:"] * 2, "entry_point": ["f"] * 2}, "row 0: .* is not Python"),
        ({"verification_info": [VERIFICATION, "{"]}, "row 1: .* JSONDecodeError"),
        ({"verification_info": [VERIFICATION, "[" * 10**5]}, "row 1: its tests cannot be read"),
        ({"verification_info": [VERIFICATION, {"answer": 3}]}, "row 1: .* no known form .* answer"),
        ({"test_cases": [CASES, [3]]}, "row 1: .* every case is a dict"),
        ({"test_list": [["assert f()"], 5]}, "row 1: .* TypeError"),
        ({"test_list": [["x"]] * 2, "test": ["y"] * 2}, "row 0: .* test, test_list all have tests"),
    ],
)
def test_columns_and_tests_that_are_malformed_raise_and_say_where(columns, message):
    with pytest.raises(ValueError, match=message):
        as_trl([RIGHT, RIGHT], columns, CodeReward())


def test_a_column_that_was_chosen_and_is_missing_is_named():
    with pytest.raises(
        ValueError, match="no column 'unit' for tests: there are inputs, outputs, prompt"
    ):
        as_trl([RIGHT], PAIRS, CodeReward("unit"))
    with pytest.raises(ValueError, match="no column 'name' for tests"):
        as_trl([RIGHT], {"test": [CHECK]}, CodeReward({"test": "test", "entry_point": "name"}))


def test_a_data_set_can_be_checked_before_a_training():
    good = {"inputs": ["1"], "outputs": ["2"]}
    rows = [good, {"inputs": None, "outputs": None}, good]
    assert CodeReward().check(rows) == 2
    with pytest.raises(ValueError, match="row 3: its tests cannot be read: 1 inputs and 0 outputs"):
        CodeReward().check([*rows, {"inputs": ["1"], "outputs": []}])


# A completion is untrusted.


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "no code at all",
        [],
        {"role": "assistant"},
        [{"role": "assistant"}],
        [{"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f"}}]}],
        [{"role": "tool", "content": RIGHT}],
        [{"role": "user", "content": RIGHT}],
        "```python\nprint('\ud800')\n```",
        "```python\n" + "x" * 10_000_000,
        "```" * 1_000_000,
        "```python\n" + "(" * 100_000,
        "```python\n\x00\n```",
    ],
    ids=lambda completion: repr(completion)[:50],
)
def test_what_has_no_right_program_in_it_earns_nothing_and_raises_nothing(completion):
    columns = repeated(PAIRS, 3)
    assert as_trl([RIGHT, completion, WRONG], columns, CodeReward()) == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "completion", [None, 5, b"bytes", [["nested"]], [None], [{"content": 3}], {5}], ids=repr
)
def test_what_is_no_completion_has_no_reward_and_the_log_says_why(completion, caplog):
    with caplog.at_level(logging.WARNING):
        rewards = as_trl([RIGHT, completion, WRONG], repeated(PAIRS, 3), CodeReward())
    assert rewards == [1.0, None, 0.0]
    assert "code_reward masks 1 of 3 completions" in caplog.text
    assert "the completion cannot be read: TypeError" in caplog.text


def test_a_tool_result_is_not_taken_for_the_answer():
    talk = [{"role": "assistant", "content": WRONG}, {"role": "tool", "content": RIGHT}]
    assert as_trl([talk], PAIRS, CodeReward()) == [0.0]


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


def test_what_is_wrong_with_the_host_is_not_masked(monkeypatch):
    def unavailable(*args, **kwargs):
        raise SandboxUnavailable("landlock", "it is not there", "Use a newer kernel.")

    monkeypatch.setattr("sandbox.integrations.trl.grade_many", unavailable)
    with pytest.raises(SandboxUnavailable, match="newer kernel"):
        as_trl([RIGHT], PAIRS, CodeReward())


# Trainers pickle, fork, spawn and call from threads.


def supervisors():
    """Children of this process."""
    return open(f"/proc/self/task/{os.getpid()}/children").read().split()


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
import pickle, sys, os
from sandbox.integrations.trl import CodeReward
reward = pickle.loads(pickle.dumps(CodeReward(partial=True, cpu_seconds=1)))
print(open(f"/proc/self/task/{os.getpid()}/children").read().split())
print(sorted({"trl", "torch", "transformers", "datasets"} & set(sys.modules)))
print(reward(completions=["```python\\nprint(2)\\n```"], inputs=[["", ""]], outputs=[["2", "3"]]))
print(len(open(f"/proc/self/task/{os.getpid()}/children").read().split()))
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
    from sandbox.grading import rows

    ran = []
    run = rows.Row.grade
    monkeypatch.setattr(rows.Row, "grade", lambda self, *args: ran.append(0) or run(self, *args))
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


def test_a_reward_agrees_with_a_grade():
    tests = {"inputs": PAIRS["inputs"][0], "outputs": PAIRS["outputs"][0]}
    code = "n = int(input())\nprint(n + 1 if n < 5 else n)"
    (share,) = as_trl([f"```python\n{code}\n```"], PAIRS, CodeReward(partial=True))
    assert share == grade(code, tests).fraction == 0.5
