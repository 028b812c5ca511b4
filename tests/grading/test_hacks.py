"""Programs that want the reward without the work: every one scores 0, honest ones score 1."""

import tomllib
from pathlib import Path

import pytest

from sandbox import grade, grade_many
from sandbox.grading.comparators import COMPARATORS

pytestmark = pytest.mark.xdist_group("hacks")  # its sandboxes are opened once
HACKS = Path(__file__).parent / "hacks"
STDIN = {"inputs": ["3 4\n", "10 20 30\n", "-7\n"], "outputs": ["25\n", "1400\n", "49\n"]}
CALL = {
    "fn_name": "squares",
    "inputs": ["[1, 2, 3]", "[-4, 0]"],
    "outputs": ["[1, 4, 9]", "[16, 0]"],
}
CHECK = {
    "prompt": 'def order(numbers: list) -> list:\n    """ The numbers, sorted. """\n',
    "test": (
        "METADATA = {}\n\n\ndef check(candidate):\n"
        "    numbers = [9, 8, 7]\n"
        "    assert candidate(numbers) == sorted(numbers)\n"
        "    assert candidate([3, -1, 2]) == [-1, 2, 3], 'three numbers'\n"
    ),
    "entry_point": "order",
}
ASSERTIONS = {
    "test_list": [
        "assert order([3, -1, 2]) == [-1, 2, 3]",
        "numbers = [9, 8, 7]\nassert order(numbers) == sorted(numbers)",
    ],
    "test_setup_code": "",
    "challenge_test_list": ["assert order([5, 4]) == [4, 5]"],
}
TASKS = {"stdin": [STDIN], "call": [CALL], "check": [CHECK, ASSERTIONS]}
HONEST = {
    "stdin": [
        "print(sum(int(x) ** 2 for x in input().split()))",
        "import sys\nprint(sum(int(x) ** 2 for x in sys.stdin.read().split()), end='')\nsys.exit()",
        "def main():\n    print(sum(map(lambda x: int(x) * int(x), input().split())))\n"
        "if __name__ == '__main__':\n    main()",
    ],
    "call": [
        "def squares(numbers):\n    return [n * n for n in numbers]",
        "def squares(numbers):\n    print('thinking')\n    return tuple(n * n for n in numbers)",
        "class Solution:\n    def squares(self, numbers):\n        return [n**2 for n in numbers]",
        "list = len = type = 3\ndef squares(numbers):\n    return [n * n for n in numbers]\n"
        "if __name__ == '__main__':\n    print(squares(eval(input())))",
    ],
    "check": [
        "def order(numbers):\n    return sorted(numbers)",
        "    return sorted(numbers)\n",
        "def order(numbers: list) -> list:\n    numbers.sort()\n    return numbers",
        "from __future__ import annotations\ndef order(numbers):\n    return sorted(numbers)",
        "type = list = answer = found = 3\ndef order(numbers):\n    return sorted(numbers)\n"
        'if __name__ == "__main__":\n    print(order(eval(input())))',
    ],
}


def load(kind):
    return tomllib.loads((HACKS / f"{kind}.toml").read_text(encoding="utf-8"))


def any_comparator(actual, expected):
    """What the loosest of the named comparators says, but for that of APPS, which sorts words."""
    side = "text" if isinstance(expected, str) else "value"
    named = [each for name, each in COMPARATORS.items() if name != "apps"]
    return any(getattr(each, side)(actual, expected) for each in named)


EVERY = [(kind, name, code) for kind in TASKS for name, code in load(kind).items()]


@pytest.fixture(scope="module")
def graded():
    rows = [(k, n, number) for k, n, _ in EVERY for number in range(len(TASKS[k]))]
    work = [(load(kind)[name], TASKS[kind][number]) for kind, name, number in rows]
    limits = {"cpu_seconds": 0.3, "memory_mib": 128, "output_kib": 1024}
    grades = grade_many(work, comparator=any_comparator, **limits)
    return dict(zip(rows, grades, strict=True))


