"""`float_tolerance`: text and integers exactly, floats within 1e-6, in linear time and memory."""

import math
import time
import tracemalloc
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import grade
from sandbox.grading.comparators import COMPARATORS

text, value = COMPARATORS["float_tolerance"].text, COMPARATORS["float_tolerance"].value

ALIKE = [
    # actual, expected
    ("0.5", "0.500001"),  # absolute, and the bound itself is within
    ("0.300001", "0.3"),
    ("2000000.5", "2000001.0"),  # relative
    ("-0.0", "0.0"),
    ("1e-9", "0.0"),
    ("0.0000001", "1e-8"),
    (".5", "0.5"),
    ("5e-1", "0.5"),
    ("+0.5", "0.5"),
    ("3", "3.0"),
    ("3", "3.0000001"),
    ("3.0", "3"),
    ("9007199254740992.0", "9007199254740992"),
    ("9007199254740993", "9007199254740993.0"),
    ("Case 1: 0.5000001", "Case 1: 0.5"),
    ("x=0.5,y=-1.2500001", "x=0.5,y=-1.25"),
    ("[0.1, 0.30000000000000004]", "[0.1, 0.3]"),
    ("(0.5)", "(0.5000001)"),
    ("50.0000001%", "50.0%"),
    ("It is 0.5000001.", "It is 0.5."),
    ("3-0.5000001", "3-0.5"),
    ("nan", "nan"),
    ("inf", "inf"),
    ("1e999", "1e999"),
    ("00101", "00101"),
    ("1.2.3", "1.2.3"),
    ("True", "True"),
    ("0.5  1\t2", "0.5 1 2"),
    ("0.5\r\n1.5\r\n\r\n", "0.5\n1.5"),
]
DIFFERENT = [
    ("0.5", "0.50001"),
    ("0.5000011", "0.5"),
    ("2000000.5", "2000003.0"),
    ("4", "3"),
    ("3.0000001", "3"),  # an integer is expected
    ("2.9999999999", "3"),
    ("3e0", "3"),
    ("003", "3"),
    ("+3", "3"),
    ("101", "00101"),  # a text of bits is no number
    ("9007199254740993.0", "9007199254740993"),  # a float does not know it
    ("50000000000000001", "50000000000000000"),
    ("1000000001", "1000000000"),
    ("1e9", "1000000000"),
    ("1" + "0" * 400, "1.5"),
    ("1000000000.", "1000000001."),  # the end of a sentence is no point of a number
    ("Case 2: 0.5", "Case 1: 0.5"),
    ("case 1: 0.5", "Case 1: 0.5"),
    ("y=0.5", "x=0.5"),
    ("(0.5)", "[0.5)"),
    ("x1.5", "x1.5000001"),  # a number is apart from letters
    ("1.5000001kg", "1.5kg"),
    ("1.2.30", "1.2.3"),
    ("1_000.5", "1000.5"),
    ("0.5 ,1", "0.5, 1"),
    ("0.5", "0.5 0.5"),
    ("0.5 0.5", "0.5"),
    ("0.5\n0.5", "0.5 0.5"),
    ("nan", "0.5"),
    ("0.5", "nan"),
    ("NaN", "nan"),
    ("inf", "1e999"),
    ("1e999", "2e999"),
    ("1.0", "1e999"),
    ("1e999", "1.0"),
    ("1.0", "True"),
    ("1", "True"),
    ("\u0661.5", "1.5"),
    ("", "0.0"),
    ("0.0", ""),
]


@pytest.mark.parametrize(("actual", "expected"), ALIKE)
def test_floats_within_the_tolerance_and_all_else_exactly_are_alike(actual, expected):
    assert text(actual, expected)


@pytest.mark.parametrize(("actual", "expected"), DIFFERENT)
def test_whatever_else_differs_is_different(actual, expected):
    assert not text(actual, expected)


