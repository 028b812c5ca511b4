"""Grades: masked faults, second chances, early stops, duplicates, order."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from sandbox import (
    PolicyError,
    Result,
    Sandbox,
    SandboxError,
    Status,
    audit_reward,
    extract_code,
    grade,
    grade_many,
)
from sandbox.grading.bench import Bench
from sandbox.grading.driving import with_entry
from sandbox.grading.guest import Ended, Guest
from sandbox.grading.turnstile import Turnstile
from sandbox.grading.verdicts import Verdict

ECHO = {"inputs": ["a", "b", "c"], "outputs": ["a", "b", "c"]}
COPY = "print(input())"
CHECKED = {"test_list": ["assert f(1) == 1", "assert f(2) == 2"]}


def verdicts(grade):
    return [str(case.verdict) for case in grade.cases]


def test_a_grade_counts_its_tests():
    result = grade("x = input()\nprint(x if x != 'b' else 'no')", ECHO)
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


@pytest.mark.parametrize("tests", [None, [], {"inputs": [], "outputs": []}, {"test_list": []}])
def test_no_tests_are_no_measurement(tests):
    result = grade(COPY, tests)
    assert (result.masked, result.score, result.fraction) == (True, None, None)


@pytest.mark.parametrize(
    "tests",
    [
        {"test_list": ["import numpy\nassert f(1) == 1"]},
        {"test_list": ["assert f(1) == 1"], "test_setup_code": "import numpy"},
        {"test_list": ["assert 1 == 1"]},
        {"test_list": ["undefined = missing()\nassert f(1) == 1"], "test_setup_code": "1 / 0"},
        {"test_list": ["x = [0] * (1 << 40)\nassert f(x)", "assert f(1) == 1"]},
    ],
)
def test_a_test_that_fails_by_itself_says_nothing_about_the_program(tests):
    result = grade("def f(x):\n    return x", tests)
    assert result.masked
    assert result.score is None


def test_a_fault_of_the_sandbox_masks_after_a_second_attempt(monkeypatch):
    attempts = []

    def run(self, code, stdin="", **options):
        attempts.append(stdin)
        raise SandboxError("no machine")

    monkeypatch.setattr(Sandbox, "run", run)
    result = grade(COPY, {"inputs": ["a"], "outputs": ["a"]})
    assert (result.masked, result.score, result.fraction) == (True, None, None)
    assert attempts == ["a", "a"]
    result = grade("def f(x):\n    return x", CHECKED)
    assert verdicts(result) == ["masked", "masked"]


def test_a_fault_that_passes_is_never_seen(monkeypatch):
    real, failed = Sandbox.run, []

    def run(self, code, stdin="", **options):
        if not failed:
            failed.append(stdin)
            raise SandboxError("the machine starved the child")
        return real(self, code, stdin, **options)

    monkeypatch.setattr(Sandbox, "run", run)
    assert grade(COPY, {"inputs": ["a"], "outputs": ["a"]}).score == 1.0
    assert failed


def result(status, *, cpu, wall):
    return Result(output="", error=status, status=status, cpu_seconds=cpu, wall_seconds=wall)


@pytest.mark.parametrize(
    ("status", "cpu", "wall", "starved"),
    [
        (Status.CPU_LIMIT, 1.0, 1.1, False),
        (Status.CPU_LIMIT, 1.0, 3.0, False),
        (Status.WALL_LIMIT, 0.1, 15.0, True),
        (Status.WALL_LIMIT, 9.0, 15.0, False),
        (Status.MEMORY_LIMIT, 0.1, 15.0, False),
        (Status.OK, 0.1, 15.0, False),
    ],
)
def test_what_ran_out_of_time_without_a_processor_of_its_own_is_starved(status, cpu, wall, starved):
    assert Bench("contest", {}).was_starved(result(status, cpu=cpu, wall=wall)) is starved
    assert not Bench("kernel-only", {}).was_starved(result(status, cpu=cpu, wall=wall))


def test_a_starved_timeout_is_tried_once_more_and_then_counts(monkeypatch):
    starved, real, seen = result(Status.WALL_LIMIT, cpu=1.0, wall=9.0), Sandbox.run, []

    def run(self, code, stdin="", **options):
        seen.append(stdin)
        return starved if len(seen) < 2 or stdin == "never" else real(self, code, stdin, **options)

    monkeypatch.setattr(Sandbox, "run", run)
    assert grade(COPY, {"inputs": ["a"], "outputs": ["a"]}).score == 1.0
    assert len(seen) == 2
    assert grade(COPY, {"inputs": ["never"], "outputs": ["never"]}).score == 0.0
    assert len(seen) == 4


def test_endless_loops_on_a_busy_machine_are_not_run_again_one_by_one():
    """As where a quota gives fewer processors than there are workers: each has a small share."""
    rows = [(f"while True: pass  # {n}", {"inputs": ["a"], "outputs": ["a"]}) for n in range(4)]
    busy = [sys.executable, "-c", "while True: pass"]
    crowd = [subprocess.Popen(busy) for _ in range(4 * len(os.sched_getaffinity(0)))]
    try:
        grades = grade_many(rows, cpu_seconds=0.3)
    finally:
        for each in crowd:
            each.kill()
            each.wait()
    assert [(grade.score, grade.executions) for grade in grades] == [(0.0, 1)] * 4


def test_a_second_attempt_is_alone():
    turnstile, inside, order = Turnstile(), threading.Event(), []
    leave = threading.Event()

    def first():
        with turnstile.shared():
            inside.set()
            leave.wait(10)
            order.append("shared")

    def second():
        with turnstile.alone():
            order.append("alone")

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert inside.wait(10)
    threads[1].start()
    late = threading.Thread(target=lambda: _enter(turnstile, order))
    while not turnstile._waiting:
        time.sleep(0.001)
    late.start()
    leave.set()
    for thread in [*threads, late]:
        thread.join(10)
    assert order == ["shared", "alone", "late"]


def _enter(turnstile, order):
    with turnstile.shared():
        order.append("late")


def test_a_wrong_configuration_is_not_masked():
    with pytest.raises(PolicyError):
        grade(COPY, ECHO, cpu_seconds=1e9)
    with pytest.raises(PolicyError):
        grade("def f(x):\n    return x", CHECKED, cpu_seconds=1e9)
    with pytest.raises(PolicyError):
        grade(COPY, ECHO, policy="no-such-policy")
    with pytest.raises(TypeError):
        grade(None, ECHO)


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
        grade_many([(COPY, ECHO), (COPY, {"what": 1})])


def test_the_policy_decides_what_the_program_may_do():
    code = "import math\ndef f(x):\n    return math.floor(x)"
    assert grade(code, CHECKED).score == 1.0
    assert grade(code, CHECKED, policy="strict").score == 0.0
    assert grade("def f(x):\n    return x", CHECKED, policy="strict").score == 1.0
    assert grade("def f(x):\n    return x", CHECKED, policy="kernel-only").score == 1.0


def test_one_program_answers_many_calls_and_ends_with_its_last():
    program = (
        "n = 0\nanswer = None\nwhile True:\n    n += grade_exchange(answer)[0]\n    answer = n"
    )
    guest = Guest(Bench("strict", {}).guests, program, {"cpu_seconds": 1.0})
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
    with_entry(code, "f")
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
