"""What a program raises is caught by its tests as in one process."""

import pytest

from sandbox import grade

CATCHING = "try:\n    f()\nexcept {} as e:\n    assert {}\nelse:\n    assert False"
OWN = "class Bad(ValueError):\n    pass\nclass Worse(Exception):\n    pass\n"
SAID = "class Said(KeyError):\n    def __str__(self):\n        return 'said'\n"
CASES = [
    ("import json\n", "json.loads('{')", "ValueError", "'double quotes' in str(e)"),
    (OWN, "raise Bad('no')", "ValueError", "str(e) == 'no' and e.args == ('no',)"),
    (OWN, "raise Bad('no')", "Exception", "type(e).__name__ == 'Bad'"),
    (OWN, "raise Worse('no', 3)", "Exception", "e.args == ('no', 3) and str(e) == \"('no', 3)\""),
    (OWN, "raise Worse", "Exception", "e.args == () and repr(e) == 'Worse()'"),
    (SAID, "raise Said(1)", "LookupError", "str(e) == 'said' and e.args == (1,)"),
    ("", "{}['a']", "KeyError", "e.args == ('a',) and str(e) == repr('a')"),
    ("", "raise OSError(2, 'x')", "OSError", "e.errno == 2 and e.strerror == 'x'"),
    ("", "raise OSError(2, 'x')", "FileNotFoundError", "e.args == (2, 'x')"),
    ("", "raise ValueError", "ValueError", "e.args == () and str(e) == ''"),
    ("", "raise ValueError({1: (2,)})", "ValueError", "e.args == ({1: (2,)},)"),
    ("", "b'\\xff'.decode()", "UnicodeDecodeError", "e.start == 0 and e.object == b'\\xff'"),
    ("", "b'\\xff'.decode()", "ValueError", "'utf-8' in str(e)"),
    ("", "1 / 0", "ArithmeticError", "str(e) == 'division by zero'"),
    ("", "[][0]", "LookupError", "type(e) is IndexError"),
    ("", "None.x", "AttributeError", "'no attribute' in str(e)"),
    ("", "raise ValueError('x' * 20_000)", "ValueError", "str(e)[:3] == 'xxx'"),
    ("", "raise ValueError(f)", "ValueError", "'function' in str(e)"),
    ("import decimal\n", "decimal.Decimal('x')", "ArithmeticError", "e"),
    ("import decimal\n", "decimal.Decimal(1) / 0", "ZeroDivisionError", "e"),
]
# Classes of the library, by a module that has them; what makes a program raise each.
LIBRARY = [
    ("json", "JSONDecodeError", "json.loads('{')", "e.pos == 1 and e.doc == '{'"),
    ("statistics", "StatisticsError", "statistics.mean([])", "type(e) is KIND"),
    ("decimal", "InvalidOperation", "decimal.Decimal('x')", "isinstance(e, ArithmeticError)"),
    ("decimal", "DecimalException", "decimal.Decimal(1) / 0", "isinstance(e, ZeroDivisionError)"),
    ("re", "error", "re.compile('(')", "e.pos == 0 and 'missing )' in str(e)"),
    ("binascii", "Error", "base64.b64decode('abc')", "type(e) is KIND and 'padding' in str(e)"),
    ("queue", "Empty", "queue.Queue().get_nowait()", "type(e) is KIND"),
    ("struct", "error", "struct.unpack('i', b'')", "type(e) is KIND"),
    ("dataclasses", "FrozenInstanceError", "frozen()", "isinstance(e, AttributeError)"),
    ("graphlib", "CycleError", "cycle()", "e.args[1] == [1, 2, 1]"),
]
RAISING = """
import base64, dataclasses, decimal, json, graphlib, queue, re, statistics, struct
@dataclasses.dataclass(frozen=True)
class P:
    x: int
def frozen():
    P(1).x = 2
def cycle():
    graphlib.TopologicalSorter({1: [2], 2: [1]}).prepare()
class StatisticsError(ValueError):
    pass
class Below(json.JSONDecodeError):
    pass
"""


