"""The way in which a row is graded: its tests settle it, and nothing that a program gives."""

import ast

import pytest

from sandbox import SandboxError, grade, grade_many
from sandbox.grading.asserts.plainness import in_steps
from sandbox.grading.formats import read_tests

# Equal to all, so that a pass in one process is for nothing.
SAME = "class Same:\n    __eq__ = lambda self, other: True\n    __bool__ = lambda self: True\n"
LIAR = SAME + "def g(*given, **named):\n    return Same()\n"

# What a wrong program could give, to be passed on: of no class that crosses, or of one that does.
GIVEN = [
    "lambda: 1",
    "print",
    "[lambda: 1]",
    "{'a': [print]}",
    "(print, 2)",
    "re.compile('a')",
    "re.match('a', 'a')",
    "object()",
    "memoryview(b'ab')",
    "array.array('i', [1])",
    "types.SimpleNamespace(a=1)",
    "iter([print])",
    "(print for _ in range(3))",
    "iter([1, 2])",
    "map(str, [1])",
    "{1: 2}.keys()",
    "{1: print}.values()",
    "Decimal(1)",
    "Fraction(1, 3)",
    "date(2020, 1, 1)",
    "timedelta(1)",
    "deque([print])",
    "OrderedDict(a=print)",
    "bytearray(b'a')",
    "type('int', (), {})()",
    "type('Decimal', (), {'__str__': lambda self: '1'})()",
    "type('type', (type,), {})('x', (), {})",
    "Same()",
    "Same",
    "ValueError('x')",
    "...",
    "NotImplemented",
    "slice(1)",
]
IMPORTS = (
    "import array, re, types\nfrom collections import OrderedDict, deque\n"
    "from datetime import date, timedelta\nfrom decimal import Decimal\n"
    "from fractions import Fraction\n"
)
# What tests do with it on its way to another function of the program.
PASSED_ON = [
    "assert g(f(1)) == 5",
    "x = [f(1), 2]\nassert g(x) == 5",
    "assert g(k={'a': (f(1),)}) == 5",
    "for x in [f(1)]:\n    assert g(x) == 5",
    "try:\n    x = f(1)\nexcept Exception as error:\n    x = error\nassert g(x) == 5",
    "try:\n    assert g(f(1)) == 5\nexcept BaseException:\n    assert g(1) == 5",
]


@pytest.mark.parametrize("text", PASSED_ON)
def test_nothing_that_a_program_gives_makes_its_grade_weaker(text):
    programs = [f"{IMPORTS}{LIAR}def f(x):\n    return {value}" for value in GIVEN]
    raising = ["raise ValueError(1)", "raise Same2", "yield print", "raise KeyError(print)"]
    programs += [
        f"{LIAR}class Same2(Exception):\n    pass\ndef f(x):\n    {body}" for body in raising
    ]
    tests = {"test_list": [text, text + "\n"]}
    for program, result in zip(
        programs, grade_many([(each, tests) for each in programs]), strict=True
    ):
        assert not result.weaker, (program, result.cases)
        assert result.score != 1.0, (program, result.cases)
        assert result.passed == 0, (program, result.cases)


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("Decimal('1.5')", "type(y) is Decimal and y == Decimal('1.5')"),
        ("[Fraction(1, 3)]", "y == [Fraction(1, 3)] and y[0].denominator == 3"),
        ("date(2020, 1, 2)", "y.year == 2020"),
        ("timedelta(1)", "y.days == 1"),
        ("deque([1, (2,)], 3)", "y.maxlen == 3 and list(y) == [1, (2,)]"),
        ("OrderedDict([(2, 1)])", "type(y) is OrderedDict and y == {2: 1}"),
        ("bytearray(b'ab')", "type(y) is bytearray and y == b'ab'"),
        ("{2: 1}.items()", "list(y) == [(2, 1)] and type(y) is type({}.items())"),
        ("iter([1, 2])", "list(y) == [1, 2]"),
        ("(n for n in [1, [2]])", "list(y) == [1, [2]]"),
    ],
)
def test_what_a_program_gave_comes_back_to_it_as_what_it_was(value, seen):
    code = f"{IMPORTS}def f():\n    return {value}\ndef g(y):\n    return {seen}"
    tests = {"test_list": ["assert g(f()) is True", "x = f()\nassert g(x)"]}
    result = grade(code, tests)
    assert (result.score, result.weaker) == (1.0, False), result.cases
    assert grade(code.replace(f"return {seen}", f"return not ({seen})"), tests).score == 0.0


