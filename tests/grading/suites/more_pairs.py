# ruff: noqa: E501 - programs and test files as people write them
# ruff: noqa: E501
"""More programs with test files, as in `pairs`: those that are graded wrongly today included."""

PAIRS: list[tuple[str, str, str]] = []


def _pair(name: str, program: str, test: str) -> None:
    PAIRS.append((name, program, test))


_pair(
    "an exception that the test does not import",
    "class NegativeError(ValueError):\n    pass\n\ndef root(n):\n    if n < 0:\n        raise NegativeError('negative')\n    return n ** 0.5\n",
    """
import pytest
from solution import root

def test_negative():
    with pytest.raises(ValueError, match="negative"):
        root(-1)

def test_root():
    assert root(4) == 2
""",
)
_pair(
    "an exception in a hierarchy, caught by its base",
    """
class AppError(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code

class NotFound(AppError):
    pass

class Denied(AppError):
    def __str__(self):
        return f"denied: {self.args[0]}"

def find(key):
    if key == "x":
        raise NotFound("no x", code=404)
    if key == "y":
        raise Denied("y", 403)
    return key
""",
    """
import pytest
from solution import AppError, find

def test_found():
    assert find("a") == "a"

def test_base():
    with pytest.raises(AppError) as caught:
        find("x")
    assert caught.value.code == 404 and type(caught.value).__name__ == "NotFound"

def test_text():
    with pytest.raises(AppError, match="denied: y"):
        find("y")

def test_wrong_text():
    with pytest.raises(AppError, match="found"):
        find("y")
""",
)
_pair(
    "a linked list",
    """
class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next

class LinkedList:
    def __init__(self, values=()):
        self.head = None
        self._size = 0
        for value in values:
            self.append(value)
    def append(self, value):
        node = Node(value)
        if self.head is None:
            self.head = node
        else:
            last = self.head
            while last.next:
                last = last.next
            last.next = node
        self._size += 1
    def reverse(self):
        before, node = None, self.head
        while node:
            node.next, before, node = before, node, node.next
        self.head = before
    def __len__(self):
        return self._size
    def __iter__(self):
        node = self.head
        while node:
            yield node.value
            node = node.next
    def __eq__(self, other):
        return list(self) == list(other)
    def __repr__(self):
        return f"LinkedList({list(self)})"

def from_list(values):
    head = None
    for value in reversed(values):
        head = Node(value, head)
    return head

def has_cycle(head):
    slow = fast = head
    while fast and fast.next:
        slow, fast = slow.next, fast.next.next
        if slow is fast:
            return True
    return False
""",
    """
from solution import *

def to_list(head):
    found = []
    while head is not None:
        found.append(head.value)
        head = head.next
    return found

def test_list():
    items = LinkedList([1, 2, 3])
    assert list(items) == [1, 2, 3] and len(items) == 3
    items.reverse()
    assert to_list(items.head) == [3, 2, 1]
    assert items.head.next.value == 2 and items.head.next.next.next is None

def test_equal():
    assert LinkedList([1]) == LinkedList([1]) and LinkedList([1]) != LinkedList([2])
    assert repr(LinkedList([1])) == "LinkedList([1])"

def test_equal_to_data():
    assert LinkedList([1, 2]) == [1, 2]

def test_nodes():
    assert to_list(from_list([1, 2])) == [1, 2]
    head = from_list([1, 2, 3])
    assert not has_cycle(head)
    head.next.next.next = head
    assert has_cycle(head)

def test_wrong_order():
    assert to_list(from_list([1, 2])) == [2, 1]

def test_empty():
    assert LinkedList().head is None and not LinkedList()
""",
)
_pair(
    "a tree",
    """
class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val, self.left, self.right = val, left, right

def insert(root, val):
    if root is None:
        return TreeNode(val)
    if val < root.val:
        root.left = insert(root.left, val)
    else:
        root.right = insert(root.right, val)
    return root

def inorder(root):
    return inorder(root.left) + [root.val] + inorder(root.right) if root else []

def depth(root):
    return 1 + max(depth(root.left), depth(root.right)) if root else 0

def invert(root):
    if root:
        root.left, root.right = invert(root.right), invert(root.left)
    return root
""",
    """
import pytest
from solution import TreeNode, depth, inorder, insert, invert

@pytest.fixture
def tree():
    root = None
    for val in [5, 3, 8]:
        root = insert(root, val)
    return root

def test_inorder(tree):
    assert inorder(tree) == [3, 5, 8] and depth(tree) == 2

def test_made_by_hand():
    root = TreeNode(1, TreeNode(2), TreeNode(3, None, TreeNode(4)))
    assert depth(root) == 3 and inorder(root) == [2, 1, 3, 4]

def test_invert(tree):
    assert invert(tree) is tree
    assert tree.left.val == 8 and tree.right.val == 3 and tree.left.left is None

def test_wrong_depth(tree):
    assert depth(tree) == 3
""",
)
_pair(
    "nodes of the test's own",
    """
def inorder(root):
    return inorder(root.left) + [root.val] + inorder(root.right) if root else []

def merge(a, b):
    items = []
    while a:
        items.append(a.val)
        a = a.next
    while b:
        items.append(b.val)
        b = b.next
    return sorted(items)

def invert(root):
    if root is None:
        return None
    root.left, root.right = invert(root.right), invert(root.left)
    return root
""",
    """
from dataclasses import dataclass
from typing import Optional
from solution import inorder, invert, merge

class TreeNode:
    def __init__(self, val, left=None, right=None):
        self.val, self.left, self.right = val, left, right

@dataclass
class ListNode:
    val: int
    next: Optional["ListNode"] = None

def test_inorder():
    assert inorder(TreeNode(2, TreeNode(1), TreeNode(3))) == [1, 2, 3]

def test_invert():
    root = TreeNode(2, TreeNode(1), TreeNode(3))
    assert invert(root) is root and root.left.val == 3

def test_merge():
    assert merge(ListNode(1, ListNode(4)), ListNode(2)) == [1, 2, 4]

def test_wrong_merge():
    assert merge(ListNode(1), None) == []
""",
)
_pair(
    "heirs of the library's collections",
    """
from collections import Counter, OrderedDict, UserDict, UserList, UserString, defaultdict, deque

class Names(UserList):
    def shout(self):
        return [each.upper() for each in self.data]

class Settings(UserDict):
    def __getitem__(self, key):
        return super().__getitem__(key.lower())

class Title(UserString):
    pass

class Table(dict):
    def total(self):
        return sum(self.values())

class Row(list):
    def total(self):
        return sum(self)

class Bag(Counter):
    def size(self):
        return sum(self.values())

class Recent(OrderedDict):
    def put(self, key, value):
        self[key] = value
        self.move_to_end(key)
""",
    """
from solution import *

def test_user_list():
    names = Names(["a"])
    names.append("b")
    assert names == ["a", "b"] and len(names) == 2 and names[0] == "a"
    assert names.shout() == ["A", "B"]

def test_user_dict():
    settings = Settings({"a": 1})
    settings["b"] = 2
    assert settings["A"] == 1 and "b" in settings and len(settings) == 2
    assert settings == {"a": 1, "b": 2}

def test_user_string():
    assert Title("x") == "x" and Title("x").upper() == "X"

def test_dict():
    table = Table(a=1)
    table["b"] = 2
    assert table == {"a": 1, "b": 2} and table.total() == 3

def test_list():
    row = Row([1, 2])
    assert row == [1, 2] and row.total() == 3
    row.append(4)
    assert row.total() == 7 and row[-1] == 4

def test_bag():
    assert Bag("aab").size() == 3 and Bag("aab")["a"] == 2

def test_recent():
    recent = Recent()
    recent.put("a", 1)
    recent.put("b", 2)
    recent.put("a", 3)
    assert list(recent) == ["b", "a"]

def test_wrong_list():
    assert Names(["a"]) == ["b"]
""",
)
_pair(
    "heirs of abstract classes",
    """
from abc import ABC, abstractmethod
from collections.abc import Mapping, MutableSequence, Sequence

class Shape(ABC):
    @abstractmethod
    def area(self):
        ...
    def describe(self):
        return f"{type(self).__name__} of {self.area()}"

class Square(Shape):
    def __init__(self, side):
        self.side = side
    def area(self):
        return self.side ** 2

class Pairs(Mapping):
    def __init__(self, pairs):
        self.pairs = list(pairs)
    def __getitem__(self, key):
        for name, value in self.pairs:
            if name == key:
                return value
        raise KeyError(key)
    def __iter__(self):
        return (name for name, _ in self.pairs)
    def __len__(self):
        return len(self.pairs)

class Line(Sequence):
    def __init__(self, *items):
        self.data = items
    def __getitem__(self, index):
        return self.data[index]
    def __len__(self):
        return len(self.data)
""",
    """
import pytest
from solution import *

def test_abstract():
    with pytest.raises(TypeError):
        Shape()

def test_square():
    assert Square(2).describe() == "Square of 4" and isinstance(Square(1), Shape)
    assert issubclass(Square, Shape)

def test_mapping():
    pairs = Pairs([("a", 1), ("b", 2)])
    assert pairs["a"] == 1 and list(pairs) == ["a", "b"] and dict(pairs) == {"a": 1, "b": 2}
    assert pairs.get("c") is None and "b" in pairs and list(pairs.items()) == [("a", 1), ("b", 2)]
    assert pairs == {"a": 1, "b": 2}
    with pytest.raises(KeyError):
        pairs["c"]

def test_sequence():
    line = Line(3, 4, 3)
    assert line[0] == 3 and line[1:] == (4, 3) and line.count(3) == 2 and line.index(4) == 1
    assert list(reversed(line)) == [3, 4, 3] and 4 in line

def test_wrong_square():
    assert Square(2).area() == 5
""",
)
_pair(
    "not equal to data",
    """
class Money:
    def __init__(self, amount):
        self.amount = amount
    def __eq__(self, other):
        return self.amount == getattr(other, "amount", other)
""",
    """
from solution import Money

def test_equal():
    assert Money(5) == Money(5)
    assert Money(5) == 5

def test_not_equal():
    assert not (Money(5) != 5)
    assert Money(5) != 6

def test_wrong():
    assert Money(5) == 6
""",
)
_pair(
    "a fraction with operators",
    """
from functools import total_ordering
from math import gcd

@total_ordering
class Rational:
    def __init__(self, numer, denom=1):
        if denom == 0:
            raise ZeroDivisionError("denominator")
        sign = -1 if denom < 0 else 1
        g = gcd(numer, denom)
        self.numer, self.denom = sign * numer // g, sign * denom // g
    def __eq__(self, other):
        if isinstance(other, int):
            other = Rational(other)
        return (self.numer, self.denom) == (other.numer, other.denom)
    def __lt__(self, other):
        if isinstance(other, int):
            other = Rational(other)
        return self.numer * other.denom < other.numer * self.denom
    def __hash__(self):
        return hash((self.numer, self.denom))
    def __add__(self, other):
        if isinstance(other, int):
            other = Rational(other)
        return Rational(self.numer * other.denom + other.numer * self.denom, self.denom * other.denom)
    __radd__ = __add__
    def __sub__(self, other):
        return self + Rational(-other.numer, other.denom)
    def __mul__(self, other):
        if isinstance(other, int):
            other = Rational(other)
        return Rational(self.numer * other.numer, self.denom * other.denom)
    __rmul__ = __mul__
    def __truediv__(self, other):
        return Rational(self.numer * other.denom, self.denom * other.numer)
    def __pow__(self, power):
        return Rational(self.numer ** power, self.denom ** power)
    def __neg__(self):
        return Rational(-self.numer, self.denom)
    def __abs__(self):
        return Rational(abs(self.numer), self.denom)
    def __float__(self):
        return self.numer / self.denom
    def __str__(self):
        return f"{self.numer}/{self.denom}"
    def __repr__(self):
        return f"Rational({self.numer}, {self.denom})"
    def __format__(self, spec):
        return format(float(self), spec)
    def __iadd__(self, other):
        self.numer, self.denom = (self + other).numer, (self + other).denom
        return self
""",
    """
import unittest
from solution import Rational

class RationalTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(Rational(1, 2) + Rational(2, 3), Rational(7, 6))
    def test_add_int(self):
        self.assertEqual(Rational(1, 2) + 1, Rational(3, 2))
    def test_radd_int(self):
        self.assertEqual(1 + Rational(1, 2), Rational(3, 2))
    def test_sum(self):
        self.assertEqual(sum([Rational(1, 2), Rational(1, 2)]), Rational(1, 1))
    def test_mul(self):
        self.assertEqual(2 * Rational(1, 2) * 3, Rational(3))
    def test_rest(self):
        self.assertEqual(Rational(1, 2) - Rational(1, 3), Rational(1, 6))
        self.assertEqual(Rational(1, 2) / Rational(1, 3), Rational(3, 2))
        self.assertEqual(Rational(1, 2) ** 2, Rational(1, 4))
        self.assertEqual(abs(-Rational(1, 2)), Rational(1, 2))
    def test_compare(self):
        self.assertLess(Rational(1, 3), Rational(1, 2))
        self.assertTrue(Rational(3, 2) >= 1)
        self.assertEqual(Rational(4, 2), 2)
    def test_texts(self):
        self.assertEqual(str(Rational(2, 4)), "1/2")
        self.assertEqual(f"{Rational(1, 4):.2f}", "0.25")
        self.assertEqual(repr(Rational(1)), "Rational(1, 1)")
    def test_float(self):
        self.assertAlmostEqual(float(Rational(1, 3)), 0.3333333)
    def test_iadd(self):
        r = Rational(1, 2)
        r += Rational(1, 2)
        self.assertEqual(r, Rational(1))
    def test_hash(self):
        self.assertEqual(len({Rational(1, 2), Rational(2, 4)}), 1)
    def test_zero(self):
        with self.assertRaises(ZeroDivisionError):
            Rational(1, 0)
    def test_wrong(self):
        self.assertEqual(Rational(1, 2) + Rational(1, 2), Rational(2))
""",
)
_pair(
    "a class made from one of the program's",
    """
class Base:
    def __init__(self, name):
        self.name = name
    def greet(self):
        return f"{self.hello()} {self.name}"
    def hello(self):
        raise NotImplementedError
""",
    """
import pytest
from solution import Base

class Polite(Base):
    def hello(self):
        return "Dear"

def test_heir():
    assert Polite("you").greet() == "Dear you"

def test_base():
    with pytest.raises(NotImplementedError):
        Base("x").greet()
""",
)
_pair(
    "fields of dataclasses",
    """
from dataclasses import asdict, astuple, dataclass, field, replace

@dataclass
class Item:
    name: str
    price: float = 0.0
    tags: list = field(default_factory=list)
    def __post_init__(self):
        if self.price < 0:
            raise ValueError("price must not be negative")
    @property
    def total(self):
        return self.price * 2

@dataclass
class Order:
    items: list[Item] = field(default_factory=list)
    def add(self, item):
        self.items.append(item)
        return self

@dataclass(frozen=True)
class Key:
    a: int
    b: str

def cheapest(items):
    return min(items, key=lambda item: item.price)

def dumped(item):
    return asdict(item)
""",
    """
import dataclasses
import pytest
from solution import *

def test_made():
    item = Item("a", 1.5, ["x"])
    assert (item.name, item.price, item.tags, item.total) == ("a", 1.5, ["x"], 3.0)
    item.tags.append("y")
    assert item.tags == ["x", "y"]

def test_defaults():
    assert Item("a").tags == [] and Item("a").tags is not Item("a").tags

def test_invalid():
    with pytest.raises(ValueError, match="negative"):
        Item("a", -1)

def test_nested():
    order = Order().add(Item("a", 1)).add(Item("b", 2))
    assert order.items == [Item("a", 1), Item("b", 2)] and order.items[1].name == "b"
    assert order == Order([Item("a", 1), Item("b", 2)])

def test_passed():
    items = [Item("a", 2), Item("b", 1)]
    assert cheapest(items) == Item("b", 1)
    assert cheapest(items) is items[1]

def test_functions():
    assert dumped(Item("a", 1.0)) == {"name": "a", "price": 1.0, "tags": []}
    assert dataclasses.astuple(Item("a")) == ("a", 0.0, [])
    assert dataclasses.replace(Item("a"), name="b") == Item("b")

def test_hash():
    assert {Key(1, "x"): 2}[Key(1, "x")] == 2 and len({Key(1, "a"), Key(1, "a")}) == 1

def test_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Key(1, "x").a = 2
    with pytest.raises(AttributeError):
        Key(1, "x").a = 2

def test_fields():
    names = {f.name: f.default for f in dataclasses.fields(Item)}
    assert names["price"] == 0.0

def test_wrong():
    assert Item("a", 1) == Item("a", 2)
""",
)
_pair(
    "enums with methods",
    """
from enum import Enum, Flag, IntEnum, StrEnum, auto

class Planet(Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)
    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius
    @property
    def density(self):
        return self.mass / self.radius
    @classmethod
    def heaviest(cls):
        return max(cls, key=lambda p: p.mass)

class Perm(Flag):
    READ = auto()
    WRITE = auto()

class Kind(StrEnum):
    A = "a"
    B = "b"

class Priority(IntEnum):
    LOW = 1
    HIGH = 3

def parse(text):
    return Kind(text)
""",
    """
import pytest
from solution import *

def test_planet():
    assert Planet.EARTH.mass == 5.97 and Planet.heaviest() is Planet.EARTH
    assert Planet.EARTH.density == pytest.approx(0.937, abs=0.001)
    assert [p.name for p in Planet] == ["EARTH", "MARS"] and Planet["MARS"] is Planet.MARS
    assert str(Planet.EARTH) == "Planet.EARTH" and Planet.EARTH in Planet
    assert list(Planet.__members__) == ["EARTH", "MARS"]

def test_flag():
    both = Perm.READ | Perm.WRITE
    assert Perm.READ in both and both & Perm.READ == Perm.READ and both.value == 3

def test_str():
    assert Kind.A == "a" and parse("b") is Kind.B and f"{Kind.A}" == "a" and Kind.A.upper() == "A"
    with pytest.raises(ValueError):
        parse("c")

def test_int():
    assert Priority.LOW < Priority.HIGH and Priority.HIGH == 3 and Priority(1) is Priority.LOW
    assert sorted([Priority.HIGH, Priority.LOW]) == [Priority.LOW, Priority.HIGH]
    assert max(Priority) == Priority.HIGH and Priority.LOW + 1 == 2

def test_keys():
    assert {Planet.EARTH: 1}[Planet.EARTH] == 1 and {Priority.LOW: 1}[1] == 1

def test_wrong():
    assert parse("a") is Kind.B
""",
)
_pair(
    "decorators",
    """
import functools
import time

def memoize(function):
    cache = {}
    @functools.wraps(function)
    def wrapper(*args):
        if args not in cache:
            cache[args] = function(*args)
        return cache[args]
    wrapper.cache = cache
    return wrapper

def retry(times, exceptions=(Exception,)):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return function(*args, **kwargs)
                except exceptions:
                    if attempt == times - 1:
                        raise
        return wrapper
    return decorate

def count_calls(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)
    wrapper.calls = 0
    return wrapper

def validate(**types):
    def decorate(function):
        def wrapper(**kwargs):
            for name, kind in types.items():
                if not isinstance(kwargs[name], kind):
                    raise TypeError(f"{name} must be {kind.__name__}")
            return function(**kwargs)
        return wrapper
    return decorate

class Singleton(type):
    _made = {}
    def __call__(cls, *args, **kwargs):
        if cls not in cls._made:
            cls._made[cls] = super().__call__(*args, **kwargs)
        return cls._made[cls]

class Config(metaclass=Singleton):
    def __init__(self):
        self.values = {}
""",
    """
import pytest
from solution import *

def test_memoize():
    calls = []
    @memoize
    def square(n):
        calls.append(n)
        return n * n
    assert square(3) == 9 and square(3) == 9 and calls == [3]
    assert square.__name__ == "square" and square.cache == {(3,): 9}

def test_recursive():
    @memoize
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)
    assert fib(20) == 6765

def test_retry():
    seen = []
    @retry(3, exceptions=(ValueError,))
    def flaky():
        seen.append(1)
        if len(seen) < 3:
            raise ValueError("again")
        return "ok"
    assert flaky() == "ok" and len(seen) == 3

def test_retry_gives_up():
    @retry(2)
    def broken():
        raise KeyError("x")
    with pytest.raises(KeyError):
        broken()

def test_retry_other():
    @retry(times=5, exceptions=(ValueError,))
    def broken():
        raise TypeError("x")
    with pytest.raises(TypeError, match="x"):
        broken()

def test_retry_own():
    class Own(Exception):
        pass
    seen = []
    @retry(2, (Own,))
    def broken():
        seen.append(1)
        raise Own("mine")
    with pytest.raises(Own):
        broken()
    assert len(seen) == 2

def test_counted():
    @count_calls
    def nothing():
        "Nothing."
    nothing()
    nothing()
    assert nothing.calls == 2 and nothing.__doc__ == "Nothing."

def test_validate():
    @validate(n=int)
    def double(n):
        return 2 * n
    assert double(n=2) == 4
    with pytest.raises(TypeError, match="n must be int"):
        double(n="2")

def test_methods():
    class Thing:
        def __init__(self):
            self.n = 2
        @memoize
        def times(self, k):
            return self.n * k
    assert Thing().times(3) == 6

def test_singleton():
    assert Config() is Config()
    Config().values["a"] = 1
    assert Config().values == {"a": 1}

def test_wrong():
    @count_calls
    def nothing():
        pass
    assert nothing.calls == 1
""",
)
_pair(
    "caches of functools",
    """
import functools

@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

class Circle:
    def __init__(self, radius):
        self.radius, self.times = radius, 0
    @functools.cached_property
    def area(self):
        self.times += 1
        return 3 * self.radius ** 2

@functools.singledispatch
def kind(value):
    return "other"

@kind.register
def _(value: int):
    return "int"

@kind.register(list)
def _(value):
    return "list"

double = functools.partial(lambda a, b: a * b, 2)

def compose(*functions):
    return functools.reduce(lambda f, g: lambda x: f(g(x)), functions)
""",
    """
from solution import *

def test_fib():
    fib.cache_clear()
    assert fib(30) == 832040
    assert fib.cache_info().misses == 31

def test_cached():
    circle = Circle(2)
    assert circle.area == 12 and circle.area == 12 and circle.times == 1

def test_dispatch():
    assert kind(1) == "int" and kind([1]) == "list" and kind("x") == "other"

def test_partial():
    assert double(4) == 8

def test_compose():
    assert compose(lambda x: x + 1, lambda x: x * 2)(5) == 11
    assert compose(str, abs)(-3) == "3"

def test_wrong():
    assert double(4) == 9
""",
)
_pair(
    "properties and descriptors",
    """
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, obj, owner):
        return getattr(obj, self.name)
    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(obj, self.name, value)

class Box:
    width = Positive()
    height = Positive()
    def __init__(self, width, height):
        self.width, self.height = width, height

class Celsius:
    def __init__(self, degrees=0):
        self._degrees = degrees
    @property
    def fahrenheit(self):
        return self._degrees * 9 / 5 + 32
    @fahrenheit.setter
    def fahrenheit(self, value):
        self._degrees = (value - 32) * 5 / 9
    @fahrenheit.deleter
    def fahrenheit(self):
        self._degrees = None
    @property
    def degrees(self):
        return self._degrees

class Slotted:
    __slots__ = ("a",)
""",
    """
import pytest
from solution import *

def test_positive():
    box = Box(1, 2)
    box.width = 5
    assert box.width == 5
    with pytest.raises(ValueError, match="height must be positive"):
        box.height = 0
    with pytest.raises(ValueError):
        Box(-1, 1)

def test_property():
    c = Celsius(100)
    assert c.fahrenheit == 212
    c.fahrenheit = 32
    assert c.degrees == 0
    with pytest.raises(AttributeError):
        c.degrees = 5
    del c.fahrenheit
    assert c.degrees is None

def test_slots():
    s = Slotted()
    s.a = 1
    assert s.a == 1
    with pytest.raises(AttributeError):
        s.b = 1

def test_getattr():
    assert getattr(Box(1, 2), "width") == 1 and getattr(Box(1, 2), "depth", 7) == 7
    assert vars(Box(1, 2)) == {"_width": 1, "_height": 2}
    assert Box(1, 2).__dict__ == {"_width": 1, "_height": 2}
    assert isinstance(Celsius.fahrenheit, property)

def test_wrong():
    assert Celsius(0).fahrenheit == 0
""",
)
_pair(
    "vars of an object",
    "class Box:\n    def __init__(self, w):\n        self.w = w\n",
    "from solution import Box\n\ndef test_dict():\n    assert Box(1).__dict__ == {'w': 1}\n\ndef test_vars():\n    assert vars(Box(1)) == {'w': 1}\n",
)
_pair(
    "the bases and the line of a class",
    "class A:\n    pass\n\nclass B(A):\n    x = 1\n    def method(self):\n        return 1\n",
    """
import inspect
from solution import A, B

def test_bases():
    assert B.__bases__ == (A,) and B.__mro__[1] is A and issubclass(B, A)

def test_inspect():
    assert inspect.isclass(B) and callable(B().method) and hasattr(B, "method") and "x" in dir(B)

def test_class():
    assert B().__class__ is B and B().__class__.__name__ == "B" and type(B()) == B

def test_not_callable():
    assert not callable(B())
""",
)
_pair(
    "signatures and annotations",
    "def add(a: int, b: int = 2) -> int:\n    '''Add.'''\n    return a + b\n\nasync def later():\n    return 1\n\ndef many():\n    yield 1\n",
    """
import inspect
import solution
from solution import add, later, many

def test_signature():
    assert list(inspect.signature(add).parameters) == ["a", "b"]

def test_annotations():
    assert add.__annotations__ == {"a": int, "b": int, "return": int}

def test_kinds():
    assert inspect.isfunction(add) and inspect.isgeneratorfunction(many)
    assert inspect.iscoroutinefunction(later)

def test_doc():
    assert add.__doc__ == "Add." and add.__defaults__ == (2,)
""",
)
_pair(
    "iterators",
    """
class Countdown:
    def __init__(self, start):
        self.start = start
    def __iter__(self):
        n = self.start
        while n > 0:
            yield n
            n -= 1
    def __len__(self):
        return self.start
    def __reversed__(self):
        return iter(range(1, self.start + 1))
    def __contains__(self, n):
        return 0 < n <= self.start
    def __getitem__(self, index):
        return list(self)[index]

def chunks(items, size):
    for i in range(0, len(items), size):
        yield items[i : i + size]

def running():
    total = 0
    while True:
        value = yield total
        if value is None:
            return
        total += value

def naturals():
    n = 0
    while True:
        yield n
        n += 1

def flatten(items):
    for item in items:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item
""",
    """
import itertools
import types
import pytest
from solution import *

def test_countdown():
    c = Countdown(3)
    assert list(c) == [3, 2, 1] and list(c) == [3, 2, 1] and len(c) == 3
    assert list(reversed(c)) == [1, 2, 3] and 2 in c and 5 not in c
    assert c[0] == 3 and c[-1] == 1 and c[:2] == [3, 2]
    first, *rest = c
    assert first == 3 and rest == [2, 1] and max(c) == 3 and sorted(c) == [1, 2, 3]

def test_chunks():
    assert list(chunks([1, 2, 3], 2)) == [[1, 2], [3]]
    assert isinstance(chunks([], 1), types.GeneratorType)

def test_send():
    r = running()
    assert next(r) == 0 and r.send(5) == 5 and r.send(2) == 7
    with pytest.raises(StopIteration):
        r.send(None)

def test_infinite():
    assert list(itertools.islice(naturals(), 5)) == [0, 1, 2, 3, 4]
    n = naturals()
    assert [next(n) for _ in range(3)] == [0, 1, 2] and next(n) == 3
    assert next(x for x in naturals() if x > 10) == 11

def test_flatten():
    assert list(flatten([1, [2, [3]]])) == [1, 2, 3]

def test_close():
    n = naturals()
    next(n)
    n.close()
    with pytest.raises(StopIteration):
        next(n)

def test_wrong():
    assert list(chunks([1, 2, 3], 2)) == [[1], [2, 3]]
""",
)
_pair(
    "a bank of unittest's, as ClassEval has it",
    """
import json
from datetime import datetime

class BankAccount:
    def __init__(self, balance=0):
        self.balance = balance
        self.history = []
    def deposit(self, amount):
        if amount < 0:
            raise ValueError("Invalid amount")
        self.balance += amount
        self.history.append(("deposit", amount))
        return self.balance
    def withdraw(self, amount):
        if amount < 0:
            raise ValueError("Invalid amount")
        if amount > self.balance:
            raise ValueError("Insufficient balance.")
        self.balance -= amount
        return self.balance
    def transfer(self, other, amount):
        self.withdraw(amount)
        other.deposit(amount)
""",
    """
import unittest
from solution import BankAccount

class BankAccountTestDeposit(unittest.TestCase):
    def test_deposit(self):
        account = BankAccount()
        self.assertEqual(account.deposit(1000), 1000)
    def test_history(self):
        account = BankAccount()
        account.deposit(3)
        self.assertEqual(account.history, [("deposit", 3)])
        self.assertListEqual(account.history, [("deposit", 3)])
    def test_invalid(self):
        account = BankAccount()
        with self.assertRaises(ValueError) as context:
            account.deposit(-1)
        self.assertEqual(str(context.exception), "Invalid amount")

class BankAccountTestTransfer(unittest.TestCase):
    def setUp(self):
        self.one, self.two = BankAccount(800), BankAccount(1000)
    def tearDown(self):
        del self.one
    def test_transfer(self):
        self.one.transfer(self.two, 300)
        self.assertEqual((self.one.balance, self.two.balance), (500, 1300))
    def test_wrong_transfer(self):
        self.one.transfer(self.two, 300)
        self.assertEqual(self.one.balance, 800)
    def test_attribute(self):
        self.one.balance = 5
        self.assertEqual(self.one.withdraw(5), 0)
""",
)
_pair(
    "a task of BigCodeBench",
    """
import collections
import itertools
import random
import statistics

def task_func(length=10, alphabet="abc", seed=None):
    rng = random.Random(seed)
    letters = [rng.choice(alphabet) for _ in range(length)]
    return dict(collections.Counter(letters)), statistics.mean(map(ord, letters))
""",
    """
import unittest
from unittest.mock import patch
import random

class TestCases(unittest.TestCase):
    def test_case_1(self):
        counts, mean = task_func(20, "ab", seed=1)
        self.assertIsInstance(counts, dict)
        self.assertEqual(sum(counts.values()), 20)
        self.assertTrue(all(key in "ab" for key in counts))
        self.assertTrue(97 <= mean <= 98)
    def test_case_2(self):
        self.assertEqual(task_func(5, "a"), ({"a": 5}, 97))
    def test_case_3(self):
        rng = random.Random(4)
        letters = [rng.choice("xyz") for _ in range(10)]
        self.assertEqual(task_func(10, "xyz", 4)[0], dict(collections.Counter(letters)))
    def test_empty(self):
        with self.assertRaises(statistics.StatisticsError):
            task_func(0)
    def test_wrong(self):
        self.assertEqual(task_func(5, "a"), ({"a": 4}, 97))
""".replace(
        "import random\n",
        "import collections\nimport random\nimport statistics\nfrom solution import task_func\n",
    ),
)
_pair(
    "random, patched and seeded",
    """
import random
from random import choice, randint

def roll(n):
    return [random.randint(1, 6) for _ in range(n)]

def pick(items):
    return choice(items)

def password(length):
    return "".join(random.choices("abc123", k=length))

def coin():
    return "heads" if random.random() < 0.5 else "tails"
""",
    """
import random
from unittest.mock import patch
import pytest
import solution
from solution import coin, password, pick, roll

def test_seed():
    random.seed(42)
    one = roll(5)
    random.seed(42)
    assert roll(5) == one == [6, 1, 1, 6, 3]

def test_range():
    assert all(1 <= n <= 6 for n in roll(100)) and len(set(roll(200))) == 6

@patch("solution.choice", return_value="b")
def test_pick(choice):
    assert pick("abc") == "b"
    choice.assert_called_once_with("abc")

@pytest.mark.parametrize("value, side", [(0.1, "heads"), (0.9, "tails")])
def test_coin(monkeypatch, value, side):
    monkeypatch.setattr(random, "random", lambda: value)
    assert coin() == side

@patch("random.randint", side_effect=[1, 2, 3])
def test_effects(mocked):
    assert roll(3) == [1, 2, 3] and mocked.call_count == 3

def test_length():
    assert len(password(8)) == 8 and password(5) != password(50)

def test_wrong():
    random.seed(1)
    assert roll(3) == [9, 9, 9]
""",
)
_pair(
    "dates",
    """
from datetime import date, datetime, timedelta, timezone

def age(born, today=None):
    today = today or date.today()
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))

def later(start, days):
    return start + timedelta(days=days)

def add(moment):
    return moment + timedelta(seconds=10 ** 9)

def parse(text):
    return datetime.strptime(text, "%Y-%m-%d")

def aware():
    return datetime(2020, 1, 1, tzinfo=timezone.utc)

class Event:
    def __init__(self, name):
        self.name, self.created = name, datetime.now()
""",
    """
from datetime import date, datetime, timedelta, timezone
from unittest.mock import patch
import solution
from solution import *

def test_age():
    assert age(date(2000, 5, 1), date(2020, 4, 30)) == 19

def test_later():
    assert later(date(2020, 2, 28), 2) == date(2020, 3, 1)
    assert later(date(2020, 2, 28), 1) - date(2020, 2, 28) == timedelta(1)

def test_add():
    assert add(datetime(2011, 4, 25)) == datetime(2043, 1, 1, 1, 46, 40)

def test_parse():
    assert parse("2020-01-02") == datetime(2020, 1, 2) and parse("2020-01-02").year == 2020

def test_aware():
    assert aware() == datetime(2020, 1, 1, tzinfo=timezone.utc) and aware().tzinfo is timezone.utc

def test_created():
    before = datetime.now()
    event = Event("x")
    assert before <= event.created <= datetime.now()
    assert isinstance(event.created, datetime)

def test_patched():
    with patch("solution.datetime") as mocked:
        mocked.now.return_value = datetime(2020, 1, 1)
        assert Event("x").created == datetime(2020, 1, 1)

def test_wrong():
    assert later(date(2020, 2, 28), 2) == date(2020, 3, 2)
""",
)
_pair(
    "mocks of what is injected",
    """
class Service:
    def __init__(self, repo, mailer=None):
        self.repo, self.mailer = repo, mailer
    def register(self, name):
        if self.repo.find(name):
            raise ValueError("taken")
        user = {"name": name}
        self.repo.save(user)
        if self.mailer:
            self.mailer.send(to=name, subject="Welcome")
        return user
    def names(self):
        return [row["name"] for row in self.repo.all()]
    def first(self):
        with self.repo.open() as connection:
            return connection.execute("select 1").fetchone()[0]

def fetch(client, url):
    response = client.get(url, timeout=5)
    response.raise_for_status()
    if response.status_code != 200:
        return None
    return response.json()["data"]
""",
    """
from unittest.mock import ANY, MagicMock, Mock, call, create_autospec
import pytest
from solution import Service, fetch

def test_register():
    repo, mailer = Mock(), Mock()
    repo.find.return_value = None
    assert Service(repo, mailer).register("ann") == {"name": "ann"}
    repo.save.assert_called_once_with({"name": "ann"})
    mailer.send.assert_called_once_with(to="ann", subject=ANY)
    assert repo.mock_calls == [call.find("ann"), call.save({"name": "ann"})]

def test_taken():
    repo = Mock()
    repo.find.return_value = {"name": "ann"}
    with pytest.raises(ValueError, match="taken"):
        Service(repo).register("ann")
    repo.save.assert_not_called()

def test_names():
    repo = MagicMock()
    repo.all.return_value = [{"name": "a"}, {"name": "b"}]
    assert Service(repo).names() == ["a", "b"]

def test_context():
    repo = MagicMock()
    repo.open.return_value.__enter__.return_value.execute.return_value.fetchone.return_value = (7,)
    assert Service(repo).first() == 7

def test_fetch():
    client = Mock()
    client.get.return_value.status_code = 200
    client.get.return_value.json.return_value = {"data": [1]}
    assert fetch(client, "u") == [1]
    client.get.assert_called_with("u", timeout=5)

def test_raised():
    client = Mock()
    client.get.side_effect = ConnectionError("down")
    with pytest.raises(ConnectionError, match="down"):
        fetch(client, "u")

def test_spec():
    class Repo:
        def find(self, name): ...
        def save(self, user): ...
    repo = create_autospec(Repo, instance=True)
    repo.find.return_value = None
    Service(repo).register("x")
    repo.save.assert_called_once()

def test_fake():
    class Fake:
        def __init__(self):
            self.users = {}
        def find(self, name):
            return self.users.get(name)
        def save(self, user):
            self.users[user["name"]] = user
    fake = Fake()
    service = Service(fake)
    service.register("x")
    assert fake.users == {"x": {"name": "x"}}
    with pytest.raises(ValueError):
        service.register("x")

def test_same():
    repo = Mock()
    assert Service(repo).repo is repo

def test_wrong():
    repo = Mock()
    repo.find.return_value = None
    Service(repo).register("ann")
    repo.save.assert_called_once_with({"name": "bob"})
""",
)
_pair(
    "events and observers",
    """
class Subject:
    def __init__(self):
        self._observers = []
    def attach(self, observer):
        if observer not in self._observers:
            self._observers.append(observer)
    def detach(self, observer):
        self._observers.remove(observer)
    def notify(self, value):
        for observer in list(self._observers):
            observer.update(self, value)

class Bus:
    def __init__(self):
        self.handlers = {}
    def on(self, name, handler=None):
        if handler is None:
            def decorate(function):
                self.handlers.setdefault(name, []).append(function)
                return function
            return decorate
        self.handlers.setdefault(name, []).append(handler)
    def off(self, name, handler):
        self.handlers[name].remove(handler)
    def emit(self, name, *args, **kwargs):
        return [handler(*args, **kwargs) for handler in self.handlers.get(name, [])]
""",
    """
import pytest
from solution import Bus, Subject

class Observer:
    def __init__(self):
        self.seen = []
    def update(self, subject, value):
        self.seen.append((subject, value))

def test_subject():
    subject, one, two = Subject(), Observer(), Observer()
    subject.attach(one)
    subject.attach(one)
    subject.attach(two)
    subject.notify(3)
    assert one.seen == [(subject, 3)] and len(two.seen) == 1
    subject.detach(one)
    subject.notify(4)
    assert len(one.seen) == 1 and two.seen[-1][1] == 4

def test_bus():
    bus, seen = Bus(), []
    bus.on("x", seen.append)
    bus.emit("x", 1)
    bus.off("x", seen.append)
    bus.emit("x", 2)
    assert seen == [1]

def test_decorated():
    bus = Bus()
    @bus.on("x")
    def double(n):
        return 2 * n
    assert bus.emit("x", 4) == [8] and double(1) == 2

def test_same():
    bus = Bus()
    handler = lambda: None
    bus.on("x", handler)
    assert bus.handlers == {"x": [handler]}

def test_wrong():
    bus, seen = Bus(), []
    bus.on("x", seen.append)
    bus.emit("x", 1)
    assert seen == [2]
""",
)
_pair(
    "asyncio",
    """
import asyncio

async def double(n):
    await asyncio.sleep(0)
    return 2 * n

async def gathered(numbers):
    return await asyncio.gather(*(double(n) for n in numbers))

async def counted(n):
    for i in range(n):
        yield i

class Pool:
    def __init__(self):
        self.log = []
    async def __aenter__(self):
        self.log.append("in")
        return self
    async def __aexit__(self, *error):
        self.log.append("out")
    async def run(self, function, *args):
        return await function(*args)

async def failing():
    raise ValueError("later")
""",
    """
import asyncio
import unittest
import pytest
from solution import *

def test_double():
    assert asyncio.run(double(2)) == 4

def test_gather():
    assert asyncio.run(gathered([1, 2])) == [2, 4]

def test_gather_here():
    async def main():
        return await asyncio.gather(double(1), double(2))
    assert asyncio.run(main()) == [2, 4]

def test_each():
    async def main():
        return [n async for n in counted(3)]
    assert asyncio.run(main()) == [0, 1, 2]

def test_context():
    async def main():
        async with Pool() as pool:
            assert pool.log == ["in"]
        return pool.log
    assert asyncio.run(main()) == ["in", "out"]

def test_failing():
    with pytest.raises(ValueError, match="later"):
        asyncio.run(failing())

def test_callback():
    async def own(n):
        return n + 1
    assert asyncio.run(Pool().run(own, 1)) == 2

class TestIsolated(unittest.IsolatedAsyncioTestCase):
    async def test_double(self):
        self.assertEqual(await double(3), 6)
    async def test_wrong_double(self):
        self.assertEqual(await double(3), 7)

def test_coroutine():
    assert asyncio.iscoroutinefunction(double)

def test_timeout():
    async def main():
        return await asyncio.wait_for(double(1), timeout=1)
    assert asyncio.run(main()) == 2
""",
)
_pair(
    "text and files",
    """
import csv
import json
import os
from pathlib import Path

def count_words(path):
    return len(Path(path).read_text().split())

def read_csv(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))

def write_lines(path, lines):
    with open(path, "w") as stream:
        stream.writelines(f"{line}\\n" for line in lines)
    return path

def append(path, text):
    with open(path, "a") as stream:
        stream.write(text)

def largest(folder):
    return max(Path(folder).iterdir(), key=lambda p: p.stat().st_size).name

def make(folder):
    os.makedirs(os.path.join(folder, "a", "b"), exist_ok=True)
    return Path(folder) / "a" / "b"

class Store:
    def __init__(self, path):
        self.path = Path(path)
    def load(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}
    def put(self, key, value):
        data = self.load()
        data[key] = value
        self.path.write_text(json.dumps(data))

def binary(path):
    with open(path, "rb") as stream:
        return stream.read(2)
""",
    """
import os
import tempfile
import unittest
from unittest.mock import mock_open, patch
import pytest
from solution import *

@pytest.fixture
def sample(tmp_path):
    path = tmp_path / "sample.txt"
    path.write_text("one two three")
    return path

def test_words(sample):
    assert count_words(sample) == 3 and count_words(str(sample)) == 3

def test_csv(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\\n1,2\\n")
    assert read_csv(tmp_path / "a.csv") == [{"x": "1", "y": "2"}]

def test_lines(tmp_path):
    path = write_lines(tmp_path / "b", [1, 2])
    assert path == tmp_path / "b" and path.read_text() == "1\\n2\\n"
    append(path, "3")
    assert path.read_text().splitlines() == ["1", "2", "3"]

def test_largest(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").write_text("xxx")
    assert largest(tmp_path) == "b"

def test_make(tmp_path):
    made = make(str(tmp_path))
    assert made.is_dir() and (tmp_path / "a" / "b").exists()

def test_store(tmp_path):
    store = Store(tmp_path / "s.json")
    assert store.load() == {}
    store.put("a", 1)
    assert Store(tmp_path / "s.json").load() == {"a": 1} and store.path.exists()

def test_binary(tmp_path):
    (tmp_path / "x").write_bytes(b"\\x00\\xff\\x01")
    assert binary(tmp_path / "x") == b"\\x00\\xff"

def test_mocked():
    with patch("builtins.open", mock_open(read_data="x,y\\n1,2\\n")):
        assert read_csv("nothing") == [{"x": "1", "y": "2"}]

def test_missing():
    with pytest.raises(FileNotFoundError):
        count_words("/nothing/here")

class TestTemporary(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.path = os.path.join(self.folder, "x.txt")
    def tearDown(self):
        if os.path.exists(self.path):
            os.remove(self.path)
        os.rmdir(self.folder)
    def test_written(self):
        write_lines(self.path, ["a"])
        self.assertTrue(os.path.exists(self.path))
        with open(self.path) as stream:
            self.assertEqual(stream.read(), "a\\n")
    def test_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as stream:
            stream.write("a b")
        self.assertEqual(count_words(stream.name), 2)
        os.unlink(stream.name)

def test_wrong(sample):
    assert count_words(sample) == 4

def test_chdir(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.txt").write_text("a b")
    assert count_words("here.txt") == 2
""",
)
_pair(
    "surroundings of the process",
    """
import os
import sys

def home():
    return os.environ.get("APP_HOME", "none")

def arguments():
    return sys.argv[1:]

def here():
    return os.getcwd()

def main(argv=None):
    argv = argv if argv is not None else sys.argv[1:]
    if not argv:
        print("usage: x", file=sys.stderr)
        return 2
    print(" ".join(argv))
    return 0
""",
    """
import os
import sys
from unittest.mock import patch
import pytest
from solution import *

def test_environment(monkeypatch):
    monkeypatch.setenv("APP_HOME", "/x")
    assert home() == "/x"
    monkeypatch.delenv("APP_HOME")
    assert home() == "none"

def test_patched():
    with patch.dict(os.environ, {"APP_HOME": "y"}):
        assert home() == "y"

def test_arguments(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["x", "a"])
    assert arguments() == ["a"]

def test_patched_arguments():
    with patch.object(sys, "argv", ["x", "b"]):
        assert arguments() == ["b"]

def test_main(capsys):
    assert main(["a", "b"]) == 0 and main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == "a b\\n" and "usage" in captured.err

def test_main_by_arguments(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["x", "hi"])
    assert main() == 0 and capsys.readouterr().out.strip() == "hi"

def test_wrong(monkeypatch):
    monkeypatch.setenv("APP_HOME", "/x")
    assert home() == "/y"
""",
)
_pair(
    "input and print in a game",
    """
import random

def ask_number(prompt="? "):
    while True:
        try:
            return int(input(prompt))
        except ValueError:
            print("not a number")

def game(secret=None):
    secret = secret or random.randint(1, 10)
    tries = 0
    while True:
        guess = ask_number()
        tries += 1
        if guess == secret:
            print(f"right after {tries}")
            return tries
        print("low" if guess < secret else "high")

def table(rows):
    for row in rows:
        print(*row, sep=" | ")
""",
    """
import builtins
import io
import sys
import unittest
from contextlib import redirect_stdout
from unittest.mock import call, patch
from solution import ask_number, game, table

def test_game(monkeypatch, capsys):
    answers = iter(["5", "x", "3"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(answers))
    assert game(3) == 2
    assert capsys.readouterr().out == "high\\nnot a number\\nright after 2\\n"

@patch("builtins.input", side_effect=["1", "2"])
@patch("random.randint", return_value=2)
def test_patched(randint, mocked, capsys):
    assert game() == 2
    assert mocked.call_count == 2 and "low" in capsys.readouterr().out

@patch("builtins.print")
def test_print(mocked):
    table([(1, 2), (3, 4)])
    mocked.assert_has_calls([call(1, 2, sep=" | "), call(3, 4, sep=" | ")])

@patch("sys.stdout", new_callable=io.StringIO)
def test_stdout(stream):
    table([("a", "b")])
    assert stream.getvalue() == "a | b\\n"

class TestGame(unittest.TestCase):
    def test_redirected(self):
        out = io.StringIO()
        with redirect_stdout(out):
            table([(1,)])
        self.assertEqual(out.getvalue(), "1\\n")
    def test_sys(self):
        held, sys.stdout = sys.stdout, io.StringIO()
        try:
            table([(5,)])
            self.assertEqual(sys.stdout.getvalue().strip(), "5")
        finally:
            sys.stdout = held
    @patch("builtins.input", lambda *args: "7")
    def test_lambda(self):
        self.assertEqual(ask_number(), 7)
    def test_wrong(self):
        with patch("builtins.input", return_value="7"):
            self.assertEqual(ask_number(), 8)

def test_stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("4\\n"))
    assert ask_number() == 4
""",
)
_pair(
    "state of the module",
    """
_registry = {}
counter = 0
DEFAULTS = {"a": 1}
items = []

def register(name):
    def decorate(function):
        _registry[name] = function
        return function
    return decorate

def run(name, *args):
    return _registry[name](*args)

def increment():
    global counter
    counter += 1
    return counter

def reset():
    global counter
    counter = 0
    items.clear()

def add(item):
    items.append(item)
""",
    """
import pytest
import solution
from solution import DEFAULTS, _registry, add, increment, items, register, reset, run

@pytest.fixture(autouse=True)
def clean():
    reset()
    yield
    _registry.clear()

def test_counter():
    increment()
    assert increment() == 2 and solution.counter == 2

def test_counter_again():
    assert solution.counter == 0

def test_registered():
    @register("double")
    def double(n):
        return 2 * n
    assert run("double", 4) == 8 and "double" in solution._registry

def test_cleared():
    with pytest.raises(KeyError):
        run("double", 1)

def test_items():
    add(1)
    assert solution.items == [1]

def test_imported_items():
    add(1)
    assert items == [1]

def test_set():
    solution.counter = 10
    assert increment() == 11

def test_defaults():
    DEFAULTS["b"] = 2
    assert solution.DEFAULTS == {"a": 1, "b": 2}

def test_wrong():
    increment()
    assert solution.counter == 2
""",
)
_pair(
    "asserts of unittest",
    """
def evens(n):
    return [i for i in range(n) if i % 2 == 0]

def index(text):
    return {word: len(word) for word in text.split()}

def pair():
    return (1, "a")

def letters(text):
    return set(text)

def nothing():
    return None

def third():
    return 1 / 3

def text():
    return "one\\ntwo"

def data():
    return b"ab"
""",
    """
import unittest
from solution import *

class TestAll(unittest.TestCase):
    maxDiff = None
    def test_equal(self):
        self.assertListEqual(evens(5), [0, 2, 4])
        self.assertDictEqual(index("a bc"), {"a": 1, "bc": 2})
        self.assertTupleEqual(pair(), (1, "a"))
        self.assertSetEqual(letters("aab"), {"a", "b"})
        self.assertMultiLineEqual(text(), "one\\ntwo")
        self.assertSequenceEqual(evens(3), (0, 2))
        self.assertCountEqual(evens(5), [4, 2, 0])
    def test_rest(self):
        self.assertIsNone(nothing())
        self.assertIsNotNone(pair())
        self.assertAlmostEqual(third(), 0.333, places=3)
        self.assertAlmostEqual(third(), 0.3, delta=0.1)
        self.assertNotAlmostEqual(third(), 0.3)
        self.assertGreater(third(), 0)
        self.assertLessEqual(third(), 1)
        self.assertIn(2, evens(5))
        self.assertNotIn(1, evens(5))
        self.assertIs(nothing(), None)
        self.assertRegex(text(), r"one\\s")
        self.assertIsInstance(data(), bytes)
        self.assertTrue(evens(1))
        self.assertFalse(evens(0))
    def test_wrong_list(self):
        self.assertListEqual(evens(5), [0, 2])
    def test_wrong_dict(self):
        self.assertDictEqual(index("a bc"), {"a": 1, "bc": 3})
    def test_wrong_set(self):
        self.assertSetEqual(letters("a"), {"a", "b"})
    def test_wrong_text(self):
        self.assertEqual(text(), "one\\nthree")
    def test_raises(self):
        with self.assertRaisesRegex(AttributeError, "split"):
            index(3)
        self.assertRaises(TypeError, evens, "x")
    def test_skip(self):
        self.skipTest("not now")
""",
)
_pair(
    "warnings as errors",
    "import warnings\n\ndef old():\n    warnings.warn('use new', DeprecationWarning)\n    return 1\n\ndef new():\n    return 2\n",
    """
import unittest
import warnings
import pytest
from solution import new, old

def test_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DeprecationWarning):
            old()

def test_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert new() == 2

def test_wrong_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert old() == 1

def test_recorded():
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        old()
    assert len(log) == 1 and issubclass(log[0].category, DeprecationWarning)
    assert "use new" in str(log[0].message)

def test_call():
    with pytest.deprecated_call():
        old()

def test_recwarn(recwarn):
    old()
    assert recwarn.pop(DeprecationWarning)

class TestWarnings(unittest.TestCase):
    def test_warns(self):
        with self.assertWarns(DeprecationWarning):
            old()
        with self.assertWarnsRegex(DeprecationWarning, "use"):
            old()
    def test_wrong_warns(self):
        with self.assertWarns(UserWarning):
            old()
""",
)
_pair(
    "logs",
    "import logging\n\nlogger = logging.getLogger('shop')\n\ndef sell(n):\n    logger.warning('sold %d', n)\n    return n\n",
    """
import logging
import unittest
from solution import sell

def test_text(caplog):
    sell(3)
    assert "sold 3" in caplog.text and caplog.record_tuples == [("shop", logging.WARNING, "sold 3")]

class TestLogs(unittest.TestCase):
    def test_logs(self):
        with self.assertLogs("shop", level="WARNING") as caught:
            sell(2)
        self.assertEqual(caught.output, ["WARNING:shop:sold 2"])
    def test_wrong_logs(self):
        with self.assertLogs("other"):
            sell(2)
""",
)
_pair(
    "parameters made of the program's",
    """
class Circle:
    def __init__(self, r):
        self.r = r
    def area(self):
        return 3 * self.r ** 2

class Square:
    def __init__(self, a):
        self.a = a
    def area(self):
        return self.a ** 2

def bubble(items):
    return sorted(items)

def quick(items):
    return sorted(items)

class TooSmall(Exception):
    pass

def check(n):
    if n < 0:
        raise TooSmall(n)
    if n > 9:
        raise OverflowError("large")
    return n
""",
    """
import pytest
from solution import *

@pytest.mark.parametrize("shape, area", [(Circle(1), 3), (Square(2), 4)])
def test_area(shape, area):
    assert shape.area() == area

@pytest.mark.parametrize("kind", [Circle, Square])
def test_kinds(kind):
    assert kind(1).area() in (1, 3)

@pytest.mark.parametrize("sort", [bubble, quick], ids=lambda f: f.__name__)
@pytest.mark.parametrize("items", [[], [2, 1], list(range(5, 0, -1))])
def test_sorts(sort, items):
    assert sort(items) == sorted(items)

@pytest.mark.parametrize("n, error", [(-1, TooSmall), (10, OverflowError)])
def test_errors(n, error):
    with pytest.raises(error):
        check(n)

@pytest.mark.parametrize("n", [pytest.param(1, id="one"), pytest.param(2, marks=pytest.mark.slow)])
def test_ids(n):
    assert check(n) == n

@pytest.mark.parametrize("n", [pytest.param(-1, marks=pytest.mark.xfail(raises=TooSmall, strict=True))])
def test_expected(n):
    check(n)

@pytest.mark.parametrize("sort", [bubble])
def test_wrong(sort):
    assert sort([2, 1]) == [2, 1]
""",
)
_pair(
    "containers of one's own",
    """
class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]
    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])
    def __getitem__(self, key):
        if isinstance(key, tuple):
            i, j = key
            return self.rows[i][j]
        return self.rows[key]
    def __setitem__(self, key, value):
        i, j = key
        self.rows[i][j] = value
    def __eq__(self, other):
        return isinstance(other, Matrix) and self.rows == other.rows
    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(x, y)] for x, y in zip(self.rows, other.rows)])
    def __mul__(self, k):
        return Matrix([[a * k for a in row] for row in self.rows])
    __rmul__ = __mul__
    def __matmul__(self, other):
        return Matrix([[sum(a * b for a, b in zip(row, col)) for col in zip(*other.rows)] for row in self.rows])
    def __neg__(self):
        return self * -1
    def transpose(self):
        return Matrix(zip(*self.rows))
    @classmethod
    def identity(cls, n):
        return cls([[int(i == j) for j in range(n)] for i in range(n)])

class Stack:
    def __init__(self):
        self._items = []
    def push(self, item):
        self._items.append(item)
    def pop(self):
        if not self._items:
            raise IndexError("pop from empty stack")
        return self._items.pop()
    def peek(self):
        return self._items[-1]
    def is_empty(self):
        return not self._items
    def __len__(self):
        return len(self._items)
    def __bool__(self):
        return bool(self._items)
""",
    """
import pytest
from solution import Matrix, Stack

def test_matrix():
    m = Matrix([[1, 2], [3, 4]])
    assert m.shape == (2, 2) and m[0, 1] == 2 and m[1] == [3, 4]
    m[0, 0] = 9
    assert m.rows == [[9, 2], [3, 4]]

def test_operators():
    m = Matrix([[1, 2], [3, 4]])
    assert m + m == Matrix([[2, 4], [6, 8]]) and m @ Matrix.identity(2) == m
    assert m.transpose() == Matrix([[1, 3], [2, 4]]) and -m == Matrix([[-1, -2], [-3, -4]])

def test_scaled():
    assert Matrix([[1]]) * 3 == Matrix([[3]])

def test_scaled_right():
    assert 3 * Matrix([[1]]) == Matrix([[3]])

def test_row_changed():
    m = Matrix([[1, 2]])
    m[0][1] = 7
    assert m.rows == [[1, 7]]

def test_stack():
    s = Stack()
    assert s.is_empty() and not s and len(s) == 0
    s.push(1)
    s.push([2])
    assert s.peek() == [2] and s.pop() == [2] and len(s) == 1 and s
    s.pop()
    with pytest.raises(IndexError, match="empty"):
        s.pop()

def test_objects():
    class Thing:
        pass
    s, thing = Stack(), Thing()
    s.push(thing)
    assert s.peek() is thing and s.pop() is thing

def test_wrong():
    assert Matrix([[1]]) + Matrix([[1]]) == Matrix([[3]])
""",
)
_pair(
    "what is held is changed by the test",
    """
class Inventory:
    def __init__(self):
        self.items = {}
        self.log = []
    def add(self, name, count=1):
        self.items[name] = self.items.get(name, 0) + count
        self.log.append(name)
    def total(self):
        return sum(self.items.values())
""",
    """
from solution import Inventory

def test_dict():
    inventory = Inventory()
    inventory.items["a"] = 5
    assert inventory.total() == 5

def test_list():
    inventory = Inventory()
    inventory.log.append("x")
    assert inventory.log == ["x"]

def test_held():
    inventory = Inventory()
    items = inventory.items
    inventory.add("a")
    assert items == {"a": 1}

def test_replaced():
    inventory = Inventory()
    inventory.items = {"a": 2, "b": 3}
    assert inventory.total() == 5

def test_given():
    inventory, own = Inventory(), {"a": 1}
    inventory.items = own
    inventory.add("b")
    assert own == {"a": 1, "b": 1} and inventory.items is own

def test_deleted():
    inventory = Inventory()
    inventory.add("a")
    del inventory.items["a"]
    assert inventory.total() == 0

def test_updated():
    inventory = Inventory()
    inventory.items.update(a=1, b=2)
    assert inventory.total() == 3

def test_wrong():
    inventory = Inventory()
    inventory.add("a")
    assert inventory.items == {"a": 2}
""",
)
_pair(
    "copies",
    """
import copy

class Config:
    def __init__(self, data):
        self.data = data
    def clone(self):
        return copy.deepcopy(self)
    def __copy__(self):
        return Config(self.data)
""",
    """
import copy
import json
import pickle
from solution import Config

def test_clone():
    one = Config({"a": [1]})
    two = one.clone()
    two.data["a"].append(2)
    assert one.data == {"a": [1]} and two is not one

def test_copy():
    one = Config({"a": 1})
    assert copy.copy(one).data == {"a": 1}

def test_deepcopy():
    one = Config({"a": 1})
    two = copy.deepcopy(one)
    two.data["a"] = 2
    assert one.data["a"] == 1
""",
)
_pair(
    "results that are dataclasses of lists of tuples",
    """
from typing import NamedTuple

class Token(NamedTuple):
    kind: str
    text: str

class ParseError(SyntaxError):
    pass

def tokens(source):
    found = []
    for word in source.split():
        if word.isdigit():
            found.append(Token("number", word))
        elif word.isalpha():
            found.append(Token("name", word))
        else:
            raise ParseError(f"bad word {word!r}")
    return found
""",
    """
import pytest
import solution
from solution import Token, tokens

def test_tokens():
    assert tokens("a 1") == [Token("name", "a"), Token("number", "1")]
    assert tokens("a")[0].kind == "name" and tokens("a")[0] == ("name", "a")
    assert [t.text for t in tokens("x 2")] == ["x", "2"] and isinstance(tokens("x")[0], Token)
    kind, text = tokens("q")[0]
    assert kind == "name" and Token._fields == ("kind", "text")

def test_error():
    with pytest.raises(solution.ParseError, match="bad word"):
        tokens("?")

def test_base():
    with pytest.raises(SyntaxError):
        tokens("?")

def test_wrong():
    assert tokens("a") == [Token("number", "a")]
""",
)
_pair(
    "exceptions with attributes",
    """
class ValidationError(Exception):
    def __init__(self, field, errors):
        self.field, self.errors = field, errors
        super().__init__(field, errors)
    def __str__(self):
        return f"{self.field}: {', '.join(self.errors)}"

class HttpError(Exception):
    status = 500
    def __init__(self, message="", **details):
        super().__init__(message)
        self.details = details

class NotFound(HttpError):
    status = 404

def validate(data):
    errors = []
    if not data.get("name"):
        errors.append("required")
    if errors:
        raise ValidationError("name", errors)
    return True

def get(url):
    raise NotFound("no page", url=url)

def wrapped():
    try:
        int("x")
    except ValueError as error:
        raise RuntimeError("bad config") from error

def context():
    try:
        int("x")
    except ValueError:
        raise KeyError("k")

def group():
    raise ExceptionGroup("many", [ValueError("a"), TypeError("b")])

def noted():
    error = ValueError("x")
    error.add_note("see y")
    raise error
""",
    """
import pytest
from solution import *

def test_validation():
    with pytest.raises(ValidationError) as info:
        validate({})
    assert info.value.field == "name" and info.value.errors == ["required"]
    assert str(info.value) == "name: required" and info.type is ValidationError

def test_not_found():
    with pytest.raises(HttpError) as info:
        get("/x")
    assert info.value.status == 404 and info.value.details == {"url": "/x"}
    assert isinstance(info.value, NotFound) and NotFound.status == 404

def test_wrapped():
    with pytest.raises(RuntimeError) as info:
        wrapped()
    assert isinstance(info.value.__cause__, ValueError) and "invalid literal" in str(info.value.__cause__)

def test_context():
    with pytest.raises(KeyError) as info:
        context()
    assert isinstance(info.value.__context__, ValueError)

def test_group():
    with pytest.raises(ExceptionGroup) as info:
        group()
    assert info.group_contains(ValueError) and len(info.value.exceptions) == 2

def test_noted():
    with pytest.raises(ValueError) as info:
        noted()
    assert info.value.__notes__ == ["see y"]

def test_traceback():
    with pytest.raises(RuntimeError) as info:
        wrapped()
    assert info.value.__traceback__ is not None

def test_exactly():
    with pytest.raises(NotFound) as info:
        get("/x")
    assert type(info.value) is NotFound and repr(info.value) == "NotFound('no page')"

def test_raised_here():
    with pytest.raises(NotFound, match="mine"):
        raise NotFound("mine", url="u")

def test_wrong():
    with pytest.raises(ValidationError, match="age"):
        validate({})
""",
)
_pair(
    "builtin exceptions with attributes",
    """
import json

def load(text):
    return json.loads(text)

def key(mapping, name):
    return mapping[name]

def read(path):
    return open(path).read()

def decode(data):
    return data.decode("ascii")

def stop():
    raise SystemExit("bye")

def parse(text):
    return compile(text, "<x>", "eval")
""",
    """
import json
import pytest
from solution import *

def test_json():
    with pytest.raises(json.JSONDecodeError) as info:
        load("{")
    assert info.value.pos == 1 and info.value.lineno == 1
    with pytest.raises(ValueError):
        load("x")

def test_key():
    with pytest.raises(KeyError, match="'b'"):
        key({}, "b")

def test_errno():
    with pytest.raises(OSError) as info:
        read("/nothing")
    assert info.value.errno == 2 and info.value.filename == "/nothing"

def test_unicode():
    with pytest.raises(UnicodeDecodeError) as info:
        decode(b"\\xff")
    assert info.value.start == 0

def test_exit():
    with pytest.raises(SystemExit) as info:
        stop()
    assert info.value.code == "bye"

def test_wrong():
    with pytest.raises(json.JSONDecodeError):
        load("{}")
""",
)
_pair(
    "numbers",
    """
import math
from decimal import Decimal
from fractions import Fraction

def mean(numbers):
    return sum(numbers) / len(numbers)

def price(text):
    return Decimal(text).quantize(Decimal("0.01"))

def third():
    return Fraction(1, 3)

def roots(a, b, c):
    d = b * b - 4 * a * c
    return (-b + d ** 0.5) / (2 * a), (-b - d ** 0.5) / (2 * a)

def nan():
    return math.nan

def big(n):
    return math.factorial(n)

class Vector:
    def __init__(self, *parts):
        self.parts = parts
    def __iter__(self):
        return iter(self.parts)
    def __abs__(self):
        return math.sqrt(sum(p * p for p in self))
    def __len__(self):
        return len(self.parts)
    def __getitem__(self, i):
        return self.parts[i]
    def __int__(self):
        return int(abs(self))
    def __round__(self, n=0):
        return Vector(*(round(p, n) for p in self))
    def __eq__(self, other):
        return tuple(self) == tuple(other)
    def dot(self, other):
        return sum(a * b for a, b in zip(self, other))
""",
    """
import math
from decimal import Decimal
from fractions import Fraction
import pytest
from solution import *

def test_mean():
    assert mean([1, 2]) == 1.5 and mean([0.1, 0.2]) == pytest.approx(0.15)
    with pytest.raises(ZeroDivisionError):
        mean([])

def test_price():
    assert price("1.005") == Decimal("1.00") and str(price("2")) == "2.00"

def test_third():
    assert third() * 3 == 1 and third() + Fraction(2, 3) == 1

def test_roots():
    assert roots(1, -3, 2) == pytest.approx((2, 1)) and roots(1, 0, 1)[0].imag == 1

def test_nan():
    assert math.isnan(nan()) and nan() != nan()

def test_big():
    assert big(50) == math.factorial(50) and big(300) == math.factorial(300)

def test_vector():
    v = Vector(3, 4)
    assert abs(v) == 5 and list(v) == [3, 4] and int(v) == 5 and v.dot(Vector(1, 1)) == 7
    assert v == Vector(3, 4) and round(Vector(1.26), 1) == Vector(1.3) and tuple(v) == (3, 4)

def test_vector_data():
    assert Vector(3, 4) == (3, 4) and Vector(1, 2).dot((3, 4)) == 11

def test_vector_approx():
    assert list(Vector(0.1 + 0.2, 1)) == pytest.approx([0.3, 1])

def test_wrong():
    assert mean([1, 2]) == pytest.approx(1.6)
""",
)
_pair(
    "names that tests seldom have",
    "class Shape:\n    pass\n\nclass Test:\n    def __init__(self, n):\n        self.n = n\n\ndef test(n):\n    return n\n\nlen_ = len\n",
    """
import solution
from solution import Shape, Test as Checked, test as checked

def test_all():
    assert checked(1) == 1 and Checked(2).n == 2

def test_names():
    assert "Shape" in dir(solution) and solution.__name__ == "solution"
    assert Shape.__module__ == "solution" and Shape.__qualname__ == "Shape"

def test_none():
    assert getattr(solution, "nothing", None) is None
""",
)
_pair(
    "generic and typed classes",
    """
from typing import Any, Callable, Generic, Optional, Protocol, TypeVar, Union

T = TypeVar("T")

class Maybe(Generic[T]):
    def __init__(self, value: Optional[T] = None):
        self.value = value
    def map(self, function: Callable[[T], Any]) -> "Maybe":
        return Maybe(function(self.value)) if self.value is not None else self
    def or_else(self, default: T) -> T:
        return default if self.value is None else self.value

class Speaks(Protocol):
    def speak(self) -> str: ...

def loud(animal: Speaks) -> str:
    return animal.speak().upper()

class TypedStack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []
    def push(self, item: T) -> None:
        self.items.append(item)

def kind(value: Union[int, str]) -> type:
    return type(value)
""",
    """
from solution import *

def test_maybe():
    assert Maybe(2).map(lambda n: n + 1).or_else(0) == 3 and Maybe().or_else(5) == 5
    assert Maybe(None).map(len).or_else("x") == "x"

def test_protocol():
    class Dog:
        def speak(self):
            return "woof"
    assert loud(Dog()) == "WOOF"

def test_generic():
    stack = TypedStack[int]()
    stack.push(1)
    assert stack.items == [1]

def test_type():
    assert kind(1) is int and kind("x") == str

def test_wrong():
    assert Maybe(2).or_else(0) == 3
""",
)
_pair(
    "exercism: a matrix, a queue, a clock",
    """
class Clock:
    def __init__(self, hour, minute):
        self.total = (hour * 60 + minute) % 1440
    def __repr__(self):
        return f"Clock({self.total // 60}, {self.total % 60})"
    def __str__(self):
        return f"{self.total // 60:02d}:{self.total % 60:02d}"
    def __eq__(self, other):
        return self.total == other.total
    def __add__(self, minutes):
        return Clock(0, self.total + minutes)
    def __sub__(self, minutes):
        return Clock(0, self.total - minutes)

class BufferFullException(BufferError):
    pass

class BufferEmptyException(BufferError):
    pass

class CircularBuffer:
    def __init__(self, capacity):
        self.capacity, self.items = capacity, []
    def read(self):
        if not self.items:
            raise BufferEmptyException("Circular buffer is empty")
        return self.items.pop(0)
    def write(self, data):
        if len(self.items) == self.capacity:
            raise BufferFullException("Circular buffer is full")
        self.items.append(data)
""",
    """
import unittest
from solution import BufferEmptyException, BufferFullException, CircularBuffer, Clock

class ClockTest(unittest.TestCase):
    def test_lots_of_hours(self):
        self.assertEqual(str(Clock(201, 3001)), "11:01")
    def test_repr(self):
        self.assertEqual(repr(Clock(12, 0)), "Clock(12, 0)")
    def test_add_minutes(self):
        self.assertEqual(str(Clock(10, 0) + 3), "10:03")
    def test_subtract_minutes(self):
        self.assertEqual(str(Clock(0, 10) - 30), "23:40")
    def test_equal(self):
        self.assertEqual(Clock(15, 37), Clock(15, 37))
        self.assertNotEqual(Clock(15, 36), Clock(15, 37))

class BufferTest(unittest.TestCase):
    def test_empty(self):
        with self.assertRaises(BufferError) as err:
            CircularBuffer(1).read()
        self.assertEqual(type(err.exception), BufferEmptyException)
        self.assertEqual(err.exception.args[0], "Circular buffer is empty")
    def test_full(self):
        buf = CircularBuffer(1)
        buf.write("1")
        with self.assertRaises(BufferError) as err:
            buf.write("2")
        self.assertEqual(type(err.exception), BufferFullException)
        self.assertEqual(buf.read(), "1")
    def test_wrong(self):
        self.assertEqual(str(Clock(8, 0)), "8:00")
""",
)
for name, program, test in [
    (
        "a result is kept and compared later",
        "def make():\n    return []\n",
        "from solution import make\n\ndef test_own():\n    one = make()\n    one.append(1)\n    assert one == [1] and make() == []\n",
    ),
    (
        "strings",
        "def greet(name='World'):\n    return f'Hello, {name}!'\n",
        "from solution import greet\n\ndef test_greet():\n    assert greet() == 'Hello, World!' and greet(name='A').startswith('Hello')\n    assert 'A' in greet('A') and greet().lower().count('l') == 3\n\ndef test_wrong():\n    assert greet('x') == 'Hello, X!'\n",
    ),
    (
        "recursion",
        "def depth(n):\n    return 0 if n == 0 else 1 + depth(n - 1)\n",
        "import pytest\nfrom solution import depth\n\ndef test_depth():\n    assert depth(500) == 500\n\ndef test_too_deep():\n    with pytest.raises(RecursionError):\n        depth(-1)\n",
    ),
    (
        "a nested list is changed",
        "def rotate(matrix):\n    matrix[:] = [list(row) for row in zip(*matrix[::-1])]\n",
        "from solution import rotate\n\ndef test_rotate():\n    m = [[1, 2], [3, 4]]\n    rotate(m)\n    assert m == [[3, 1], [4, 2]]\n\ndef test_inner():\n    m = [[1, 2], [3, 4]]\n    row = m[0]\n    rotate(m)\n    assert row == [1, 2]\n\ndef test_wrong():\n    m = [[1, 2]]\n    rotate(m)\n    assert m == [[1, 2]]\n",
    ),
    (
        "the argument is not changed",
        "def added(items, item):\n    return items + [item]\n",
        "from solution import added\n\ndef test_kept():\n    items = [1]\n    assert added(items, 2) == [1, 2] and items == [1]\n    assert added(items, 2) is not items\n",
    ),
    (
        "the same argument is given back",
        "def sort(items):\n    items.sort()\n    return items\n",
        "from solution import sort\n\ndef test_sort():\n    items = [3, 1]\n    assert sort(items) == [1, 3] and items == [1, 3]\n    assert sort(items) is items\n\ndef test_sorted():\n    items = [3, 1]\n    assert sort(items) == sorted(items)\n",
    ),
    (
        "a test's dataclass as an argument",
        "def total(lines):\n    return sum(line.price * line.count for line in lines)\n",
        "from dataclasses import dataclass\nfrom solution import total\n\n@dataclass\nclass Line:\n    price: float\n    count: int = 1\n\ndef test_total():\n    assert total([Line(2.5, 2), Line(1)]) == 6\n\ndef test_wrong():\n    assert total([Line(1)]) == 2\n",
    ),
    (
        "a test's namedtuple and enum as arguments",
        "def name(point, color):\n    return f'{point.x},{point.y} {color.name.lower()}'\n",
        "import enum\nfrom collections import namedtuple\nfrom solution import name\n\nPoint = namedtuple('Point', 'x y')\n\nclass Color(enum.Enum):\n    RED = 1\n\ndef test_name():\n    assert name(Point(1, 2), Color.RED) == '1,2 red'\n",
    ),
    (
        "a namespace and a lambda as arguments",
        "def show(user, f):\n    return f(user.name)\n",
        "from types import SimpleNamespace\nfrom solution import show\n\ndef test_show():\n    assert show(SimpleNamespace(name='a'), lambda s: s * 2) == 'aa'\n",
    ),
    (
        "a regular expression as a result and an argument",
        "import re\n\ndef compiled(text):\n    return re.compile(text)\n\ndef count(pattern, text):\n    return len(pattern.findall(text))\n",
        "import re\nfrom solution import compiled, count\n\ndef test_compiled():\n    assert compiled('a+').match('aab').group() == 'aa'\n\ndef test_count():\n    assert count(re.compile('a'), 'banana') == 3\n",
    ),
    (
        "paths",
        "from pathlib import Path\n\ndef name(path):\n    return Path(path).stem\n\ndef child(path):\n    return Path(path) / 'x'\n",
        "from pathlib import Path, PurePosixPath\nfrom solution import child, name\n\ndef test_name():\n    assert name('/a/b.txt') == 'b' and name(Path('c.d')) == 'c'\n\ndef test_child():\n    assert child('/a') == Path('/a/x') and isinstance(child(Path('/a')), Path)\n",
    ),
    (
        "types as values",
        "def cast(value, kind):\n    return kind(value)\n\ndef kinds():\n    return [int, str, list]\n",
        "from collections import Counter, OrderedDict\nfrom decimal import Decimal\nfrom solution import cast, kinds\n\ndef test_cast():\n    assert cast('3', int) == 3 and cast('ab', list) == ['a', 'b']\n    assert cast('1.5', Decimal) == Decimal('1.5') and cast('aa', Counter) == {'a': 2}\n\ndef test_kinds():\n    assert kinds() == [int, str, list]\n",
    ),
    (
        "uuid and hashes",
        "import hashlib\nimport uuid\n\ndef new():\n    return str(uuid.uuid4())\n\ndef made():\n    return uuid.UUID(int=5)\n\ndef digest(text):\n    return hashlib.md5(text.encode()).hexdigest()\n",
        "import hashlib\nimport uuid\nfrom solution import digest, made, new\n\ndef test_new():\n    assert len(new()) == 36 and new() != new() and uuid.UUID(new()).version == 4\n\ndef test_made():\n    assert made() == uuid.UUID(int=5)\n\ndef test_digest():\n    assert digest('a') == hashlib.md5(b'a').hexdigest()\n",
    ),
    (
        "threads",
        "import threading\n\nclass Counter:\n    def __init__(self):\n        self.n, self.lock = 0, threading.Lock()\n    def add(self):\n        with self.lock:\n            self.n += 1\n",
        "import threading\nfrom solution import Counter\n\ndef test_threads():\n    counter = Counter()\n    threads = [threading.Thread(target=lambda: [counter.add() for _ in range(20)]) for _ in range(4)]\n    for thread in threads:\n        thread.start()\n    for thread in threads:\n        thread.join()\n    assert counter.n == 80\n",
    ),
    (
        "time",
        "import time\n\ndef timed(function):\n    def wrapper(*args):\n        begin = time.perf_counter()\n        value = function(*args)\n        return value, time.perf_counter() - begin\n    return wrapper\n\ndef wait(n):\n    time.sleep(n)\n    return 'done'\n",
        "import time\nfrom unittest.mock import patch\nfrom solution import timed, wait\n\ndef test_timed():\n    value, took = timed(lambda n: n + 1)(1)\n    assert value == 2 and took >= 0\n\ndef test_slept():\n    with patch('time.sleep') as slept:\n        assert wait(5) == 'done'\n    slept.assert_called_once_with(5)\n\ndef test_slept_there():\n    with patch('solution.time.sleep') as slept:\n        wait(6)\n    slept.assert_called_once_with(6)\n\ndef test_really():\n    begin = time.time()\n    wait(0.05)\n    assert time.time() - begin >= 0.04\n",
    ),
    (
        "context managers with state",
        "from contextlib import contextmanager\n\nclass Transaction:\n    def __init__(self, db):\n        self.db = db\n    def __enter__(self):\n        self.before = dict(self.db)\n        return self.db\n    def __exit__(self, kind, error, trace):\n        if kind:\n            self.db.clear()\n            self.db.update(self.before)\n        return False\n\n@contextmanager\ndef suppressed(*kinds):\n    try:\n        yield\n    except kinds:\n        pass\n",
        "import pytest\nfrom solution import Transaction, suppressed\n\ndef test_kept():\n    db = {}\n    with Transaction(db) as data:\n        data['a'] = 1\n    assert db == {'a': 1}\n\ndef test_undone():\n    db = {'a': 1}\n    with pytest.raises(ValueError):\n        with Transaction(db) as data:\n            data['b'] = 1\n            raise ValueError\n    assert db == {'a': 1}\n\ndef test_suppressed():\n    with suppressed(KeyError, ValueError):\n        {}['x']\n    with pytest.raises(TypeError):\n        with suppressed(ValueError):\n            raise TypeError\n\ndef test_suppressed_own():\n    class Own(Exception):\n        pass\n    with suppressed(Own):\n        raise Own\n",
    ),
    (
        "an identity of what is given",
        "class Node:\n    def __init__(self, value):\n        self.value, self.neighbors = value, []\n    def connect(self, other):\n        self.neighbors.append(other)\n        other.neighbors.append(self)\n\ndef reachable(node):\n    seen, todo = set(), [node]\n    while todo:\n        now = todo.pop()\n        if now not in seen:\n            seen.add(now)\n            todo += now.neighbors\n    return seen\n",
        "from solution import Node, reachable\n\ndef test_graph():\n    a, b, c = Node('a'), Node('b'), Node('c')\n    a.connect(b)\n    assert a.neighbors == [b] and b.neighbors[0] is a\n    assert reachable(a) == {a, b} and c not in reachable(a)\n    assert sorted(n.value for n in reachable(b)) == ['a', 'b']\n",
    ),
    (
        "lru cache of one's own",
        "from collections import OrderedDict\n\nclass LRUCache:\n    def __init__(self, capacity):\n        self.capacity, self.cache = capacity, OrderedDict()\n    def get(self, key):\n        if key not in self.cache:\n            return -1\n        self.cache.move_to_end(key)\n        return self.cache[key]\n    def put(self, key, value):\n        self.cache[key] = value\n        self.cache.move_to_end(key)\n        if len(self.cache) > self.capacity:\n            self.cache.popitem(last=False)\n",
        "from solution import LRUCache\n\ndef test_cache():\n    cache = LRUCache(2)\n    cache.put(1, 1)\n    cache.put(2, 2)\n    assert cache.get(1) == 1\n    cache.put(3, 3)\n    assert cache.get(2) == -1 and list(cache.cache) == [1, 3] and len(cache.cache) == 2\n    assert 1 in cache.cache\n\ndef test_wrong():\n    cache = LRUCache(1)\n    cache.put(1, 1)\n    assert cache.get(1) == 2\n",
    ),
    (
        "a fluent builder",
        "class Query:\n    def __init__(self):\n        self.parts = []\n    def select(self, *names):\n        self.parts.append('SELECT ' + ', '.join(names))\n        return self\n    def where(self, **conditions):\n        self.parts.append('WHERE ' + ' AND '.join(f'{k}={v!r}' for k, v in conditions.items()))\n        return self\n    def build(self):\n        return ' '.join(self.parts)\n",
        "from solution import Query\n\ndef test_query():\n    q = Query()\n    assert q.select('a', 'b') is q\n    assert q.where(a=1, b='x').build() == \"SELECT a, b WHERE a=1 AND b='x'\"\n\ndef test_wrong():\n    assert Query().select('a').build() == 'a'\n",
    ),
    (
        "dunders called by hand",
        "class Box:\n    def __init__(self, n):\n        self.n = n\n    def __str__(self):\n        return f'<{self.n}>'\n    def __len__(self):\n        return self.n\n    def __eq__(self, other):\n        return isinstance(other, Box) and self.n == other.n\n    def __lt__(self, other):\n        return self.n < other.n\n",
        "from solution import Box\n\ndef test_hand():\n    box = Box(2)\n    assert box.__str__() == '<2>' and box.__len__() == 2 and box.__eq__(Box(2)) is True\n    assert not box.__eq__(5) and box.__lt__(Box(3)) and Box.__str__(box) == '<2>'\n\ndef test_none():\n    assert Box(1) != None and not (Box(1) == None) and (Box(1) == 'x') is False\n\ndef test_unhashable():\n    try:\n        hash(Box(1))\n        assert False\n    except TypeError:\n        pass\n",
    ),
    (
        "methods by their class",
        "class Math:\n    @staticmethod\n    def add(a, b):\n        return a + b\n    @classmethod\n    def name(cls):\n        return cls.__name__\n    def twice(self, n):\n        return 2 * n\n",
        "from solution import Math\n\ndef test_class():\n    assert Math.add(1, 2) == 3 and Math().add(1, 2) == 3 and Math.name() == 'Math'\n    assert Math.twice(Math(), 4) == 8 and list(map(Math().twice, [1, 2])) == [2, 4]\n    method = Math().twice\n    assert method(5) == 10\n",
    ),
    (
        "sorted with the program's key",
        "def by_length(word):\n    return len(word), word\n\nclass Version:\n    def __init__(self, text):\n        self.parts = tuple(map(int, text.split('.')))\n    def __lt__(self, other):\n        return self.parts < other.parts\n    def __repr__(self):\n        return '.'.join(map(str, self.parts))\n",
        "from solution import Version, by_length\n\ndef test_key():\n    assert sorted(['ccc', 'a', 'bb'], key=by_length) == ['a', 'bb', 'ccc']\n    assert max(['a', 'bb'], key=by_length) == 'bb'\n\ndef test_versions():\n    versions = sorted([Version('1.10'), Version('1.2')])\n    assert [repr(v) for v in versions] == ['1.2', '1.10'] and str(versions) == '[1.2, 1.10]'\n    assert min(versions).parts == (1, 2)\n",
    ),
    (
        "module attributes by the test",
        "GREETING = 'hi'\n\ndef greet():\n    return GREETING\n\ndef outer():\n    return inner() + 1\n\ndef inner():\n    return 1\n",
        "import importlib\nfrom unittest import mock\nimport solution\n\ndef test_object():\n    with mock.patch.object(solution, 'GREETING', 'yo'):\n        assert solution.greet() == 'yo'\n    assert solution.greet() == 'hi'\n\ndef test_inner():\n    with mock.patch('solution.inner', side_effect=ValueError('x')):\n        try:\n            solution.outer()\n            assert False\n        except ValueError as error:\n            assert str(error) == 'x'\n\ndef test_wraps():\n    with mock.patch('solution.inner', wraps=solution.inner) as wrapped:\n        assert solution.outer() == 2\n    assert wrapped.call_count == 1\n\ndef test_multiple():\n    with mock.patch.multiple(solution, GREETING='a', inner=lambda: 4):\n        assert solution.outer() == 5 and solution.greet() == 'a'\n\ndef test_reload():\n    importlib.reload(solution)\n",
    ),
    (
        "generators of the test's",
        "def take(n, source):\n    return [item for _, item in zip(range(n), source)]\n\ndef mapped(function, source):\n    for item in source:\n        yield function(item)\n",
        "import itertools\nfrom solution import mapped, take\n\ndef test_take():\n    source = itertools.count()\n    assert take(3, source) == [0, 1, 2] and take(2, (n * n for n in range(9))) == [0, 1]\n\ndef test_mapped():\n    assert list(mapped(lambda n: n + 1, iter([1, 2]))) == [2, 3]\n\ndef test_lazy():\n    seen = []\n    def source():\n        for n in range(5):\n            seen.append(n)\n            yield n\n    assert next(mapped(str, source())) == '0' and seen == [0]\n",
    ),
    (
        "a result that holds what was given",
        "class Cache:\n    def __init__(self):\n        self.data = {}\n    def set(self, key, value):\n        self.data[key] = value\n    def get(self, key, default=None):\n        return self.data.get(key, default)\n",
        "from solution import Cache\n\nclass Thing:\n    pass\n\ndef test_same():\n    cache, thing, items = Cache(), Thing(), [1]\n    cache.set('a', thing)\n    cache.set('b', items)\n    assert cache.get('a') is thing and cache.get('b') is items\n    items.append(2)\n    assert cache.get('b') == [1, 2]\n    missing = object()\n    assert cache.get('z', missing) is missing\n\ndef test_keys():\n    cache = Cache()\n    cache.set((1, 2), 'x')\n    cache.set(None, 'y')\n    assert cache.get((1, 2)) == 'x' and cache.get(None) == 'y'\n\ndef test_object_keys():\n    cache, thing = Cache(), Thing()\n    cache.set(thing, 1)\n    assert cache.get(thing) == 1\n",
    ),
    (
        "memory and identity of results",
        "class Pool:\n    def __init__(self):\n        self.free = []\n    def acquire(self):\n        return self.free.pop() if self.free else object()\n    def release(self, item):\n        self.free.append(item)\n",
        "from solution import Pool\n\ndef test_pool():\n    pool = Pool()\n    one = pool.acquire()\n    two = pool.acquire()\n    assert one is not two and one != two\n    pool.release(one)\n    assert pool.acquire() is one\n",
    ),
    (
        "exceptions of the library",
        "import queue\nimport statistics\n\ndef mode(items):\n    return statistics.mean(items)\n\ndef take(q):\n    return q.get_nowait()\n\ndef empty():\n    return queue.Queue().get_nowait()\n",
        "import queue\nimport statistics\nimport pytest\nfrom solution import empty, mode, take\n\ndef test_mode():\n    with pytest.raises(statistics.StatisticsError):\n        mode([])\n\ndef test_empty():\n    with pytest.raises(queue.Empty):\n        empty()\n\ndef test_given():\n    q = queue.Queue()\n    q.put(1)\n    assert take(q) == 1\n    with pytest.raises(queue.Empty):\n        take(q)\n",
    ),
]:
    _pair(name, program, test)

