"""Each named comparator does what its source does, and none raises on hostile text."""

import time
from decimal import Context, Decimal, getcontext, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import SandboxError
from sandbox.grading import comparators
from sandbox.grading.comparators import COMPARATORS, comparator

TEXT = st.text(
    alphabet=st.sampled_from("0123456789.eE+-_ \t\n\rnaNifsxß\x00\ud800\uff12"), max_size=40
)

CASES = [
    # actual, expected, the comparators that say yes
    ("1\n", "1\n", "exact lines lcb float_tolerance apps sandboxfusion evalplus"),
    ("1", "1\n", "lines lcb float_tolerance apps sandboxfusion evalplus"),
    (" 1 \n2 \n", "1\n2", "lines lcb float_tolerance apps sandboxfusion evalplus"),
    ("1\r\n2\r\n", "1\n2\n", "lines lcb float_tolerance apps sandboxfusion evalplus"),
    ("1.0 2", "1 2.00", "lcb float_tolerance apps evalplus"),
    ("1  2", "1 2", "lcb float_tolerance apps evalplus"),
    ("1.0", "1", "lcb float_tolerance apps sandboxfusion evalplus"),
    ("1.0000001", "1", "apps sandboxfusion evalplus"),
    ("1.0000001", "1.0", "float_tolerance apps sandboxfusion evalplus"),
    ("Case 1: 0.5", "Case 1: 0.5000001", "float_tolerance"),
    ("a  b", "a b", "float_tolerance apps"),
    ("1.000009", "1", "apps sandboxfusion"),
    ("1.0004", "1.0", "apps"),
    ("YES", "yes", "sandboxfusion"),
    ("b a", "a b", "apps"),
    ("2\n1", "1\n2", "apps"),
    ("1\n\n2", "1\n2", "apps"),
    ("50000000000000001", "50000000000000000", "apps sandboxfusion evalplus"),
    ("1e2", "100", "lcb apps sandboxfusion evalplus"),
    ("100", "1e2", "lcb float_tolerance apps sandboxfusion evalplus"),
    ("nan", "1", ""),
    ("sNaN", "1", ""),
    ("1 2 3", "1 2", ""),
    ("12", "1", ""),
    ("", "1", ""),
    ("1\n2", "1", ""),
    ("x1", "1", ""),
]


@pytest.mark.parametrize(("actual", "expected", "yes"), CASES)
def test_a_comparator_says_yes_where_its_source_does(actual, expected, yes):
    said = {name for name, each in COMPARATORS.items() if each.text(actual, expected)}
    assert said == set(yes.split())


@pytest.mark.parametrize("name", ["sandboxfusion", "evalplus"])
def test_a_line_far_longer_than_expected_is_not_read_as_numbers(name):
    compare = COMPARATORS[name].text
    assert compare("1." + "0" * 50_000, "1")
    assert not compare("1." + "0" * 200_000, "1")
    assert compare("1." + "0" * 200_000, "1." + "0" * 150_000)


@pytest.mark.parametrize("name", ["lcb", "float_tolerance"])
def test_a_word_counts_in_full_however_long_it_is(name):
    """As in the reference, which has no bound: reading a number takes linear time."""
    compare = COMPARATORS[name].text
    assert compare("1." + "0" * 200_000, "1")
    assert not compare("1." + "0" * 200_000 + "1", "1")
    assert not compare("1 " * 200_000, "1")


def test_the_decimal_context_of_the_caller_neither_decides_nor_is_changed():
    lcb = COMPARATORS["lcb"].text
    with localcontext(Context(traps=[])):
        assert not lcb("no number", "3")
        assert not lcb("sNaN", "1")
        assert not any(getcontext().flags.values())


VALUES = [
    (1, 1, "exact lines lcb float_tolerance apps sandboxfusion evalplus"),
    ([1, [2]], [1, [2]], "exact lines lcb float_tolerance apps sandboxfusion evalplus"),
    (1.0, 1, "lines lcb float_tolerance apps sandboxfusion evalplus"),
    (True, 1, "lines lcb apps sandboxfusion evalplus"),
    ({"a": 1}, {"a": True}, "lines lcb apps sandboxfusion evalplus"),
    ([0.1 + 0.2, 1], [0.3, 1.0], "float_tolerance evalplus"),
    ([[0.1 + 0.2]], [[0.3]], "float_tolerance"),
    ([True], [1.0000001], "evalplus"),
    (0.30000004, 0.3, "float_tolerance evalplus"),
    (1, 1.0000001, "float_tolerance"),
    ([1], [1.0000001], "float_tolerance evalplus"),
    (0.30001, 0.3, ""),
    ([0.3], 0.3, ""),
    ("0.3", 0.3, ""),
    (10**400, 0.5, ""),
    (float("nan"), 0.5, ""),
    ([1, 2, 3], [1, 2], ""),
    (None, 0, ""),
]


@pytest.mark.parametrize(("actual", "expected", "yes"), VALUES)
def test_a_comparator_compares_values_as_its_source_does(actual, expected, yes):
    said = {name for name, each in COMPARATORS.items() if each.value(actual, expected)}
    assert said == set(yes.split())


