"""/run_code is SandboxFusion's interface, as its clients read it."""

import json
from typing import Any

import pytest

TIGHT = {"run_timeout": 0.3}


def test_a_program_that_ends_well_is_a_success_with_its_output(server: Any) -> None:
    answer = server.run_code("print(int(input()) + 1)", "41\n")
    run = answer["run_result"]
    assert answer["status"] == "Success"
    assert answer["compile_result"] is None
    assert (run["status"], run["return_code"]) == ("Finished", 0)
    assert (run["stdout"], run["stderr"]) == ("42\n", "")
    assert 0 <= run["execution_time"] < 10


@pytest.mark.parametrize(
    ("code", "status", "returned", "error"),
    [
        ("print('before')\n1 / 0", "Finished", 1, "ZeroDivisionError"),
        ("print(", "Finished", 1, "SyntaxError"),
        ("import socket", "Finished", 1, "socket"),
        ("x = [0] * 10**9", "Finished", 1, "memory"),
        ("def f():\n    f()\nf()", "Finished", 1, "recursion"),
        ("import sys\nsys.exit(3)", "Finished", 1, "exit"),
        ("print('x' * (1 << 25))", "Finished", 1, "output"),
    ],
)
def test_a_program_that_fails_is_failed_with_its_error(
    server: Any, code: str, status: str, returned: int, error: str
) -> None:
    answer = server.run_code(code)
    run = answer["run_result"]
    assert (answer["status"], run["status"], run["return_code"]) == ("Failed", status, returned)
    assert error.lower() in run["stderr"].lower()


def test_what_was_printed_before_a_failure_is_in_the_answer(server: Any) -> None:
    assert server.run_code("print('before')\n1 / 0")["run_result"]["stdout"] == "before\n"


def test_an_endless_program_exceeds_its_time_limit(server: Any) -> None:
    answer = server.run_code("while True: pass", **TIGHT)
    assert answer["status"] == "Failed"
    assert answer["run_result"]["status"] == "TimeLimitExceeded"
    assert answer["run_result"]["return_code"] is None


def test_a_memory_limit_below_the_policys_holds(server: Any) -> None:
    code = "x = bytearray(100 << 20)\nprint(len(x))"
    assert server.run_code(code)["status"] == "Success"
    assert server.run_code(code, memory_limit_MB=32)["status"] == "Failed"


def test_a_limit_above_the_policys_counts_as_the_policys(server: Any) -> None:
    wide = {"run_timeout": 10_000, "memory_limit_MB": 1 << 40}
    assert server.run_code("print(1)", **wide)["status"] == "Success"
    assert server.run_code("x = bytearray(2 << 30)", **wide)["status"] == "Failed"


@pytest.mark.parametrize("none", [None, -1])
def test_no_limit_named_is_the_policys(server: Any, none: Any) -> None:
    more = {"memory_limit_MB": none, "run_timeout": None, "compile_timeout": None}
    assert server.run_code("print(1)", **more)["status"] == "Success"


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"language": "cpp"}, "'cpp'"),
        ({"files": {"a.txt": "no base64!"}}, "base64"),
        ({"files": {"a.txt": 3}}, "base64"),
        ({"files": {"../a.txt": "aGk="}}, "'../a.txt'"),
        ({"files": {"/etc/passwd": "aGk="}}, "'/etc/passwd'"),
        ({"fetch_files": ["../out.txt"]}, "'../out.txt'"),
        ({"fetch_files": ["*"]}, "'*'"),
        ({"fetch_files": [3]}, "string"),
    ],
)
def test_what_is_not_run_here_is_a_sandbox_error_that_says_so(
    server: Any, more: Any, word: str
) -> None:
    answer = server.run_code("print(1)", **more)
    assert (answer["status"], answer["run_result"]) == ("SandboxError", None)
    assert word in answer["message"]


