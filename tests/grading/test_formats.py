"""Tests are read from the shapes that data sets have, and from no other."""

import json

import pytest

from sandbox import grade
from sandbox.grading.formats import read_tests
from sandbox.grading.tests import AssertTests, CallTests, StdinTests

PAIRS = StdinTests((("1\n", "2\n"), ("3", "4")))
CALLS = CallTests("f", (((1, [2]), (3,)),))


@pytest.mark.parametrize(
    "data",
    [
        {"inputs": ["1\n", "3"], "outputs": ["2\n", "4"]},
        {"inputs": ["1\n", ["3"]], "outputs": ["2\n", ["4"]], "fn_name": None},
        json.dumps({"inputs": ["1\n", "3"], "outputs": ["2\n", "4"]}),
        {"input_output": json.dumps({"inputs": ["1\n", "3"], "outputs": ["2\n", "4"]})},
        [{"input": "1\n", "output": "2\n"}, {"input": "3", "output": "4"}],
        {
            "verification_info": {
                "language": "python",
                "test_cases": [
                    {"input": "1\n", "output": "2\n", "type": "stdin_stdout", "fn_name": None},
                    {"input": "3", "output": "4", "type": "stdin_stdout"},
                ],
            }
        },
        {"official_tests": [{"input": "1\n", "output": "2\n"}, {"input": "3", "output": "4"}]},
        {"test_cases": {"inputs": ["1\n", "3"], "outputs": ["2\n", "4"]}},
        {  # as in the files of LiveCodeBench
            "public_test_cases": '[{"input": "1\\n", "output": "2\\n", "testtype": "stdin"},'
            ' {"input": "3", "output": "4", "testtype": "stdin"}]'
        },
        {
            "public_test_cases": [{"input": "1\n", "output": "2\n", "testtype": "stdin"}],
            "private_test_cases": '[{"input": "3", "output": "4", "testtype": "stdin"}]',
        },
        {  # as in CodeContests
            "public_tests": {"input": ["1\n"], "output": ["2\n"]},
            "private_tests": {"input": [], "output": []},
            "generated_tests": {"input": ["3"], "output": ["4"]},
        },
        {"input": ["1\n", "3"], "output": ["2\n", "4"]},
    ],
)
def test_pairs_of_input_and_output(data):
    assert read_tests(data) == PAIRS


@pytest.mark.parametrize(
    "data",
    [
        {"fn_name": "f", "inputs": ["1\n[2]"], "outputs": ["3"]},
        {"fn_name": "f", "inputs": [[1, [2]]], "outputs": [3]},
        {
            "test_cases": [
                {"input": "1\n[2]\n", "output": "3", "type": "function_call", "fn_name": "f"}
            ]
        },
        {
            "fn_name": "f",
            "public_test_cases": [{"input": "1\n[2]", "output": "3", "testtype": "functional"}],
        },
        {
            "metadata": '{"func_name": "f"}',
            "public_test_cases": [{"input": "1\n[2]", "output": "3", "testtype": "functional"}],
        },
    ],
)
def test_calls(data):
    assert read_tests(data) == CALLS


def test_one_pair_of_texts():
    assert read_tests({"input": "1", "output": "2"}).pairs == (("1", "2"),)


@pytest.mark.parametrize(
    "data",
    [
        {"assert_case": ["assert f(1) == 2", "assert f(2) == 3"]},
        ["assert f(1) == 2", "assert f(2) == 3"],
        '["assert f(1) == 2", "assert f(2) == 3"]',
    ],
)
def test_asserts_without_more(data):
    assert read_tests(data) == read_tests({"test_list": ["assert f(1) == 2", "assert f(2) == 3"]})


def test_one_text_of_asserts_is_one_test():
    text = "x = [1]\nassert f(x) == 2\nassert x == [1]"
    assert read_tests(text) == read_tests({"test_list": [text]})


def test_cases_that_are_packed_are_named():
    cases = {"public_test_cases": "[]", "private_test_cases": "eJxrYJ0="}
    with pytest.raises(ValueError, match="private_test_cases is packed"):
        read_tests(cases)


def test_an_unknown_form_is_told_what_is_known():
    with pytest.raises(ValueError, match=r"no known form of tests: odd; one has .*test_list"):
        read_tests({"odd": 1})


