"""An attribute name that CPython finds too long for a version is refused however it is used."""

import pytest

from sandbox.language.compile.names import LONGEST_ATTRIBUTE

LONGEST = "a" * LONGEST_ATTRIBUTE
LONG = LONGEST + "a"
USES = {
    "read": "hasattr(o, 'NAME') and o.NAME",
    "read of a class": "hasattr(C, 'NAME') and C.NAME",
    "call": "hasattr(o, 'NAME') and o.NAME()",
    "store": "o.NAME = 1",
    "store to a class": "C.NAME = 1",
    "deletion": "setattr(o, 'NAME', 1)\ndel o.NAME",
    "addition": "setattr(o, 'NAME', 1)\no.NAME += 1",
    "annotated store": "o.NAME: int = 1",
    "target of an unpacking": "o.NAME, b = 1, 2",
    "target of a loop": "for o.NAME in (1, 2): pass",
    "target of a with": "import contextlib\nwith contextlib.nullcontext() as o.NAME: pass",
    "value of a pattern": "setattr(C, 'NAME', 1)\nmatch 1:\n    case C.NAME: pass",
    "super": "class D(C):\n    def read(self): return super().NAME",
    "super's method": "class D(C):\n    def call(self): return super().NAME()",
    "beside what is guarded": "def f(x): return x.format, x.NAME",
    "in a lambda in a comprehension": "[lambda x: x.NAME for _ in ()]",
    "in a text that is executed": "exec('lambda x: x.NAME')",
    "a field of a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass E:\n    NAME: int = 1"
    ),
    "a field of a named tuple": "from collections import namedtuple\nnamedtuple('N', ['NAME'])",
    "behind 300 other names": (
        "def f(x):\n" + "\n".join(f"    x.n{i}" for i in range(300)) + "\n    return x.NAME"
    ),
}
PRIVATE = {
    "read": "class CLASS:\n    def f(self): return self.__x",
    "store": "class CLASS:\n    def f(self): self.__x = 1",
    "read in a function of a method": (
        "class CLASS:\n    def f(self):\n        return [lambda: self.__x for _ in ()]"
    ),
    "beside what is guarded": "class CLASS:\n    def f(self): return self.format, self.__x",
}


def _run(run, use, name):
    return run("class C: pass\no = C()\n" + use.replace("NAME", name))


@pytest.mark.parametrize("use", USES)
def test_a_name_that_is_too_long_is_refused(run, use):
    ran = _run(run, USES[use], LONG)
    assert ran.status == "DENIED", ran
    assert "aaaa" in ran.error


@pytest.mark.parametrize("use", USES)
def test_the_longest_name_is_not(run, use):
    assert _run(run, USES[use], LONGEST).status == "OK"


def test_the_error_says_what_and_where(run):
    ran = _run(run, "def f(x): pass\nf(o.NAME)", LONG)
    assert ran.error.startswith(
        "attribute 'aaaaaaaaaaaaaaaaaaaa...', longer than 100 characters, is denied"
    )
    assert "(line 4, column 5)" in ran.error


@pytest.mark.parametrize("use", PRIVATE)
def test_a_private_name_counts_with_the_name_of_its_class(run, use):
    longest = "C" * (LONGEST_ATTRIBUTE - len("___x"))
    assert run(PRIVATE[use].replace("CLASS", longest)).status == "OK"
    assert run(PRIVATE[use].replace("CLASS", longest + "C")).status == "DENIED"
    underscores = "_" * 50 + longest  # which mangling takes away
    assert run(PRIVATE[use].replace("CLASS", underscores)).status == "OK"


def test_variables_methods_and_what_is_asked_by_text_may_be_as_long_as_they_like(run):
    ran = run(
        f"{LONG} = 1\n"
        f"def {LONG * 2}({LONG}): return {LONG}\n"
        f"class {LONG}:\n    def test_{LONG}(self): return 2\n    {LONG} = 5\n"
        f"print({LONG * 2}(7), getattr({LONG}(), 'test_{LONG}')(), hasattr({LONG}, '{LONG}b'))\n"
    )
    assert (ran.status, ran.output) == ("OK", "7 2 False\n"), ran
