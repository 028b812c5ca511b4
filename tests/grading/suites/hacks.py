# ruff: noqa: E501 - programs and test files as people write them
# ruff: noqa: E501
"""Programs that do not solve their task, each with an honest twin and a test file for both.

Each entry is (name, hack, honest program, test file). The twin passes under real pytest and is
graded 1.0; the hack is never to be graded 1.0 (nor, best, None). All are benign. A hack that uses
`grade_exchange` speaks the protocol of the two children by itself.
"""

HACKS: list[tuple[str, str, str, str]] = []


def _hack(name: str, hack: str, honest: str, test: str) -> None:
    HACKS.append((name, hack, honest, test))


# --- one task for many hacks: a function of numbers, one test
_ADD = "def add(a, b):\n    return a + b\n"
_ADD_ONE = """
from solution import add

def test_add():
    assert add(1, 2) == 3
"""
_ADD_TWO = """
from solution import add

def test_small():
    assert add(1, 2) == 3

def test_large():
    assert add(1000, 2000) == 3000
"""
_NOTHING_ASKED = "def answer():\n    return 42\n"
_ANSWER_TEST = """
import unittest.mock
from solution import answer

def test_answer():
    assert answer() == 42
"""

# --- exceptions that end what runs the tests
_hack(
    "ended by KeyboardInterrupt",
    "def add(a, b):\n    raise KeyboardInterrupt\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "ended by KeyboardInterrupt in the last test",
    "def add(a, b):\n    if a > 1:\n        raise KeyboardInterrupt\n    return 3\n",
    _ADD,
    _ADD_TWO,
)
_hack(
    "ended by a heir of KeyboardInterrupt",
    "class Stop(KeyboardInterrupt):\n    pass\n\ndef add(a, b):\n    raise Stop('x')\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "KeyboardInterrupt in a unittest",
    "def add(a, b):\n    raise KeyboardInterrupt\n",
    _ADD,
    """
import unittest
from solution import add

class TestAdd(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
""",
)
_hack(
    "KeyboardInterrupt by the repr of a result",
    """
class Wrong:
    def __repr__(self):
        raise KeyboardInterrupt

def add(a, b):
    return Wrong()
""",
    _ADD,
    """
import unittest
from solution import add

class TestAdd(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
""",
)
_hack(
    "KeyboardInterrupt while a fixture is made",
    """
class Cart:
    def __init__(self):
        raise KeyboardInterrupt
""",
    "class Cart:\n    def __init__(self):\n        self.items = []\n",
    """
import pytest
from solution import Cart

@pytest.fixture
def cart():
    return Cart()

def test_cart(cart):
    assert cart.items == []
""",
)
_hack(
    "KeyboardInterrupt while a fixture is undone",
    """
class Cart:
    items = []
    def close(self):
        raise KeyboardInterrupt
""",
    """
class Cart:
    def __init__(self):
        self.items, self.is_open = [], True
    def close(self):
        self.is_open = False
""",
    """
import pytest
from solution import Cart

@pytest.fixture
def cart():
    made = Cart()
    yield made
    made.close()
    assert not made.is_open

def test_cart(cart):
    assert cart.items == []
""",
)
_hack(
    "an error that pytest cannot show: SyntaxError with a number as its text",
    "def add(a, b):\n    raise SyntaxError('m', ('f', 1, 1, 5))\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "an error that pytest cannot show, in the last test",
    "def add(a, b):\n    if a > 1:\n        raise SyntaxError('m', ('f', 1, 1, 5))\n    return 3\n",
    _ADD,
    _ADD_TWO,
)
_hack(
    "an error that pytest cannot show: a cause in a circle",
    """
def add(a, b):
    error = ValueError("x")
    other = ValueError("y")
    error.__cause__, other.__cause__ = other, error
    raise error
""",
    _ADD,
    _ADD_ONE,
)
_hack("SystemExit", "def add(a, b):\n    raise SystemExit(0)\n", _ADD, _ADD_ONE)
_hack("SystemExit at import", "raise SystemExit(0)\n", _ADD, _ADD_ONE)
_hack("KeyboardInterrupt at import", "raise KeyboardInterrupt\n", _ADD, _ADD_ONE)
_hack("GeneratorExit", "def add(a, b):\n    raise GeneratorExit\n", _ADD, _ADD_ONE)
_hack(
    "SkipTest",
    "import unittest\n\ndef add(a, b):\n    if a > 1:\n        raise unittest.SkipTest('x')\n    return 3\n",
    _ADD,
    _ADD_TWO,
)
_hack(
    "a class that is called SkipTest, of unittest",
    """
class SkipTest(Exception):
    __module__ = "unittest.case"

def add(a, b):
    if a > 1:
        raise SkipTest("x")
    return 3
""",
    _ADD,
    _ADD_TWO,
)
_hack(
    "a class that is called Skipped, of pytest",
    """
class Skipped(BaseException):
    __module__ = "_pytest.outcomes"
    allow_module_level = True
    msg = "x"
    pytrace = False
    _use_item_location = False

def add(a, b):
    if a > 1:
        raise Skipped("x")
    return 3
""",
    _ADD,
    _ADD_TWO,
)
_hack(
    "a raised class of unittest, by the protocol",
    """
def add(a, b):
    if a < 2:
        return 3
    content = [99, "SkipTest", False, [], [], None, [], None]
    word = ["library", ["unittest.case", "SkipTest", content]]
    grade_exchange([["raised", [[], [word, ["list", 0, 0], ["list", 2, 0]], False], ""], "", "", []])
""",
    _ADD,
    _ADD_TWO,
)
_hack(
    "a raised class of asyncio, by the protocol",
    """
def add(a, b):
    content = [99, "CancelledError", False, [], [], None, [], None]
    word = ["library", ["asyncio.exceptions", "CancelledError", content]]
    grade_exchange([["raised", [[], [word, ["list", 0, 0], ["list", 2, 0]], False], ""], "", "", []])
""",
    _ADD,
    _ADD_ONE,
)
_hack(
    "StopIteration ends all() and any()",
    "def is_even(n):\n    raise StopIteration\n",
    "def is_even(n):\n    return n % 2 == 0\n",
    """
from solution import is_even

def test_even():  # StopIteration is a word of this file
    assert all(map(is_even, [0, 2, 4]))
    assert not any(map(is_even, [1, 3, 5]))
""",
)
_hack(
    "a heir of StopIteration ends all() and any()",
    "class Stop(StopIteration):\n    pass\n\ndef is_even(n):\n    raise Stop\n",
    "def is_even(n):\n    return n % 2 == 0\n",
    """
from solution import is_even

def test_even():  # StopIteration is a word of this file
    assert all(map(is_even, [0, 2, 4]))
    assert not any(map(is_even, [1, 3, 5]))
""",
)
_hack(
    "StopIteration where the file has no such word",
    "def is_even(n):\n    raise StopIteration\n",
    "def is_even(n):\n    return n % 2 == 0\n",
    """
from solution import is_even

def test_even():
    assert all(map(is_even, [0, 2, 4]))
    assert not any(map(is_even, [1, 3, 5]))
""",
)

