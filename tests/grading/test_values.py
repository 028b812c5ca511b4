"""How values of a program reach its tests: carried over, compared as in one process, or masked."""

import pytest

from sandbox import grade

from .samples import IMPORTS


def score(value, test, policy="contest"):
    """Of a program that returns `value`."""
    code = f"{IMPORTS}def f(x=None):\n    return {value}"
    return grade(code, {"test_list": [IMPORTS + test]}, policy=policy).score


# The value, and tests that pass and fail in one process.
CARRIED = [
    ("Decimal(3)", "f() == 3", "f() == 4"),
    ("Decimal('0.1')", "f() == Decimal('0.1')", "f() == 0.1"),
    ("Decimal('1e50')", "f() == 10 ** 50", "f() == 10.5"),
    ("[Decimal(3), {'a': Fraction(6, 2)}]", "f() == [3, {'a': 3}]", "f() == [3, {'a': 4}]"),
    ("Fraction(1, 3)", "f() == Fraction(1, 3) and f().denominator == 3", "f() == 1 / 3"),
    ("Fraction(10 ** 400, 3)", "f() * 3 == 10 ** 400", "f() == 1"),
    ("date(2020, 2, 29)", "f() == date(2020, 2, 29) and f().year == 2020", "f() == '2020-02-29'"),
    ("datetime(2020, 1, 2, 3, 4, 5, 6)", "f() - datetime(2020, 1, 2) > timedelta(0)", "not f()"),
    ("datetime(2020, 1, 2, tzinfo=timezone.utc)", "f().utcoffset() == timedelta(0)", "not f()"),
    ("time(3, 4)", "f() < time(4)", "f() == '03:04:00'"),
    ("timedelta(days=1, microseconds=1)", "f() > timedelta(days=1)", "f().seconds"),
    ("bytearray(b'ab')", "f() == b'ab' and f()[0] == 97", "f() == 'ab'"),
    ("deque([1, (2,)], 5)", "list(f()) == [1, (2,)] and f().maxlen == 5", "f() == [1, (2,)]"),
    (
        "Counter('aab')",
        "f() == {'a': 2, 'b': 1} and f().most_common(1) == [('a', 2)]",
        "f()['b'] == 2",
    ),
    (
        "OrderedDict([(1, 2), (3, 4)])",
        "f() == {3: 4, 1: 2}",
        "f() == OrderedDict([(3, 4), (1, 2)])",
    ),
    (
        "{2: 1, 1: 2}.keys()",
        "f() == {1, 2} and list(f()) == [2, 1] and len(f()) == 2",
        "f() == [2, 1]",
    ),
    ("{2: 1, 1: 2}.items()", "f() == {(1, 2), (2, 1)}", "f() == [(2, 1), (1, 2)]"),
    ("OrderedDict([(2, 1)]).values()", "list(f()) == [1] and len(f()) == 1", "f() == [1]"),
    ("iter({1: 2}.keys())", "list(f()) == [1]", "f() == [1]"),
    ("re.match('a', 'ab')", "f()", "not f()"),
    ("re.match('a', 'ab')", "f() is not None and [f()] != [1]", "f() == 'a'"),
    ("re.match('a', 'b')", "f() is None", "f()"),
    ("print", "callable(f()) and bool(f())", "f() == 3"),
    ("object()", "f() != 3", "f() == 3"),
    ("object()", "f() not in (1, 2)", "abs(f() - 3) < 1"),
    ("array.array('i')", "not f()", "f()"),
    ("array.array('i', [1])", "f() == array.array('i', [1])", "f() == [1]"),
]


@pytest.mark.parametrize(("value", "passes", "fails"), CARRIED)
def test_what_crosses_is_compared_as_in_one_process(value, passes, fails):
    assert score(value, f"assert {passes}") == 1.0
    assert score(value, f"assert {fails}") == 0.0


@pytest.mark.parametrize(
    ("value", "test"),
    [
        ("re.match('a', 'ab')", "assert f().group() {} 'a'"),
        ("re.match('a', 'ab')", "assert f()[0] {} 'a'"),
        ("re.match('a', 'ab')", "assert f().end() {} 1"),
        ("[re.match('a', 'ab')]", "assert str(f()[0])[:9] {} '<re.Match'"),
        ("array.array('i', [1])", "assert list(f()) {} [1]"),
        ("array.array('i', [1])", "assert len(f()) {} 1"),
        ("array.array('i', [1])", "assert (1 in f()) {} True"),
        ("types.SimpleNamespace(a=1)", "assert f().a {} 1"),
        ("lambda: 3", "assert f()() {} 3"),
        ("print", "assert (f() == f()) {} True"),
    ],
)
def test_what_does_not_cross_is_asked_for_what_a_test_wants_of_it(value, test):
    assert score(value, test.format("==")) == 1.0
    assert score(value, test.format("!=")) == 0.0


