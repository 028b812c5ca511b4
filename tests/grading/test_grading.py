"""Grades: what they count, early stops, duplicates, order, and the programs they are for."""

import threading
import time
from dataclasses import replace

import pytest

from sandbox import Sandbox, Status, audit_reward, extract_code, grade, grade_many
from sandbox.grading.asserts.call_session import Ended, Guest
from sandbox.grading.options import Settings
from sandbox.grading.sandboxes import Sandboxes
from sandbox.grading.texts.harness import as_module
from sandbox.grading.verdicts import Verdict

from .samples import CHECKED, COPY, ECHO, verdicts


def test_a_grade_counts_its_tests():
    result = grade("x = input()\nprint(x if x != 'b' else 'no')", ECHO, early_stop=False)
    assert (result.passed, result.total, result.masked, result.score) == (2, 3, False, 0.0)
    assert result.fraction == pytest.approx(2 / 3)
    assert verdicts(result) == ["passed", "failed", "passed"]
    assert "b" not in result.cases[1].reason.split()


def test_an_early_stop_skips_the_rest():
    for code, tests in (("print('a')", ECHO), ("def f(x):\n    return 0", CHECKED)):
        result = grade(code, tests, early_stop=True)
        assert verdicts(result)[-1] == "skipped"
        assert "failed" in verdicts(result)
        assert result.fraction == result.passed / result.total
        assert result.executions < 2 * result.total


@pytest.mark.parametrize("code", ["", "  \n", "\t"])
def test_no_program_fails_everything_without_a_run(code):
    assert grade(code, ECHO).score == 0.0
    assert grade(code, {"inputs": [""], "outputs": [""]}).score == 0.0
    assert grade(code, CHECKED).executions == 0


def test_many_rows_keep_their_order_and_duplicates_are_graded_once(monkeypatch):
    import sandbox.grading.grade as module

    graded = []
    real = module._grade

    def counting(*arguments):
        graded.append(arguments[3])
        return real(*arguments)

    monkeypatch.setattr(module, "_grade", counting)
    codes = [f"print({n} if input() == 'a' else 0)" for n in (0, 1, 0, 2, 0)]
    tests = {"inputs": ["a"], "outputs": ["1"]}
    rows = [(code, dict(tests)) for code in codes]
    grades = grade_many(iter([*rows, (codes[1], None)]))
    assert [grade.score for grade in grades] == [0.0, 1.0, 0.0, 0.0, 0.0, None]
    assert sorted(graded) == sorted([*set(codes), codes[1]])


def test_progress_shows_rows_and_the_rate(capsys):
    grades = grade_many([(COPY, ECHO), (COPY, ECHO), (COPY, None)], progress=True)
    shown = capsys.readouterr().err
    assert "3/3" in shown
    assert "3 executions" in shown
    assert [grade.score for grade in grades] == [1.0, 1.0, None]


def test_wrong_tests_are_refused_before_anything_runs():
    with pytest.raises(ValueError, match="no known form"):
        grade(COPY, {"what": 1})


def test_a_row_of_no_known_form_is_masked_and_named_and_the_batch_goes_on():
    right, unread, again = grade_many([(COPY, ECHO), (COPY, {"what": 1}), (COPY, ECHO)])
    assert (right.score, unread.score, again.score) == (1.0, None, 1.0)
    assert "no known form of tests: what; one has" in unread.cases[0].reason
    assert unread.executions == 0


def test_the_policy_decides_what_the_program_may_do():
    code = "import math\ndef f(x):\n    return math.floor(x)"
    assert grade(code, CHECKED).score == 1.0
    assert grade(code, CHECKED, policy="strict").score == 0.0
    assert grade("def f(x):\n    return x", CHECKED, policy="strict").score == 1.0
    assert grade("def f(x):\n    return x", CHECKED, policy="kernel-only").score == 1.0


def test_rewards_under_three_policies_keep_their_sandboxes(monkeypatch):
    opened, opens = [], Sandbox.__init__

    def counting(self, *arguments, **options):
        opened.append(arguments)
        opens(self, *arguments, **options)

    def alternate():
        for policy in ("contest", "algorithms", "strict"):
            grade_many([(COPY, ECHO), ("def f(x):\n    return x", CHECKED)], policy=policy)

    alternate()
    monkeypatch.setattr(Sandbox, "__init__", counting)
    alternate()
    assert opened == []


def test_one_program_answers_many_calls_and_ends_with_its_last():
    program = (
        "n = 0\nanswer = None\nwhile True:\n    n += grade_exchange(answer)[0]\n    answer = n"
    )
    guest = Guest(
        Sandboxes(Settings.of({"policy": "strict"})).guests, program, {"cpu_seconds": 1.0}
    )
    try:
        assert [guest.call([k]) for k in (1, 2, 3)] == [1, 3, 6]
        with pytest.raises(Ended):
            guest.call(["text"])
        with pytest.raises(Ended):  # and stays ended
            guest.call([1])
        assert guest.result is not None
        assert guest.result.status is Status.ERROR
    finally:
        guest.close()