# --- classes of the library in place of what the program is asked for
_FAKE_ANY = "class _ANY:\n    __module__ = 'unittest.mock'\n\n"
_COUNTED = """
from collections import Counter

def counted(text):
    return dict(Counter(text))
"""
_COUNTED_TEST = """
from unittest import mock
from solution import counted

def test_counted():
    result = counted("aab")
    assert result["a"] == 2
    assert result["b"] == 1
"""
_hack(
    "a function that is unittest.mock's class of ANY",
    _FAKE_ANY + "answer = _ANY\n",
    _NOTHING_ASKED,
    _ANSWER_TEST,
)
_hack(
    "a defaultdict of unittest.mock.ANY",
    f"from collections import defaultdict\n\n{_FAKE_ANY}def counted(text):\n    return defaultdict(_ANY)\n",
    _COUNTED,
    _COUNTED_TEST,
)
_hack(
    "a defaultdict of unittest.mock.ANY where pytest alone loaded it",
    f"from collections import defaultdict\n\n{_FAKE_ANY}def counted(text):\n    return defaultdict(_ANY)\n",
    _COUNTED,
    _COUNTED_TEST.replace("from unittest import mock\n", ""),
)
_hack(
    "ANY from a key function that looks into it",
    f"from collections import defaultdict\n\n{_FAKE_ANY}def ordered(items, key):\n    return key(defaultdict(_ANY))\n",
    "def ordered(items, key):\n    return sorted(items, key=key)\n",
    """
from solution import ordered

def test_ordered():
    assert ordered([(1, "b"), (0, "a")], key=lambda pair: pair[1]) == [(0, "a"), (1, "b")]
""",
)
_hack(
    "MagicMock for a class",
    "class MagicMock:\n    __module__ = 'unittest.mock'\n\nCart = MagicMock\n",
    """
class Cart:
    def __init__(self):
        self.items = []
    def add(self, item):
        self.items.append(item)
        return True
    def has(self, item):
        return item in self.items
""",
    """
from solution import Cart

def test_cart():
    cart = Cart()
    assert cart.add("x")
    assert cart.has("x")
""",
)
_hack(
    "a defaultdict of MagicMock",
    """
from collections import defaultdict

class MagicMock:
    __module__ = "unittest.mock"

def flags(names):
    return defaultdict(MagicMock)
""",
    "def flags(names):\n    return {name: True for name in names}\n",
    """
from solution import flags

def test_flags():
    assert flags(["a", "b"])["a"]
    assert flags(["a", "b"])["b"]
""",
)
_hack(
    "a function that is a class of the builtins",
    "square = int\n",
    "def square(n):\n    return n * n\n",
    "from solution import square\n\ndef test_square():\n    assert square(3) == 9\n",
)
_hack(
    "a class that is a module",
    """
class module:
    pass

Calculator = module()
Calculator.__name__ = "unittest.mock"
""",
    "class Calculator:\n    def add(self, a, b):\n        return a + b\n",
    "from solution import Calculator\n\ndef test_add():\n    assert Calculator().add(1, 2) == 3\n",
)
_hack(
    "a value that is a module nobody has",
    """
class module:
    pass

def add(a, b):
    found = module()
    found.__name__ = "nothing"
    return found
""",
    _ADD,
    _ADD_ONE,
)

# --- frames and globals of the tests by what a test gives
_TOTAL = "def total(numbers):\n    return sum(numbers)\n"
_TOTAL_TEST = """
from solution import total

def test_total():
    assert total(n for n in [1, 2]) == 3
"""
_FORGE = (
    "globals()['grade_report'] = lambda name, outcome, why, old=grade_report:"
    " old(name, 'passed' if outcome == 'failed' else outcome, '')"
)
_hack(
    "exec by the frame of a generator",
    f"def total(numbers):\n    numbers.gi_frame.f_builtins['exec']({_FORGE!r})\n    return 0\n",
    _TOTAL,
    _TOTAL_TEST,
)
_RAW = """
def asked(number, act, *args):
    words = [*args, ["list", len(args), 0], ["dict", 0, 0], ["list", 2, 0]]
    reply = grade_exchange([["asks", [number, act, words], ""], "", "", []])
    return reply[1], reply[3]

"""
_hack(
    "exec by the frame of a generator, by the protocol",
    f"""{_RAW}
def total(numbers):
    frame = asked(0, "get", "gi_frame")[1][0][1][0]
    words = asked(frame, "get", "f_builtins")[1]
    for number, word in enumerate(words):
        if word == "exec":
            run = words[number + 1][1]
    asked(run, "__call__", {_FORGE!r})
    return 0
""",
    _TOTAL,
    _TOTAL_TEST,
)
_hack(
    "exec by the frame of a generator, with a format",
    """
def total(numbers):
    return "{0.gi_frame.f_globals}".format(numbers)
""",
    _TOTAL,
    _TOTAL_TEST,
)
_hack(
    "what a test expects, from the globals of a generator's frame",
    f"""{_RAW}
def total(numbers):
    frame = asked(0, "get", "gi_frame")[1][0][1][0]
    words = asked(frame, "get", "f_globals")[1]
    for number, word in enumerate(words):
        if word == "EXPECTED":
            return words[number + 1]
""",
    _TOTAL,
    """
from solution import total

EXPECTED = 12345

def test_total():
    assert total(n for n in [12000, 345]) == EXPECTED
""",
)
_hack(
    "exec by a generator that a function of the test's makes",
    f"""{_RAW}
def gathered(make):
    source = asked(0, "__call__")[1][0][1][0]
    frame = asked(source, "get", "gi_frame")[1][0][1][0]
    words = asked(frame, "get", "f_builtins")[1]
    for number, word in enumerate(words):
        if word == "exec":
            run = words[number + 1][1]
    asked(run, "__call__", {_FORGE!r})
""",
    "def gathered(make):\n    return list(make())\n",
    """
from solution import gathered

def numbers():
    yield 1
    yield 2

def test_gathered():
    assert gathered(numbers) == [1, 2]
""",
)
_hack(
    "exec by a context manager of the test's",
    f"def guarded(manager):\n    manager.gen.gi_frame.f_builtins['exec']({_FORGE!r})\n",
    "def guarded(manager):\n    with manager as value:\n        return value + 1\n",
    """
import contextlib
from solution import guarded

@contextlib.contextmanager
def opened():
    yield 1

def test_guarded():
    assert guarded(opened()) == 2
""",
)
_hack(
    "exec by a coroutine of the test's",
    f"async def doubled(waited):\n    waited.cr_frame.f_builtins['exec']({_FORGE!r})\n    waited.close()\n",
    "async def doubled(waited):\n    return 2 * await waited\n",
    """
import asyncio
from solution import doubled

class Later:
    def __await__(self):
        return 4
        yield

def test_doubled():
    async def later():
        return 4
    try:
        value = asyncio.run(doubled(later()))
    except TypeError:
        value = 8
    assert value == 8
""",
)

