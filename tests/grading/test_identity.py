"""Tests are the same if no program could tell them apart, and no others are."""

import copy
import enum
import json
from array import array
from collections import OrderedDict

import pytest

from sandbox import grade, grade_many
from sandbox.grading.asserts.identity import key_of
from sandbox.integrations.columns import Reader


class Word(enum.StrEnum):
    A = "a"


class Count(int):
    pass


UNLIKE = [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({1: 2}, {"1": 2}),
    ({True: 2}, {1: 2}),
    ([1], (1,)),
    ([True], [1]),
    ([1], [1.0]),
    ([0.0], [-0.0]),
    ([None], ["null"]),
    ([[1], 2], [1, [2]]),
    (["1, 2"], ["1", "2"]),
    ([b"a"], ["a"]),
    ([b"a"], [bytearray(b"a")]),
]


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_what_a_program_could_tell_apart_has_two_keys(one, other):
    assert key_of(one) != key_of(other)
    assert key_of({"x": [one]}) != key_of({"x": [other]})
    assert key_of(one) == key_of(copy.deepcopy(one))


@pytest.mark.parametrize(
    "value", [Word.A, Count(3), Count, array("b", b"a"), object(), OrderedDict(a=1), len]
)
def test_what_is_no_plain_data_has_no_key(value):
    for data in (value, [1, value], {"a": {"b": value}}, [[1], (2, [value])]):
        assert key_of(data) is None
    assert key_of([value.__class__.__name__]) is not None


def test_what_holds_itself_or_nests_without_end_has_no_key():
    endless: list[object] = []
    endless.append(endless)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert key_of(endless) is None
    assert key_of(deep) is None


def test_equal_data_has_one_key_however_it_is_held():
    once = "two words"
    assert key_of([once, once]) == key_of(["two words", " ".join(["two", "words"])])
    text = json.dumps({"a": ["x" * 50, "x" * 50, {"b": 1.5}], "c": 2**70})
    assert key_of(json.loads(text)) == key_of(json.loads(text))


ORDER = ("def f(d):\n    return list(d)\n", ["a", "b"])
KEYS = ("def f(d, k=1):\n    return [d.get(k)]\n", [2])
PAIRS = [
    (*ORDER, {"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (*KEYS, {1: 2}, {"1a": 2}),
    ("def f(x):\n    return [isinstance(x, tuple)]\n", [True], (1,), [1]),
    ("def f(x):\n    return [x is True]\n", [True], True, 1),
]


def _calls(argument, wanted):
    return {"fn_name": "f", "inputs": [[argument]], "outputs": [wanted]}


@pytest.mark.parametrize(("code", "wanted", "right", "wrong"), PAIRS)
def test_no_row_has_the_grade_of_another(code, wanted, right, wrong):
    rows = [(code, _calls(right, wanted)), (code, _calls(wrong, wanted))]
    assert [grade(*row).score for row in rows] == [1.0, 0.0]
    assert [each.score for each in grade_many(rows)] == [1.0, 0.0]
    assert [each.score for each in grade_many(rows[::-1])] == [0.0, 1.0]
    reader = Reader("tests")
    read = [(code, reader.read({"tests": tests}, "row")) for _, tests in rows]
    assert [each.score for each in grade_many(read)] == [1.0, 0.0]


def test_equal_tests_are_read_once_and_are_one_object():
    reader, tests = Reader("tests"), _calls({"a": 1}, [1])
    one, other = (reader.read({"tests": copy.deepcopy(tests)}, "row") for _ in range(2))
    assert one is other


def test_what_does_not_matter_to_a_program_makes_no_other_row():
    program, tests = "def f(d):\n    return 1\n", _calls({"a": 1}, 1)
    rows = [(program, copy.deepcopy(tests)) for _ in range(3)]
    rows.append((program, {"task_id": 7, **tests}))
    grades = grade_many(rows)
    assert all(each is grades[0] for each in grades)
