"""No text of ours is in the text of a program: each is Python by itself, or the program fails."""

import pytest

from sandbox import Sandbox, Status, grade

CALLS = {"fn_name": "f", "inputs": [[1]], "outputs": [2]}
MANY = {"fn_name": "f", "inputs": [[1]] * 3, "outputs": [2] * 3}
ASSERTS = {"test_list": ["assert f(1) == 2"]}
SHARED = {"test_list": ["g = f\nassert g(1) == 2"]}
CHECK = {
    "prompt": 'def f(x):\n    """One more."""\n',
    "test": "def check(candidate):\n    assert candidate(1) == 2\n",
    "entry_point": "f",
}
RIGHT = "def f(x):\n    return x + 1\n"
LEFT_OPEN = [
    '"""\nSo this adds one, as',
    "'''\nSo it",
    'x = f"""a',
    "x = '''a\n#",
    'r"""\\',
    "x = 1 + \\\n",
    "x = (1,",
    "x = [",
    "@f",
    "@f\n",
    "if f:",
    "class C:\n",
    "try:\n    pass\n",
    "f(2) if",
    "'",
    "\\\n",
]


@pytest.mark.parametrize("end", LEFT_OPEN)
def test_a_program_that_is_cut_off_fails_in_every_form(end, contest):
    assert contest.run(RIGHT + end).status is Status.SYNTAX
    for tests in (CALLS, MANY, ASSERTS, SHARED, CHECK):
        result = grade(RIGHT + end, tests)
        assert (result.score, result.masked) == (0.0, False), (tests, result.cases)
        assert "SYNTAX" in result.cases[0].reason
    assert grade("    return x + 1\n" + end, CHECK).score == 0.0


WHOLE = ["", "# '''", '"""done"""', "x = 1;", "x = '''a\n'''", "# \\", "\f"]


@pytest.mark.parametrize("end", WHOLE)
def test_a_program_that_is_whole_passes_whatever_it_ends_with(end, contest):
    assert contest.run(RIGHT + end).status is Status.OK
    for tests in (CALLS, MANY, ASSERTS, SHARED, CHECK):
        assert grade(RIGHT + end, tests).score == 1.0, tests


BUILTINS = ("NameError", "Exception", "BaseException", "isinstance", "list", "dict", "type", "str")


@pytest.mark.parametrize("value", ["None", "lambda *a: 1 / 0"])
def test_names_of_builtins_are_the_programs_to_use(value):
    names = " = ".join(BUILTINS)
    for tests in (CALLS, MANY, ASSERTS, CHECK):
        assert grade(f"{names} = {value}\n{RIGHT}", tests).score == 1.0, tests
        assert grade(f"{names} = {value}\n{RIGHT}".replace("+", "-"), tests).score == 0.0
    method = f"{names} = {value}\nclass Solution:\n    def f(self, x):\n        return x + 1\n"
    assert grade(method, CALLS).score == 1.0


def test_futures_of_a_program_are_its_own():
    code = f"from __future__ import annotations\n{RIGHT}"
    told = {"test_list": ["g = f\ndef h(x: 1): pass\nassert h.__annotations__ == {'x': 1}"]}
    assert grade(code, told).score == 1.0


@pytest.fixture(scope="module")
def contest():
    with Sandbox("contest", workers=1) as sandbox:
        yield sandbox