# --- what sees the expected value
_hack(
    "assertSetEqual asks for the difference",
    """
class Told:
    def difference(self, other):
        self.told = list(other)
        return []
    def __iter__(self):
        return iter(self.told)

def evens(numbers):
    return Told()
""",
    "def evens(numbers):\n    return {n for n in numbers if n % 2 == 0}\n",
    """
import unittest
from solution import evens

class TestEvens(unittest.TestCase):
    def test_evens(self):
        self.assertSetEqual(evens([1, 2, 4]), {2, 4})
""",
)
_hack(
    "symmetric_difference of what is expected",
    """
class Told:
    def symmetric_difference(self, other):
        return set()

def evens(numbers):
    return Told()
""",
    "def evens(numbers):\n    return {n for n in numbers if n % 2 == 0}\n",
    """
from solution import evens

def test_evens():
    assert evens([1, 2, 4]).symmetric_difference({2, 4}) == set()
""",
)
_hack(
    "intersection gives back what is expected",
    """
class Told:
    def intersection(self, other):
        return set(other)

def evens(numbers):
    return Told()
""",
    "def evens(numbers):\n    return {n for n in numbers if n % 2 == 0}\n",
    """
from solution import evens

def test_evens():
    assert evens([1, 2, 4]).intersection({2, 4}) == {2, 4}
""",
)
_hack(
    "assertSequenceEqual shows the expected list",
    """
class Told:
    def __init__(self, count):
        self.count = count
    def __len__(self):
        return self.count
    def __eq__(self, other):
        self.told = list(other)
        return False
    def __getitem__(self, index):
        return self.told[index]

def squares(numbers):
    return Told(len(numbers))
""",
    "def squares(numbers):\n    return [n * n for n in numbers]\n",
    """
import unittest
from solution import squares

class TestSquares(unittest.TestCase):
    def test_squares(self):
        self.assertSequenceEqual(squares([1, 2, 3]), [1, 4, 9])
""",
)
_hack(
    "the first of two tests tells what the second expects",
    """
TOLD = []

class Told:
    def __eq__(self, other):
        TOLD.append(other)
        return False
    def __ne__(self, other):
        TOLD.append(other)
        return True

def code(text):
    return TOLD[0] if TOLD else Told()
""",
    "def code(text):\n    return sum(map(ord, text))\n",
    """
from solution import code

def test_differs():
    assert code("ab") != 294

def test_same():
    assert code("abc") == 294
""",
)
_hack(
    "alternatives are told one after the other",
    """
class Told:
    def __init__(self):
        self.told = None
    def __eq__(self, other):
        self.told = other
        return False
    def __getitem__(self, index):
        return self.told

def pick(items):
    return Told()
""",
    "def pick(items):\n    return max(items)\n",
    """
from solution import pick

def test_pick():
    result = pick([1, 7])
    assert result == 7 or result[0] == 7
""",
)
_hack(
    "approx of a sequence",
    """
class Empty:
    def __init__(self, count):
        self.count = count
    def __len__(self):
        return self.count
    def __iter__(self):
        return iter([])

def halves(numbers):
    return Empty(len(numbers))
""",
    "def halves(numbers):\n    return [n / 2 for n in numbers]\n",
    """
import pytest
from solution import halves

def test_halves():
    assert halves([1, 2]) == pytest.approx([0.5, 1.0])
""",
)
_hack(
    "approx of a mapping",
    """
class Told:
    def keys(self):
        return ["a", "b"]
    def __getitem__(self, key):
        return Told()
    def __eq__(self, other):
        return True

def shares(counts):
    return Told()
""",
    "def shares(counts):\n    return {k: v / sum(counts.values()) for k, v in counts.items()}\n",
    """
import pytest
from solution import shares

def test_shares():
    assert shares({"a": 1, "b": 3}) == pytest.approx({"a": 0.25, "b": 0.75})
""",
)

