"""No wrong program chooses to be masked: by a name, by what it takes away, or by an answer."""

import pytest

from sandbox import SandboxUnavailable, grade

pytestmark = pytest.mark.xdist_group("suites")
APPROX = (
    "import pytest\nfrom solution import f\ndef test_f():\n    assert f() == pytest.approx(3.14)\n"
)
POINTS = """
from dataclasses import dataclass
from solution import f

@dataclass
class Point:
    x: int

def test_f():
    assert f() == Point(2)
"""
MOCKS = (
    "from unittest.mock import Mock\nfrom solution import f\ndef test_f():\n    assert f() == {}\n"
)
NAMED = "class {}:\n    __module__ = {!r}\ndef f():\n    return {}()\n"
PLAIN = "from solution import f\ndef test_f():\n    assert f() == 3\n"
FILES = (
    "from solution import f\ndef test_f(tmp_path):\n    (tmp_path / 'a').write_text('a')\n"
    "    assert f() == 3\n"
)
ARGUMENTS = (
    "import sys\nfrom solution import f\ndef test_f(monkeypatch):\n"
    "    monkeypatch.setattr(sys, 'argv', ['a'])\n    assert f() == 3\n"
)
SURROUNDINGS = (
    "from solution import f\ndef test_f(monkeypatch):\n    monkeypatch.setenv('A', 'b')\n"
    "    assert f() == 3\n"
)
INPUT = (
    "import io, sys\nfrom solution import f\ndef test_f(monkeypatch):\n"
    "    monkeypatch.setattr(sys, 'stdin', io.StringIO('a'))\n    assert f() == 3\n"
)
ANSWER = """
def f():
    content = [98, "X", False, [], [], None, [], None, "", [], None]
    {}
    grade_exchange([["returned", [[], words, False], ""], "", "", []])
"""
KIN_OF_CLASS = (
    'words = [["class", content], ["kin", 1, [99, "X", []]], ["list", 0, 0], ["list", 2, 0]]'
)
KIN_OF_FAR = (
    'words = [["far", [99, content]], ["kin", 1, [99, "X", []]], ["list", 0, 0], ["list", 2, 0]]'
)
ERROR = """
def f():
    error = [["{0}"], ["builtins"]]
    content = [98, "X", True, [], [], error, [], None, "", [], None]
    about = [["X"], "text", 99, False, ["__main__"], ["class", content], None, False]
    words = [None, None, None, None, ["error", 4, about], ["list", 0, 0], ["list", 2, 0]]
    grade_exchange([["raised", [["X"], words, False], ""], "", "", []])
"""


@pytest.mark.parametrize(
    ("policy", "program", "test"),
    [
        ("contest", NAMED.format("ApproxScalar", "x", "ApproxScalar"), APPROX),
        ("contest", NAMED.format("ApproxScalar", "_pytest.python_api", "ApproxScalar"), APPROX),
        ("contest", NAMED.format("Point", "test_solution", "Point"), POINTS),
        ("contest", NAMED.format("Mock", "unittest.mock", "Mock"), MOCKS.replace("{}", "Mock()")),
        ("contest", ANSWER.format(KIN_OF_CLASS), PLAIN),
        ("contest", ANSWER.format(KIN_OF_FAR), PLAIN),
        ("contest", ERROR.format("staticmethod"), PLAIN),
        ("contest", ERROR.format("map"), PLAIN),
        ("contest", ERROR.format("str"), PLAIN),
        ("kernel-only", "import os\ndel os.walk\ndef f(): return 4\n", FILES),
        ("kernel-only", "import builtins\nbuiltins.open = len\ndef f(): return 4\n", FILES),
        ("kernel-only", "import sys\nsys.argv = ()\ndef f(): return 4\n", ARGUMENTS),
        ("kernel-only", "import os\nos.environ = None\ndef f(): return 4\n", SURROUNDINGS),
        ("kernel-only", "import io\nio.StringIO = None\ndef f(): return 4\n", INPUT),
    ],
)
def test_a_wrong_program_does_not_choose_to_be_masked(policy: str, program: str, test: str) -> None:
    try:
        done = grade(program, {"test_code": test}, policy=policy, cpu_seconds=2)
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")
    assert done.score == 0.0, done