def test_a_grade_is_data():
    result = grade(COPY, ECHO)
    assert replace(result, weaker=True) != result
    assert result.cases[0].verdict is Verdict.PASSED


PLAIN = """
import re
from sandbox import restricted_execution

def reward(completions, extra_data, **kwargs):
    rewards = []
    for response, data in zip(completions, extra_data):
        blocks = re.findall(r"```python\\n(.*?)```", response, re.DOTALL)
        user_code = blocks[-1] if blocks else ""
        output, error = restricted_execution(user_code, input_data='')
        correct = not error and output.strip() == data["expected_output"].strip()
        rewards.append(1.0 if user_code and correct else 0.0)
    return rewards
"""


def test_the_plain_reward_function_passes_its_audit_and_agrees_with_the_batched_one():
    assert not [f for f in audit_reward(PLAIN).findings if f.severity.label == "high"]
    scope = {}
    exec(PLAIN, scope)
    codes = ["print(42)", "print(41)", "print(42)\n1 / 0", "def f(:", "import os", "print('42 ')"]
    completions = [*(f"so:\n```python\n{code}\n```\n" for code in codes), "no program"]
    data = [{"expected_output": "42\n"}] * len(completions)
    rows = [
        (extract_code(text), {"inputs": [""], "outputs": [each["expected_output"]]})
        for text, each in zip(completions, data, strict=True)
    ]
    grades = grade_many(rows, comparator=lambda a, b: a.strip() == b.strip(), policy="strict")
    plain = scope["reward"](completions=completions, extra_data=data)
    assert plain == [grade.score for grade in grades] == [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "code",
    [
        "if" + " " * 500_000 + "x",
        "if __name__" + "\n" * 500_000,
        "if __name__ == '__main__'" + " " * 500_000,
        "if (__name__ == '__main__')" + " \n" * 250_000,
        "if(" * 200_000,
    ],
    ids=lambda code: code[:30].strip(),
)
def test_a_program_that_looks_like_a_main_part_for_long_costs_no_time(code):
    before = time.thread_time()
    as_module(code)
    assert time.thread_time() - before < 1


@pytest.mark.parametrize(
    "line",
    [
        'if __name__ == "__main__":',
        "if __name__=='__main__':",
        "if (__name__ == '__main__') :",
        "if( __name__ == '__main__' ):",
    ],
)
def test_the_main_part_does_not_run_where_functions_are_called(line):
    code = f"def f():\n    return 1\n{line}\n    raise SystemExit(1)\n"
    assert grade(code, {"inputs": [[]], "outputs": [1], "fn_name": "f"}).score == 1.0


@pytest.mark.parametrize(
    "prompt",
    ["def add(a, b):\n", "def add(a, b):\n    # sum\n", 'def add(a, b):\n    """Sum."""\n'],
)
@pytest.mark.parametrize(
    "code",
    [
        "def add(a, b):\n    return a + b\n",
        "import math\n\ndef add(a, b):\n    return a + b\n",
        "    return a + b\n",
        "\n# so:\n    return a + b\n",
    ],
)
def test_a_program_may_repeat_or_continue_a_prompt_with_or_without_a_body(prompt, code):
    check = "def check(candidate):\n    assert candidate(1, 2) == 3\n"
    tests = {"prompt": prompt, "test": check, "entry_point": "add"}
    assert grade(code, tests).score == 1.0
    assert grade(code.replace("+", "-"), tests).score == 0.0


def test_a_program_scores_the_same_with_few_tests_and_with_many():
    """More than two, and it is compiled once: the set would be filled in another order."""
    code = "input()\nprint(list({8, 0, 16}))"
    for count in (1, 2, 3, 4):
        tests = {"inputs": ["x"] * count, "outputs": ["[8, 0, 16]"] * count}
        assert grade(code, tests).score == 1.0
    calls = {"fn_name": "f", "inputs": [[1]] * 3, "outputs": [[8, 0, 16]] * 3}
    assert grade("def f(x):\n    return list({8, 0, 16})", calls).score == 1.0


def test_no_thread_is_left_in_the_callers_process() -> None:
    """A bar that is not shown has none that draws it."""
    before = {thread.name for thread in threading.enumerate()}
    grades = grade_many([("def f(n): return n", {"test_list": ["assert f(1) == 1"]})])
    assert [grade.score for grade in grades] == [1.0]
    assert {thread.name for thread in threading.enumerate()} <= before