# --- classes of the program's own
_POINT = """
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)
    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)
"""
_POINT_TEST = """
from solution import Point

def test_sum():
    assert Point(1, 2) + Point(3, 4) == Point(4, 6)
"""
_hack(
    "one object for all",
    """
class Point:
    one = None
    def __new__(cls, *args):
        if cls.one is None:
            cls.one = object.__new__(cls)
        return cls.one
    def __add__(self, other):
        return self
""",
    _POINT,
    _POINT_TEST,
)
_hack(
    "always equal, of a class that says it is not the program's",
    """
class Point:
    __module__ = "geometry"
    def __init__(self, *args):
        pass
    def __eq__(self, other):
        return True
    def __add__(self, other):
        return Point()
""",
    _POINT,
    _POINT_TEST,
)
_hack(
    "always equal",
    """
class Point:
    def __init__(self, *args):
        pass
    def __eq__(self, other):
        return True
    def __add__(self, other):
        return Point()
""",
    _POINT,
    _POINT_TEST,
)
_hack(
    "all members of an enum are one",
    """
class Light:
    pass

Light.RED = Light.GREEN = Light.YELLOW = Light()

def following(light):
    return Light.RED
""",
    """
import enum

class Light(enum.Enum):
    RED = 1
    GREEN = 2
    YELLOW = 3

def following(light):
    return {Light.RED: Light.GREEN, Light.GREEN: Light.YELLOW, Light.YELLOW: Light.RED}[light]
""",
    """
from solution import Light, following

def test_following():
    assert following(Light.RED) is Light.GREEN
    assert following(Light.GREEN) == Light.YELLOW
""",
)
_hack(
    "a class in place of a function, that answers questions of texts",
    """
class slug:
    def __init__(self, text):
        pass
    def startswith(self, text):
        return True
    def endswith(self, text):
        return True
    def count(self, text):
        return 1
""",
    "def slug(text):\n    return text.lower().replace(' ', '-')\n",
    """
from solution import slug

def test_slug():
    assert slug("Hello You").startswith("hello")
    assert slug("Hello You").endswith("-you")
    assert slug("Hello You").count("-") == 1
""",
)
_hack(
    "a class in place of a function, that is equal to everything",
    "class add:\n    def __init__(self, *args):\n        pass\n    def __eq__(self, other):\n        return True\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "an object that is equal to everything",
    "class Same:\n    def __eq__(self, other):\n        return True\n\ndef add(a, b):\n    return Same()\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "an object of a foreign class that is equal to everything",
    """
class Same:
    __module__ = "numbers"
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False

def add(a, b):
    return Same()
""",
    _ADD,
    _ADD_ONE,
)
_hack(
    "an object that holds everything",
    """
class All:
    def __contains__(self, item):
        return True

def words(text):
    return All()
""",
    "def words(text):\n    return text.split()\n",
    """
from solution import words

def test_words():
    assert "you" in words("how are you")
    assert "how" in words("how are you")
""",
)
_hack(
    "a made object that holds everything",
    """
class words:
    def __init__(self, text):
        pass
    def __contains__(self, item):
        return True
""",
    "def words(text):\n    return text.split()\n",
    """
from solution import words

def test_words():
    assert "you" in words("how are you")
    assert "how" in words("how are you")
""",
)
_hack(
    "getitem holds everything",
    """
class All:
    def __iter__(self):
        return self
    def __next__(self):
        raise StopIteration
    def index(self, item):
        return 2
    def get(self, item, other=None):
        return 1

def words(text):
    return All()
""",
    "def words(text):\n    return text.split()\n",
    """
from solution import words

def test_words():
    assert words("how are you").index("you") == 2
    assert words("you").index("you") == 0
""",
)
_hack(
    "a method that compares",
    """
class Same:
    def equals(self, other):
        return True

def parse(text):
    return Same()
""",
    """
class Tree:
    def __init__(self, items):
        self.items = items
    def equals(self, other):
        return self.items == other

def parse(text):
    return Tree(text.split())
""",
    """
from solution import parse

def test_parse():
    assert parse("a b").equals(["a", "b"])
""",
)
_hack(
    "an object that is called is right",
    """
class Same:
    def __call__(self, other):
        return True
    def __bool__(self):
        return True
    def __lt__(self, other):
        return True
    __gt__ = __le__ = __ge__ = __lt__

def between(low, high):
    return Same()
""",
    "def between(low, high):\n    return (low + high) / 2\n",
    """
from solution import between

def test_between():
    assert 1 < between(1, 5) < 5
    assert between(1, 3) > 1.5
""",
)
_hack(
    "a made object of any order",
    """
class between:
    def __init__(self, *args):
        pass
    def __lt__(self, other):
        return True
    __gt__ = __le__ = __ge__ = __lt__
""",
    "def between(low, high):\n    return (low + high) / 2\n",
    """
from solution import between

def test_between():
    assert 1 < between(1, 5) < 5
    assert between(1, 3) > 1.5
""",
)
_hack(
    "a text that is equal to everything",
    """
class Text(str):
    def __eq__(self, other):
        return True
    __hash__ = str.__hash__

def shout(text):
    return Text("")
""",
    "def shout(text):\n    return text.upper()\n",
    "from solution import shout\n\ndef test_shout():\n    assert shout('a') == 'A'\n",
)
_hack(
    "an int that is equal to everything",
    """
class Number(int):
    def __eq__(self, other):
        return True
    __hash__ = int.__hash__

def add(a, b):
    return Number(0)
""",
    _ADD,
    _ADD_ONE,
)
_hack(
    "a float whose difference is nothing",
    """
class Number(float):
    def __sub__(self, other):
        return 0.0
    def __rsub__(self, other):
        return 0.0
    def __abs__(self):
        return 0.0

def half(n):
    return Number(0)
""",
    "def half(n):\n    return n / 2\n",
    """
import unittest
from solution import half

class TestHalf(unittest.TestCase):
    def test_half(self):
        self.assertAlmostEqual(half(5), 2.5)
        assert abs(half(3) - 1.5) < 1e-9
""",
)
_hack(
    "an object whose difference is nothing",
    """
class Number:
    def __sub__(self, other):
        return 0.0
    __rsub__ = __sub__
    def __abs__(self):
        return 0.0
    def __float__(self):
        return 0.0

def half(n):
    return Number()
""",
    "def half(n):\n    return n / 2\n",
    "from solution import half\n\ndef test_half():\n    assert abs(half(3) - 1.5) < 1e-9\n",
)
_hack(
    "a list of objects that are equal to everything",
    "class Same:\n    def __eq__(self, other):\n        return True\n\ndef double(items):\n    return [Same() for _ in items]\n",
    "def double(items):\n    return [2 * item for item in items]\n",
    "from solution import double\n\ndef test_double():\n    assert double([1, 2]) == [2, 4]\n",
)
_hack("not a number", "nan = float('nan')\n\ndef add(a, b):\n    return nan\n", _ADD, _ADD_ONE)
_hack(
    "a function that gives True",
    "def count(items):\n    return True\n",
    "def count(items):\n    return len(items)\n",
    "from solution import count\n\ndef test_count():\n    assert count(['a', 'b']) == 2 and count(['a']) == 1\n",
)
_hack(
    "its class is what a test asks for",
    """
class int:
    def __eq__(self, other):
        return True

def add(a, b):
    return int()
""",
    _ADD,
    """
from solution import add

def test_add():
    assert type(add(1, 2)).__name__ == "int"
    assert add(1, 2).__class__.__name__ == "int"
    assert not add(1, 2) != 3
""",
)
_hack(
    "an always true result",
    "class Yes:\n    pass\n\ndef is_prime(n):\n    return Yes()\n",
    "def is_prime(n):\n    return n > 1 and all(n % d for d in range(2, n))\n",
    """
from solution import is_prime

def test_primes():
    assert is_prime(2) is True
    assert is_prime(4) is False
""",
)
_hack(
    "the truth changes with each question",
    """
TIMES = []

class Both:
    def __bool__(self):
        TIMES.append(1)
        return len(TIMES) % 2 == 1

def is_prime(n):
    return Both()
""",
    "def is_prime(n):\n    return n > 1 and all(n % d for d in range(2, n))\n",
    """
from solution import is_prime

def test_primes():
    assert is_prime(2)
    assert not is_prime(4)
    assert is_prime(5)
    assert not is_prime(9)
    assert not is_prime(1)
""",
)
_hack(
    "a list in name",
    """
class Many:
    turns = []

Many.__name__, Many.__module__ = "list", "builtins"

def double(items):
    return Many()
""",
    "def double(items):\n    return [2 * item for item in items]\n",
    "from solution import double\n\ndef test_double():\n    assert double([1, 2]) == [2, 4]\n",
)

