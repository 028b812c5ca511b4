"""Limits that the tests' child meets: no test pays for another, and a row has its bound."""

import pytest

from sandbox import Policy, Sandbox, grade, grade_many
from sandbox.grading import sandboxes
from sandbox.grading.asserts.call_session import Guest
from sandbox.result import Result, Status
from sandbox.runtime.caller.defaults import default_sandbox

from .samples import verdicts
from .test_losses import kill

LIST = "def f(n):\n    return list(range(n))\n"
LOUD = "print('x' * 400_000)\n"  # two of them are less than `output_kib`, three are more


@pytest.fixture
def testing(monkeypatch):
    """`testing(output_kib=...)`: the tests' children have these limits."""

    def limit(**limits):
        name = "-".join(["tests", *(f"{key}-{value}" for key, value in limits.items())])
        policy = Policy.load("contest").replaced(name=name, services=True, limits=limits)
        monkeypatch.setattr(sandboxes, "_testing", lambda: policy)

    return limit


def loud(count, *, code="f({0}) == list(range({0}))"):
    return {"test_list": [f"{LOUD}assert {code.format(n)}" for n in range(count)]}


@pytest.mark.parametrize("early_stop", [False, True])
def test_no_test_pays_for_what_others_printed(early_stop, testing):
    testing(output_kib=1024)
    result = grade(LIST, loud(7), early_stop=early_stop)
    assert (result.score, result.passed) == (1.0, 7), result.cases
    wrong = LIST.replace("range(n)", "range(n + (n == 4))")
    result = grade(wrong, loud(7), early_stop=early_stop)
    rest = ["skipped"] * 2 if early_stop else ["passed"] * 2
    assert verdicts(result) == ["passed"] * 4 + ["failed", *rest]
    assert "AssertionError" in result.cases[4].reason


def test_no_test_pays_for_the_processor_time_of_others(testing):
    testing(cpu_seconds=1.0)
    work = "for _ in range(2_000_000):\n    pass\n"
    tests = {"test_list": [f"{work}assert f({n}) == list(range({n}))" for n in range(40)]}
    result = grade(LIST, tests)
    assert (result.score, result.passed) == (1.0, 40), result.cases


def test_no_test_pays_for_the_memory_of_others(testing):
    """A class refers to itself: it stays until the collector runs."""
    testing(memory_mib=128)
    keep = "class Kept:\n    data = bytearray(40 << 20)\n"
    tests = {"test_list": [f"{keep}assert f({n}) == list(range({n}))" for n in range(6)]}
    result = grade(LIST, tests)
    assert (result.score, result.passed) == (1.0, 6), result.cases
    tests = {"test_list": [f"{keep}assert f({n}) == 0" for n in range(6)]}
    assert verdicts(grade(LIST, tests)) == ["failed"] * 6


def test_memory_that_a_program_says_to_lack_is_its_own(testing):
    tests = {"test_list": ["assert f(1) == 1"] * 5}
    code = "n = 0\ndef f(x):\n    raise MemoryError('none')"
    result = grade(code, tests)
    assert verdicts(result) == ["failed"] * 5
    assert result.executions == 6  # none was run again


def test_a_test_that_meets_a_limit_alone_by_what_it_is_given_has_failed(testing):
    testing(output_kib=1024)
    text = "print('x' * f({}))\nassert True"
    tests = {"test_list": [text.format(n) for n in (1, 2, 3, 4)]}
    code = "def f(n):\n    return 2_000_000 if n == 2 else n"
    result = grade(code, tests)
    assert verdicts(result) == ["passed", "failed", "passed", "passed"]
    assert "OUTPUT_LIMIT" in result.cases[1].reason
    assert verdicts(grade(code, tests, early_stop=True)) == ["passed", "failed", *["skipped"] * 2]


@pytest.mark.parametrize(
    "excess",
    ["print('x' * 2_000_000)\n", "x = bytearray(600 << 20)\n", "x = [0] * (1 << 40)\n"],
)
def test_a_test_that_meets_a_limit_without_the_program_says_nothing_about_it(excess, testing):
    testing(output_kib=1024)
    tests = {"test_list": ["assert f(1) == [0]", f"assert f(1) == [0]\n{excess}assert f(0) == []"]}
    result = grade(LIST, tests)
    assert verdicts(result) == ["passed", "masked"], result.cases
    assert result.score is None
    check = {"prompt": "", "entry_point": "f", "test": "def check(f):\n    assert f(0) == []\n    "}
    result = grade(LIST, {**check, "test": check["test"] + excess})
    assert verdicts(result) == ["masked"], result.cases