def test_a_value_in_a_list_of_one_is_right_either_way_where_apps_has_it_so():
    tests = {"fn_name": "f", "inputs": [[2]], "outputs": [[4]]}
    assert grade("def f(x):\n    return x * x", tests).score == 1.0
    assert grade("def f(x):\n    return [x * x]", tests).score == 1.0
    several = {"fn_name": "f", "inputs": [[2]], "outputs": [[4, 5]]}
    assert grade("def f(x):\n    return 4", several).score == 0.0
    as_text = {"fn_name": "f", "inputs": ["2"], "outputs": ["[4]"]}
    assert grade("def f(x):\n    return 4", as_text).score == 0.0


def test_the_integer_keys_of_a_single_dict_come_back():
    tests = {"fn_name": "f", "inputs": [[{"1": 2, "-3": 4}]], "outputs": [{"2": 1}]}
    assert read_tests(tests).pairs[0][0] == ({1: 2, -3: 4},)
    assert grade("def f(d):\n    return {2: d[1] - 1} if -3 in d else 0", tests).score == 1.0


def test_human_eval_and_what_stands_for_it():
    prompt = "import math\n\ndef helper(x):\n    return x + 1\n\ndef f(x):\n    '''Doc.'''\n"
    test = "def check(candidate):\n    assert candidate(1) == helper(1)\n"
    tests = read_tests({"prompt": prompt, "test": test, "entry_point": "f"})
    assert isinstance(tests, AssertTests)
    assert (tests.names, tests.candidate, tests.prefix) == (("f",), "f", prompt)
    for code in ("    return helper(x)", "def f(x):\n    return math.floor(x + 1)"):
        assert grade(code, tests).score == 1.0
    begun = {"prompt": "def f(x):\n    # what is it?\n", "test": test, "entry_point": "f"}
    assert grade("    return x + 1\ndef helper(x):\n    return x + 1", begun).score == 1.0
    prose = {"prompt": "Write a function f.", "test": test, "entry_point": "f"}
    assert grade("def helper(x):\n    return 2\ndef f(x):\n    return 2", prose).score == 1.0


def test_a_method_may_be_the_entry_point():
    test = "def check(candidate):\n    assert candidate(x=2) == 4"
    tests = {"prompt": "", "test": test, "entry_point": "Solution().f"}
    assert grade("class Solution:\n    def f(self, x):\n        return x * 2", tests).score == 1.0
    assert grade("class Solution:\n    pass", tests).score == 0.0


def test_mbpp_with_its_parts():
    data = {
        "test_list": ["assert math.isclose(f(LIMIT), 2.0)"],
        "test_imports": ["import math"],
        "test_setup_code": "LIMIT = 4",
        "challenge_test_list": ["assert f(9) == 3", "assert g(sys.maxsize)"],
    }
    tests = read_tests(data)
    assert isinstance(tests, AssertTests)
    assert (tests.total, tests.names, tests.are_plain) == (3, ("f", "g"), True)
    assert grade("def f(x):\n    return x ** 0.5\ndef g(x):\n    return x", tests).score == 1.0
    assert grade("def f(x):\n    return x ** 0.5", tests).passed == 2


@pytest.mark.parametrize(
    "value",
    [
        "(1, (2,), [])",
        "{1: {2, 3}, (4,): frozenset([5])}",
        "10 ** 1000",
        "[float('inf'), -0.0, 1e-300]",
        "b'\\xff'",
        "1 + 2j",
        "range(0, 9, 2)",
        "'\\ud800 \\x00 é'",
        "None",
        "{True: 'a', 'b': None}",
    ],
)
def test_values_cross_with_their_types_in_both_directions(value):
    tests = {
        "test_list": [
            f"value = {value}\ngot = f(value)\nassert got == value\nassert repr(got) == repr(value)"
        ]
    }
    assert grade("def f(x):\n    return x", tests).score == 1.0
    assert grade(f"def f(x):\n    return {value} if type(x) is type({value}) else 0", tests).score