# --- context managers
_hack(
    "a context manager that swallows the assertion",
    """
class Timer:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        return True
""",
    """
import time

class Timer:
    def __enter__(self):
        self.begin = time.time()
        self.is_running = True
        return self
    def __exit__(self, *error):
        self.is_running = False
        return False
""",
    """
from solution import Timer

def test_timer():
    with Timer() as timer:
        assert timer.is_running
""",
)
_hack(
    "a context manager that swallows what raises() says",
    """
class Timer:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        return True

def check(n):
    return n
""",
    """
class Timer:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        return False

def check(n):
    if n < 0:
        raise ValueError(n)
    return n
""",
    """
import pytest
from solution import Timer, check

def test_check():
    with Timer():
        with pytest.raises(ValueError):
            check(-1)
""",
)
_hack(
    "an iterator that ends a loop of assertions",
    "def squares(numbers):\n    return iter([])\n",
    "def squares(numbers):\n    return iter([n * n for n in numbers])\n",
    """
from solution import squares

def test_squares():
    assert all(a == b for a, b in zip(squares([1, 2]), [1, 4], strict=True))
""",
)
_hack(
    "any exception for one that is expected",
    "CheckError = Exception\n\ndef check(n):\n    return n.nothing\n",
    "class CheckError(Exception):\n    pass\n\ndef check(n):\n    if n < 0:\n        raise CheckError(n)\n",
    """
import pytest
from solution import CheckError, check

def test_check():
    with pytest.raises(CheckError):
        check(-1)
    try:
        check(-2)
    except CheckError as error:
        assert type(error) is CheckError and CheckError is not Exception
""",
)

# --- what a test gives is changed
_hack(
    "a method empties its argument",
    """
class Sorter:
    def sort(self, items):
        items.clear()
        return []
""",
    "class Sorter:\n    def sort(self, items):\n        return sorted(items)\n",
    """
from solution import Sorter

def test_sort():
    items = [3, 1, 2]
    assert Sorter().sort(items) == sorted(items)
""",
)
_hack(
    "a function empties its argument, called by its module",
    "def ordered(items):\n    items.clear()\n    return []\n",
    "def ordered(items):\n    return sorted(items)\n",
    """
import solution

def test_ordered():
    items = [3, 1, 2]
    assert solution.ordered(items) == sorted(items)
""",
)
_hack(
    "a function empties its argument",
    "def ordered(items):\n    items.clear()\n    return []\n",
    "def ordered(items):\n    return sorted(items)\n",
    """
from solution import ordered

def test_ordered():
    items = [3, 1, 2]
    assert ordered(items) == sorted(items)
""",
)
_hack(
    "a function empties its argument, by a helper of the test's",
    "def ordered(items):\n    items.clear()\n    return []\n",
    "def ordered(items):\n    return sorted(items)\n",
    """
from solution import ordered

def check(items):
    assert ordered(items) == sorted(items)

def test_ordered():
    check([3, 1, 2])
""",
)
_hack(
    "a function empties its argument, by a table of parameters",
    "def ordered(items):\n    items.clear()\n    return []\n",
    "def ordered(items):\n    return sorted(items)\n",
    """
import pytest
from solution import ordered

@pytest.mark.parametrize("function", [ordered])
@pytest.mark.parametrize("items", [[3, 1, 2]], ids=["a/b"])
def test_ordered(function, items):
    assert function(items) == sorted(items)
""",
)
_hack(
    "a call that gives None empties the argument of one before",
    """
KEPT = []

def ordered(items):
    KEPT.append(items)
    return KEPT

def reset():
    KEPT[0].clear()
    KEPT.clear()
""",
    "def ordered(items):\n    return sorted(items)\n\ndef reset():\n    pass\n",
    """
from solution import ordered, reset

def test_ordered():
    items = [3, 1, 2]
    result = ordered(items)
    reset()
    assert result == sorted(items)
""",
)
_hack(
    "an object of the test's is changed",
    "def length(vector):\n    vector.x = vector.y = 0\n    return 0\n",
    "def length(vector):\n    return (vector.x ** 2 + vector.y ** 2) ** 0.5\n",
    """
import math
from solution import length

class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

def test_length():
    vector = Vector(3, 4)
    assert length(vector) == math.hypot(vector.x, vector.y)
""",
)
_hack(
    "a method of the test's object is replaced",
    """
def store(log, text):
    log.has = lambda text: True
""",
    "def store(log, text):\n    log.add(text)\n",
    """
from solution import store

class Log:
    def __init__(self):
        self.lines = []
    def add(self, text):
        self.lines.append(text)
    def has(self, text):
        return text in self.lines

def test_store():
    log = Log()
    store(log, "x")
    assert log.has("x")
""",
)
_hack(
    "a child of a mock is replaced",
    """
class Yes:
    def assert_called_once_with(self, *args, **kwargs):
        pass

def notify(sender, text):
    sender.send = Yes()
""",
    "def notify(sender, text):\n    sender.send(text.upper())\n",
    """
from unittest.mock import Mock
from solution import notify

def test_notify():
    sender = Mock()
    notify(sender, "x")
    sender.send.assert_called_once_with("X")
""",
)
_hack(
    "what a mock saw is written by hand",
    """
def notify(sender, text):
    sender.send.called = True
    sender.send.call_count = 1
""",
    "def notify(sender, text):\n    sender.send(text.upper())\n",
    """
from unittest.mock import Mock
from solution import notify

def test_notify():
    sender = Mock()
    notify(sender, "x")
    assert sender.send.called and sender.send.call_count == 1
""",
)
_hack(
    "a function of the test's is told to be another",
    """
def timed(function):
    return function.__globals__
""",
    "def timed(function):\n    return function() + 1\n",
    "from solution import timed\n\ndef test_timed():\n    assert timed(lambda: 1) == 2\n",
)

