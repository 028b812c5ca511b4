"""Each test of a test file ends beside a program as it does in one process with it.

In the pairs a test fails if it has `wrong` in its name. That real pytest says so too is looked at
for a part of them in each run, and for all with `-m long`.
"""

import json
import subprocess
import sys

import pytest

from sandbox import Grade, SandboxUnavailable, grade
from sandbox.grading.verdicts import Verdict

from .samples import HERE, PAIRS

pytestmark = pytest.mark.xdist_group("suites")  # its sandboxes are opened once
# Tests that are masked, by pair: what they look at cannot be carried over, or is not shown.
MASKED = {
    ("what cannot be carried over", "test_closure"),
    ("what cannot be carried over", "test_source"),
    ("what cannot be carried over", "test_bytecode"),
    ("what cannot be carried over", "test_pickled"),
    ("properties, descriptors, class attributes and slots", "test_a"),  # asks for a `count`
    ("a test's namedtuple and enum as arguments", "test_name"),
    ("module attributes by the test", "test_reload"),
    ("a list that holds itself", "test_circle"),
}
FEATURES = PAIRS["features"]  # one for each thing that the documents say works
EVERY = [pair for listed in PAIRS.values() for pair in listed]


def real_outcomes(where: str) -> dict[str, dict[str, str]]:
    """Return what real pytest says of each test of a file, by pair."""
    command = [sys.executable, str(HERE / "real_pytest.py"), str(HERE / f"pairs/{where}.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def graded(program: str, test: str, **options: object) -> Grade:
    """Grade `program` by a file, all of its tests."""
    try:
        return grade(program, {"test_code": test}, early_stop=False, **options)
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")


def check(done: Grade, masked: set[str]) -> None:
    """Compare the cases of `done` with what their names say, where they are not `masked`."""
    cases = {case.name.partition("::")[2]: case for case in done.cases}
    assert masked == {name for name, case in cases.items() if case.verdict is Verdict.MASKED}
    ours = {name: str(case.verdict) for name, case in cases.items() if name not in masked}
    assert ours == {name: "failed" if "wrong" in name else "passed" for name in ours}
    assert all(case.reason for case in cases.values() if case.verdict is not Verdict.PASSED)


def named(pairs: list[dict[str, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("pair", pairs, ids=[pair["name"] for pair in pairs])


@named(EVERY)
def test_each_test_ends_as_in_one_process(pair: dict[str, str]) -> None:
    done = graded(pair["program"], pair["test"])
    check(done, {short for name, short in MASKED if name == pair["name"]})


@named(FEATURES)
def test_so_it_does_without_the_language_layer(pair: dict[str, str]) -> None:
    check(graded(pair["program"], pair["test"], policy="kernel-only"), set())


LONG = [pytest.param(where, marks=pytest.mark.long) for where in PAIRS if where != "features"]


@pytest.mark.parametrize("where", ["features", *LONG])
def test_real_pytest_says_what_the_names_say(where: str) -> None:
    real = real_outcomes(where)
    for name, outcomes in real.items():
        wrong = {test for test, outcome in outcomes.items() if outcome == "failed"}
        assert wrong == {test for test in outcomes if "wrong" in test}, name
    for pair in PAIRS[where] if where == "features" else []:
        outcomes = real[pair["name"]]
        counted = [test for test, outcome in outcomes.items() if outcome != "skipped"]
        cases = graded(pair["program"], pair["test"]).cases
        assert sorted(counted) == sorted(case.name for case in cases)


@pytest.mark.parametrize("policy", ["strict", "algorithms"])
def test_it_needs_no_more_than_the_program_has(policy: str) -> None:
    test = (
        "from solution import *\nfrom unittest.mock import patch\nimport pytest\n"
        "def test_printed(capsys):\n    greet('you')\n"
        "    assert capsys.readouterr().out == 'hi you!\\n'\n"
        "def test_patched():\n    with patch('builtins.print') as mocked:\n        greet('me')\n"
        "    mocked.assert_called_once_with('hi', 'me', end='!\\n')\n"
        "def test_printed_again(capsys):\n    greet('us')\n"
        "    assert capsys.readouterr().out == 'hi us!\\n'\n"
        "def test_raised():\n    with pytest.raises(Bad, match='no'):\n"
        "        fail(Box(1) + Box(2))\n"
        "    assert Box(3).n == 3 and isinstance(Box(1), Box)\n"
    )
    program = (
        "class Bad(Exception):\n    pass\n"
        "class Box:\n    def __init__(self, n): self.n = n\n"
        "    def __add__(self, other): return Box(self.n + other.n)\n"
        "def greet(name): print('hi', name, end='!\\n')\n"
        "def fail(box):\n    if box.n == 3: raise Bad('no')\n"
    )
    done = graded(program, test, policy=policy)
    assert (done.score, done.total) == (1.0, 4), done


def test_the_first_failure_ends_a_file_if_that_is_wanted() -> None:
    test = "from solution import f\ndef test_a(): assert f() == 2\ndef test_b(): assert f() == 1\n"
    done = grade("def f(): return 1", {"test_code": test})
    assert [str(case.verdict) for case in done.cases] == ["failed", "skipped"]
    assert (done.score, done.total) == (0.0, 2)


def test_a_reason_tells_no_expected_value() -> None:
    test = "from solution import f\ndef test_a():\n    assert f() == 'secret', 'it is secret'\n"
    done = graded("def f(): return 1", test)
    assert (done.cases[0].name, done.cases[0].reason) == (
        "test_solution.py::test_a",
        "AssertionError",
    )


def test_a_program_that_fails_as_it_is_imported_fails_every_test() -> None:
    for program in "1 / 0", "import nothing", "def f(:", "import sys\nsys.exit()", "f = ":
        done = graded(program, "from solution import f\ndef test_a(): assert f() == 1\n")
        assert done.score == 0.0, program


def test_a_file_is_compiled_by_its_own_futures_alone() -> None:
    test = "from solution import *\ndef g() -> Missing: ...\ndef test_a(): assert f() == 1\n"
    assert graded("def f(): return 1", test).score != 1.0
    assert graded("def f(): return 1", "from __future__ import annotations\n" + test).score == 1.0


def test_a_missing_name_is_the_programs_failure() -> None:
    done = graded("def g(): return 1", "from solution import f\ndef test_a(): assert f() == 1\n")
    assert (done.score, "ImportError" in done.cases[0].reason) == (0.0, True)


@pytest.mark.parametrize(
    "test",
    [
        "import nothing_at_all\nfrom solution import f\ndef test_a(): assert f() == 1\n",
        "def test_a(:\n",
        "from solution import f\n",
        "import pytest\npytest.skip('not here', allow_module_level=True)\n",
        "def test_a(): assert 1 == 2\n",
        "from solution import *\ndef test_a(): assert sum([1, 2]) == 3\n",
        "from solution import f\ndef test_a(missing): assert f() == 1\n",
        "import unittest\nfrom solution import K, f\nclass Own(K, unittest.TestCase): pass\n"
        "def test_a(): assert f() == 1\n",
    ],
)
def test_tests_that_say_nothing_about_a_program_are_masked(test: str) -> None:
    program = "def f(): return 1\ndef sum(x): return 0\nclass K: pass"
    assert graded(program, test).score is None


def test_a_test_that_needs_no_program_costs_a_row_nothing() -> None:
    test = (
        "from solution import f\ndef test_a(): assert f() == 1\ndef test_b(): assert 1 + 1 == 2\n"
    )
    done = graded("def f(): return 1", test)
    assert (done.score, [case.reason for case in done.cases]) == (
        1.0,
        ["", "it asks nothing of the program"],
    )
