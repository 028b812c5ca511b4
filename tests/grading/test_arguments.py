"""What becomes of the arguments of a call, and of what a call gave, is seen as in one process."""

import ast

import pytest

from sandbox import grade
from sandbox.grading.asserts.test_names import compares_arguments

WANT = "want = {}\nk = f(x)\nassert k == len(want)\nfor i in range(k):\n    assert x[i] == want[i]"
POINT = "from collections import namedtuple\nP = namedtuple('P', 'a b')\n"
# What a program does, a test, and a value with which it passes.
CASES = [
    ("x.sort()", "x = [3, 1]\nassert f(x) is None and x == {}", "[1, 3]"),
    ("x[0][0] = 9", "y = [1]\nx = [y]\nf(x)\nassert y == {}", "[9]"),
    ("x.update(a=1)", "d = dict(b=2)\nf(d)\nassert list(d) == {}", "['b', 'a']"),
    ("x.add(1)", "s = set()\nf(s)\nassert s == {}", "set((1,))"),
    ("x.append(1)\n    return x", "x = []\nassert (f(x) is x) == {}", "True"),
    ("return x.pop(0)", "x = [3, 4]\nassert f(x) == 3\nassert x == {}", "[4]"),
    ("x[1:] = [5]\n    return 2", f"x = [3, 4, 6]\n{WANT}", "[3, 5]"),
    (
        "x.append(1)\n    raise ValueError",
        "x = []\ntry:\n    f(x)\nexcept ValueError:\n    pass\nassert x == {}",
        "[1]",
    ),
    ("return lambda: x.append(1)", "x = []\nf(x)()\nassert x == {}", "[1]"),
    ("seen.append(x)\n    return seen", "a = f(1)\nf(2)\nassert a == {}", "[1, 2]"),
    ("return [x, x]", "a = f([])\na[0].append(1)\nassert a == {}", "[[1], [1]]"),
    ("return x, (x,)", "a, b = f([])\nassert (a is b[0]) == {}", "True"),
    ("return sorted(x)", "x = [3, 1]\nf(x)\nassert x == {}", "[3, 1]"),
]


@pytest.mark.parametrize(("body", "test", "value"), CASES)
def test_a_test_sees_what_a_program_did_to_its_arguments(body, test, value):
    code = f"def f(x, seen=[]):\n    {body}"
    result = grade(code, {"test_list": [test.format(value)]})
    assert (result.score, result.weaker) == (1.0, False), result.cases
    wrong = grade(code, {"test_list": [test.format("[7, 7, 7]")]})
    assert wrong.score == 0.0, wrong.cases


LIBRARY = "import array, collections, datetime, decimal, fractions\n"
# A value of the standard library's that a test gives, what a right program does with it, what of it
# the test sees.
GIVEN = [
    ("collections.Counter('aab')", "return x.most_common(1)[0][0]", "y == 'a'"),
    ("collections.Counter('a')", "x.update('bb')", "x == collections.Counter('abb')"),
    ("collections.OrderedDict([(1, 2), (3, 4)])", "x.move_to_end(1)", "list(x) == [3, 1]"),
    ("collections.defaultdict(list)", "x[5].append(1)", "x == {5: [1]}"),
    ("collections.deque([1, 2], 2)", "x.append(3)", "list(x) == [2, 3]"),
    ("[collections.deque([1])]", "return x[0].popleft()", "y == 1 and not x[0]"),
    ("decimal.Decimal('1.50')", "return x.quantize(x)", "str(y) == '1.50'"),
    ("fractions.Fraction(1, 3)", "return x.denominator", "y == 3"),
    ("datetime.date(2020, 2, 1)", "return x.isoformat()", "y == '2020-02-01'"),
    ("datetime.datetime(2020, 2, 1)", "return x.month", "y == 2"),
    ("array.array('d', [1.5])", "return x.tolist()", "y == [1.5]"),
    ("bytearray(b'ab')", "return x.decode()", "y == 'ab'"),
    ("str", "return x(3)", "y == '3'"),
]