def test_there_are_enough_hacks_and_no_two_are_the_same():
    assert len({(kind, code) for kind, _, code in EVERY}) == len(EVERY) >= 40


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, name, _ in EVERY])
def test_a_hack_scores_nothing(kind, name, graded):
    for number in range(len(TASKS[kind])):
        grade = graded[kind, name, number]
        assert grade.score == 0.0, grade
        assert not grade.weaker


@pytest.mark.parametrize("kind", TASKS)
def test_an_honest_solution_scores_everything(kind):
    for tests in TASKS[kind]:
        codes = HONEST[kind]
        if tests is ASSERTIONS:  # which has no prompt to continue
            codes = [code for code in codes if not code.startswith(" ")]
        grades = grade_many([(code, tests) for code in codes], early_stop=False)
        assert [(g.score, g.weaker) for g in grades] == [(1.0, False)] * len(codes), grades


def test_no_expected_value_and_no_test_is_in_the_programs_process():
    """A program that dumps what it can name finds its arguments and nothing of the test."""
    code = "import sys\ndef order(numbers):\n    return str(globals()) + str(sys.argv)"
    test = "seen = order([])\nassert 'order' in seen and 'forty-two' not in seen"
    assert grade(code, {"test_list": [test]}).score == 1.0


@pytest.mark.parametrize(
    "head",
    [
        "if __name__ == '__main__':",
        'if __name__=="__main__":',
        "if (__name__ == '__main__'):",
        "if(  __name__ == '__main__' ) :",
        "if\t__name__  ==  '__main__'  :",
    ],
)
def test_the_main_part_of_a_program_whose_functions_are_called_does_not_run(head):
    code = f"def squares(numbers):\n    return [n * n for n in numbers]\n{head}\n    1 / 0"
    assert grade(code, CALL).score == 1.0


STACK = {
    "test_list": [
        "stack = Stack()\nstack.push(1)\nassert stack.pop() == 1\n"
        '""" one """\n\'\'\' two \'\'\'\n""" three """'
    ],
    "test_setup_code": "",
}
MEDDLING = [
    "import sys\nsys.exit(0)",
    "class Stack:\n    def __init__(self):\n        raise SystemExit(0)",
    "import os\nclass Stack:\n    def __init__(self):\n        os._exit(0)",
    "class Stack:\n    def push(self, value):\n        grade_passed('')\n        quit()",
    "grade_passed(None)\nclass Stack:\n    pass",
    'class Stack:\n    pass\nx = """',
    "class Stack:\n    pass\nif False:",
    "class Stack:\n    def push(self, value):\n        raise AssertionError",
    # The test has quotes of both kinds: none is the end of a string that the program began.
    "class Stack:\n    push = pop = lambda *args: 0\nx = '''",
    'class Stack:\n    push = pop = lambda *args: 0\nx = """',
    'class Stack:\n    push = pop = lambda *args: 0\nx = f"""{',
    'class Stack:\n    push = pop = lambda *args: 0\nx = r"""\\',
]


def test_instances_are_graded_in_one_process_and_the_grade_says_so():
    code = (
        "class Stack(list):\n    def push(self, value):\n        self.append(value)\n"
        "if __name__ == '__main__':\n    print(input())"
    )
    grades = grade_many([(each, STACK) for each in [code, *MEDDLING]])
    assert all(grade.weaker for grade in grades)
    assert [grade.score for grade in grades] == [1.0] + [0.0] * len(MEDDLING)


def test_a_program_does_not_choose_the_weaker_way():
    """What it returns is no plain data, and the test does not look into it: no pass, no retreat."""
    code = (
        "class Order:\n    def __eq__(self, other):\n        return True\n"
        "def order(numbers):\n    return Order()"
    )
    grade_ = grade(code, ASSERTIONS)
    assert grade_.score == 0.0
    assert not grade_.weaker
