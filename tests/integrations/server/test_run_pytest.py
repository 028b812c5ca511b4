"""/run_code with the language `pytest`, as SandboxFusion has it: program and tests in one file."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox import Policy, Sandbox, SandboxError
from sandbox.integrations.server.endpoints.pytest_files import program_for, running_pytest

from .conftest import running

_PROGRAM = """
import sys

def shout(text, file=None):
    print(text.upper(), file=file or sys.stdout)
"""
_RIGHT = (
    _PROGRAM
    + """
import os
import subprocess
import pytest

class TestShout:
    def test_prints(self, capfd, tmp_path):
        (tmp_path / "a.txt").write_text("ab")
        shout((tmp_path / "a.txt").read_text())
        assert capfd.readouterr().out == "AB\\n"

    @pytest.mark.parametrize("text", ["a", "bc"])
    def test_goes_where_it_is_told(self, text, capsys):
        shout(text, sys.stderr)
        assert capsys.readouterr().err == text.upper() + "\\n"

def test_reaches_a_descriptor(capfd):
    os.write(1, b"below\\n")
    assert capfd.readouterr().out == "below\\n"

def test_starts_nothing():
    with pytest.raises(OSError):
        subprocess.run(["/bin/true"])
"""
)
_WRONG = _RIGHT.replace("text.upper(), file", "text, file")


@pytest.fixture(name="with_pytest", scope="module")
def _with_pytest() -> Iterator[Any]:
    try:
        Sandbox(running_pytest(Policy.load("contest")), 1).close()
    except SandboxError as error:
        pytest.skip(f"packages cannot be shown here: {error}")
    with running("contest", 1, with_pytest=True) as server:
        yield server


def test_tests_that_pass_are_a_success(with_pytest: Any) -> None:
    answer = with_pytest.run_code(_RIGHT, language="pytest")
    run = answer["run_result"]
    assert (answer["status"], run["status"], run["return_code"]) == ("Success", "Finished", 0)
    assert "5 passed" in run["stdout"]
    assert run["stderr"] == ""


def test_tests_that_fail_are_failed_and_shown(with_pytest: Any) -> None:
    answer = with_pytest.run_code(_WRONG, language="pytest")
    run = answer["run_result"]
    assert (answer["status"], run["status"], run["return_code"]) == ("Failed", "Finished", 1)
    assert "3 failed, 2 passed" in run["stdout"]
    assert "assert 'ab\\n' == 'AB\\n'" in run["stdout"]
    assert run["stderr"] == ""


@pytest.mark.parametrize(
    "code",
    [
        "def f(): pass",  # no test
        "import sys\nsys.exit(0)",
        "import os\nos._exit(0)",
        "def test_it(): import os; os._exit(0)",
        "def test_it(): raise SystemExit(0)",
        "def test_it(): assert missing",
        "def test_it(:",
        "\ud800",
    ],
)
def test_what_does_not_pass_is_failed(with_pytest: Any, code: str) -> None:
    assert with_pytest.run_code(code, language="pytest")["status"] == "Failed"


def test_an_endless_test_exceeds_its_time_limit(with_pytest: Any) -> None:
    code = "def test_it():\n    while True: pass"
    answer = with_pytest.run_code(code, language="pytest", run_timeout=0.5)
    assert answer["run_result"]["status"] == "TimeLimitExceeded"


def test_files_are_there_and_come_back(with_pytest: Any) -> None:
    code = "import helper\ndef test_it():\n    open('out.txt', 'w').write(helper.x)"
    files = {"helper.py": base64.b64encode(b"x = '5'").decode(), "test_code.py": "eA=="}
    answer = with_pytest.run_code(code, language="pytest", files=files, fetch_files=["out.txt"])
    assert (answer["status"], answer["files"]) == ("Success", {"out.txt": "NQ=="}), answer


def test_a_long_file_is_run_as_a_short_one(with_pytest: Any) -> None:
    code = "# " + "x" * 200_000 + "\ndef test_it(): assert {}"
    assert with_pytest.run_code(code.format(1), language="pytest")["status"] == "Success"
    assert with_pytest.run_code(code.format(0), language="pytest")["status"] == "Failed"
    assert with_pytest.run_code(code.format(1), language="x" * 99)["status"] == "SandboxError"


def test_programs_without_it_run_under_the_policy_of_the_server(with_pytest: Any) -> None:
    answer = with_pytest.run_code("import ctypes")
    assert "denied by policy 'contest'" in answer["run_result"]["stderr"]


def test_a_server_that_was_not_told_to_runs_none(server: Any) -> None:
    answer = server.run_code(_RIGHT, language="pytest")
    assert (answer["status"], answer["run_result"]) == ("SandboxError", None)
    assert "--pytest" in answer["message"]


def test_a_policy_without_language_layer_keeps_what_it_grants() -> None:
    own = Policy.load("kernel-only").replaced(threads=3, limits={"cpu_seconds": 2.0})
    policy = running_pytest(own)
    assert (policy.threads, policy.limits.cpu_seconds) == (3, 2.0)
    policy = running_pytest(Policy.load("contest").replaced(limits={"memory_mib": 100}))
    assert (policy.language, policy.limits.memory_mib) == ("off", 100)


def test_the_file_has_a_name_that_no_other_has() -> None:
    assert program_for(["a.py"])[1] == "test_code.py"
    assert program_for(["test_code.py", "test_code1.py"])[1] == "test_code2.py"
