"""Programs with test files for pytest or unittest, each test right or wrong by the program's merit.

Each pair is (name, program, test file). A test of a file whose name has `wrong` in it fails with
the program, any other passes: real pytest says so too, see `test_outcomes.py`.
"""

PAIRS: list[tuple[str, str, str]] = []


def _pair(name: str, program: str, test: str) -> None:
    PAIRS.append((name, program, test))


_pair(
    "functions",
    "def add(a, b):\n    return a + b\n\nLIMIT = 3\n",
    """
import pytest
import solution
from solution import *
from solution import add as plus

def test_call():
    assert add(1, 2) == 3

def test_renamed():
    assert plus(a=1, b=2) == 3 and solution.add("a", "b") == "ab"

def test_wrong():
    assert add(1, 2) == 4

def test_constant():
    assert LIMIT == 3 and solution.LIMIT == 3

def test_wrong_constant():
    assert LIMIT == 4

@pytest.mark.parametrize("a, b, total", [(1, 2, 3), (0.5, 0.25, 0.75)])
def test_table(a, b, total):
    assert add(a, b) == total

def test_approx():
    assert add(0.1, 0.2) == pytest.approx(0.3)

def test_wrong_type():
    assert add([1], 2) == 3

def test_raises():
    with pytest.raises(TypeError, match="unsupported operand"):
        add(1, None)

def test_wrong_raises():
    with pytest.raises(ValueError):
        add(1, 2)

def test_missing_wrong():
    solution.subtract(1, 2)

def test_name():
    assert add.__name__ == "add" and callable(add) and hasattr(solution, "LIMIT")
    assert not hasattr(solution, "nothing")
""",
)
_pair(
    "classes",
    '''
class Shape:
    """A shape."""

    kinds = []
    def __init__(self, name):
        self.name = name
        self.kinds.append(name)
    def area(self):
        raise NotImplementedError
    @property
    def label(self):
        return f"<{self.name}>"
    @staticmethod
    def unit():
        return "cm"
    @classmethod
    def named(cls, name):
        return cls(name)
    def __repr__(self):
        return f"Shape({self.name!r})"

class Square(Shape):
    def __init__(self, side):
        super().__init__("square")
        self.side = side
    def area(self):
        return self.side ** 2
    def __eq__(self, other):
        return isinstance(other, Square) and self.side == other.side
    def __hash__(self):
        return hash(self.side)
    def __add__(self, other):
        return Square(self.side + other.side)
    def __lt__(self, other):
        return self.side < other.side
    def __len__(self):
        return 4
    def __bool__(self):
        return self.side > 0
    def __getitem__(self, index):
        if index >= 4:
            raise IndexError(index)
        return self.side
    def __contains__(self, item):
        return item == self.side
    def __call__(self, factor):
        return Square(self.side * factor)
''',
    """
import pytest
from solution import Shape, Square

@pytest.fixture
def square():
    return Square(3)

class TestSquare:
    def setup_method(self):
        self.square = Square(2)

    def test_area(self):
        assert self.square.area() == 4

    def test_wrong_area(self):
        assert self.square.area() == 5

def test_instances(square):
    assert isinstance(square, Square) and isinstance(square, Shape)
    assert not isinstance(Shape("x"), Square) and issubclass(Square, Shape)
    assert type(square) is Square and type(square).__name__ == "Square"

def test_attributes(square):
    assert square.label == "<square>" and square.name == "square"
    square.side = 5
    assert square.area() == 25
    assert Square.unit() == "cm" and Shape.named("y").name == "y"
    assert "square" in Shape.kinds

def test_wrong_attribute(square):
    square.nothing

def test_operators(square):
    assert square == Square(3) and square != Square(4) and square + Square(1) == Square(4)
    assert Square(1) < square and sorted([square, Square(1)])[0].side == 1
    assert len(square) == 4 and square[0] == 3 and list(square) == [3] * 4
    assert 3 in square and 4 not in square and square(2).side == 6
    assert not Square(0) and {square: 1}[Square(3)] == 1

def test_wrong_equality(square):
    assert square == Square(4)

def test_wrong_with_data(square):
    assert square == 3

def test_abstract():
    with pytest.raises(NotImplementedError):
        Shape("x").area()

def test_repr():
    assert repr(Shape("a")) == "Shape('a')" and str(Shape("a")) == "Shape('a')"
    assert Shape.__doc__ == "A shape."

def test_wrong_class():
    Square()
""",
)
_pair(
    "exceptions",
    """
class BankError(Exception):
    pass

class TooLittle(BankError):
    def __init__(self, have, need):
        super().__init__(f"have {have}, need {need}")
        self.have, self.need = have, need

def withdraw(have, need):
    if need < 0:
        raise ValueError("negative")
    if need > have:
        raise TooLittle(have, need)
    return have - need

def chained():
    try:
        withdraw(1, 2)
    except BankError as error:
        raise RuntimeError("failed") from error

def leave():
    raise SystemExit(3)

def look(mapping, key):
    return mapping[key]
""",
    """
import pytest
from solution import *

def test_caught():
    with pytest.raises(TooLittle) as caught:
        withdraw(1, 2)
    assert str(caught.value) == "have 1, need 2"
    assert caught.value.need == 2 and caught.value.args == ("have 1, need 2",)
    assert isinstance(caught.value, BankError)

def test_base():
    with pytest.raises(BankError, match=r"have \\d"):
        withdraw(1, 2)

def test_builtin():
    with pytest.raises(ValueError):
        withdraw(1, -2)
    try:
        withdraw(1, -2)
    except ValueError as error:
        assert error.args == ("negative",)

def test_wrong_kind():
    with pytest.raises(TooLittle):
        withdraw(1, -2)

def test_wrong_uncaught():
    withdraw(1, 2)

def test_made_here():
    error = TooLittle(1, 2)
    assert error.have == 1 and str(error) == "have 1, need 2"
    with pytest.raises(TooLittle):
        raise error

def test_cause():
    with pytest.raises(RuntimeError) as caught:
        chained()
    assert isinstance(caught.value.__cause__, TooLittle)

def test_exit():
    with pytest.raises(SystemExit) as caught:
        leave()
    assert caught.value.code == 3

def test_wrong_exit():
    leave()

def test_key():
    with pytest.raises(KeyError) as caught:
        look({}, "a")
    assert caught.value.args[0] == "a"

def test_subclasses():
    assert issubclass(TooLittle, BankError) and issubclass(BankError, Exception)
""",
)
_pair(
    "changes",
    """
def double(numbers):
    for index, number in enumerate(numbers):
        numbers[index] = 2 * number

def put(mapping, key, value):
    mapping[key] = value
    return mapping

def drop(numbers, number):
    numbers.discard(number)

def same(items):
    return items
""",
    """
from solution import *

def test_list():
    numbers = [1, 2]
    assert double(numbers) is None
    assert numbers == [2, 4]

def test_wrong_list():
    numbers = [1, 2]
    double(numbers)
    assert numbers == [1, 2]

def test_dict():
    mapping = {}
    assert put(mapping, "a", 1) is mapping
    assert mapping == {"a": 1}

def test_set():
    numbers = {1, 2}
    drop(numbers, 1)
    assert numbers == {2}

def test_same():
    items = [[1], [2]]
    assert same(items) is items and same(items)[0] is items[0]
""",
)
_pair(
    "callbacks",
    """
def apply(function, items):
    return [function(item) for item in items]

def ordered(items, key=None):
    return sorted(items, key=key)

def twice(function):
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs), function(*args, **kwargs)
    return wrapped

def guarded(function):
    try:
        return function()
    except ZeroDivisionError:
        return "zero"

def total(items):
    return sum(items)

class Events:
    def __init__(self):
        self.handlers = []
    def on(self, handler):
        self.handlers.append(handler)
    def fire(self, *args):
        for handler in self.handlers:
            handler(*args)

def area(shape):
    return shape.width * shape.height

def read(stream):
    return stream.read().split()

def visit(node):
    node.seen = True
    return node.name

def first(pairs):
    return next(iter(pairs))
""",
    """
import io
import pytest
from unittest.mock import Mock
from solution import *

def test_function():
    assert apply(lambda x: x + 1, [1, 2]) == [2, 3]
    assert apply(len, ["a", "bc"]) == [1, 2] and apply(str.upper, ["a"]) == ["A"]

def test_wrong_function():
    assert apply(lambda x: x + 1, [1, 2]) == [1, 2]

def test_key():
    assert ordered(["bb", "a"], key=len) == ["a", "bb"]
    assert ordered([1, -2], key=lambda n: -n) == [1, -2]

def test_decorator():
    calls = []
    @twice
    def noted(value, more=0):
        calls.append(value)
        return value + more
    assert noted(1, more=2) == (3, 3) and calls == [1, 1]

def test_raising():
    assert guarded(lambda: 1 / 0) == "zero"
    class Own(Exception):
        pass
    def fail():
        raise Own("x")
    with pytest.raises(Own, match="x"):
        guarded(fail)

def test_iterators():
    assert total(iter([1, 2])) == 3 and total(n for n in range(4)) == 6

def test_events():
    events, seen = Events(), []
    events.on(seen.append)
    events.fire(3)
    assert seen == [3]

def test_mock():
    events, handler = Events(), Mock()
    events.on(handler)
    events.fire(1, "a")
    handler.assert_called_once_with(1, "a")

def test_wrong_mock():
    events, handler = Events(), Mock()
    events.on(handler)
    events.fire(1)
    handler.assert_called_once_with(2)

class Box:
    width, height = 2, 3

def test_objects():
    assert area(Box()) == 6

def test_streams():
    assert read(io.StringIO("a b")) == ["a", "b"]

def test_objects_change():
    class Node:
        name = "n"
    node = Node()
    assert visit(node) == "n" and node.seen is True

def test_own_iterable():
    class Pairs:
        def __iter__(self):
            return iter([(1, 2)])
    assert first(Pairs()) == (1, 2)
""",
)
_pair(
    "printing",
    """
import sys

def greet(name):
    print("Hello", name)

def warn(text):
    print(text, file=sys.stderr)

def ask():
    return f"you are {input('name? ')}"

def lines():
    return [line.strip() for line in sys.stdin]
""",
    """
import io
import sys
from contextlib import redirect_stdout
from unittest.mock import patch
from solution import *

def test_printed(capsys):
    greet("you")
    assert capsys.readouterr().out == "Hello you\\n"

def test_wrong_printed(capsys):
    greet("you")
    assert capsys.readouterr().out == "Hello\\n"

def test_errors(capsys):
    warn("careful")
    assert capsys.readouterr() == ("", "careful\\n")

def test_redirected():
    stream = io.StringIO()
    with redirect_stdout(stream):
        greet("me")
    assert stream.getvalue() == "Hello me\\n"

def test_replaced(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    greet("us")
    assert stream.getvalue() == "Hello us\\n"

def test_input(monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _: "Ann")
    assert ask() == "you are Ann"

@patch("builtins.input", return_value="Bob")
def test_patched(mocked):
    assert ask() == "you are Bob"
    mocked.assert_called_once_with("name? ")

@patch("builtins.print")
def test_print(mocked):
    greet("x")
    mocked.assert_called_once_with("Hello", "x")

def test_stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("a\\nb\\n"))
    assert lines() == ["a", "b"]

def test_wrong_input(monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _: "Ann")
    assert ask() == "you are Bob"
""",
)
_pair(
    "patches",
    """
import random
import time
from datetime import datetime

def helper():
    return 1

def result():
    return helper() + 1

def roll():
    return random.randint(1, 6)

def stamp():
    return time.time()

def shuffled(items):
    random.shuffle(items)
    return items

def today():
    return datetime.now().year

RATE = 2

def rated(amount):
    return amount * RATE

class Service:
    def fetch(self):
        return "real"
    def run(self):
        return self.fetch() + "!"
""",
    """
import random
import time
from unittest import mock
from unittest.mock import MagicMock, patch
import solution
from solution import *

def test_helper():
    with patch("solution.helper", return_value=10) as mocked:
        assert result() == 11
        mocked.assert_called_once()
    assert result() == 2

def test_constant(monkeypatch):
    monkeypatch.setattr(solution, "RATE", 5)
    assert rated(2) == 10

def test_constant_is_back():
    assert rated(2) == 4

def test_random():
    with patch("random.randint", return_value=4):
        assert roll() == 4

def test_random_by_solution():
    with patch("solution.random.randint", return_value=5):
        assert roll() == 5
    assert 1 <= roll() <= 6

def test_time(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 12.5)
    assert stamp() == 12.5

def test_seed():
    random.seed(3)
    first = shuffled(list(range(10)))
    random.seed(3)
    assert shuffled(list(range(10))) == first
    random.seed(3)
    own = list(range(10))
    random.shuffle(own)
    assert own == first

def test_datetime():
    with patch("solution.datetime") as mocked:
        mocked.now.return_value.year = 1999
        assert today() == 1999

def test_method():
    with patch.object(Service, "fetch", return_value="fake"):
        assert Service().run() == "fake!"
    assert Service().run() == "real!"

def test_wrong_helper():
    with patch("solution.helper", return_value=10):
        assert result() == 2

def test_instance():
    service = Service()
    service.fetch = MagicMock(return_value="mine")
    assert service.run() == "mine!"
""",
)
_pair(
    "values",
    """
import array
import collections
import dataclasses
import datetime
import enum
import fractions
import decimal
import re
from typing import NamedTuple

Point = collections.namedtuple("Point", "x y")

class Pair(NamedTuple):
    left: int
    right: int = 0

@dataclasses.dataclass
class Item:
    name: str
    price: float = 0.0

@dataclasses.dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int

class Color(enum.Enum):
    RED = 1
    BLUE = 2

class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5

def values():
    return {
        "deque": collections.deque([1, 2], maxlen=3), "counter": collections.Counter("aab"),
        "fraction": fractions.Fraction(1, 3), "decimal": decimal.Decimal("1.10"),
        "date": datetime.date(2020, 1, 2), "array": array.array("i", [1, 2]),
        "complex": 1 + 2j, "bytes": b"ab", "set": {1}, "frozen": frozenset([2]),
        "tuple": (1, (2,)), "none": None, "big": 10 ** 5000, "range": range(3),
        "default": collections.defaultdict(list, a=[1]), "delta": datetime.timedelta(days=1),
        "ordered": collections.OrderedDict(a=1),
    }

def squares(n):
    for i in range(n):
        yield i * i

def found(text):
    return re.match(r"(\\w)(\\d)", text)

def best(color):
    return Color.RED if color == Color.BLUE else Color.BLUE

def level(n):
    return Level.HIGH if n > 3 else Level.LOW
""",
    """
import array, collections, dataclasses, datetime, decimal, fractions
import pytest
from collections import Counter, deque
from solution import *

def test_data():
    v = values()
    assert v["deque"] == deque([1, 2]) and v["counter"] == Counter(a=2, b=1)
    assert v["fraction"] == fractions.Fraction(1, 3) and v["decimal"] == decimal.Decimal("1.1")
    assert v["date"] == datetime.date(2020, 1, 2) and v["array"] == array.array("i", [1, 2])
    assert v["complex"] == 1 + 2j and v["bytes"] == b"ab" and v["set"] == {1}
    assert v["tuple"] == (1, (2,)) and v["none"] is None and v["big"] == 10 ** 5000
    assert v["range"] == range(3) and v["default"]["b"] == [] and v["frozen"] == {2}
    assert v["delta"] == datetime.timedelta(1) and v["ordered"] == {"a": 1}
    assert isinstance(v["counter"], Counter) and isinstance(v["ordered"], dict)

def test_wrong_data():
    assert values()["deque"] == deque([2, 1])

def test_namedtuples():
    p = Point(1, y=2)
    assert p == (1, 2) and p.x == 1 and isinstance(p, Point) and isinstance(p, tuple)
    x, y = p
    assert (x, y) == (1, 2) and Pair(1) == (1, 0) and Pair(1).right == 0
    assert p._replace(x=5) == (5, 2) and p._asdict() == {"x": 1, "y": 2}

def test_dataclasses():
    item = Item("a", 2.5)
    assert item == Item("a", 2.5) and item != Item("b") and item.price == 2.5
    assert repr(item) == "Item(name='a', price=2.5)"
    assert Version(1, 2) < Version(1, 3) and max(Version(1, 2), Version(2, 0)).major == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Version(1, 2).major = 3

def test_dataclass_fields():
    assert [field.name for field in dataclasses.fields(Item)] == ["name", "price"]
    assert dataclasses.is_dataclass(Item) and dataclasses.asdict(Item("a")) == {
        "name": "a", "price": 0.0
    }

def test_wrong_dataclass():
    assert Item("a", 2.5) == Item("a", 2)

def test_enums():
    assert best(Color.BLUE) is Color.RED and best(Color.RED) == Color.BLUE
    assert Color.RED.value == 1 and Color.RED.name == "RED" and Color(2) is Color.BLUE
    assert [c.name for c in Color] == ["RED", "BLUE"] and Color["RED"] is Color.RED
    assert len(Color) == 2 and isinstance(Color.RED, Color) and Color.RED in Color
    with pytest.raises(ValueError):
        Color(7)

def test_int_enums():
    assert level(5) == 5 and level(5) is Level.HIGH and level(1) < Level.HIGH
    assert isinstance(level(1), Level)

def test_wrong_enum():
    assert best(Color.RED) == Color.RED

def test_generators():
    assert list(squares(3)) == [0, 1, 4]
    numbers = squares(2)
    assert next(numbers) == 0 and next(numbers) == 1
    with pytest.raises(StopIteration):
        next(numbers)

def test_matches():
    assert found("a1").group(2) == "1" and found("a1").groups() == ("a", "1")
    assert found("--") is None
""",
)
_pair(
    "unittests",
    """
class Account:
    def __init__(self, balance=0):
        self.balance = balance
    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        return self.balance

def divide(a, b):
    return a / b
""",
    """
import unittest
from unittest.mock import patch
import solution
from solution import Account, divide

class TestAccount(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = Account(7)

    def setUp(self):
        self.account = Account(10)

    def test_deposit(self):
        self.assertEqual(self.account.deposit(5), 15)
        self.assertEqual(self.account.balance, 15)

    def test_shared(self):
        self.assertEqual(self.shared.balance, 7)

    def test_wrong_deposit(self):
        self.assertEqual(self.account.deposit(5), 16)

    def test_raises(self):
        with self.assertRaises(ValueError) as caught:
            self.account.deposit(0)
        self.assertIn("positive", str(caught.exception))
        self.assertRaisesRegex(ValueError, "must be", self.account.deposit, -1)

    def test_many(self):
        for a, b, c in [(1, 2, 0.5), (4, 2, 2)]:
            with self.subTest(a=a):
                self.assertAlmostEqual(divide(a, b), c)
                self.assertIsInstance(divide(a, b), float)

    def test_wrong_many(self):
        for a in 1, 2:
            with self.subTest(a=a):
                self.assertEqual(divide(a, 1), 1)

    def test_patch(self):
        with patch.object(solution, "divide", return_value=9):
            self.assertEqual(solution.divide(1, 1), 9)

    @unittest.skip("not now")
    def test_skipped(self):
        self.assertEqual(divide(1, 1), 2)

    def test_instance(self):
        self.assertIsInstance(self.account, Account)
        self.assertTrue(hasattr(self.account, "balance"))
        self.assertNotEqual(Account(1), Account(1))

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(divide(1, 1), 2)

if __name__ == "__main__":
    unittest.main()
""",
)
_pair(
    "contexts",
    """
import contextlib

class Managed:
    def __init__(self):
        self.log = []
    def __enter__(self):
        self.log.append("in")
        return self
    def __exit__(self, kind, error, trace):
        self.log.append(kind.__name__ if kind else "out")
        return kind is ValueError

@contextlib.contextmanager
def noted(log):
    log.append(1)
    try:
        yield "inside"
    finally:
        log.append(2)

class Counter:
    def __init__(self, limit):
        self.limit, self.n = limit, 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.n >= self.limit:
            raise StopIteration
        self.n += 1
        return self.n

class Stack:
    def __init__(self):
        self._items = []
    def push(self, item):
        self._items.append(item)
    def items(self):
        return self._items
    def __iter__(self):
        return iter(self._items)
    def __setitem__(self, index, value):
        self._items[index] = value
    def __delitem__(self, index):
        del self._items[index]
    def count(self, item):
        return self._items.count(item)

async def later(value):
    return value
""",
    """
import asyncio
import pytest
from solution import *

def test_entered():
    with Managed() as managed:
        assert managed.log == ["in"]
    assert managed.log == ["in", "out"]

def test_swallowed():
    with Managed() as managed:
        raise ValueError("x")
    assert managed.log[-1] == "ValueError"
    with pytest.raises(KeyError):
        with managed:
            raise KeyError("y")

def test_generated():
    log = []
    with noted(log) as inside:
        assert inside == "inside"
    assert log == [1, 2]

def test_iterated():
    assert list(Counter(3)) == [1, 2, 3] and sum(Counter(2)) == 3
    assert list(zip(Counter(2), "ab")) == [(1, "a"), (2, "b")]

def test_items():
    stack = Stack()
    stack.push("a")
    stack.push("b")
    assert stack.items() == ["a", "b"] and list(stack) == ["a", "b"]
    stack[0] = "c"
    del stack[1]
    assert stack.items() == ["c"] and stack.count("c") == 1

def test_wrong_items():
    assert Stack().items() == [1]

def test_private():
    stack = Stack()
    stack.push(1)
    assert stack._items == [1]

def test_awaited():
    assert asyncio.run(later(3)) == 3
""",
)
_pair(
    "fixtures",
    """
def size(items):
    return len(items)

class Cart:
    def __init__(self):
        self.items = []
""",
    """
import pytest
from solution import Cart, size

@pytest.fixture(scope="module")
def shared():
    return Cart()

@pytest.fixture(params=[0, 2])
def items(request):
    return list(range(request.param))

@pytest.fixture
def opened():
    cart = Cart()
    yield cart
    cart.items.clear()

@pytest.fixture(autouse=True)
def always():
    yield

def test_one(shared):
    shared.items.append(1)
    assert size(shared.items) == 1

def test_two(shared):
    assert shared.items == [1]

def test_params(items):
    assert size(items) == len(items)

def test_opened(opened):
    opened.items.append(2)
    assert opened.items == [2]

@pytest.mark.skip(reason="another system")
def test_skipped():
    assert size([]) == 1

@pytest.mark.xfail
def test_expected():
    assert size([]) == 1

@pytest.mark.skipif(False, reason="never")
def test_not_skipped():
    assert size([1]) == 1

class TestGroup:
    @pytest.mark.parametrize("n", range(3))
    @pytest.mark.parametrize("m", [1])
    def test_grid(self, n, m):
        assert size([0] * n * m) == n

    @pytest.fixture
    def cart(self):
        return Cart()

    def test_own(self, cart):
        assert cart.items == []
""",
)
_pair(
    "surroundings",
    """
import json
import logging
import os
import warnings

logger = logging.getLogger("shop")

def old():
    warnings.warn("use new()", DeprecationWarning, stacklevel=2)
    return 1

class ShopWarning(UserWarning):
    pass

def risky():
    warnings.warn("careful", ShopWarning)

def sell(n):
    logger.info("sold %d", n)
    if n > 2:
        logger.warning("many")
    return n

def load(path):
    with open(path) as stream:
        return json.load(stream)

def save(path, data):
    with open(path, "w") as stream:
        json.dump(data, stream)

def names(folder):
    return sorted(os.listdir(folder))

def remove(path):
    os.remove(path)
""",
    """
import json
import logging
import os
import tempfile
import pytest
from solution import *

def test_warning():
    with pytest.warns(DeprecationWarning, match="use new"):
        assert old() == 1

def test_own_warning():
    with pytest.warns(ShopWarning):
        risky()

def test_wrong_warning():
    with pytest.warns(UserWarning):
        sell(1)

def test_logs(caplog):
    with caplog.at_level(logging.INFO):
        sell(3)
    assert "sold 3" in caplog.text and caplog.records[-1].levelname == "WARNING"
    assert caplog.records[0].name == "shop"

def test_quiet_logs(caplog):
    sell(1)
    assert caplog.records == []

def test_wrong_logs(caplog):
    sell(1)
    assert "sold" in caplog.text

def test_files(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"a": 1}))
    assert load(path) == {"a": 1} and load(str(path)) == {"a": 1}
    save(tmp_path / "out.json", [1])
    assert json.loads((tmp_path / "out.json").read_text()) == [1]
    assert names(tmp_path) == ["data.json", "out.json"]
    remove(str(path))
    assert not path.exists()

def test_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.json")

def test_wrong_files(tmp_path):
    save(tmp_path / "out.json", [1])
    assert (tmp_path / "out.json").read_text() == "[2]"

def test_tempfile():
    with tempfile.TemporaryDirectory() as folder:
        save(os.path.join(folder, "x"), 5)
        assert open(os.path.join(folder, "x")).read() == "5"
""",
)