@pytest.mark.parametrize("large", ["[0] * 1_100_000", "'x' * 17_000_000"])
def test_an_argument_that_is_too_large_says_nothing_about_a_program(large):
    code = "def f(x):\n    return x\ndef size(x):\n    return len(x)"
    text = "assert f(1) == 1\nassert size({0}) == len({0})"
    result = grade(code, {"test_list": [text.format("[]"), text.format(large)]})
    assert verdicts(result) == ["passed", "masked"], result.cases
    made = {"test_list": ["assert f(1) == 1\nassert size([0] * f(2)) == 2"] * 2}
    assert grade(code, made).score == 1.0
    assert verdicts(grade(code.replace("return x", "return 1_100_000", 1), made)) == ["failed"] * 2


def test_an_endless_test_is_masked_if_it_is_one_without_the_program(testing):
    testing(cpu_seconds=0.5)
    endless = {"test_list": ["assert f(1) == [0]\nwhile True:\n    pass"]}
    assert verdicts(grade(LIST, endless)) == ["masked"]
    for led_on in (
        "for _ in range(f(1)):\n    pass",
        "while f(1) > 0:\n    pass",
        "n = 5\nwhile n:\n    n = f(n)",
        "while True:\n    if not f(1):\n        break",
    ):
        result = grade("def f(n):\n    return 10 ** 15", {"test_list": [led_on]})
        assert verdicts(result) == ["failed"], (led_on, result.cases)


def test_a_row_has_a_bound_whatever_its_program_does(testing):
    testing(output_kib=1024)
    tests = {"test_list": ["print('x' * f(1))\nassert f(2) == 2"] * 40}
    result = grade("def f(n):\n    return 2_000_000", tests)
    assert verdicts(result) == ["failed"] * 40
    assert result.executions <= 12  # three tests, each with a child, a program and one without
    result = grade("def f(n):\n    return 1 if n == 1 else 2", tests)
    assert (result.score, result.executions) == (1.0, 41)


def test_what_a_program_did_before_its_test_was_cut_off_is_forgotten(testing):
    """It is called anew, in a new child: its state is that of a first call."""
    testing(output_kib=1024)
    code = "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n"
    tests = {"test_list": [f"assert f(0) == 1\n{LOUD}assert f(0) == 2"] * 6}
    result = grade(code, tests)
    assert (result.score, result.passed) == (1.0, 6), result.cases


def test_a_program_that_ended_has_failed_where_its_test_is_cut_off_later(testing):
    testing(output_kib=1024)
    text = "try:\n    f(1)\nexcept BaseException:\n    print('x' * 2_000_000)"
    result = grade("def f(n):\n    raise SystemExit", {"test_list": [text] * 5})
    assert verdicts(result) == ["failed"] * 5
    assert all("SystemExit" in case.reason or "ended" in case.reason for case in result.cases)


def test_a_supervisor_that_is_lost_while_tests_run_alone_costs_no_right_row(testing, monkeypatch):
    testing(output_kib=1024)
    call, calls = Guest.call, []
    sandbox = default_sandbox(sandboxes._testing())

    def kill_once(self, request):
        calls.append(request)
        if len(calls) == 6:
            kill(sandbox)
        return call(self, request)

    monkeypatch.setattr(Guest, "call", kill_once)
    result = grade(LIST, loud(7))
    assert (result.score, result.masked) == (1.0, False), result.cases
    assert len(calls) > 12  # it started anew


@pytest.mark.parametrize(("times", "score"), [(1, 1.0), (9, None)])
def test_tests_that_had_no_processor_are_tried_again_and_then_masked(times, score, monkeypatch):
    real, starved = Sandbox.run_many, []
    limit = Result(
        output="", error="late", status=Status.WALL_LIMIT, cpu_seconds=1.0, wall_seconds=60.0
    )

    def run_many(self, code, stdins, **options):
        if len(starved) < times:
            starved.append(options["services"]["grade_begin"]())
            return [limit]
        return real(self, code, stdins, **options)

    monkeypatch.setattr(Sandbox, "run_many", run_many)
    result = grade(LIST, {"test_list": ["assert f(1) == [0]"] * 3})
    assert (result.score, len(starved)) == (score, min(times, 2))


def test_of_many_rows_each_has_limits_of_its_own(testing):
    testing(output_kib=1024)
    wrong = LIST.replace("range(n)", "range(n + 1)")
    grades = grade_many([(LIST, loud(5)), (wrong, loud(5)), (LIST + "#", loud(4))])
    assert [grade.score for grade in grades] == [1.0, 0.0, 1.0]
