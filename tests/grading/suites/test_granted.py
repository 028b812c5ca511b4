"""A program is given handles of what the test files define, and of nothing of the tests' child."""

import pytest

from .protocol import ASKING, graded

pytestmark = pytest.mark.xdist_group("suites")
# What a program may have for its own `open` or `time.sleep` after a test put it back.
PUT_BACK = """
from unittest.mock import mock_open, patch
from solution import load

def test_patched():
    with patch("builtins.open", mock_open(read_data="x")):
        assert load("f") == "x"

def test_put_back():
    assert load("expected.txt") is None
"""


@pytest.mark.parametrize("policy", ["contest", "kernel-only"])
def test_what_a_test_puts_back_is_no_handle(policy: str) -> None:
    program = f"""{ASKING}
TIMES = []

def load(path):
    TIMES.append(path)
    if len(TIMES) == 1:
        return "x"
    words = [word for words in all_handles("expected.txt") for word in words if type(word) is list]
    return [word for word in words if word[0] == "kind" and word[2][1] != "MagicMock"] or None
"""
    files = {"test_solution.py": PUT_BACK, "expected.txt": "secret"}
    done = graded(program, files, policy=policy)
    assert [str(case.verdict) for case in done.cases] == ["passed", "passed"], done


@pytest.mark.parametrize("policy", ["contest", "kernel-only"])
def test_what_a_test_puts_back_is_the_programs_own(policy: str) -> None:
    program = "import random\ndef draw(n):\n    random.seed(n)\n    return random.randint(0, 9)\n"
    test = """
from unittest.mock import patch
from solution import draw

def test_drawn():
    assert draw(5) == draw(5)

def test_patched():
    with patch("random.randint", return_value=4):
        assert draw(1) == 4

def test_put_back():
    assert [draw(5), draw(6)] == [draw(5), draw(6)]
"""
    assert graded(program, test, policy=policy).score == 1.0


@pytest.mark.parametrize("policy", ["contest", "kernel-only"])
def test_functions_and_classes_of_the_library_are_the_programs_own(policy: str) -> None:
    program = f"""{ASKING}
import functools

def apply(function, *args):
    return function(*args)

def count():
    return len(all_handles("7", "7"))
"""
    test = """
import collections, functools, json, math, operator
import pytest
from solution import apply, count

CALLS = [
    (len, "abc", 3), (str.upper, "a", "A"), (math.sqrt, 4, 2.0), (json.loads, "[1]", [1]),
    (functools.partial(pow, 2), 3, 8), (functools.partial(int, base=2), "11", 3), (int, "3", 3),
    (collections.Counter, "aab", {"a": 2, "b": 1}), (dict.fromkeys, "a", {"a": None}),
]

@pytest.mark.parametrize("function, given, result", CALLS)
def test_called(function, given, result):
    assert apply(function, given) == result

def test_operator():
    assert apply(operator.add, 1, 2) == 3
    assert count() == 0
"""
    done = graded(program, test, policy=policy)
    assert (done.score, done.weaker) == (1.0, False), done


def test_objects_of_the_library_that_hold_data_are_handles() -> None:
    program = """
def draw(rng): return rng.random()
def read(stream): return stream.read()
def put(queue, item):
    queue.put(item)
def found(pattern, text): return pattern.search(text).group(1)
def each(items, act): return [act(item) for item in items]
def is_it(item, other): return item is other
"""
    test = """
import functools, io, operator, queue, random, re
from types import SimpleNamespace
from solution import *

def test_random():
    assert draw(random.Random(4)) == random.Random(4).random()

def test_stream():
    assert read(io.StringIO("a b")) == "a b"

def test_queue():
    waiting = queue.Queue()
    put(waiting, 4)
    assert waiting.get() == 4

def test_pattern():
    assert found(re.compile("a(.)"), "xab") == "b"

def test_methods():
    seen, table = [], {"a": 1}
    assert each("ab", seen.append) == [None, None] and seen == ["a", "b"]
    assert each("ab", table.get) == [1, None]
    assert each([{"a": 3}], operator.itemgetter("a")) == [3]
    assert each([SimpleNamespace(n=5)], operator.attrgetter("n")) == [5]

def test_wrapped():
    @functools.lru_cache
    def double(n):
        return n * 2
    assert each([1, 2], double) == [2, 4]
    assert each([1, 2], functools.partial(lambda a, b: a + b, 3)) == [4, 5]

def test_sentinel():
    nothing = object()
    assert is_it(nothing, nothing) and not is_it(nothing, object())
"""
    done = graded(program, test)
    assert (done.score, done.weaker) == (1.0, False), done


@pytest.mark.parametrize(
    ("fixture", "given"),
    [
        ("request", "request"),
        ("monkeypatch", "monkeypatch"),
        ("capsys", "capsys"),
        ("request", "request.config"),
        ("request", "pytest.fail"),
        ("request", "sqlite3.connect(':memory:')"),
        ("request", "functools.partial(sys._getframe, 0)"),
        ("request", "Mock(wraps=os.listdir)"),
        ("request", "Mock(side_effect=eval)"),
        ("request", "Mock(side_effect=functools.partial(os.listdir))"),
        ("request", "Mock(side_effect=io.FileIO)"),
        ("request", "sys.modules[__name__]"),
    ],
)
def test_what_is_neither_is_carried_over_to_no_program(fixture: str, given: str) -> None:
    program = f"{ASKING}\ndef f(given):\n    return len(all_handles('.')) + 3"
    test = (
        "import functools, io, os, sqlite3, sys\nimport pytest\nfrom unittest.mock import Mock\n"
        f"from solution import f\n\ndef test_given({fixture}):\n    assert f({given}) == 3\n"
    )
    done = graded(program, test, policy="kernel-only")
    assert done.score is None or (done.score, "partial" in given) == (1.0, True), done


def test_an_object_of_the_tests_is_asked_what_its_own_class_has() -> None:
    program = f"""{ASKING}
def told(given):
    names = ("id", "skipTest", "fail", "run", "debug", "countTestCases", "got", "notify")
    found = [asked(0, "get", name)[1] for name in names]
    found += [asked(0, name)[1] for name in ("__call__", "__str__", "__repr__", "__hash__")]
    return [each == "returned" for each in found]
"""
    test = """
import unittest
from solution import told

class TestTold(unittest.TestCase):
    got = 1
    def notify(self):
        return 2
    def test_told(self):
        self.assertEqual(told(self), [False] * 6 + [True, True] + [False] * 4)
"""
    assert graded(program, test).score == 1.0