def test_files_are_there_and_come_back(server: Any) -> None:
    code = (
        "data = open('a/b/in.bin', 'rb').read()\n"
        "open('out.bin', 'wb').write(data[::-1]); open('/mnt/b', 'w').write(open('/mnt/a').read())"
    )
    files = {"./a/b/in.bin": "AAH/", "/mnt/a": "c2F1Y2U=", "none": None}
    fetch = ["out.bin", "/mnt/b", "/box/a/b/in.bin", "missing"]
    answer = server.run_code(code, files=files, fetch_files=fetch)
    assert answer["status"] == "Success", answer
    assert answer["files"] == {"a/b/in.bin": "AAH/", "out.bin": "/wEA", "/mnt/b": "c2F1Y2U="}
    assert server.run_code("print(1)", fetch_files=["missing"])["files"] == {}


def test_files_come_back_without_the_language_layer(run_server: Any) -> None:
    code = "import helper, sqlite3\nsqlite3.connect('out.db').execute('create table t (n)')\n"
    code += "open('/mnt/b', 'w').write(open('/mnt/a').read() + helper.x)"
    files = {"/mnt/a": "c2F1Y2U=", "helper.py": "eCA9ICIhIg=="}
    with run_server("kernel-only", 1) as native:
        answer = native.run_code(code, files=files, fetch_files=["out.db", "/mnt/b"])
    if "mount namespace" in (answer["message"] or ""):
        pytest.skip("this host has no mount namespaces")
    assert answer["status"] == "Success", answer
    assert answer["files"]["/mnt/b"] == "c2F1Y2Uh"
    assert answer["files"]["out.db"].startswith("U1FMaXRl")  # SQLite


def test_a_helper_that_is_sent_is_imported(server: Any) -> None:
    answer = server.run_code("import helper\nprint(helper.x)", files={"helper.py": "eCA9IDU="})
    assert answer["run_result"]["stdout"] == "5\n"


def test_too_many_files_to_send_back_is_failed(server: Any) -> None:
    code = "open('big', 'wb').write(bytes(17 << 20))"
    answer = server.run_code(code, fetch_files=["big"])
    assert (answer["status"], answer["message"], answer["files"]) == ("Failed", "OUTPUT_LIMIT", {})


def test_a_field_that_is_not_known_is_not_looked_at(server: Any) -> None:
    assert server.run_code("print(1)", compile_cache=True)["status"] == "Success"


def test_only_the_code_has_to_be_there(server: Any) -> None:
    assert server.ask("/run_code", {"code": "print(1)"})[1]["status"] == "Success"
    status, answer = server.ask("/run_code", {"stdin": "1"})
    assert status == 422
    assert answer["fault"].startswith("code:")


@pytest.mark.parametrize("bad", [0, -1, "10", True, [1]])
def test_a_time_limit_that_is_none_is_refused(server: Any, bad: Any) -> None:
    status, answer = server.ask("/run_code", {"code": "print(1)", "run_timeout": bad})
    assert status == 422
    assert "run_timeout" in answer["fault"]


@pytest.mark.parametrize("mebibytes", [1, 15])
def test_large_output_comes_whole(server: Any, mebibytes: int) -> None:
    count = mebibytes << 20
    answer = server.run_code(f"print('é' * {count // 2}, end='')")
    assert answer["status"] == "Success"
    assert answer["run_result"]["stdout"] == "é" * (count // 2)


def test_large_input_arrives_whole(server: Any) -> None:
    text = "0123456789" * 700_000
    assert server.run_code("print(len(input()))", text)["run_result"]["stdout"] == "7000000\n"


def test_a_lone_surrogate_is_the_programs_and_breaks_nothing(server: Any) -> None:
    raw = rb'{"code": "print(len(input()), ascii(\"\ud800\"))", "stdin": "\udfff"}'
    status, answer = server.ask("/run_code", raw=raw)
    assert status == 200
    assert answer["status"] in ("Success", "Failed")
    status, answer = server.ask("/run_code", raw=rb'{"code": "print(\"ok\")  # \ud800"}')
    assert (status, answer["status"]) in ((200, "Success"), (200, "Failed"))


def test_the_answer_is_ascii_so_that_every_reader_gets_the_same_text(server: Any) -> None:
    _, raw = server.ask("/run_code", {"code": "print('\u2028 \U0001f600 <')"})
    assert json.loads(json.dumps(raw))["run_result"]["stdout"] == "\u2028 \U0001f600 <\n"