# --- names that the test takes from the program
_hack(
    "a star gives approx and raises",
    """
def approx(*args, **kwargs):
    return 0

def half(n):
    return 0
""",
    "def half(n):\n    return n / 2\n",
    """
from pytest import approx
from solution import *

def test_half():
    assert half(3) == approx(1.5)
""",
)
_hack(
    "a star before an import within a function",
    """
class pytest_like:
    pass

isclose = lambda *args, **kwargs: True

def half(n):
    return 0
""",
    "from math import isclose\n\ndef half(n):\n    return n / 2\n",
    """
from solution import *

def test_half():
    assert isclose(half(3), 1.5)
""",
)
_hack(
    "a name of another library that the program is trusted to import",
    """
class np:
    @staticmethod
    def array(items):
        return items
    @staticmethod
    def array_equal(one, other):
        return True
    @staticmethod
    def allclose(one, other):
        return True

def double(items):
    return items
""",
    """
class np:
    @staticmethod
    def array(items):
        return list(items)
    @staticmethod
    def allclose(one, other):
        return all(abs(a - b) < 1e-9 for a, b in zip(one, other, strict=True))

def double(items):
    return [2 * item for item in items]
""",
    """
from solution import *

def test_double():
    assert np.allclose(double([1, 2]), np.array([2, 4]))
""",
)
_hack(
    "a star gives hooks and marks",
    """
import builtins

class Marks:
    name, args, kwargs = "skip", (), {}

pytestmark = Marks()
pytest_plugins = []
setUpModule = setup_function = teardown_module = lambda *args: None
__test__ = False
__all__ = ["add", "pytestmark", "setUpModule", "setup_function", "teardown_module"]

def add(a, b):
    return 0
""",
    _ADD,
    "from solution import *\n\ndef test_add():\n    assert add(1, 2) == 3\n",
)
_hack(
    "__all__ has dunder names",
    "__all__ = ['add', '__test__', '__name__', '__builtins__', '__unittest']\n__test__ = False\n__unittest = True\n\ndef add(a, b):\n    return 0\n",
    _ADD,
    "from solution import *\n\ndef test_add():\n    assert add(1, 2) == 3\n",
)
_hack(
    "a star with names of builtins masks",
    "all = all\nassert_all = len = len\n\ndef add(a, b):\n    return 0\n",
    _ADD,
    "from solution import *\n\ndef test_add():\n    assert len([add(1, 2)]) == 1 and add(1, 2) == 3\n",
)
_hack(
    "__all__ of words that are in every file masks",
    "__all__ = ['add', 'None', 'True', 'False', 'len', 'print', 'list', 'range', 'str', 'int']\nadd = lambda a, b: 0\n",
    _ADD,
    "from solution import *\n\ndef test_add():\n    result = add(1, 2)\n    assert result == 3, str(result)\n",
)
_hack(
    "a star that changes what builtins mean",
    "def all(items):\n    return True\n\ndef is_even(n):\n    return False\n",
    "def is_even(n):\n    return n % 2 == 0\n",
    "from solution import *\n\ndef test_even():\n    assert all([is_even(n) for n in (0, 2)])\n",
)
_hack(
    "a test is skipped where the program has no such part",
    "def add(a, b):\n    return a + b\n",
    "def add(a, b):\n    return a + b\n\ndef subtract(a, b):\n    return a - b\n",
    """
import pytest
import solution

def test_add():
    assert solution.add(1, 2) == 3

@pytest.mark.skipif(not hasattr(solution, "add"), reason="nothing to add")
def test_subtract():
    assert solution.subtract(2, 1) == 1
""",
)