def test_iterators_subclasses_and_exceptions_cross_as_far_as_they_are_plain():
    code = (
        "from collections import Counter, namedtuple\nimport enum\n"
        "P = namedtuple('P', 'x y')\nclass E(enum.IntEnum):\n    A = 1\n"
        "def f(n):\n    if n == 0:\n        raise ValueError('zero')\n"
        "    return [iter([1]), map(str, [1]), P(1, 2), Counter('aa'), E.A, {1: 2}.keys()][n - 1]\n"
    )
    texts = [
        "try:\n    f(0)\nexcept ValueError as error:\n    assert str(error) == 'zero'\n"
        "else:\n    assert False",
        "assert list(f(1)) == [1] and list(f(2)) == ['1'] and list(f(6)) == [1]",
        "assert f(3) == (1, 2) and f(4) == {'a': 2} and f(5) == 1",
    ]
    assert grade(code, {"test_list": texts}).score == 1.0


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"unknown": 1},
        7,
        "not json",
        {"inputs": ["1"], "outputs": []},
        {"inputs": ["1"]},
        {"inputs": [1], "outputs": ["1"]},
        {"inputs": ["1"], "outputs": [1]},
        {"inputs": "1", "outputs": 2},
        {"fn_name": "f(", "inputs": ["1"], "outputs": ["1"]},
        {"fn_name": "f", "inputs": ["{"], "outputs": ["1"]},
        {"fn_name": "f", "inputs": [1], "outputs": [1]},
        {"test_cases": [{"input": "1"}]},
        {"test_cases": [{"input": "1", "output": "1", "type": "interactive"}]},
        {"test_cases": [{"input": "1", "output": "1"}], "language": "cpp"},
        {"test": "def check(candidate: pass", "entry_point": "f"},
        {"test": "x", "entry_point": "import os"},
        {"test": "x"},
        {"test_list": ["assert f("]},
        {"test_list": [1]},
        # A text is no list of tests, one for each character.
        {"inputs": "12", "outputs": "34"},
        {"test_list": "ab"},
        {"test_list": ["assert f(1)"], "test_imports": "ab"},
        {"test_cases": "ab"},
        b"",
        # What the reading stumbles over is refused like the rest.
        {"test_list": 5},
        {"test_list": ["assert f(1)"], "test_setup_code": 5},
        {"test_cases": 5},
        [{"input": "1", "output": "1", "type": ["stdin"]}],
        "[" * 100_000 + "]" * 100_000,
    ],
)
def test_what_has_no_known_shape_is_refused(data):
    with pytest.raises(ValueError):  # noqa: PT011 - json's own and ours
        grade("print(1)", data)


def test_keys_that_have_the_same_hash_are_refused_before_a_dict_is_made() -> None:
    """Else a text of a megabyte takes minutes: each is compared with all before it."""
    prime = 2**61 - 1
    colliding = {str(prime * n): n for n in range(40)}
    with pytest.raises(ValueError, match="same hash"):
        read_tests({"fn_name": "f", "inputs": [[colliding]], "outputs": [1]})
    spread = {str(n << 40): n for n in range(-2000, 2000)}
    [(args, _)] = read_tests({"fn_name": "f", "inputs": [[spread]], "outputs": [1]}).pairs
    assert args == ({int(key): value for key, value in spread.items()},)


@pytest.mark.parametrize("key", ["--5", "-", "5-", "5" * 5000, "-" + "5" * 5000, "5.0", " 5", "²"])
def test_a_key_that_is_no_integer_or_too_long_for_one_stays_text(key: str) -> None:
    for given in ({key: 1}, {"3": 1, key: 1}):
        [(args, _)] = read_tests({"fn_name": "f", "inputs": [[given]], "outputs": [1]}).pairs
        assert args == (given,)
    for key_ in ("-5", "05", "٣"):
        [(args, _)] = read_tests({"fn_name": "f", "inputs": [[{key_: 1}]], "outputs": [1]}).pairs
        assert args == ({int(key_): 1},)


@pytest.mark.parametrize("key", ["type", "testtype", "fn_name"])
def test_what_names_the_kind_of_a_case_is_text(key: str) -> None:
    case = {"input": "[1]", "output": "1", "testtype": "functional", "fn_name": "f", key: 7}
    with pytest.raises(ValueError, match="text"):
        read_tests([case] * 2)