@given(actual=TEXT, expected=TEXT)
def test_no_comparator_raises_and_all_take_a_text_for_itself(actual, expected):
    for each in COMPARATORS.values():
        assert each.text(actual, expected) in (True, False)
        assert each.text(expected, expected) is True


FLOODS = {
    "words": lambda: "1 " * (1 << 23),
    "lines": lambda: "1\n" * (1 << 23),
    "different lines": lambda: "\n".join(map(str, range(2_000_000))),
    "different words": lambda: " ".join(map(str, range(2_000_000))),
    "digits": lambda: "1" * (1 << 24),
    "an exponent": lambda: "1e" + "9" * (1 << 24),
    "no numbers": lambda: "nan " * (1 << 22),
    "white space": lambda: " \t" * (1 << 23) + "x",
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_costs_the_trainer_no_more_than_looking_at_its_length(flood):
    """A minute and 1.6 GB it was for different lines, on the loosest."""
    actual = FLOODS[flood]()
    for each in COMPARATORS.values():
        for expected in ("5", "1 2 3", "1\n2\n3"):
            before = time.process_time()
            assert not each.text(actual, expected)
            assert time.process_time() - before < 0.7


def test_a_long_answer_that_is_right_is_right_in_another_notation_too():
    numbers = range(100_000)
    expected = "\n".join(map(str, numbers))
    assert COMPARATORS["apps"].text("\n".join(f"{n}.0" for n in numbers), expected)
    assert COMPARATORS["lcb"].text(
        " ".join(f"{n}.00" for n in numbers), expected.replace("\n", " ")
    )


@given(actual=TEXT, expected=TEXT)
def test_the_stricter_comparator_implies_the_looser(actual, expected):
    for stricter, looser in (
        ("exact", "lines"),
        ("lines", "lcb"),
        ("lines", "float_tolerance"),
        ("lines", "apps"),
    ):
        if COMPARATORS[stricter].text(actual, expected):
            assert COMPARATORS[looser].text(actual, expected)


def test_a_callable_serves_for_text_and_values_and_an_unknown_name_is_refused():
    never = comparator(lambda actual, expected: False)
    assert not never.text("1", "1")
    assert not never.value(1, 1)
    with pytest.raises(ValueError, match="no comparator 'fuzzy'"):
        comparator("fuzzy")


def test_what_a_callable_raises_is_no_verdict():
    careless = comparator(lambda actual, expected: float(actual) == float(expected))
    assert careless.text("1.0", "1")
    with pytest.raises(SandboxError, match="the comparator raised ValueError: could not convert"):
        careless.text("many", "1")


def worst(size):
    """Texts that a program may print against a reader of words and numbers."""
    for unit in (
        "1",
        "1 ",
        "1\n",
        "nan ",
        "1.",
        "1_",
        "\u0661",
        "A",
        "0",
        " ",
        "\n",
        "1 snan ",
        "-",
    ):
        yield unit * (size // len(unit))
    yield from ("0." + "0" * size + "1", "1e" + "9" * size, "1" + " " * size + "1", "\u0130" * size)


BOUNDED = sorted(COMPARATORS.keys() - {"lcb", "float_tolerance"})


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("expected", ["1", "1 2 3\n4", "1.5\n" * 20, "A b", ""])
def test_what_is_far_longer_than_expected_is_not_read(name, expected, monkeypatch):
    """Of what is read as numbers and words, characters are counted."""
    read = 0

    def counting(function):
        def counted(text, *rest):
            nonlocal read
            read += len(text)
            return function(text, *rest)

        return counted

    for kind in ("float", "Decimal"):
        monkeypatch.setattr(
            comparators, kind, counting({"float": float, "Decimal": Decimal}[kind]), raising=False
        )
    for text in worst(1 << 20):
        read = 0
        COMPARATORS[name].text(text, expected)
        assert read <= 4 * (2 * len(expected) + comparators._MORE_CHARS)


def test_case_does_not_matter_to_sandboxfusion_whatever_it_does_to_the_length():
    compare = COMPARATORS["sandboxfusion"].text
    for actual, expected in (
        ("YES\nno", "yes\nNO"),
        ("\u0130" * 9, "i\u0307" * 9),
        ("i\u0307" * 9, "\u0130" * 9),
        ("1E5", "100000"),
        ("INF", "inf"),
    ):
        assert compare(actual, expected)
    assert not compare("yess", "yes")
    assert not compare("\u0130", "i")


def test_a_line_that_is_there_often_is_read_once_by_the_loosest_comparator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[float] = []

    def counted(number: float) -> float:
        read.append(number)
        return round(number, 3)

    monkeypatch.setattr(comparators, "_to_three_places", counted)
    assert COMPARATORS["apps"].text("2.0001\n1\n" * 500, "1.0001\n2\n" * 400)
    assert len(read) == 4


@given(st.floats())
def test_a_float_is_rounded_as_ever(number: float) -> None:
    assert repr(comparators._to_three_places(number)) == repr(round(number, 3))
