"""What a program gives is used by its tests as in one process: lazily, called, awaited, entered."""

import tomllib
from pathlib import Path

import pytest

from sandbox import grade

CASES = tomllib.loads((Path(__file__).parent / "lazy.toml").read_text(encoding="utf-8"))
EVERY = [
    (name, text, score)
    for name, case in CASES.items()
    for kind, score in (("passing", 1.0), ("failing", 0.0))
    for text in case[kind]
]


def in_one_process(code, text):
    scope = {"__name__": "solution"}
    exec(code, scope)
    try:
        exec(text, scope)
    except Exception:
        return 0.0
    return 1.0


@pytest.mark.parametrize(("name", "text", "score"), EVERY)
def test_what_a_program_gives_is_used_as_in_one_process(name, text, score):
    code = CASES[name]["code"]
    if name != "one_list":  # of which each is as it was when it was given
        assert in_one_process(code, text) == score
    result = grade(code, {"test_list": [text]}, cpu_seconds=2)
    assert (result.score, result.masked) == (score, False), result.cases


def test_what_decorates_a_function_of_the_test_shares_its_process():
    code = (
        "def repeat(n):\n    def decorate(f):\n"
        "        return lambda *given: [f(*given) for _ in range(n)]\n    return decorate\n"
    )
    text = "@repeat(2)\ndef g(x):\n    return x + 1\nassert g(1) == [2, {}]"
    for last, score in ((2, 1.0), (3, 0.0)):
        result = grade(code, {"test_list": [text.format(last)]})
        assert (result.score, result.weaker) == (score, True), result.cases


def test_a_test_that_captures_what_is_printed_shares_the_programs_process():
    code = "def f():\n    print('one')"
    text = "import contextlib, io\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n"
    for wanted, score in (("one", 1.0), ("two", 0.0)):
        test = f"{text}    f()\nassert out.getvalue() == '{wanted}\\n'"
        result = grade(code, {"test_list": [test]})
        assert (result.score, result.weaker) == (score, True), result.cases


def test_a_global_of_the_program_is_as_it_left_it_where_both_share_a_process():
    code = "total = 0\ndef add(x):\n    global total\n    total += x\n    return total"
    for total, score in ((5, 1.0), (0, 0.0)):
        result = grade(code, {"test_list": [f"add(5)\nassert total == {total}"]})
        assert (result.score, result.weaker) == (score, True), result.cases


def test_an_import_that_a_policy_grants_to_nobody_says_nothing_about_a_program():
    text = "import ctypes\nassert ctypes.py_object(f)"
    assert grade("def f():\n    pass", {"test_list": [text]}).masked
    assert grade("import socket\ndef f():\n    pass", {"test_list": ["g = f\ng()"]}).score == 0.0


def test_without_a_module_for_it_a_coroutine_that_waits_for_nothing_is_run():
    code = "async def f(x):\n    return x + 1\n"
    tests = {"test_list": ["import asyncio\nassert asyncio.run(f(1)) == 2"]}
    assert grade(code, tests, policy="strict").score == 1.0


def test_an_endless_generator_that_a_test_reads_to_its_end_fails_at_the_programs_limit():
    code = CASES["endless"]["code"]
    result = grade(code, {"test_list": ["assert list(f())"]}, cpu_seconds=0.5)
    assert (result.score, result.masked) == (0.0, False)


def test_large_values_of_a_generator_are_no_larger_together():
    code = "def f():\n    for n in range(100):\n        yield str(n % 10) * 1_000_000\n"
    test = "assert [x[0] for x in f()] == [str(n % 10) for n in range(100)]"
    assert grade(code, {"test_list": [test]}).score == 1.0


def test_a_generator_goes_back_to_the_program_with_what_is_left_of_it():
    code = "def f():\n    yield from range(100)\ndef g(items):\n    return list(items)\n"
    test = "x = f()\nfor _ in range({0}):\n    next(x)\nassert g(x) == list(range({0}, 100))"
    tests = [test.format(count) for count in (0, 1, 16, 33, 70, 100)]
    result = grade(code, {"test_list": tests}, early_stop=False)
    assert (result.score, result.weaker) == (1.0, False), result.cases