def test_an_iterator_that_the_test_began_comes_back_with_what_is_left():
    code = "def f():\n    return iter([1, 2, 3])\ndef g(y):\n    return list(y)"
    text = "x = f()\nassert next(x) == 1\nassert g(x) == [2, 3]"
    assert grade(code, {"test_list": [text]}).score == 1.0


HONEST = "def f(x=0):\n    return x\ndef g(y, *z):\n    return y(*z) if callable(y) else y\n"
MADE = [
    "assert g(lambda: 3) == 3",
    "assert f(1) == 1\nassert g(abs, -2) == 2",
    "assert f(1) == 1\nfor n in range(f(2)):\n    assert g(lambda: n) == n",
    "def h(n):\n    return n + 1\nassert g(3) == 3\nassert g(h, 3) == 4",
    "class Node:\n    value = 3\nassert f() == 0\nassert f(Node()).value == 3",
    "import math\nassert f(2) == 2\nassert g(math.floor, 2.5) == 2",
    "assert f(2) == 2\nassert sum(f(n for n in (1, 2))) == 3",
    "assert f(2) == 2\nassert f(...) is ...",
    "assert len([f(1), f(2)]) == 2\nassert g(len, 'ab') == 2",
    "a, b = f((1, 2))\nassert (a, b) == (1, 2)\nassert g(max, a, b) == 2",
    "for a, (b, c) in f([(1, (2, 3))]):\n    assert g(max, a, b, c) == 3",
    "x = f({'a': 1})\nassert x['a'] == 1 and x.get('b') is None\nassert g(sorted, 'ba')[0] == 'a'",
    "try:\n    assert f(1) == 1\nfinally:\n    assert f(len) is len",
]


@pytest.mark.parametrize("text", MADE)
def test_what_the_tests_make_themselves_is_graded_in_one_process(text):
    result = grade(HONEST, {"test_list": [text]})
    assert (result.score, result.weaker) == (1.0, True), result.cases
    body = "\n".join(f"    {line}" for line in f"f = candidate\n{text}".splitlines())
    if "g(" not in text:
        check = {"prompt": "", "test": f"def check(candidate):\n{body}", "entry_point": "f"}
        assert (grade(HONEST, check).score, grade(HONEST, check).weaker) == (1.0, True)


@pytest.mark.parametrize("text", MADE)
def test_the_way_is_the_same_whatever_the_program_does(text):
    bodies = ["return x", "return print", "raise ValueError", "raise SystemExit", "return 10**9"]
    for body in bodies:
        code = f"def f(x=0):\n    {body}\ndef g(y, *z):\n    {body.replace('x', 'y')}"
        assert grade(code, {"test_list": [text]}).weaker


BRANCHES = [
    "x = f(2)\nif isinstance(x, int):\n    assert g(x) == 5\nelse:\n    assert g(lambda: x) == 5",
    "x = f(2)\nassert g(x if x == 2 else print) == 5",
    "try:\n    x = f(2)\nexcept KeyError:\n    assert g(print) == 5\nelse:\n    assert g(x) == 5",
]


@pytest.mark.parametrize("text", BRANCHES)
def test_no_program_takes_the_branch_of_a_test_that_changes_the_way(text):
    """Whichever it is: all programs are graded in the same one."""
    bodies = ["return x", "return 'x'", "raise KeyError", "return print", "return [x]"]
    rows = [(f"{LIAR}def f(x):\n    {body}", {"test_list": [text]}) for body in bodies]
    assert len({grade.weaker for grade in grade_many(rows)}) == 1


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("assert f([1, (2, 'x')], {3: None}) == {4}", True),
        ("assert abs(f(1.5) - 2) < 1e-6\nx = [f(n) for n in range(3)]\nassert x", True),
        ("import math\nassert set(f('a')) == set('a')", True),
        ("def h(n):\n    return n * 2\nassert f(h(1)) == h(2)", True),
        ("assert f(lambda: 1)", False),
        ("assert f(h)", False),
        ("def h(n):\n    return n\nassert f(h)", False),
        ("assert f(int)", False),
        ("assert f(iter([1]))", False),
        ("assert f(n for n in [1])", False),
        ("class C:\n    pass\nassert f(C())", False),
        ("assert f(...)", False),
        ("x = [1]\nassert f(x.pop)", False),
        ("import math\nassert f(math)", False),
        ("try:\n    f(1)\nexcept ValueError as e:\n    f(e)", False),
        ("x = f\nassert x(1)", False),
        ("int = f(1)\nassert f(int)", False),
        ("match f(1):\n    case x:\n        f(x)", False),
    ],
)
def test_what_is_said_to_make_plain_data_only_does(text, is_plain):
    assert read_tests({"test_list": [text]}).makes_plain_data is is_plain


