"""What does not cross is asked for by a test, as in one process, and is equal to no plain data."""

import pytest

from sandbox import grade

IMPORTS = (
    "import array, collections, functools, re, string, types\n"
    "from collections import ChainMap, UserDict, UserList, UserString\n"
)
GIVEN = [
    "...",
    "NotImplemented",
    "slice(1)",
    "re.compile('a')",
    "re.match('a', 'a')",
    "array.array('i', [5])",
    "types.SimpleNamespace(a=5)",
    "functools.partial(int, 5)",
    "string.Template('5')",
    "memoryview(b'5')",
    "ChainMap({5: 5})",
    "types.MappingProxyType({5: 5})",
    "print",
    "lambda: 5",
    "int",
    "object()",
    "ValueError(5)",
]
PLAIN = [
    "f(2) == 5",
    "5 == f(2)",
    "not f(2) != 5",
    "f(2) in (4, 5)",
    "abs(f(2) - 5) < 1e-6",
    "f(2) < 6",
    "f(2) is None",
    "f(2) is True",
    "isinstance(f(2), int)",
    "[f(2)] == [5]",
    "{'a': f(2)} == {'a': 5}",
    "f(2) == 5 and len(f(2)) == 1",
    "round(f(2), 2) == 5",
    "math.isclose(f(2), 5)",
]


def result(value, text):
    code = f"{IMPORTS}def f(x=0):\n    return {value}\n"
    return grade(code, {"test_list": [text]})


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize("value", GIVEN)
def test_a_test_that_wants_a_number_fails(value, text):
    given = result(value, f"import math\nassert {text}")
    assert (given.score, given.masked) == (0.0, False), given.cases


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("...", "assert len(f()) == 1"),
        ("...", "assert f()[0] == 1"),
        ("...", "for x in f():\n    pass"),
        ("...", "assert f().group() == 'a'"),
        ("re.match('a', 'a')", "assert len(f()) == 1"),
        ("re.match('a', 'a')", "assert callable(f())"),
        ("re.match('a', 'a')", "assert f().nothing == 1"),
        ("array.array('i', [1])", "assert f() == [1]"),
        ("array.array('i', [1])", "assert sorted(f()) == 1"),
        ("array.array('i', [1])", "assert f() < 3"),
        ("memoryview(b'a')", "assert f() == 'a'"),
        ("UserList([1])", "assert f() == (1,)"),
        ("slice(1)", "assert f() in {1, 2}"),
    ],
)
def test_a_test_that_asks_for_what_the_value_has_not_fails(value, text):
    given = result(value, text)
    assert (given.score, given.masked) == (0.0, False), given.cases


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("memoryview(b'a')", "f() == b'a'"),
        ("memoryview(b'a')", "f() in {b'a'}"),
        ("UserString('a')", "f() == 'a'"),
        ("UserString('a')", "f() < 'b'"),
        ("UserList([1])", "[1] == f()"),
        ("UserDict({1: 2})", "f() == {1: 2}"),
        ("ChainMap({1: 2})", "f() == {1: 2}"),
        ("types.MappingProxyType({1: 2})", "f() == {1: 2}"),
        ("types.MappingProxyType({1: 2})", "f()[1] == 2"),
        ("types.SimpleNamespace(a=1)", "f().a == 1"),
        ("functools.partial(int, '5')", "f()() == 5"),
        ("array.array('i', [1])", "f().tolist() == [1]"),
        ("array.array('i', [1])", "array.array('i', [1]) == f()"),
        ("re.compile('a')", "len({f(), f()}) == 1"),
        ("string.Template('$a')", "f().substitute(a=1) == '1'"),
        ("slice(1, 2)", "f().start == 1"),
    ],
)
def test_a_right_program_is_masked_where_its_value_cannot_be_asked(value, text):
    assert result(value, f"{IMPORTS}assert {text}").score in (None, 1.0)


def test_many_of_them_are_told_of_once():
    code = "import re\ndef f():\n    return [re.match('a', 'a') for _ in range(50_000)]"
    assert grade(code, {"test_list": ["assert len(f()) == 50_000 and all(f())"]}).score == 1.0