INFINITE, NO_NUMBER = math.inf, math.nan
VALUES = [
    # actual, expected, whether they are alike
    (0.3000001, 0.3, True),
    (0.30001, 0.3, False),
    (1, 1.0, True),
    (1, 1.0000001, True),
    (1.0, 1, True),
    (1.0000001, 1, False),
    (True, 1, False),
    (1, True, False),
    (True, 1.0, False),
    (True, True, True),
    (2**53 + 1, 2.0**53, True),
    (float(2**53), 2**53, True),
    (float(2**54), 2**54, False),  # it stands for the integers around it, too
    (2**60 + 1, 2**60, False),
    (10**400, 10**400, True),
    (10**400, 1e308, False),
    (10**20 + 10**13, 1e20, True),
    (10**20 + 10**15, 1e20, False),
    (INFINITE, INFINITE, True),
    (INFINITE, -INFINITE, False),
    (INFINITE, 1e308, False),
    (1e308, INFINITE, False),
    (10**400, INFINITE, False),
    (NO_NUMBER, NO_NUMBER, False),
    (NO_NUMBER, 0.5, False),
    ("0.5", "0.5", True),
    ("0.5000001", "0.5", False),  # a text that is returned is data
    ("0.5", 0.5, False),
    (None, None, True),
    (None, 0, False),
    ([[0.5, 1], ["a"]], [[0.5000001, 1], ["a"]], True),
    ([[0.5, 1.0000001]], [[0.5, 1]], False),
    ([0.5], [0.5, 0.5], False),
    ([0.5], 0.5, False),
    ({"a": [0.5]}, {"a": [0.5000001]}, True),
    ({"a": 0.5}, {"b": 0.5}, False),
    ({"a": 0.5}, [0.5], False),
]


@pytest.mark.parametrize(("actual", "expected", "alike"), VALUES)
def test_values_are_compared_by_type_and_floats_within_the_tolerance(actual, expected, alike):
    assert value(actual, expected) is alike


def test_a_grade_by_it_takes_what_is_near_and_no_other_integer():
    tests = {"inputs": [""], "outputs": ["Case 1: 0.3 7\n"]}
    assert grade("print('Case 1:', 0.1 + 0.2, 7)", tests, comparator="float_tolerance").passed
    assert not grade("print('Case 1:', 0.3, 7.1)", tests, comparator="float_tolerance").passed
    call = {"fn_name": "f", "inputs": ["1"], "outputs": ["[[0.3], 10000000]"]}
    near = "def f(n):\n    return [[0.1 + 0.2], {}]"
    assert grade(near.format(10_000_000), call, comparator="float_tolerance").score == 1.0
    assert grade(near.format(10_000_001), call, comparator="float_tolerance").score == 0.0


@given(st.floats(-1e300, 1e300), st.floats(-3e-6, 3e-6))
def test_what_is_within_is_what_exact_arithmetic_finds_within(expected, off):
    actual = expected + off * max(1.0, abs(expected))
    distance = abs(Fraction(actual) - Fraction(expected))
    bound = Fraction(1, 10**6) * max(1, abs(Fraction(expected)))
    if abs(distance - bound) * 10**8 > bound:  # at the bound, a float may be rounded over it
        assert value(actual, expected) is (distance <= bound)
        assert text(repr(actual), repr(expected)) is (distance <= bound)


@given(st.integers(), st.integers(-3, 3))
def test_an_integer_is_itself_and_no_other(number, off):
    assert value(number + off, number) is (off == 0)
    assert text(str(number + off), str(number)) is (off == 0)


SIZE = 1 << 24
FLOODS = {
    "digits": "1" * SIZE,
    "digits and a letter": "1" * SIZE + "x",
    "places": "0." + "3" * SIZE,
    "an exponent": "1e" + "9" * SIZE,
    "zeros": "3." + "0" * SIZE,
    "points": "1." * (SIZE // 2),
    "signs": "+-" * (SIZE // 2),
    "numbers in a word": "0.5," * (SIZE // 4),
    "numbers": "0.5 " * (SIZE // 4),
    "lines": "0.5\n" * (SIZE // 4),
    "white space": " \t" * (SIZE // 2) + "0.5",
    "letters": "e" * SIZE,
    "letters and numbers": "0.5e+1x" * (SIZE // 7),
}


@pytest.mark.parametrize("name", ["float_tolerance", "lcb"])
@pytest.mark.parametrize("flood", FLOODS)
def test_16_mib_cost_no_more_than_reading_them_once(flood, name):
    compare = COMPARATORS[name].text
    for expected in ("0.5", "3", "0.5 0.5 x", "a,0.5", "0.5\n0.5", "0.5," * 10):
        before = time.process_time()
        compare(FLOODS[flood], expected)
        assert time.process_time() - before < 0.7


@pytest.mark.parametrize("name", ["float_tolerance", "lcb"])
@pytest.mark.parametrize("flood", ["numbers in a word", "numbers", "lines", "points"])
def test_16_mib_take_the_memory_of_a_few_copies(flood, name):
    tracemalloc.start()
    try:
        COMPARATORS[name].text(FLOODS[flood], "0.5 0.5,0.5")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5 * SIZE


def test_a_long_answer_that_is_right_is_read_in_linear_time():
    expected = "\n".join(f"Case {n}: {n / 7:.6f}" for n in range(100_000))
    actual = "\n".join(f"Case {n}: {n / 7}" for n in range(100_000))
    before = time.process_time()
    assert text(actual, expected)
    assert time.process_time() - before < 5