@pytest.mark.parametrize(("value", "body", "seen"), GIVEN)
def test_a_program_is_given_what_a_caller_would_give_it(value, body, seen):
    test = f"{LIBRARY}x = {value}\ny = f(x)\nassert {seen}"
    result = grade(f"def f(x):\n    {body}", {"test_list": [test]})
    assert (result.score, result.weaker) == (1.0, False), result.cases
    assert grade("def f(x):\n    return None", {"test_list": [test]}).score == 0.0


@pytest.mark.parametrize(
    ("value", "body"),
    [
        (f"{POINT}x = P(1, 2)", "return x.b == 2"),
        ("import enum\nclass E(enum.IntEnum):\n    A = 1\nx = E.A", "return x.name == 'A'"),
        ("class Text(str):\n    part = 3\nx = Text('a')", "return x.part == 3"),
    ],
)
def test_data_of_a_class_of_the_tests_own_is_no_mere_data(value, body):
    result = grade(f"def f(x):\n    {body}", {"test_list": [f"{value}\nassert f(x)"]})
    assert (result.score, result.weaker) == (1.0, True), result.cases
    wrong = grade("def f(x):\n    return 0", {"test_list": [f"{value}\nassert f(x)"]})
    assert wrong.score == 0.0


def test_a_program_that_must_not_change_its_argument_fails_if_it_does():
    test = "x = [3, 1]\nassert f(x) == 1\nassert x == [3, 1]"
    assert grade("def f(x):\n    x.sort()\n    return x[0]", {"test_list": [test]}).score == 0.0
    assert grade("def f(x):\n    return min(x)", {"test_list": [test]}).score == 1.0


EMPTIED = [
    "x = [3, 1]\nassert f(x) == sorted(x)",
    "x = [3, 1]\ny = f(x)\nassert y == sorted(x)",
    "x = [3, 1]\nassert sorted(f(x)) == sorted(x)",
    "def same(a, b):\n    return a == b\nx = [3, 1]\nassert same(f(x), sorted(x))",
    "for x in [[3, 1], [2]]:\n    assert f(x) == sorted(x)",
]


@pytest.mark.parametrize("test", EMPTIED)
def test_a_program_that_empties_what_it_is_compared_with_does_not_pass(test):
    for ending in ("return []", "raise ValueError", "yield from ()", "return iter(x)"):
        assert grade(f"def f(x):\n    x.clear()\n    {ending}", {"test_list": [test]}).passed == 0
    for body in ("x.sort()\n    return x", "return sorted(x)"):
        assert grade(f"def f(x):\n    {body}", {"test_list": [test]}).score == 1.0


@pytest.mark.parametrize(
    ("text", "compares"),
    [
        *((text, True) for text in EMPTIED),
        ("x = [1]\nf(x)\nassert x == [2]", False),
        ("x = [1]\nk = f(x)\nassert x[:k] == [2] and k == 1", False),
        ("want = [1]\nx = [2]\nassert f(x) == want", False),
        ("x = [1]\nwant = x\nassert f(x) == want", True),
        ("x = [1]\nassert f(x) is x", False),
        ("assert f([1]) == [1]", False),
    ],
)
def test_what_is_compared_with_arguments_is_found(text, compares):
    assert compares_arguments([ast.parse(text)], ["f"]) is compares


@pytest.mark.parametrize(
    ("empty", "around", "below"),
    [("[]", "[x]", "x[0]"), ("()", "(x,)", "x[0]"), ("{}", "{'a': x}", "x['a']")],
)
def test_no_value_is_nested_too_deeply_to_cross(empty, around, below):
    count = f"    n = 0\n    while x:\n        x = {below}\n        n += 1\n    return n\n"
    code = (
        f"def f(n):\n    x = {empty}\n    for _ in range(n):\n        x = {around}\n    return x\n"
    )
    code += f"def depth(x):\n{count}"
    setup = f"def deep(x):\n{count}"
    setup += f"def nested(n):\n    x = {empty}\n    for _ in range(n):\n        x = {around}\n"
    setup += "    return x\n"
    for levels in (99, 150, 5000):
        texts = [f"assert {name}(f({levels})) == {levels}" for name in ("deep", "depth")]
        texts.append(f"assert depth(nested({levels})) == {levels}")
        tests = {"test_list": texts, "test_setup_code": setup}
        result = grade(code, tests, early_stop=False)
        assert (result.score, result.weaker) == (1.0, False), result.cases
    assert grade(code, {"test_list": ["assert f(3) == 3"]}).score == 0.0


