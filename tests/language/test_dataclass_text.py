"""A text that `dataclasses` executes is made of what it writes itself, whatever the names are."""

import harness
import pytest

TEXTS = {
    "a call": "def __repr__(self):\n return f'{self.x, print(1)!r}'",
    "a call of a method": "def __repr__(self):\n return self.run()",
    "a name that means something on any class": "def __repr__(self):\n return self.mro",
    "a frame": "def __repr__(self):\n return self.gi_frame",
    "a dunder": "def __repr__(self):\n return self.__globals__",
    "the builtins": "def __repr__(self):\n return __builtins__",
    "an import": "import os",
    "a lambda": "f = lambda: 1",
    "a comprehension": "x = [a for a in b]",
    "an item": "x = a[0]",
    "letters that are compiled to others": "def __repr__(self):\n return self._\uff3fdict\uff3f_",
}


@pytest.fixture(scope="module")
def executing() -> object:
    """Runs a program for which `execute` is what `dataclasses` calls with its text."""
    import dataclasses

    made = harness.world()
    made.state.builtins["execute"] = lambda text: dataclasses.exec(text, {})
    return lambda text: harness.run(made, f"execute({text!r})")


@pytest.mark.parametrize("title", TEXTS)
def test_a_text_with_anything_else_is_not_executed(executing, title):
    ran = executing(TEXTS[title])
    assert ran.status == "DENIED", ran
    assert "a dataclass that uses" in ran.error


def test_what_dataclasses_writes_is_executed(run):
    ran = run(
        """
from dataclasses import InitVar, dataclass, field
options = [{}, {"frozen": True}, {"order": True}, {"unsafe_hash": True}, {"slots": True},
           {"kw_only": True}, {"frozen": True, "slots": True, "weakref_slot": True}]
for chosen in options:
    @dataclass(**chosen)
    class A:
        x: int
        hash: int = 1
        y: list = field(default_factory=list)
        w: InitVar[int] = 3
        r: list = field(default_factory=list, init=False, repr=False)
        def __post_init__(self, w): pass
    @dataclass(**chosen)
    class B(A):
        z: "list[int]" = None
    print(B(x=1), B(x=1) == B(x=1), A(x=2, hash=5))
    try: A(x=1).x = 2
    except Exception as error: print(type(error).__name__, error)
"""
    )
    assert ran.status == "OK", ran
    assert ran.output.count("True") == 7


UNDER_ABC = """
from abc import ABC, abstractmethod
from dataclasses import dataclass
@dataclass
class Exporter(ABC):
    format: str
    @abstractmethod
    def run(self): ...
@dataclass(order=True)
class Csv(Exporter):
    obj: object = None
    def run(self):
        return self.format
print(Csv("csv", 1), Csv("csv").run(), Csv("a", 1) < Csv("b", 1), Csv("a") == Csv("a"))
"""


def test_fields_of_an_abstract_class_may_have_these_names_too(run):
    ran = run(UNDER_ABC)
    assert (ran.status, ran.output) == ("OK", "Csv(format='csv', obj=1) csv True True\n"), ran.error


OTHER = """
from dataclasses import dataclass
@dataclass(order=True, frozen=True)
class C:
    other: int
    format: str = "a"
print(C(1), C(1) < C(2), C(1) == C(1), hash(C(1)) == hash(C(1)))
"""


def test_a_field_may_be_called_as_the_other_operand_is(run):
    ran = run(OTHER)
    assert (ran.status, ran.output) == ("OK", "C(other=1, format='a') True True True\n"), ran.error
