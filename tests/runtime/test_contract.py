"""The contract with the caller: what goes in, what comes out, and what never happens."""

import inspect
import json
import pickle
import signal

import pytest

import sandbox as package
from sandbox import Policy, Result, Sandbox, SandboxError, Status, grade_many, restricted_execution
from sandbox.errors import PolicyError, SandboxClosed


def test_what_was_printed_comes_back_exactly():
    code = 'def f():\n    print("in", "function", sep="-")\nf()\nprint("a", end="")\nprint("b")\n'
    assert restricted_execution(code, "") == ("in-function\nab\n", "")


def test_input_gives_lines_then_eof_and_its_prompt_is_printed():
    code = 'print(input("? ") + "|" + input())\ninput()'
    output, error = restricted_execution(code, "one\ntwo\n")
    assert output == ""
    assert error == "EOFError: EOF when reading a line (line 2)"
    assert restricted_execution('print(input("? "))', "one") == ("? one\n", "")


def test_an_exception_is_one_message_with_its_line():
    assert restricted_execution("x = 1\ny = 0\nx / y", "") == (
        "",
        "ZeroDivisionError: division by zero (line 3)",
    )


def test_a_refusal_says_what_where_and_under_which_policy():
    output, error = restricted_execution("a = 1\nimport os", "")
    assert output == ""
    assert "os" in error
    assert "line 2" in error
    assert "strict" in error


def test_its_source_works_when_lifted_into_another_module():
    lifted = {}
    exec(inspect.getsource(restricted_execution), lifted)
    assert lifted["restricted_execution"]("print(6 * 7)", "") == ("42\n", "")


def test_another_policy_can_be_named_or_given():
    code = "import math\nprint(math.gcd(12, 18))"
    assert restricted_execution(code, "", policy="algorithms") == ("6\n", "")
    assert restricted_execution(code, "", policy=Policy.load("algorithms")) == ("6\n", "")
    assert restricted_execution(code, "")[1]


STATUSES = [
    ("print(1)", Status.OK),
    ("raise ValueError('no')", Status.ERROR),
    ("def f(:\n", Status.SYNTAX),
    ("x = '\\0'\n\0", Status.SYNTAX),
    ("import os", Status.DENIED),
    ("(1).__class__.__base__.__subclasses__()", Status.DENIED),
    ("while True: pass", Status.CPU_LIMIT),
    ("x = 10 ** 10 ** 8", Status.CPU_LIMIT),
    ("x = [0] * 10 ** 10", Status.MEMORY_LIMIT),
    ("raise MemoryError('mine')", Status.ERROR),
    ("while True: print('x' * 1000)", Status.OUTPUT_LIMIT),
    ("def f(): f()\nf()", Status.RECURSION_LIMIT),
]


@pytest.mark.parametrize(("code", "status"), STATUSES)
def test_each_way_to_end_has_its_status(strict, code, status):
    result = strict.run(code, cpu_seconds=0.5)
    assert result.status is status, result
    assert (result.error == "") is (status is Status.OK)
    assert result.ok or result.output == ""
    assert result.policy == "strict"
    assert "seccomp" in result.layers


def test_memory_that_grows_slowly_meets_its_limit(strict):
    result = strict.run("x = []\nwhile True: x.append('x' * 10 ** 5)", memory_mib=16)
    assert result.status is Status.MEMORY_LIMIT
    assert 12 << 20 < result.peak_memory_bytes < 20 << 20


def test_a_sleeping_guest_meets_the_wall_limit(native):
    result = native.run("import time\nprint('before')\ntime.sleep(60)", wall_seconds=0.3)
    assert result.status is Status.WALL_LIMIT
    assert result.stdout == "before\n"


def test_a_crash_of_the_interpreter_is_a_crash(native):
    result = native.run("import ctypes\nprint('before')\nctypes.string_at(0)")
    assert result.status is Status.CRASHED
    assert result.exit_signal == 11
    assert result.measured == "kernel"


@pytest.mark.parametrize("ending", ["while True: pass", "x = 10 ** 10 ** 8"])
def test_what_was_printed_before_a_limit_is_kept(strict, ending):
    result = strict.run(f"print('before')\n{ending}", cpu_seconds=0.3)
    assert (result.status, result.output, result.stdout) == (Status.CPU_LIMIT, "", "before\n")
    assert result.near_limit


ORDINARY = [
    ("é = 'naïve'\nprint(é)", "naïve\n"),
    ("print('\\N{BULLET}')", "•\n"),
    ("\ufeffprint(1)", "1\n"),
    ("class A:\n    def __del__(self): raise ValueError\nA()\nprint(1)", "1\n"),
    ("def g():\n    try: yield\n    finally: yield\nx = g()\nnext(x)\ndel x\nprint(1)", "1\n"),
    ("assert (1, 2)\nprint(1 is 1, '\\d')", "True \\d\n"),
    ("for _ in range(200_000): print('.', end='', flush=True)", "." * 200_000),
]


@pytest.mark.parametrize(("code", "printed"), ORDINARY)
def test_what_the_interpreter_does_by_itself_is_no_violation(strict, code, printed):
    assert strict.run(code).as_tuple() == (printed, "")


