"""Ground truths of trainers' data sets become tests."""

import json
from typing import Any

import pytest

from sandbox.grading.tests import AssertTests, CallTests, StdinTests
from sandbox.integrations.ground_truth import read_ground_truth

PAIRS = {"inputs": ["1\n", "2\n"], "outputs": ["2\n", "3\n"]}


class Cells(list[Any]):
    """What a data frame has for a list: it is no list, and has `tolist`."""

    def tolist(self) -> list[Any]:
        return list(self)


@pytest.mark.parametrize("given", [PAIRS, json.dumps(PAIRS), {**PAIRS, "fn_name": None}])
def test_pairs_are_standard_inputs_and_outputs(given: Any) -> None:
    tests = read_ground_truth(given)
    assert isinstance(tests, StdinTests)
    assert tests.pairs == (("1\n", "2\n"), ("2\n", "3\n"))


def test_a_function_name_makes_them_calls() -> None:
    tests = read_ground_truth({"inputs": ["1\n[2]"], "outputs": ["3"], "fn_name": "f"})
    assert isinstance(tests, CallTests)
    assert tests.pairs == (((1, [2]), (3,)),)


@pytest.mark.parametrize(
    "beside",
    [{}, {"inputs": ["", ""], "outputs": [None, None]}, {"inputs": None}, {"fn_name": None}],
)
def test_assertions_are_tests(beside: Any) -> None:
    tests = read_ground_truth({"assert_case": ["assert f(1) == 2", "assert f(2)"], **beside})
    assert isinstance(tests, AssertTests)
    assert tests.texts == ("assert f(1) == 2", "assert f(2)")


def test_empty_assertions_beside_pairs_are_not_looked_at() -> None:
    tests = read_ground_truth({**PAIRS, "assert_case": ["", ""]})
    assert isinstance(tests, StdinTests)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({**PAIRS, "assert_case": ["assert f()", "assert g()"]}, "beside"),
        ({"assert_case": ["assert f()", ""]}, "empty"),
        ({"assert_case": [1]}, "assertions"),
        ({"answer": 42}, "answer"),
        ({"inputs": ["1"], "outputs": []}, "0 outputs"),
        ("not json", "Expecting value"),
        (7, "int"),
        ({"assert_case": 5}, "malformed"),
        ({"inputs": "12", "outputs": "34"}, "lists"),
        ("[" * 100_000 + "]" * 100_000, "malformed"),
    ],
)
def test_what_is_no_known_form_is_refused(given: Any, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        read_ground_truth(given)


def test_cells_of_a_data_frame_count_as_lists_and_scalars_as_their_text() -> None:
    tests = read_ground_truth({"inputs": Cells(["1"]), "outputs": Cells([Cells(["2", "3"])])})
    assert isinstance(tests, StdinTests)
    assert tests.pairs == (("1", "2\n3"),)
    tests = read_ground_truth({"inputs": [1], "outputs": [2.5]})
    assert isinstance(tests, StdinTests)
    assert tests.pairs == (("1", "2.5"),)


def test_the_first_tests_are_taken_if_so_many_are_wanted() -> None:
    for given in (PAIRS, {"inputs": ["1", "2"], "outputs": ["1", "2"], "fn_name": "f"}):
        tests = read_ground_truth(given, 1)
        assert tests is not None
        assert tests.total == 1
    tests = read_ground_truth({"assert_case": ["assert a()", "assert b()"]}, 1)
    assert isinstance(tests, AssertTests)
    assert tests.texts == ("assert a()",)


def test_no_ground_truth_is_no_tests() -> None:
    assert read_ground_truth(None) is None
    assert read_ground_truth("null") is None