@pytest.mark.parametrize(
    ("value", "test"),
    [("re.compile('a')", "assert f().match(1)")],
)
def test_what_is_not_asked_of_it_is_no_measurement(value, test):
    result = grade(f"{IMPORTS}def f(x=None):\n    return {value}", {"test_list": [IMPORTS + test]})
    assert (result.masked, result.score) == (True, None)
    assert "cannot be carried over" in result.cases[0].reason


YES = (
    "def yes(*args):\n    return True\n"
    "class C(object):\n    {}\n    __eq__ = __lt__ = __gt__ = __contains__ = startswith = yes\n"
    "    __bool__ = issuperset = isdigit = yes\n    __sub__ = lambda *args: 0\n"
    "    find = lambda *args: 0\n    __hash__ = lambda self: hash(3)\n"
    "def f(x=None):\n    return C()\n"
)


@pytest.mark.parametrize("body", ["pass", "__ne__ = yes", "__module__ = 'collections'"])
@pytest.mark.parametrize(
    "test",
    [
        "assert f() == 3",
        "assert 3 == f()",
        "assert [f()] == [3]",
        "assert f() in (3, 4)",
        "assert {3: 5}[f()] == 5",
        "assert not f() != 3",
        "assert f() > 2",
        "assert f() is True",
        "assert 3 in f()",
        "assert abs(f() - 3) < 1e-6",
        "assert f().startswith('a')",
        "assert f().find('a') >= 0",
        "assert f().issuperset({1, 2})",
        "assert isinstance(f(), int)",
    ],
)
def test_a_class_of_the_programs_own_is_equal_to_no_data_whatever_it_says(test, body):
    result = grade(YES.format(body), {"test_list": [test]})
    assert (result.passed, result.weaker) == (0, False), result.cases
    if "==" in test or ">" in test:
        assert result.score == 0.0 or " - " in test or "find" in test


@pytest.mark.parametrize("value", ["C", "C()", "Bad()", "I(0)"])
def test_what_data_is_asked_is_asked_of_nothing_else(value):
    code = YES.format("pass").replace("return C()", f"return {value}")
    code += "class Bad(Exception):\n    startswith = yes\nclass I(int):\n    startswith = yes\n"
    result = grade(code, {"test_list": ["assert f().startswith('a')"]})
    assert result.passed == 0, result.cases


def test_a_test_that_believes_a_class_of_the_programs_makes_the_grade_weaker():
    code = "class C:\n    __eq__ = lambda self, other: True\ndef f(x):\n    return C()"
    result = grade(code, {"test_list": ["assert f(1) == C()"]})
    assert (result.score, result.weaker) == (1.0, True)
    result = grade(code, {"test_list": ["assert f(1)"]})
    assert (result.score, result.weaker) == (1.0, False)


def test_what_says_to_be_a_class_of_the_library_is_made_of_what_it_says():
    code = "class {}:\n    {}\ndef f():\n    return {}()"
    for name, body, test, wanted in (
        ("Decimal", "__str__ = lambda self: '3'", "assert f() == 3", 1.0),
        ("Decimal", "__eq__ = lambda self, other: True", "assert f() == 3", 0.0),
        ("deque", "maxlen = 'x'\n    __iter__ = lambda self: iter('ab')", "assert f()", 0.0),
        ("timedelta", "days = seconds = microseconds = []", "assert f()", 0.0),
        ("Fraction", "numerator, denominator = 1, 0", "assert f()", 0.0),
        ("dict_items", "__iter__ = lambda self: iter([1])", "assert f()", 0.0),
    ):
        assert grade(code.format(name, body, name), {"test_list": [test]}).score == wanted