@pytest.mark.parametrize(("module", "name", "body", "holds"), LIBRARY)
def test_an_exception_of_the_library_is_caught_by_its_class(module, name, body, holds):
    code = f"{RAISING}\ndef f():\n    {body}\n"
    for how in (f"import {module}", f"from {module} import {name}"):
        kind = f"{module}.{name}" if how[0] == "i" else name
        test = f"{how}\n{CATCHING.format(kind, holds.replace('KIND', kind))}"
        result = grade(code, {"test_list": [test]})
        assert (result.score, result.weaker) == (1.0, False), result.cases
        assert grade(code, {"test_list": [f"{test}\nassert False"]}).score == 0.0


@pytest.mark.parametrize(
    ("body", "kind", "score"),
    [
        ("raise StatisticsError", "statistics.StatisticsError", 0.0),
        ("raise ValueError", "json.JSONDecodeError", 0.0),
        ("raise re.error('x')", "struct.error", 0.0),
        ("raise Below('no', 'text', 3)", "json.JSONDecodeError", 1.0),
        ("raise Below('no', 'text', 3)", "ValueError", 1.0),
    ],
)
def test_a_class_of_the_library_catches_no_other_of_its_name(body, kind, score):
    code = f"{RAISING}\ndef f():\n    {body}\n"
    test = f"import json, statistics, struct\n{CATCHING.format(kind, 'True')}"
    assert grade(code, {"test_list": [test]}).score == score


@pytest.mark.parametrize(("before", "body", "kind", "holds"), CASES)
def test_an_exception_is_caught_by_its_builtin_bases_with_what_it_carries(
    before, body, kind, holds
):
    code = f"{before}def f():\n    {body}\n"
    result = grade(code, {"test_list": [CATCHING.format(kind, holds)]})
    assert (result.score, result.weaker) == (1.0, False), result.cases
    wrong = grade(code, {"test_list": [CATCHING.format(kind, f"not ({holds})")]})
    assert wrong.score == 0.0, wrong.cases


def test_an_exception_is_caught_by_no_class_that_is_none_of_its_bases():
    code = f"{OWN}def f():\n    raise Bad('no')\n"
    for kind in ("KeyError", "TypeError", "StopIteration", "RuntimeError"):
        result = grade(code, {"test_list": [CATCHING.format(kind, "True")]})
        assert result.score == 0.0
        assert "no" in result.cases[0].reason


def test_an_exception_of_the_programs_own_is_asked_for_what_else_it_has():
    code = "class Bad(ValueError):\n    code = 5\ndef f():\n    raise Bad('no')\n"
    for number, wanted in ((5, 1.0), (6, 0.0)):
        test = CATCHING.format("ValueError", f"e.code == {number}")
        assert grade(code, {"test_list": [test]}).score == wanted
    for test in ("assert f() == 5", CATCHING.format("KeyError", "e")):
        assert grade(code, {"test_list": [test]}).score == 0.0


def test_an_exception_has_its_cause_and_goes_back_to_the_program():
    code = (
        "def f():\n    try:\n        1 / 0\n    except ZeroDivisionError as e:\n"
        "        raise ValueError('no') from e\n"
        "def kind(error):\n    return type(error).__name__\n"
        "def given():\n    return KeyError('x')\n"
    )
    tests = [
        CATCHING.format("ValueError", "isinstance(e.__cause__, ZeroDivisionError)"),
        CATCHING.format("ValueError", "kind(e) == 'ValueError'"),
        "assert isinstance(given(), KeyError) and given().args == ('x',)",
        "try:\n    raise given()\nexcept KeyError as e:\n    assert kind(e) == 'KeyError'",
    ]
    assert grade(code, {"test_list": tests}, early_stop=False).score == 1.0


@pytest.mark.parametrize("name", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
def test_what_ends_a_program_is_caught_by_a_test_that_wants_it_and_fails_any_other(name):
    code = f"def f():\n    raise {name}(3)"
    assert grade(code, {"test_list": [CATCHING.format(name, "e.args == (3,)")]}).score == 1.0
    assert grade(code, {"test_list": ["assert f() == 1"]}).score == 0.0
    assert grade(code, {"test_list": [CATCHING.format("Exception", "True")]}).score == 0.0


def test_an_exception_that_cannot_be_told_of_fails_or_passes_as_it_would():
    code = "class Bad(ValueError):\n    def __str__(self):\n        raise KeyError\n"
    code += "    args = f = lambda *a: 1 / 0\ndef f():\n    raise Bad\n"
    assert grade(code, {"test_list": [CATCHING.format("ValueError", "True")]}).score == 1.0
    assert grade(code, {"test_list": ["assert f() == 1"]}).score == 0.0