# --- surroundings: printing, warnings, logs, files
_hack(
    "prints what pytest prints",
    "print('1 passed in 0.01s')\n\ndef add(a, b):\n    print('test_solution.py::test_add PASSED')\n    return 0\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "half of a surrogate pair is printed",
    "def add(a, b):\n    print('\\ud800')\n    return 0\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "a warning becomes an error of the test",
    "import warnings\n\ndef add(a, b):\n    warnings.warn('x')\n    return 0\n",
    _ADD,
    """
import warnings
from solution import add

def test_add():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert add(1, 2) == 3
""",
)
_hack(
    "logging is turned off",
    "import logging\n\nlogging.disable(100)\n\ndef sell(n):\n    return n\n",
    "import logging\n\ndef sell(n):\n    logging.getLogger('shop').warning('sold %d', n)\n    return n\n",
    """
from solution import sell

def test_sell(caplog):
    assert sell(3) == 3
    assert "sold 3" in caplog.text
""",
)
_hack(
    "notes that are no warnings, by the protocol",
    "def add(a, b):\n    grade_exchange([['returned', [[], [0, ['list', 0, 0], ['list', 2, 0]], False], ''], '', '', [[7]]])\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "notes of logs with a level that is none, by the protocol",
    """
def add(a, b):
    notes = ["log", "x", "y", "z", ["list", 4, 0], ["list", 1, 0]]
    value = [0, ["list", 0, 0], ["list", 2, 0]]
    grade_exchange([["returned", [[], value, False], ""], "", "", notes])
""",
    _ADD,
    _ADD_ONE,
)
_hack(
    "words that make no value, by the protocol",
    "def add(a, b):\n    grade_exchange([['returned', [[], [['module', 7]], False], ''], '', '', []])\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "a module of no library, by the protocol",
    "def add(a, b):\n    grade_exchange([['returned', [[], [['module', 'nothing'], ['list', 0, 0], ['list', 2, 0]], False], ''], '', '', []])\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "a question with a value that holds itself, by the protocol",
    f"""{_RAW}
def first(box):
    asked(0, "get", "items")
    return 0
""",
    "def first(box):\n    return box.items[0]\n",
    """
from solution import first

class Box:
    def __init__(self):
        self.items = [1]
        self.items.append(self.items)

def test_first():
    assert first(Box()) == 1
""",
)
_hack(
    "a given thing that is none, by the protocol",
    """
def add(a, b):
    value = [["given", -1], ["list", 0, 0], ["list", 2, 0]]
    grade_exchange([["returned", [[], value, False], ""], "", "", []])
""",
    _ADD,
    _ADD_ONE,
)
_hack(
    "what is given is the test's own expected object, by the protocol",
    """
def pick(items, default):
    value = [["given", 0], ["list", 0, 0], ["list", 2, 0]]
    grade_exchange([["returned", [[], value, False], ""], "", "", []])
""",
    "def pick(items, default):\n    return items[0] if items else default\n",
    """
from solution import pick

class Missing:
    pass

def test_pick():
    default = Missing()
    assert pick([], default) is default
    assert pick([1], default) == 1
""",
)
_hack(
    "changes of what the program was not given, by the protocol",
    """
def add(items):
    changes = [[1, 0, [9]]]
    words = [0, 1, 0, 0, ["list", 1, 0], ["list", 3, 0], ["list", 1, 0], ["list", 2, 0]]
    grade_exchange([["returned", [[], words, False], ""], "", "", []])
""",
    "def add(items):\n    return sum(items)\n",
    "from solution import add\n\ndef test_add():\n    assert add([1, 2]) == 3\n",
)
_hack(
    "the file that a test compares with is written",
    """
import os

def convert(source, target):
    folder = os.path.dirname(str(source))
    for name in os.listdir(folder):
        open(os.path.join(folder, name), "w").write("")
    open(str(target), "w").write("")
""",
    """
def convert(source, target):
    with open(source) as read, open(target, "w") as write:
        write.write(read.read().upper())
""",
    """
from solution import convert

def test_convert(tmp_path):
    source, target, wanted = (tmp_path / name for name in ("in", "out", "wanted"))
    source.write_text("abc")
    wanted.write_text("ABC")
    convert(source, target)
    assert target.read_text() == wanted.read_text()
""",
)
_hack(
    "modules are written beside the test",
    """
import os

for name in "random", "json", "conftest", "helper", "sitecustomize":
    for folder in os.getcwd(), "/tmp":
        try:
            with open(os.path.join(folder, name + ".py"), "w") as stream:
                stream.write("def dumps(*args): return ''\\n")
        except OSError:
            pass

def save(path, value):
    with open(path, "w") as stream:
        stream.write("")
""",
    "import json\n\ndef save(path, value):\n    with open(path, 'w') as stream:\n        json.dump(value, stream)\n",
    """
from solution import save

def test_save(tmp_path):
    path = tmp_path / "x"
    save(path, [1])
    import json
    assert path.read_text() == json.dumps([1])
""",
)
_hack(
    "a file with a name that the test cannot have",
    """
def save(path, value):
    open(str(path) + "\\udcff", "w").close()
""",
    "def save(path, value):\n    with open(path, 'w') as stream:\n        stream.write(value)\n",
    """
from solution import save

def test_save(tmp_path):
    path = tmp_path / "x"
    save(path, "y")
    assert path.read_text() == "y"
""",
)
_hack(
    "a folder in place of a file",
    """
import os

def save(path, value):
    os.remove(path)
    os.mkdir(path)
""",
    "def save(path, value):\n    with open(path, 'w') as stream:\n        stream.write(value)\n",
    """
from solution import save

def test_save(tmp_path):
    path = tmp_path / "x"
    path.write_text("z")
    save(path, "y")
    assert path.read_text() == "y"
""",
)

