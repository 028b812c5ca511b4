"""Expected values: compared as they would arrive from a program; masked where none could arrive."""

import pytest

from sandbox import grade

from .samples import IMPORTS, nested, returning


@pytest.mark.parametrize("comparator", ["lcb", "exact", "evalplus"])
@pytest.mark.parametrize(
    ("wanted", "wrong"),
    [
        ("(1, 2)", "(2, 1)"),
        ("[(1,), (2,)]", "[(1,), 2]"),
        ("{1: 2}", "{1: 3}"),
        ("{None: 1, True: 2}", "{None: 1, False: 2}"),
        ("{1.5: (1,)}", "{1.25: (1,)}"),
        ("10**4300 - 1", "10**4300 - 2"),
        ("1 - 10**4300", "2 - 10**4300"),
    ],
)
def test_what_is_expected_is_compared_as_it_would_arrive(wanted, wrong, comparator):
    """Tuples as lists, keys as text, integers of as many digits as there may be."""
    tests = {"inputs": [[1]], "outputs": [eval(wanted)], "fn_name": "f"}
    for text, score in ((wanted, 1.0), (wrong, 0.0)):
        assert grade(f"def f(x):\n    return {text}", tests, comparator=comparator).score == score


NUMBERS = [
    ("Decimal(3)", "3", 1.0),
    ("Decimal('3.5')", "3.5", 1.0),
    ("Decimal('0.1')", "0.1", 0.0),
    ("Decimal(2) ** 70", str(2**70), 1.0),
    ("Decimal('NaN')", "1", 0.0),
    ("Decimal('sNaN')", "1", 0.0),
    ("[Fraction(4, 2), (Fraction(1, 4), {'a': Fraction(3)})]", '[2, [0.25, {"a": 3}]]', 1.0),
    ("Fraction(1, 3)", "0.3333333333333333", 0.0),
    ("3 + 0j", "3", 1.0),
    ("3 + 1j", "3", 0.0),
    ("date(2020, 1, 1)", '"2020-01-01"', 0.0),
    ("Decimal(4)", "3", 0.0),
]


@pytest.mark.parametrize(("value", "expected", "wanted"), NUMBERS)
def test_a_called_function_may_give_any_number_that_is_equal(value, expected, wanted):
    tests = {"fn_name": "f", "inputs": ["1"], "outputs": [expected]}
    code = f"{IMPORTS}int = float = list = type = 3\ndef f(x):\n    return {value}"
    for count in (1, 3):
        many = {"fn_name": "f", "inputs": ["1"] * count, "outputs": [expected] * count}
        assert grade(code, many).score == wanted
    assert grade(code, tests, comparator="exact").score == 0.0
    as_method = f"{IMPORTS}class Solution:\n    def f(self, x):\n        return {value}"
    assert grade(as_method, tests).score == wanted


LARGE = ("float('nan')", "10**4300", "[0] * 1_000_001", "'x' * (16 << 20)", "1j", "{1, 2}", "b'a'")


@pytest.mark.parametrize("text", LARGE)
def test_a_value_that_no_program_could_give_says_nothing_about_the_program(text):
    for code in (f"def f(x):\n    return {text}", "def f(x):\n    return 3"):
        result = grade(code, returning(eval(text)))
        assert (result.score, result.masked) == (None, True)
    assert grade("def f(x):\n    return 3", returning(eval(text)), comparator=_any).score == 1.0


def test_a_value_nested_more_deeply_than_one_may_be_is_no_measurement():
    deep = "def f(x):\n    x = []\n    for _ in range({}): x = [x]\n    return [x, 1]"
    assert grade(deep.format(198), returning([nested(198), 1])).score == 1.0
    assert grade(deep.format(199), returning([nested(199), 1])).masked


def _any(_actual, _expected):
    return True


def test_an_output_that_no_program_could_print_says_nothing_about_the_program():
    for wanted in ("x" * (1 << 20), "\ud800"):
        tests = {"inputs": [""], "outputs": [wanted]}
        result = grade("print('x' * (1 << 20))", tests, output_kib=512)
        assert (result.score, result.masked) == (None, True)
        assert grade("print(1)", tests, output_kib=512, comparator=_any).score == 1.0
    tests = {"inputs": [""], "outputs": ["x" * 2048 + "\n" * 2048]}
    assert grade("print('x' * 2048, end='')", tests, output_kib=2).score == 1.0
    assert grade("print('x' * 2048, end='')", tests, output_kib=2, comparator="exact").masked
