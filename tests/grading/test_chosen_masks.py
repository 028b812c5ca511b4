"""No program chooses to be masked, and nothing that it gives is kept in the caller."""

import pytest

from sandbox import grade
from sandbox.grading.asserts import assertions
from sandbox.grading.asserts.assertions import _End, _WrongEnd

PLAIN = {"test_list": ["assert f(2) == 5"]}
PROXY = "class weakproxy:\n    __module__ = 'x'\ndef f(x):\n    return weakproxy()"
GIVES = "from {} import {}\ndef f(x):\n    return {}"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (PROXY, "assert f(2) == 5"),
        (PROXY, "assert 5 in [f(2)]"),
        (PROXY, "assert 5 in f(2)"),
        (PROXY, "assert f(2).startswith('a')"),
        (PROXY, "import copy\nassert copy.deepcopy(f(2)) == [5]"),
        (PROXY, "class T:\n    pass\nassert f(2) == T()"),
        (PROXY.replace("f(", "F("), "assert F(2) == 5"),
        (
            "def f(x):\n    grade_exchange(['returned', [[], [['held', 0]], False], ''])",
            "assert f(2) == 5",
        ),
        (GIVES.format("collections", "UserList", "UserList()"), "assert f(2) == [1]"),
        (GIVES.format("collections", "UserList", "UserList()"), "assert set(f(2)) == {1}"),
        (GIVES.format("statistics", "NormalDist", "NormalDist()"), "assert abs(f(2) - 3) < 1e-6"),
        ("class L(list):\n    pass\ndef f(x):\n    return L()", "assert f(2).size == 5"),
        (
            "def f(x):\n    raise StopIteration",
            "try:\n    r = f(2)\nexcept StopIteration:\n    assert False\nassert r == 5",
        ),
    ],
)
def test_a_wrong_program_scores_nothing_whatever_it_gives(code, text):
    result = grade(code, {"test_list": [text]})
    assert (result.score, result.masked) == (0.0, False), result.cases


@pytest.mark.parametrize(
    ("module", "value", "text"),
    [
        ("collections", "UserList([1])", "f(2) == [1] and [1] == f(2) and 1 in f(2)"),
        ("collections", "UserDict({1: 2})", "f(2) == {1: 2} and 1 in f(2)"),
        ("collections", "ChainMap({1: 2})", "f(2) == {1: 2}"),
        ("types", "MappingProxyType({1: 2})", "f(2) == {1: 2} and f(2) != {1: 3}"),
        ("collections", "UserString('ab')", "f(2) == 'ab' < 'b' and f(2).startswith('a')"),
        ("builtins", "memoryview(b'ab')", "f(2) == b'ab' and f(2) != b'a'"),
    ],
)
def test_what_is_like_data_is_compared_as_the_data_that_it_has(module, value, text):
    code = GIVES.format(module, value.split("(")[0], value)
    result = grade(code, {"test_list": [f"assert {text}"]})
    assert (result.score, result.masked, result.weaker) == (1.0, False, False), result.cases


def test_a_test_that_wants_a_stopiteration_of_a_call_sees_it_and_is_weaker():
    text = "try:\n    f(2)\n    assert False\nexcept StopIteration:\n    pass"
    result = grade("def f(x):\n    raise StopIteration", {"test_list": [text]})
    assert (result.score, result.weaker) == (1.0, True), result.cases


SHARED = {"test_list": ["s = S()\nassert s.get() == 1"]}
STACK = "class S:\n    def get(self):\n        return 1\n"


@pytest.mark.parametrize("said", ["1", "'a' * 1000", "[[]] * 1000", ""])
def test_a_program_that_says_that_its_test_ended_is_ended_at_once(said, monkeypatch):
    calls = []

    class Counted(_End):
        def take(self, *words):
            calls.append(len(words))
            super().take(*words)

    monkeypatch.setattr(assertions, "_End", Counted)
    says = (
        f"for _ in range(5):\n    try:\n        grade_passed({said})\n"
        "    except BaseException:\n        pass\n"
    )
    result = grade(STACK + says, SHARED)
    assert (result.score, result.masked, len(calls)) == (0.0, False, 1), result.cases
    assert grade(STACK, SHARED).score == 1.0


def test_the_token_counts_once():
    end = _End()
    end.begin("token")
    end.take("token")
    assert end.is_right
    with pytest.raises(_WrongEnd):
        end.take("token")
    assert not end.is_right
