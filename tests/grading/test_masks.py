"""No verdict: what is masked, what is tried again, and what counts all the same."""

import os
import subprocess
import sys
import threading
import time

import pytest

from sandbox import PolicyError, Result, Sandbox, SandboxError, Status, grade, grade_many
from sandbox.grading.asserts.call_session import Guest
from sandbox.grading.options import Settings
from sandbox.grading.retry_lock import RetryLock
from sandbox.grading.sandboxes import Sandboxes

from .samples import CHECKED, COPY, ECHO, nested, returning, verdicts


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


def test_an_input_that_no_program_could_be_given_says_nothing_about_the_program():
    long, short = {"inputs": ["é" * 1500], "outputs": ["1"]}, {"inputs": ["é"], "outputs": ["1"]}
    for score, tests in ((None, long), (1.0, short)):
        result = grade("print(1)", tests, stdin_kib=2)
        assert (result.score, result.masked) == (score, score is None)
    both = {"inputs": [*long["inputs"], "é"], "outputs": ["1", "1"]}
    assert grade("print(2)", both, stdin_kib=2).masked


@pytest.mark.parametrize("given", [nested(250), {1}, b"a", 1j], ids=repr)
def test_arguments_that_no_program_could_be_given_cost_no_other_row_its_grade(given):
    code = "def f(x):\n    return 1"
    masked, graded = grade_many([(code, returning(1, given)), (code, returning(1))])
    assert (masked.score, masked.masked, graded.score) == (None, True, 1.0)


STACK = "class Stack:\n    def push(self, x):\n        return x\n"
PUSHED = "s = Stack()\nassert s.push(1) == {}"


@pytest.mark.parametrize("text", [PUSHED, "assert Stack().push(1) == {}", "assert f(1) == {}"])
def test_what_stands_beside_a_program_is_not_counted_as_its_source(text):
    """However long the program is made, within its limit, it is graded by what it does."""
    code = f"{STACK}def f(x):\n    return x\n"
    padded = code + "#" * (2048 - len(code))
    for program in (code, padded):
        for value, score in ((1, 1.0), (2, 0.0)):
            tests = {"test_list": [text.format(value), text.format(value) + "\n#" + "x" * 3000]}
            assert grade(program, tests, source_kib=2).score == score
    for value, score in (([1], 1.0), ([2], 0.0)):
        tests = {"fn_name": "f", "inputs": [[1]] * 3, "outputs": [value] * 3}
        assert grade(padded, tests, source_kib=2).score == score


@pytest.mark.parametrize(
    "tests",
    [
        {"test_list": [PUSHED.format(1)] * 2},
        {"test_list": ["assert f(1) == 1"] * 2},
        {"fn_name": "f", "inputs": [[1]] * 2, "outputs": [[1]] * 2},
        {"inputs": ["1"] * 2, "outputs": ["1"] * 2},
    ],
)
def test_a_program_longer_than_it_may_be_fails_and_is_not_masked(tests):
    code = f"{STACK}def f(x):\n    return x\nprint(1)\n#{'x' * 2048}"
    result = grade(code, tests, source_kib=2)
    assert (result.score, result.masked) == (0.0, False)
    assert "source_kib" in result.cases[0].reason


def test_a_test_longer_than_any_source_says_nothing_about_the_program():
    text = PUSHED.format(1) + "\n#" + "x" * (17 << 20)
    result = grade(STACK, {"test_list": [text]}, source_kib=2)
    assert (result.score, result.weaker) == (None, True)


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
    assert Sandboxes(Settings.of({})).was_starved(result(status, cpu=cpu, wall=wall)) is starved
    assert not Sandboxes(Settings.of({"policy": "kernel-only"})).was_starved(
        result(status, cpu=cpu, wall=wall)
    )


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
    retry_lock, inside, order = RetryLock(), threading.Event(), []
    leave = threading.Event()

    def first():
        with retry_lock.shared():
            inside.set()
            leave.wait(10)
            order.append("shared")

    def second():
        with retry_lock.alone():
            order.append("alone")

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert inside.wait(10)
    threads[1].start()
    late = threading.Thread(target=lambda: _enter(retry_lock, order))
    while not retry_lock._waiting:
        time.sleep(0.001)
    late.start()
    leave.set()
    for thread in [*threads, late]:
        thread.join(10)
    assert order == ["shared", "alone", "late"]


def _enter(retry_lock, order):
    with retry_lock.shared():
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


def test_what_ends_the_grading_of_many_ends_that_of_a_row_with_many_tests(monkeypatch):
    """As an interrupt does, or a client of the server that leaves."""
    compared, called, call = [], [], Guest.call

    def compare(actual, expected):
        if expected == "stop":
            until = time.monotonic() + 30
            while not (called and compared) and time.monotonic() < until:
                time.sleep(0.05)
            raise KeyboardInterrupt
        compared.append(actual)
        time.sleep(0.02)
        return True

    def counting(self, request):
        called.append(request)
        time.sleep(0.02)
        return call(self, request)

    monkeypatch.setattr(Guest, "call", counting)
    rows = [
        ("print(1)", {"inputs": [""] * 500, "outputs": ["1"] * 500}),
        ("def f(x):\n    return x", {"test_list": ["assert f(1) == 1"] * 500}),
        ("print(2)", {"inputs": [""], "outputs": ["stop"]}),
    ]
    with pytest.raises(KeyboardInterrupt):
        grade_many(rows, comparator=compare, workers=3)
    assert 0 < len(compared) < 300
    assert 0 < len(called) < 300
    assert grade_many(rows[:1], comparator="lcb")[0].score == 1.0