def test_tests_of_plain_data_are_not_run_without_a_program():
    tests = {"test_list": ["assert f(1) == 1"] * 3}
    assert grade(HONEST, tests).executions == 4
    check = "def check(candidate):\n    assert candidate(1) == 1\n    assert candidate('a') == 'a'"
    humaneval = {"prompt": "def f(x):\n    pass\n", "test": check, "entry_point": "f"}
    assert grade(HONEST, humaneval).executions == 2


def test_many_programs_with_the_same_tests_ask_once_for_their_way():
    tests = {"test_list": ["assert f('ab'.upper()) == 'AB'"]}
    rows = [(f"{HONEST}# {n}", tests) for n in range(5)]
    grades = grade_many(rows, workers=1)
    assert [grade.score for grade in grades] == [1.0] * 5
    assert [grade.executions for grade in grades] == [3, 2, 2, 2, 2]


def test_where_the_way_cannot_be_found_out_the_row_is_masked(monkeypatch):
    def fails(*arguments):
        raise SandboxError("no machine")

    monkeypatch.setattr("sandbox.grading.sandboxes.passes_instances", fails)
    result = grade(HONEST, {"test_list": ["assert g(lambda: 3) == 3"]})
    assert (result.score, result.masked) == (None, True)


@pytest.mark.parametrize(
    "text",
    [
        "'''doc'''\nfrom __future__ import annotations\nx: int = 1\nassert x",
        "def h():\n    global y\n    y = 1\n    return y\nassert h()",
        "class C:\n    '''doc'''\n    x = 1\nassert C.x\n",
        "async def a():\n    await b()\n",
        "def h():\n    x = yield\n    raise ValueError\n",
    ],
)
def test_steps_are_python_again(text):
    stepped = in_steps(text, ast.parse(text))
    compile(stepped, "<test>", "exec")
    assert "except Exception" in stepped


def test_a_text_that_is_too_deep_for_steps_is_left_as_it_is():
    deep = "assert f(" + "[" * 150 + "]" * 150 + ")" + " or f(1)" * 3
    nested = "".join(f"{' ' * n}if 1:\n" for n in range(95)) + " " * 95 + "f(1)"
    for text in (deep, nested):
        assert isinstance(in_steps(text, ast.parse(text)), str)


def test_a_single_statement_is_not_taken_to_pieces():
    for text in ("assert f(1) == 1  # one", "f( 1 )", "x = f(1)"):
        assert in_steps(text, ast.parse(text)) == text
    assert in_steps("assert f(1)\nf(2)", ast.parse("assert f(1)\nf(2)")) != "assert f(1)\nf(2)"


VECTOR = """
class Vector:
    def __init__(self, *parts):
        self.parts = parts
    def __mul__(self, k):
        return Vector(*(part * k for part in self.parts))
    __rmul__ = __imul__ = __mul__
    def __sub__(self, other):
        return Vector(*(a - b for a, b in zip(self.parts, other.parts)))
    def __eq__(self, other):
        return self.parts == other.parts
    def __contains__(self, part):
        return part in self.parts
def Average(values):
    return sum(values) / len(values)
"""


@pytest.mark.parametrize(
    ("test", "is_weaker"),
    [
        ("assert Vector(1, 2) * 2 == Vector(2, 4)", True),
        ("assert 2 * Vector(1, 2) == Vector(2, 4)", True),
        ("v = Vector(1, 2)\nassert (v * 3) == Vector(3, 6)", True),
        ("v = Vector(1, 2)\nv *= 3\nassert v == Vector(3, 6)", True),
        ("assert Vector(3, 4) - Vector(1, 1) == Vector(2, 3)", True),
        ("assert 2 in Vector(1, 2) and 3 not in Vector(1, 2)", True),
        ("assert abs(Average([1, 2]) - 1.5) < 1e-6", False),  # a function, by its name a class
        ("assert Average([1, 2]) == 1.5", False),
    ],
)
def test_who_reckons_with_instances_is_right(test: str, is_weaker: bool) -> None:
    grade_of_it = grade(VECTOR, {"test_list": [test]})
    assert (grade_of_it.score, grade_of_it.weaker) == (1.0, is_weaker), grade_of_it
