"""What a program may rely on to have been imported, as the graders of its data set do it."""

import pytest

from sandbox import Policy, Sandbox, grade, grade_many
from sandbox.grading.preambles import _MODULES, _names, preamble
from sandbox.grading.tests import CallTests, StdinTests

TWO_SUM = """class Solution:
    def twoSum(self, nums: List[int], target: int) -> Optional[Tuple[int, int]]:
        seen = defaultdict(list)
        for place, number in enumerate(nums):
            if seen[target - number]:
                return (seen[target - number][0], place)
            seen[number].append(place)
"""
CALLS = {"fn_name": "twoSum", "inputs": ["[2, 7, 11]\n9", "[3, 3]\n6"], "outputs": ["[0, 1]"] * 2}
MORE = {"fn_name": "twoSum", "inputs": CALLS["inputs"] * 2, "outputs": ["[0, 1]"] * 4}
SORTS = "h = []\nfor word in input().split():\n    heappush(h, int(word))\nprint(heappop(h))"
STDIN = {"inputs": ["3 1 2", "5 4"], "outputs": ["1", "4"]}
# What the block of LiveCodeBench leaves behind, as CPython has it.
BLOCK = "".join(f"from {name} import *\n" for name in (*_MODULES, "builtins", "typing")) + "".join(
    f"import {name}\n" for name in _MODULES
)


def test_called_functions_find_the_usual_imports_and_programs_that_read_input_do_not():
    assert grade(TWO_SUM, CALLS).score == grade(TWO_SUM, MORE).score == 1.0
    assert grade(TWO_SUM, CALLS, preamble="").score == 0.0
    assert "List" in grade(TWO_SUM, CALLS, preamble="").cases[0].reason
    assert grade(SORTS, STDIN).score == 0.0
    assert grade(SORTS, STDIN, preamble="lcb").score == 1.0


def test_assertions_have_them_where_they_are_asked_for():
    code = "def largest(numbers: List[int]) -> int:\n    return nlargest(1, numbers)[0]"
    tests = {"test_list": ["assert largest([3, 9, 1]) == 9"]}
    assert [grade(code, tests, preamble=p).score for p in ("lcb", "calls")] == [1.0, 0.0]
    shared = {"test_list": ["box = Box()\nassert box.most([1, 1, 2]) == 1"]}
    code = (
        "class Box:\n    def most(self, items):\n        return Counter(items).most_common(1)[0][0]"
    )
    graded = grade(code, shared, preamble="lcb")
    assert (graded.score, graded.weaker) == (1.0, True)


def test_a_preamble_of_ones_own_stands_before_every_program():
    rows = [("print(double(21))", {"inputs": [""], "outputs": ["42"]})]
    before = "def double(x):\n    return 2 * x\n"
    assert [g.score for g in grade_many(rows, preamble=before)] == [1.0]
    assert [g.score for g in grade_many(rows)] == [0.0]


@pytest.mark.parametrize("broken", ["import socket", "def (", "1 / 0"])
def test_a_preamble_that_does_not_run_is_the_callers_mistake(broken):
    with pytest.raises(ValueError, match="the preamble does not run"):
        grade("print(1)", STDIN, preamble=broken)


def test_the_program_keeps_its_lines_its_futures_and_its_docstring():
    code = (
        '"""Doc."""\nfrom __future__ import annotations\n\ndef f(x: Missing):\n    return x\n1 / 0'
    )
    with Sandbox("contest", 1) as sandbox:
        for result in (
            sandbox.run(code, preamble="from math import *\n"),
            sandbox.run_many(code, [""], preamble="from math import *\n")[0],
        ):
            assert result.error == "ZeroDivisionError: division by zero (line 6)"
            assert 'File "<program>", line 6' in result.traceback
        assert sandbox.run("def (", preamble="import math").error.endswith("(line 1)")
        assert sandbox.call("def f(n): return gcd(n, 4)", "f", [6], preamble=BLOCK).value == 2


def test_the_program_may_call_its_own_things_by_any_name_of_the_block():
    code = (
        "path = count = 3\ndef squares(flags):\n    mode = [f * f for f in flags]\n    return mode"
    )
    tests = {"fn_name": "squares", "inputs": ["[1, 2]"], "outputs": ["[1, 4]"]}
    assert grade(code, tests).score == 1.0


def test_every_name_that_the_block_gives_and_the_policy_grants_is_there():
    scope = {}
    exec(BLOCK, scope)
    plan = Policy.load("contest").plan()
    granted = {
        name
        for name, (module, is_module) in _names().items()
        if is_module or name in plan.modules.get(module, ())
    }
    assert {"gcd", "List", "Counter", "datetime", "reduce", "itertools"} < granted < set(scope)
    code = f"names = {sorted(granted)}\nprint([n for n in names if n not in globals()])"
    with Sandbox("contest", 1) as sandbox:
        before = preamble("lcb", sandbox.policy)(code, StdinTests(()))
        assert sandbox.run(code, preamble=before).output == "[]\n"
        told = [f"print(datetime.date.today, {name})" for name in ("datetime", "copy", "string")]
        for each in told:  # modules, and not what they have of the same name
            before = preamble("lcb", sandbox.policy)(each, StdinTests(()))
            assert "<module '" in sandbox.run(each, preamble=before).output


def test_what_a_policy_does_not_grant_is_left_out():
    tests = CallTests("f", ())
    assert preamble("lcb", Policy.load("strict"))("def f(x: List): return gcd(x)", tests) == ""
    block = preamble("lcb", Policy.load("contest"))("path = modules = 1\nprint(sqrt)", tests)
    assert "from math import sqrt" in block.splitlines()
    assert "modules" not in block


def test_what_is_to_be_written_is_not_given():
    tests = {"fn_name": "gcd", "inputs": ["4\n6"], "outputs": ["2"]}
    assert grade("pass", tests).score == grade("x = 'gcd'", tests).score == 0.0
    written = "class Solution:\n    def gcd(self, a, b):\n        return gcd(a, b)"
    assert grade(written, tests).score == 1.0


def test_a_recursion_as_deep_as_the_block_allows_needs_no_word_of_the_program():
    code = "def depth(n):\n    return 1 + depth(n - 1) if n else 0"
    tests = {"fn_name": "depth", "inputs": ["20000"], "outputs": ["20000"]}
    assert grade(code, tests).score == 1.0
    assert grade(code, tests, preamble="").score == 0.0


def test_a_hostile_program_costs_the_caller_no_more_than_reading_it():
    block = preamble("lcb", Policy.load("contest"))
    huge = "gcd " * (1 << 24)
    assert block(huge, CallTests("f", ())) == ""
