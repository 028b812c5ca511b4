"""A setting that a test makes takes effect in the graded program, which runs in another process.

Such settings are the seed of `random`, the recursion limit, the precision of `decimal` and the
number of digits that an integer may have as text.
"""

import ast
import dataclasses
import subprocess
import sys

import pytest

from sandbox import grade
from sandbox.grading.formats import read_tests

DRAW = "import random\ndef f():\n    return random.randint(1, 10**9)\n"
DEEP = "def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\n"
DIVIDE = "from decimal import *\ndef f(a, b):\n    return Decimal(a) / Decimal(b)\n"
LONG = "def f(n):\n    return str(10**n)\n"
PAIRS = {
    "a seed": (
        DRAW,
        "import random\nrandom.seed(3)\nassert f() == random.Random(3).randint(1, 10**9)",
    ),
    "a seed by another name": (
        DRAW,
        "from random import seed, Random\nseed(3)\nassert f() == Random(3).randint(1, 10**9)",
    ),
    "a second seed": (
        DRAW,
        "import random as R\nR.seed(1); é = f(), f(); R.seed(1)\nassert é == (f(), f())\n"
        "assert é[0] != é[1]",
    ),
    **{
        f"a seed by {how}": (DRAW, f"import random, functools\n{how}\nassert f() == a")
        for how in (
            "s = random.seed; s(1); a = f(); s(1)",
            "from random import seed as s\ns(1); a = f(); s(1)",
            "from random import (\n    getstate as get, setstate as put)\n"
            "g = get(); a = f(); put(g)",
            "s = functools.partial(random.seed, 1); s(); a = f(); s()",
            "a, _ = [(f(), random.seed(1))[0] for _ in map(random.seed, [1, 1])]",
            "def again(s):\n    s(1)\n    return f()\na = again(random.seed); random.seed(1)",
            "s = {'s': random.seed}; s['s'](1); a = f(); s['s'](1)",
            "def again(s=random.seed): s(1)\nagain(); a = f(); again()",
        )
    },
    "names that are those of setters": (
        "class C:\n    seed = 3\ndef f():\n    return C()\ndef seed(n):\n    return n\n",
        "import random\nrandom.seed(1)\nassert f().seed == 3 and seed(4) == 4\n"
        "match 3:\n    case random.seed: assert False",
    ),
    "seeds within an f-string, and one beside it": (
        DRAW,
        "import random\nrandom.seed(1); a = f()\n"
        "random.seed(1); assert f'é{f()}{random.getstate() is None}' == f'é{a}False'",
    ),
    "a state that was kept": (
        DRAW,
        "import random\nrandom.seed(1)\ns = random.getstate()\na = f()\nrandom.setstate(s)\n"
        "assert f() == a",
    ),
    "how deep": (DEEP, "import sys\nsys.setrecursionlimit(20_000)\nassert f(5000) == 5000"),
    "how exact": (
        DIVIDE,
        "import decimal\ndecimal.getcontext().prec = 5\nassert str(f(1, 3)) == '0.33333'",
    ),
    "how exact for a while": (
        DIVIDE,
        "from decimal import localcontext\nwith localcontext() as c:\n    c.prec = 4\n"
        "    assert str(f(1, 3)) == '0.3333'\nassert len(str(f(1, 3))) == 30",
    ),
    "how decimals are written": (
        DIVIDE,
        "from decimal import *\nsetcontext(Context(capitals=0, clamp=1, prec=3, Emax=9))\n"
        "assert str(f('1e9', 1)) == '1.00e+9'",
    ),
    "what is no error": (
        "from decimal import *\ndef f():\n    return str(Decimal(1) / 0)\n",
        "from decimal import *\ngetcontext().traps[DivisionByZero] = False\n"
        "assert f() == 'Infinity'",
    ),
    "how many digits": (
        LONG,
        "import sys\nsys.set_int_max_str_digits(0)\nassert len(f(9999)) == 10000",
    ),
}


@pytest.mark.parametrize("what", PAIRS)
def test_what_a_test_sets_the_program_feels(what):
    program, test = PAIRS[what]
    subprocess.run([sys.executable, "-c", program + test], check=True)  # CPython says so
    result = grade(program, {"test_list": [test]})
    assert (result.score, result.weaker) == (1.0, False), result.cases


def test_a_seed_of_a_generator_of_the_tests_own_is_its_own():
    program = "import random\nrandom.seed(5)\ndef f():\n    return random.random()\n"
    test = "import random\nr = random.Random()\nr.seed(3)\nassert f() == random.Random(5).random()"
    assert grade(program, {"test_list": [test]}).score == 1.0


def test_to_set_something_is_no_call_of_the_program():
    result = grade(DRAW, {"test_list": ["import random\nrandom.seed(3)\nassert True"]})
    assert result.masked


def test_a_program_that_ends_when_it_is_told_has_failed():
    program = DRAW + "import os\ndef grade_set_random(value):\n    raise SystemExit\nf = None\n"
    result = grade(program, {"test_list": [PAIRS["a seed"][1]]})
    assert (result.score, result.masked) == (0.0, False)


def test_a_text_with_many_seeds_is_gone_through_once(monkeypatch):
    read, parse = [], ast.parse

    def counted(text, *rest, **options):
        read.append(text)
        return parse(text, *rest, **options)

    monkeypatch.setattr(ast, "parse", counted)
    text = "import random; " + "random.seed(1); " * 500 + "assert f()"
    [tests] = [read_tests({"test_list": [text]})]
    assert len(read) == len(set(read))
    assert tests.noting[1].count("grade_seeding(random.seed)(1)") == 500


def test_some_of_the_tests_are_run_in_all_their_forms():
    texts = [f"import random\nrandom.seed({n})\nassert f() == {n}" for n in range(3)]
    tests = read_tests({"test_list": texts, "test_setup_code": "import math"})
    last = tests.only(slice(2, 3))
    assert last.texts == (texts[2],)
    assert ["(2)" in each for each in (*last.stepped, *last.noting[1:])] == [True, True]
    assert last.noting[0] == tests.noting[0]
    with pytest.raises(ValueError, match="each text has its other forms"):
        dataclasses.replace(tests, texts=tests.texts[1:])