SWALLOWING = [
    "assert not any(map(lambda p: f(p[0]) != p[1], [(1, 2), (2, 3)]))",
    "assert all(map(lambda p: f(p[0]) == p[1], [(1, 2), (2, 3)]))",
    "assert all(x == 1 for x in map(f, [1, 2]))",
    "assert list(map(f, [])) == list(map(f, [1]))",
    "assert next(map(f, [1]), 2) == 2",
    "assert list(iter(lambda: f(1), 9)) == []",
    "assert sorted(filter(f, [1, 2])) == []",
    "assert sum(map(f, [1, 2])) == 0",
    "assert tuple(zip([1], map(f, [1]))) == ()",
    "for each in map(f, [1, 2]):\n    assert each == 2",
    "import itertools\nassert list(itertools.starmap(f, [(1,)])) == []",
]


@pytest.mark.parametrize("text", SWALLOWING)
@pytest.mark.parametrize(
    "body",
    [
        "raise StopIteration",
        "raise StopAsyncIteration('x')",
        "next(iter([]))",
        "raise type('StopIteration', (StopIteration,), {})",
    ],
)
def test_no_iterator_of_a_test_ends_at_what_a_program_raises(text, body):
    code = f"def f(*x):\n    {body}"
    assert grade(code, {"test_list": [text]}).score == 0.0
    check = {"prompt": "", "test": f"def check(f):\n    {text.splitlines()[-1].strip()}"}
    if "\n" not in text:
        assert grade(code, {**check, "entry_point": "f"}).score == 0.0


def test_where_a_program_shares_a_process_with_its_test_its_own_calls_are_as_ever():
    code = (
        "from functools import lru_cache\n"
        "def f(n):\n    return n and f(n - 1) + g(0)\n"
        "def g(n):\n    return n and f(n)\n"
        "@lru_cache(None)\ndef h(n):\n    return n\n"
        "class C:\n    pass\n"
    )
    texts = [
        "assert list(map(f, [0, 950])) == [0, 0]",
        "assert [g, f][1](3) == 0 and isinstance(C(), C)",
        "assert list(map(h, [1])) == [1] and h.cache_info().misses == 1",
        "d = {}\nd[f] = 1\nassert f.__name__ == 'f'",
        "try:\n    raise StopIteration\nexcept StopIteration:\n    assert list(map(f, [0])) == [0]",
    ]
    for text in texts:
        graded = grade(code, {"test_list": [text]})
        assert (graded.score, graded.weaker) == (1.0, True), (text, graded.cases)


def test_a_test_that_wants_a_stopiteration_is_given_the_one_that_is_raised():
    text = "try:\n    f(1)\n    assert False\nexcept StopIteration:\n    pass"
    assert grade("def f(x):\n    raise StopIteration", {"test_list": [text]}).weaker
    assert grade("def f(x):\n    return x", {"test_list": [text]}).score == 0.0
    assert grade("def f(x):\n    raise KeyError", {"test_list": [text]}).score == 0.0


GUARDS = [
    "if __name__ == '__main__':\n    {}",
    'if "__main__" == __name__:\n    {}',
    "if __name__ == '__main__' and True:\n    {}",
    "if True and (__name__ == '__main__'):\n    {}",
    "try:\n    if __name__ == '__main__':\n        {}\nfinally:\n    pass",
    "if __name__ != '__main__':\n    pass\nelse:\n    {}",
    "if not __name__ != '__main__':\n    {}",
    "if __name__ in ('__main__', 'x'):\n    {}",
    "if   __name__=='__main__': {}",
    "if __name__ == \\\n    '__main__':\n    {}",
    "match __name__:\n    case '__main__':\n        {}",
    "MAIN = '__main__'\nif __name__ == MAIN:\n    {}",
    "def main():\n    if __name__ == '__main__':\n        {}\nmain()",
    "__name__ == '__main__' and {}",
]


@pytest.mark.parametrize("guard", GUARDS)
def test_what_only_a_script_does_is_not_done_where_functions_are_called(guard):
    code = "def f(x):\n    return x\n" + guard.format("print(f(input()))")
    assert grade(code, {"test_list": ["assert f(1) == 1"]}).score == 1.0
    assert grade(code, {"fn_name": "f", "inputs": ["1"], "outputs": ["1"]}).score == 1.0
    assert grade(code, {"inputs": ["7"], "outputs": ["7"]}).score == 1.0


def test_a_dataclass_is_still_of_the_main_module():
    code = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass P:\n    x: int\n"
        "def f(x):\n    return [P(x).x, repr(P(x)), P.__module__]\n"
        "if '__main__' == __name__:\n    input()"
    )
    for policy in ("contest", "kernel-only"):
        text = "assert f(1) == [1, 'P(x=1)', '__main__']"
        assert grade(code, {"test_list": [text]}, policy=policy).score == 1.0
