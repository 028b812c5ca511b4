"""Tests as trainers' data sets hold them, in a form that grading reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sandbox.grading.formats import read_tests
from sandbox.grading.tests import AssertTests, StdinTests, SuiteTests, Tests


def read_ground_truth(ground_truth: Any, most: int | None = None) -> Tests | None:
    """Read the tests in a row's ground truth, the first `most` if given; None for no tests.

    What docs/grading.md lists, as data or as JSON text, and verl's `assert_case`: a list of
    assertions, for each of which `inputs` and `outputs` are absent or empty. Arrays, which lists
    become in a data frame, count as lists, and scalars in `outputs` and `inputs` as their text.
    Raises ValueError for anything else.
    """
    try:
        data = _in_our_words(ground_truth)
    except ValueError:
        raise
    except Exception as error:  # raised while reading a shape that this code does not foresee
        raise ValueError(f"malformed ground truth: {type(error).__name__}: {error}") from error
    if data is None:
        return None
    tests = read_tests(data)
    if most is None:
        return tests
    if most < 1:  # a slice would take a negative number for the last tests
        raise ValueError(f"the first {most} tests are none: at least 1")
    if isinstance(tests, SuiteTests):
        raise ValueError("the tests of test files are known as they run: take all of them")
    if isinstance(tests, AssertTests):
        return tests.only(slice(most))
    if isinstance(tests, StdinTests):
        return replace(tests, pairs=tests.pairs[:most])
    return replace(tests, pairs=tests.pairs[:most])


def _in_our_words(ground_truth: Any) -> Any:
    data = _plain(json.loads(ground_truth) if isinstance(ground_truth, str) else ground_truth)
    if isinstance(data, dict) and any(data.get("assert_case") or ()):
        return {"test_list": _assertions(data)}
    if isinstance(data, dict) and "inputs" in data and not data.get("fn_name"):
        return {**data, "inputs": _texts(data["inputs"]), "outputs": _texts(data.get("outputs"))}
    return data


def _assertions(data: Mapping[str, Any]) -> list[str]:
    cases = data["assert_case"]
    beside = [*(data.get("inputs") or ()), *(data.get("outputs") or ())]
    if not isinstance(cases, list) or not all(isinstance(case, str) and case for case in cases):
        raise ValueError("assert_case is a list of assertions, none of them empty")
    if any(beside):
        raise ValueError("assert_case beside inputs or outputs: one test checks one of them")
    return cases


def _plain(value: Any) -> Any:
    """Make arrays lists, at any depth; a data frame gives arrays for lists in cells."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def _texts(values: Any) -> Any:
    if not isinstance(values, list):
        return values
    return [str(value) if isinstance(value, (int, float)) else value for value in values]