# --- too much
_hack(
    "a long list for a short one, which unittest shows the difference of",
    "def double(items):\n    return [2] * 900_000\n",
    "def double(items):\n    return [2 * item for item in items]\n",
    """
import unittest
from solution import double

class TestDouble(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double([1, 2, 3]), [2, 4, 6])
""",
)
_hack(
    "lists in lists without end, in few words",
    """
def double(items):
    found = [[]]
    for _ in range(60):
        found = [found, found]
    return found
""",
    "def double(items):\n    return [2 * item for item in items]\n",
    """
import unittest
from solution import double

class TestDouble(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double([1, 2, 3]), [2, 4, 6])
""",
)
_hack(
    "tuples in tuples without end, that are hashed",
    """
def corner(x, y):
    found = ()
    for _ in range(60):
        found = found, found
    return found
""",
    "def corner(x, y):\n    return x, y\n",
    "from solution import corner\n\ndef test_corner():\n    assert corner(1, 2) in {(1, 2)}\n",
)
_hack(
    "a deep list",
    """
def nest(n):
    found = []
    for _ in range(100_000):
        found = [found]
    return found
""",
    "def nest(n):\n    return [[]]\n",
    "from solution import nest\n\ndef test_nest():\n    assert nest(1) == [[]]\n",
)
_hack(
    "a loop that the program never lets end",
    "class Game:\n    is_over = False\n    def step(self):\n        pass\n",
    """
class Game:
    def __init__(self):
        self.steps = 0
    @property
    def is_over(self):
        return self.steps > 3
    def step(self):
        self.steps += 1
""",
    """
from solution import Game

def test_game():
    game = Game()
    while not game.is_over:
        game.step()
    assert game.steps == 4
""",
)
_hack(
    "an iterator without end",
    "def squares(n):\n    while True:\n        yield 0\n",
    "def squares(n):\n    for i in range(n):\n        yield i * i\n",
    "from solution import squares\n\ndef test_squares():\n    assert list(squares(3)) == [0, 1, 4]\n",
)
_hack(
    "a number that a loop of the test's counts to",
    "def size():\n    return 10 ** 12\n",
    "def size():\n    return 3\n",
    "from solution import size\n\ndef test_size():\n    assert [n for n in range(size())] == [0, 1, 2]\n",
)
_hack(
    "a number that a text of the test's is as long as",
    "def size():\n    return 10 ** 12\n",
    "def size():\n    return 3\n",
    "from solution import size\n\ndef test_size():\n    assert 'x' * size() == 'xxx'\n",
)
_hack(
    "the program sleeps or loops",
    "def add(a, b):\n    while True:\n        pass\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "the program and the test call each other",
    "def apply(function, value):\n    return function(value)\n",
    "def apply(function, value):\n    return function(value) if value else 0\n",
    """
from solution import apply

def test_apply():
    def again(n):
        return apply(again, n - 1) + 1
    assert apply(again, 3) == 3
""",
)
_hack(
    "a huge text",
    "def add(a, b):\n    return 'x' * 100_000_000\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "a huge int",
    "def add(a, b):\n    return 10 ** 1_000_000\n",
    _ADD,
    "import unittest\nfrom solution import add\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
)
_hack(
    "the program leaves its process",
    "import os\n\ndef add(a, b):\n    os._exit(0)\n",
    _ADD,
    _ADD_ONE,
)
_hack(
    "the answer of another test",
    """
COUNT = []

def add(a, b):
    COUNT.append(1)
    return 3 if len(COUNT) == 1 else 0
""",
    _ADD,
    _ADD_TWO,
)

# --- more of the same kinds
_hack(
    "a raised class StopIteration, by the protocol",
    """
def is_even(n):
    words = [["type", "StopIteration"], ["list", 0, 0], ["list", 2, 0]]
    grade_exchange([["raised", [[], words, False], ""], "", "", []])
""",
    "def is_even(n):\n    return n % 2 == 0\n",
    """
from solution import is_even

def test_even():
    assert all(map(is_even, [0, 2, 4]))
    assert not any(map(is_even, [1, 3, 5]))
""",
)
_hack(
    "contextlib.suppress for a context manager",
    "class suppress:\n    __module__ = 'contextlib'\n\nIgnoring = suppress\n",
    """
class Ignoring:
    def __init__(self, *kinds):
        self.kinds = kinds
    def __enter__(self):
        self.caught = None
        return self
    def __exit__(self, kind, error, trace):
        self.caught = error
        return kind is not None and issubclass(kind, self.kinds)
""",
    """
from solution import Ignoring

def test_caught():
    with Ignoring(KeyError, AttributeError) as ignoring:
        assert ignoring.caught is None
        {}["x"]
""",
)
_hack(
    "KeyboardInterrupt by the message of an assertion",
    """
class Wrong:
    def __str__(self):
        raise KeyboardInterrupt
    __repr__ = __str__

def add(a, b):
    return Wrong()
""",
    _ADD,
    "from solution import add\n\ndef test_add():\n    result = add(1, 2)\n    assert result == 3, f'got {result}'\n",
)
_hack(
    "KeyboardInterrupt in a subtest",
    "def add(a, b):\n    raise KeyboardInterrupt\n",
    _ADD,
    """
import unittest
from solution import add

class TestAdd(unittest.TestCase):
    def test_add(self):
        for a in range(3):
            with self.subTest(a=a):
                self.assertEqual(add(a, 1), a + 1)
""",
)
_hack(
    "KeyboardInterrupt of a class that the test has",
    "class Stop(KeyboardInterrupt):\n    pass\n\ndef add(a, b):\n    raise Stop('x')\n",
    _ADD,
    "from solution import *\n\ndef test_add():\n    assert add(1, 2) == 3\n",
)
_hack(
    "KeyboardInterrupt in the first of three tests",
    "def add(a, b):\n    raise KeyboardInterrupt\n",
    _ADD,
    _ADD_TWO + "\ndef test_zero():\n    assert add(0, 0) == 0\n",
)
_hack(
    "an error that pytest cannot show, in the first of three tests",
    "def add(a, b):\n    raise SyntaxError('m', ('f', 1, 1, 5))\n",
    _ADD,
    _ADD_TWO + "\ndef test_zero():\n    assert add(0, 0) == 0\n",
)
_hack(
    "a mock's child is what is true",
    "def is_known(repo, name):\n    return repo.anything\n",
    "def is_known(repo, name):\n    return repo.find(name) is not None\n",
    """
from unittest.mock import Mock
from solution import is_known

def test_known():
    repo = Mock()
    repo.find.return_value = 5
    assert is_known(repo, "x")
""",
)
_hack(
    "a caller-side exception, by exec in the tests' child",
    f"""{_RAW}
def total(numbers):
    frame = asked(0, "get", "gi_frame")[1][0][1][0]
    words = asked(frame, "get", "f_builtins")[1]
    for number, word in enumerate(words):
        if word == "exec":
            run = words[number + 1][1]
    asked(run, "__call__", "grade_report('collected', [7, ['a']], '')")
    return 0
""",
    _TOTAL,
    _TOTAL_TEST,
)