def test_a_caller_that_blocks_signals_gets_the_same_results():
    """Workers of some frameworks do, and a process starts with what its parent has blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        with Sandbox("strict", 1) as sandbox:
            result = sandbox.run("print('kept')\nwhile True: pass", cpu_seconds=0.3)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert (result.status, result.stdout) == (Status.CPU_LIMIT, "kept\n")


def test_the_output_cap_cuts_exactly_there(strict):
    result = strict.run("print('x' * 5000)", output_kib=4)
    assert result.status is Status.OUTPUT_LIMIT
    assert result.stdout == "x" * 4096
    assert strict.run("print('x' * 4095)", output_kib=4).ok


def test_limits_can_be_tightened_and_never_widened(strict):
    assert strict.run("x = bytearray(50 << 20)").ok
    assert strict.run("x = bytearray(50 << 20)", memory_mib=20).status is Status.MEMORY_LIMIT
    with pytest.raises(PolicyError, match="cpu_seconds"):
        strict.run("print(1)", cpu_seconds=10_000)
    with pytest.raises(PolicyError):
        strict.run("print(1)", no_such_limit=1)


def test_the_recursion_limit_can_be_tightened(strict):
    code = "def f(n): return n and f(n - 1)\nprint(f(500))"
    assert strict.run(code).output == "0\n"
    assert strict.run(code, recursion_limit=100).status is Status.RECURSION_LIMIT


def test_a_source_or_stdin_over_its_cap_is_denied_without_a_child(strict):
    assert strict.run("#" * (1 << 20), source_kib=1).status is Status.DENIED
    assert strict.run("print(1)", "x" * 5000, stdin_kib=1).status is Status.DENIED


def test_exits_are_told_apart():
    with Sandbox("contest", workers=1) as contest:
        assert contest.run("import sys\nprint(1)\nsys.exit()").output == "1\n"
        assert contest.run("import sys\nsys.exit(0)").ok
        assert contest.run("import sys\nsys.exit(3)").status is Status.ERROR
        assert contest.run("raise SystemExit('bad')").status is Status.ERROR


@pytest.mark.parametrize("text", ["2", "[]", "null", '{"no": 1}', '{"status": "OK"}', "{"])
def test_what_is_no_result_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - json has its own words for the last
        Result.from_json(text)


def test_a_result_is_immutable_and_survives_json_and_pickle(strict):
    result = strict.call("def f(): return [1, 'x']\nprint('é')", "f")
    assert Result.from_json(result.to_json()) == result
    assert pickle.loads(pickle.dumps(result)) == result
    assert result.as_tuple() == ("é\n", "")
    assert set(json.loads(result.to_json())) >= {"output", "error", "status", "layers"}
    with pytest.raises(AttributeError):
        result.output = "forged"


def test_wrong_types_are_the_callers_mistake(strict):
    with pytest.raises(TypeError):
        strict.run(b"print(1)")
    with pytest.raises(TypeError):
        strict.run("print(1)", 5)
    assert strict.run("print(1)").ok


def test_a_closed_sandbox_says_so():
    sandbox = Sandbox("strict", workers=1)
    sandbox.close()
    sandbox.close()
    with pytest.raises(SandboxClosed):
        sandbox.run("print(1)")


def test_more_workers_than_the_memory_holds_are_refused():
    with pytest.raises(SandboxError, match="memory"):
        Sandbox("strict", workers=1_000_000)


def test_other_systems_can_import_it_and_are_told_why_it_does_not_open(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(package.SandboxUnavailable, match="Linux"):
        Sandbox("strict")


@pytest.mark.parametrize("stdin", ["", "with input"])
def test_library_code_prints_where_the_program_does(stdin):
    program = (
        "import pprint\npprint.pprint([1])\npprint.pp((2,))\npprint.PrettyPrinter().pprint('a')"
    )
    with Sandbox("contest", workers=1) as sandbox:
        for _ in range(3):
            assert sandbox.run(program, stdin).output == "[1]\n(2,)\n'a'\n"


@pytest.mark.parametrize("workers", ["2", 1.5, True])
def test_what_is_no_number_of_workers_is_a_type_error(workers):
    for make in (lambda: Sandbox(workers=workers), lambda: grade_many([], workers=workers)):
        with pytest.raises(TypeError, match=f"workers must be an int.*, not {workers!r}"):
            make()


def test_a_limit_by_a_name_of_other_libraries_is_told_by_ours():
    with pytest.raises(PolicyError, match=r"timeout: .*did you mean wall_seconds.*; there are cpu"):
        Sandbox("strict", workers=1).run("", timeout=1)


def test_a_returned_value_that_cannot_leave_is_told_by_its_type():
    with Sandbox("strict", workers=1) as box:
        for text, kind in (("{1}", "set"), ("[{2: {3}}]", "set"), ("object()", "object")):
            result = box.call(f"def f():\n    return {text}", "f")
            if kind == "object" and result.status is Status.DENIED:
                continue
            expected = f"ValueError: what f() returned: a value of type {kind} is not plain data"
            assert result.error.startswith(expected)
            assert "NotPlain" not in result.error + result.traceback