# --- small ones, each of which has been graded wrongly
for name, program, test in [
    (
        "a type variable and a star",
        "from typing import TypeVar\n\nT = TypeVar('T')\n\ndef first(items: list[T]) -> T:\n    return items[0]\n",
        "from solution import *\n\ndef test_first():\n    assert first([1]) == 1\n",
    ),
    (
        "an itemgetter and a star",
        "from operator import itemgetter\n\nby_age = itemgetter('age')\n\ndef oldest(people):\n    return max(people, key=by_age)\n",
        "from solution import *\n\ndef test_oldest():\n    assert oldest([{'age': 1}, {'age': 2}]) == {'age': 2} and by_age({'age': 3}) == 3\n",
    ),
    (
        "an exception of two bases, one of them the program's",
        "class AppError(Exception):\n    pass\n\nclass BadValue(AppError, ValueError):\n    pass\n\ndef check(n):\n    raise BadValue('bad')\n",
        "import pytest\nfrom solution import *\n\ndef test_both():\n    with pytest.raises(ValueError):\n        check(1)\n    with pytest.raises(AppError):\n        check(1)\n",
    ),
    (
        "an exception made within a function",
        "def check():\n    class Bad(Exception):\n        pass\n    raise Bad('x')\n",
        "import pytest\nfrom solution import check\n\ndef test_check():\n    with pytest.raises(Exception, match='x'):\n        check()\n",
    ),
    (
        "an OSError of one's own",
        "class Missing(OSError):\n    pass\n\ndef read():\n    raise Missing(2, 'no such', 'x')\n",
        "import pytest\nfrom solution import Missing, read\n\ndef test_read():\n    with pytest.raises(Missing) as info:\n        read()\n    assert info.value.errno == 2 and info.value.filename == 'x'\n",
    ),
    (
        "a defaultdict that an object holds",
        "from collections import defaultdict\n\nclass Graph:\n    def __init__(self):\n        self.edges = defaultdict(list)\n    def add(self, a, b):\n        self.edges[a].append(b)\n",
        "from solution import Graph\n\ndef test_edges():\n    graph = Graph()\n    graph.add(1, 2)\n    assert graph.edges == {1: [2]} and graph.edges[1] == [2]\n",
    ),
    (
        "an int of one's own that adds",
        "class Mod7(int):\n    def __add__(self, other):\n        return Mod7((int(self) + int(other)) % 7)\n",
        "from solution import Mod7\n\ndef test_add():\n    assert Mod7(5) + 4 == 2\n",
    ),
    (
        "a namedtuple that adds",
        "from typing import NamedTuple\n\nclass Point(NamedTuple):\n    x: int\n    y: int\n    def __add__(self, other):\n        return Point(self.x + other.x, self.y + other.y)\n",
        "from solution import Point\n\ndef test_add():\n    assert Point(1, 2) + Point(3, 4) == Point(4, 6)\n",
    ),
    (
        "a namedtuple's repr and text",
        "from typing import NamedTuple\n\nclass Point(NamedTuple):\n    x: int\n    y: int = 0\n    def __str__(self):\n        return f'({self.x}, {self.y})!'\n",
        "from solution import Point\n\ndef test_texts():\n    assert repr(Point(1)) == 'Point(x=1, y=0)' and str(Point(1)) == '(1, 0)!'\n",
    ),
    (
        "a tuple of one's own that adds",
        "class Vector(tuple):\n    def __new__(cls, *parts):\n        return super().__new__(cls, parts)\n    def __add__(self, other):\n        return Vector(*(a + b for a, b in zip(self, other)))\n",
        "from solution import Vector\n\ndef test_add():\n    assert Vector(1, 2) + Vector(3, 4) == Vector(4, 6)\n",
    ),
    (
        "a dict with attributes",
        "class Attributes(dict):\n    def __getattr__(self, name):\n        return self[name]\n",
        "from solution import Attributes\n\ndef test_attribute():\n    assert Attributes(a=1).a == 1 and Attributes(a=1)['a'] == 1\n",
    ),
    (
        "an operator with a number",
        "class Vector:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n    def __mul__(self, k):\n        return Vector(self.x * k, self.y * k)\n    __rmul__ = __mul__\n    def __eq__(self, other):\n        return (self.x, self.y) == (other.x, other.y)\n",
        "from solution import Vector\n\ndef test_scaled():\n    assert Vector(1, 2) * 3 == Vector(3, 6)\n    assert 3 * Vector(1, 2) == Vector(3, 6)\n",
    ),
    (
        "an operator with an object of the test's",
        "class Price:\n    def __init__(self, n):\n        self.n = n\n    def __add__(self, other):\n        return self.n + other.n\n",
        "from solution import Price\n\nclass Other:\n    n = 4\n\ndef test_sum():\n    assert Price(2) + Other() == 6\n",
    ),
    (
        "operators in place",
        "class Bag:\n    def __init__(self):\n        self.items = []\n    def __iadd__(self, item):\n        self.items.append(item)\n        return self\n    def __lshift__(self, item):\n        self.items.append(item)\n        return self\n",
        "from solution import Bag\n\ndef test_added():\n    bag = Bag()\n    bag += 1\n    assert bag.items == [1]\n\ndef test_chained():\n    bag = Bag()\n    bag << 1 << 2\n    assert bag.items == [1, 2]\n",
    ),
    (
        "a list that holds itself",
        "def depth(items):\n    return len(items)\n",
        "from solution import depth\n\ndef test_circle():\n    items = [1]\n    items.append(items)\n    assert depth(items) == 2\n",
    ),
]:
    _pair(name, program, test)