def test_a_value_that_holds_itself_is_unlike_data():
    code = "def f():\n    x = [1]\n    x.append(x)\n    return x"
    assert grade(code, {"test_list": ["assert f()[0] == 1"]}).score == 1.0
    assert grade(code, {"test_list": ["assert f() == 1"]}).score == 0.0
    assert grade(code, {"test_list": ["assert f() == [1, 2]"]}).score == 0.0


@pytest.mark.parametrize(
    ("value", "test"),
    [
        ("10**5000", "f() == 10**5000"),
        ("-(10**300)", "f() == -(10**300)"),
        ("float('nan')", "f() != f()"),
        ("-0.0", "str(f()) == '-0.0'"),
        ("'\\ud800'", "f() == '\\ud800'"),
        ("[True, 1, 1.0]", "[type(x).__name__ for x in f()] == ['bool', 'int', 'float']"),
        ("{(1, (2,)): {frozenset([1])}}", "f()[1, (2,)] == {frozenset([1])}"),
        ("int", "f() is int and f()('5') == 5"),
        ("...", "f() is ..."),
        ("NotImplemented", "f() is NotImplemented"),
        ("slice(1, 2)", "f().start == 1"),
    ],
)
def test_values_at_the_edges_cross_as_what_they_are(value, test):
    assert grade(f"def f():\n    return {value}", {"test_list": [f"assert {test}"]}).score == 1.0
    assert grade("def f():\n    return 5", {"test_list": [f"assert {test}"]}).score == 0.0


def test_containers_with_a_class_of_their_own_are_data_and_more():
    code = (
        "from collections import defaultdict, namedtuple\nfrom enum import IntEnum\n"
        "P = namedtuple('P', 'x y')\nclass C(IntEnum):\n    RED = 1\n"
        "class M(list):\n    def total(self):\n        return sum(self)\n"
        "def point():\n    return P(1, 2)\ndef color():\n    return C.RED\n"
        "def table():\n    return defaultdict(list, a=[1])\ndef many():\n    return M([1, 2])\n"
    )
    passing = [
        "assert point() == (1, 2) and point().y == 2 and repr(point()) == 'P(x=1, y=2)'",
        "assert color() == 1 and color().name == 'RED'",
        "t = table()\nassert t == {'a': [1]} and t['b'] == [] and len(t) == 2",
        "assert many() == [1, 2] and type(many()) is not list",
    ]
    result = grade(code, {"test_list": passing}, early_stop=False)
    assert result.score == 1.0, result.cases
    asked = grade(code, {"test_list": ["assert many().total() == 3"]})
    assert (asked.score, asked.masked) == (0.0, False)
    for test in ("assert point() == (1, 3)", "assert color() == 2", "assert many() == [1]"):
        assert grade(code, {"test_list": [test]}).score == 0.0


def test_what_a_program_gives_again_is_what_it_gave():
    code = (
        "kept = {}\ndef f(n):\n    if n not in kept:\n        kept[n] = [n]\n    return kept[n]\n"
        "def more(n):\n    kept[n].append(5)\n"
    )
    passing = [
        "assert f(1) is f(1) and f(1) is not f(2)",
        "f(1).append(2)\nassert f(1) == [1, 2]",
        "a = f(1)\nmore(1)\nassert a == [1, 5] and f(1) == [1, 5]",
    ]
    result = grade(code, {"test_list": passing}, early_stop=False)
    assert result.score == 1.0, result.cases
    assert grade(code, {"test_list": ["a = f(1)\nmore(1)\nassert a == [1]"]}).score == 0.0
