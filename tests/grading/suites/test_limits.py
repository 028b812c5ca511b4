"""Whose limit it was: a program's fails the test, one that the test meets by itself masks it."""

import pytest

from sandbox import Grade, SandboxUnavailable, grade, grade_many
from sandbox.grading.verdicts import Verdict

pytestmark = pytest.mark.xdist_group("suites")
CALLED = "from solution import f\n\ndef test_one():\n    assert f({}) == {}\n"


def graded(program: str, test: str, **options: object) -> Grade:
    try:
        return grade(program, {"test_code": test}, early_stop=False, cpu_seconds=1, **options)
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")


@pytest.mark.parametrize(
    ("program", "test"),
    [
        ("def f(x):\n    while True: pass", CALLED.format(1, 1)),
        ("def f(x): return bytearray(1 << 30)", CALLED.format(1, 1)),
        ("def f(x): return [0] * (1 << 24)", CALLED.format(1, 1)),
        ("def f(x):\n    return f(x)", CALLED.format(1, 1)),
        ("import os\ndef f(x): os._exit(0)", CALLED.format(1, 1)),
        ("def f(x):\n    raise KeyboardInterrupt", CALLED.format(1, 1)),
        ("def f(x):\n    raise GeneratorExit", CALLED.format(1, 1)),
        ("def f(x):\n    x = []\n    x.append(x)\n    return x", CALLED.format(1, 1)),
        (
            "def f():\n    while True: yield 1",
            "from solution import f\ndef test_one(): assert list(f()) == [1]\n",
        ),
        (
            "def f(g): return g(f, g)",
            "from solution import f\ndef test_one():\n    assert f(lambda h, g: h(g)) == 1\n",
        ),
        (
            "def f(g):\n    while True: g(1)",
            "from solution import f\ndef test_one():\n    assert f(lambda x: x) == 1\n",
        ),
        (
            "def f(g):\n    print('x' * (1 << 25))",
            "from solution import f\ndef test_one():\n    assert f(1) == 1\n",
        ),
    ],
)
def test_what_a_program_takes_or_gives_without_end_is_its_failure(program: str, test: str) -> None:
    done = graded(program, test)
    assert (done.score, done.cases[0].verdict) == (0.0, Verdict.FAILED)


@pytest.mark.parametrize(
    "body",
    [
        "f(1)\n    while True: pass",
        "f(1)\n    bytearray(1 << 34)",
        "import os\n    f(1)\n    os._exit(0)",
        "f(1)\n    f(bytearray(1 << 25))",
    ],
)
def test_what_a_test_takes_by_itself_is_masked(body: str) -> None:
    done = graded("def f(x): return x", f"from solution import f\ndef test_one():\n    {body}\n")
    assert done.score is None, done


def test_a_program_that_ends_fails_the_tests_after_it_that_ask_it() -> None:
    test = (
        "from solution import f\ndef test_a(): assert f(1) == 1\ndef test_b(): assert f(0) == 0\n"
        "def test_c(): assert f(1) == 1\ndef test_d(): assert 1 == 1\n"
    )
    done = graded("def f(x):\n    while not x: pass\n    return x", test)
    assert [str(case.verdict) for case in done.cases] == ["passed", "failed", "failed", "passed"]


def test_one_row_costs_no_other_its_grade() -> None:
    right, endless = "def f(x): return x", "def f(x):\n    while True: pass"
    tests = {"test_code": CALLED.format(1, 1)}
    broken = {"test_code": "def test_one(:\n"}
    try:
        grades = grade_many(
            [(right, tests), (endless, tests), (right, broken), (right, tests)], cpu_seconds=1
        )
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")
    assert [each.score for each in grades] == [1.0, 0.0, None, 1.0]


WAITING = """
import queue
import threading
import time

from solution import f

def test_queue():
    given = queue.Queue()
    given.put(1)
    assert f(given) == 1

def test_thread():
    given = queue.Queue()

    def put():
        time.sleep(3)
        given.put(1)

    thread = threading.Thread(target=put)
    thread.start()
    assert f(given) == 1
    thread.join()
"""


@pytest.mark.parametrize(
    ("program", "verdicts"),
    [
        ("def f(q): return q.get()", ["passed", "passed"]),
        ("def f(q):\n    q.get()\n    return q.get()", ["failed", "failed"]),
        ("def f(q):\n    q.join()\n    return q.get()", ["failed", "passed"]),
        (
            "def f(q):\n    x = q.get()\n    try: q.get(timeout=2)\n    except Exception: return x",
            ["passed", "passed"],
        ),
    ],
)
def test_waiting_for_what_no_thread_can_bring_is_the_programs_failure(
    program: str, verdicts: list[str]
) -> None:
    done = graded(program, WAITING)
    assert [str(case.verdict) for case in done.cases] == verdicts, done
