"""Reading what tests use takes work in proportion to their text, up to a stated size."""

import ast
import sys
import time
from collections import Counter

import pytest

from sandbox import grade
from sandbox.grading.asserts import parse_cost, test_names
from sandbox.grading.formats import read_tests


@pytest.mark.parametrize("prefix", ["f", "F", "rf", "Fr", "x = f", "print(f"])
@pytest.mark.parametrize("form", ["test_list", "test"])
def test_f_strings_of_many_fields_are_refused_where_parsing_them_is_quadratic(
    prefix: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tests(text: str) -> object:
        return {"test_list": [text]} if form == "test_list" else {"test": text, "entry_point": "f"}

    end = ")" if "(" in prefix else ""
    monkeypatch.setattr(parse_cost, "_LOOKS_FOR_FIELDS", True)
    with pytest.raises(ValueError, match="f-strings"):
        read_tests(tests(f"{prefix}'{'{a}' * 10_000}'{end}"))
    assert read_tests(tests(f"{prefix}'{'{a}' * 1_000}'{end}")).total == 1
    assert read_tests(tests("assert f() == [" + "{'a': 1}," * 10_000 + "]")).total == 1
    monkeypatch.setattr(parse_cost, "_LOOKS_FOR_FIELDS", False)
    test_names.check_size([f"{prefix}'{'{a}' * 10_000}'{end}"])


@pytest.mark.parametrize("dot", [".", " . ", ".\\\n", "\t.\\\r\n"])
@pytest.mark.parametrize("text", ["import {}b", "from {}b import c", "x = 'import'; y = {}b"])
def test_dotted_names_are_refused_where_parsing_them_is_quadratic(text: str, dot: str) -> None:
    def tests(dots: int) -> object:
        return {"test_list": [text.format(f"a{dot}" * dots), "assert f(1) == 1"]}

    with pytest.raises(ValueError, match="too long dotted names"):
        read_tests(tests(12_000))
    assert read_tests(tests(500)).total == 2


ORDINARY = {
    "numbers": "import math\nassert f([" + "0.5, " * 100_000 + "])",
    "numbers in a text": "import math\nassert f('" + "0.5 " * 100_000 + "')",
    "prose": "import math\n" + "# It is. So it was, and will be; as it ever was.\n" * 20_000,
    "short names": "import math\n" + "math.pi + math.e\n" * 50_000,
    "a long name": "import math\n" + "a" * 5_000_000 + " = " + "math.pi;" * 2_000,
    "blanks": "import math\n" + "# a" + " " * 5_000_000 + "\n" + "math.pi;" * 2_000,
}


@pytest.mark.parametrize("title", ORDINARY)
def test_other_dots_cost_nothing(title: str) -> None:
    started = time.process_time()
    assert not parse_cost.is_dear([ORDINARY[title]])
    assert time.process_time() - started < 1


@pytest.mark.parametrize("form", ["test_list", "test"])
def test_tests_that_are_too_long_for_any_program_are_not_parsed(form: str) -> None:
    """Grading masks them: a parser would refuse them."""
    texts = ["(" * (1 << 23)] * 3
    data = {"test": "".join(texts), "entry_point": "f"} if form == "test" else {form: texts}
    assert not read_tests(data).are_plain  # type: ignore[union-attr]


ID = "def f(a):\n    return a\n"
STARS = {
    "in a test": (ID, {"test_list": ["from math import *\nassert f(1) == floor(1.5)"]}),
    "before tests": (
        ID,
        {"test_imports": ["from math import *"], "test_list": ["assert f(1) == floor(1.5)"]},
    ),
    "for a value that cannot cross": (
        ID,
        {"test_list": ["from decimal import *\nassert str(f(Decimal('1.5'))) == '1.5'"]},
    ),
    "beside an instance": (
        "class S:\n    def g(self, x):\n        return x\n",
        {"test_list": ["from collections import *\ns = S()\nassert s.g(deque()) == deque()"]},
    ),
    "in a prompt": (
        ID,
        {
            "prompt": "from typing import *\nfrom math import *\n",
            "test": "def check(candidate):\n    assert candidate(1) == floor(1.5)",
            "entry_point": "f",
        },
    ),
    "of what is tested": (
        "def gcd(a, b):\n    return a if b == 0 else gcd(b, a % b)\n",
        {"test_imports": ["from math import *"], "test_list": ["assert gcd(4, 6) == 2"]},
    ),
}


@pytest.mark.parametrize("where", STARS)
def test_what_tests_import_by_a_star_is_not_wanted_of_the_program(where: str) -> None:
    program, tests = STARS[where]
    assert grade(program, tests).score == 1.0
    wrong = grade(program.replace("return a", "return 7").replace("return x", "return 7"), tests)
    assert (wrong.score, wrong.masked) == (0.0, False)


def test_no_module_is_imported_that_no_policy_grants() -> None:
    tests = read_tests({"test_list": ["from antigravity import *\nassert f() == g()"]})
    assert tests.names == ("f", "g")  # type: ignore[union-attr]
    assert "antigravity" not in sys.modules


def looked_at(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many children of nodes are looked at to find instances in `text`."""
    seen, children = Counter[str](), ast.iter_child_nodes
    tree = ast.parse(text)

    def counted(node: ast.AST):  # type: ignore[no-untyped-def]
        for child in children(node):
            seen["children"] += 1
            yield child

    with monkeypatch.context() as patch:
        patch.setattr(ast, "iter_child_nodes", counted)
        assert not test_names.needs_instances([tree], ["f"])
    return seen["children"]


def test_calls_within_calls_are_looked_at_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    shallow = looked_at("f(" * 40 + "1" + ")" * 40, monkeypatch)
    deep = looked_at("f(" * 80 + "1" + ")" * 80, monkeypatch)
    assert deep < 2.5 * shallow


@pytest.mark.parametrize("form", ["test_list", "test"])
def test_each_text_is_parsed_once(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read, parse = Counter[str](), ast.parse

    def counted(text: str, *rest: object, **options: object) -> ast.AST:
        read[text] += 1
        return parse(text, *rest, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(ast, "parse", counted)
    if form == "test":
        read_tests({"test": "def check(f):\n    assert f(1)\n    f(2)", "entry_point": "f"})
    else:
        read_tests({"test_list": ["assert f(math.pi)", "random.seed(1)\nx = f(1)\nassert x"]})
    assert len(read) > 1
    assert set(read.values()) == {1}, read
