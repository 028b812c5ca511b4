"""The forms of rows whose tests are files."""

import pytest

from sandbox import SandboxUnavailable, grade
from sandbox.grading.formats import read_tests
from sandbox.grading.tests import AssertTests, SuiteTests

SORTED = "def task_func(items):\n    return sorted(items)\n"
KODCODE = {
    "test": "from solution import task_func\n\n"
    "def test_a():\n    assert task_func([2, 1]) == [1, 2]\n"
}
BIGCODE = {
    "entry_point": "task_func",
    "test": (
        '"""Tests."""\nfrom __future__ import annotations\nimport unittest\n\n'
        "class TestCases(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertEqual(task_func([2, 1]), [1, 2])\n"
        "        self.assertTrue(math.isclose(task_func([1.0])[0], 1.0))\n"
    ),
}
EXERCISM = {
    "test_code": "import unittest\nfrom two_fer import task_func\n\n"
    "class TwoFerTest(unittest.TestCase):\n"
    "    def test_a(self):\n        self.assertEqual(task_func('ba'), ['a', 'b'])\n\n"
    "if __name__ == '__main__':\n    unittest.main()\n",
    "module": "two_fer",
}
SEVERAL = {
    "test_files": {
        "conftest.py": "import pytest\n\n@pytest.fixture\ndef items():\n    return [3, 1]\n",
        "helper.py": "EXPECTED = [1, 3]\n",
        "tests/test_a.py": "from pkg.sorting import task_func\nfrom helper import EXPECTED\n\n"
        "def test_a(items):\n    assert task_func(items) == EXPECTED\n",
        "tests/test_b.py": "from pathlib import Path\nfrom pkg.sorting import task_func\n\n"
        "def test_b():\n    assert task_func(Path('data.txt').read_text()) == ['a', 'b']\n",
        "data.txt": "ba",
    },
    "module": "pkg.sorting",
}
FORMS = {"kodcode": KODCODE, "bigcode": BIGCODE, "exercism": EXERCISM, "several": SEVERAL}


@pytest.mark.xdist_group("suites")
@pytest.mark.parametrize("name", FORMS)
def test_a_row_is_read_as_its_data_set_ships_it(name: str) -> None:
    try:
        right = grade(SORTED, FORMS[name])
        wrong = grade(SORTED.replace("sorted", "list"), FORMS[name])
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")
    assert (right.score, right.weaker, wrong.score) == (1.0, False, 0.0)


@pytest.mark.xdist_group("suites")
def test_the_program_finds_the_files_that_it_is_given_and_no_test() -> None:
    program = "import os\ndef f(): return sorted(os.listdir('.')), open('data.txt').read()\n"
    test = (
        "from solution import f\ndef test_a():\n    assert f() == (['data.txt'], 'seen')\n"
        "    assert open('data.txt').read() == 'seen' and open('wanted.txt').read() == 'x'\n"
    )
    row = {
        "test_files": {"test_a.py": test, "wanted.txt": "x"},
        "files": {"data.txt": "seen"},
    }
    try:
        done = grade(program, row)
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")
    assert done.score == 1.0, done


def test_a_check_of_a_candidate_is_no_test_file() -> None:
    row = {"test": "def check(candidate):\n    assert candidate(1) == 1\n", "entry_point": "f"}
    assert isinstance(read_tests(row), AssertTests)
    assert isinstance(read_tests(KODCODE), SuiteTests)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"test_code": 3}, "relative paths and texts"),
        ({"test_code": "x = 1", "module": "a-b"}, "no name of a module"),
        ({"test_files": {"helper.py": ""}}, "no file that is called test_"),
        ({"test_files": {"/test_a.py": ""}}, "relative paths"),
        ({"test_files": {"../test_a.py": ""}}, "relative paths"),
        ({"test_files": {"a/../../test_a.py": ""}}, "relative paths"),
        ({"test_files": [], "module": "a"}, "a dict of at most"),
        ({"test_files": {f"test_{n}.py": "" for n in range(200)}}, "at most 100"),
        ({"test_code": "x" * (17 << 20)}, "16 Mi"),
    ],
)
def test_what_is_no_row_of_test_files_is_refused(row: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_tests(row)
