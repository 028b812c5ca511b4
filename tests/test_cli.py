"""The command line, as a shell sees it."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import PolicyError, Result, SandboxError, SandboxUnavailable, Status
from sandbox.cli import EXIT_CODES, FAULT_CODES
from sandbox.policy.files.loader import shipped
from sandbox.policy.layers import LAYERS
from tests.command import sandbox

FAILING = {  # a program for each status that one can bring about
    Status.ERROR: "print('before')\n1 / 0",
    Status.SYNTAX: "for",
    Status.DENIED: "import os",
    Status.CPU_LIMIT: "while True: pass",
    Status.MEMORY_LIMIT: "x = bytearray(10**10)",
    Status.OUTPUT_LIMIT: "while True: print('x' * 1000)",
    Status.RECURSION_LIMIT: "def f(): return f() + 1\nf()",
}


@pytest.fixture(name="program")
def _program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text("print(input()[::-1])\n")
    return path


@pytest.fixture(name="quick")
def _quick(tmp_path: Path) -> Path:
    path = tmp_path / "quick.toml"
    path.write_text('name = "quick"\nextends = "strict"\n[limits]\ncpu_seconds = 0.2\n')
    return path


def test_run_prints_what_the_program_printed_and_nothing_else(program: Path) -> None:
    given = program.with_name("input.txt")
    given.write_bytes("schön\r\n".encode())
    done = sandbox("run", program, "--stdin", given)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip("\n").endswith("nöhcs")


def test_run_reads_the_program_or_its_input_from_standard_input(program: Path) -> None:
    assert sandbox("run", "-", stdin="print(6 * 7)").stdout == "42\n"
    assert sandbox("run", program, "--stdin", "-", stdin="abc\n").stdout == "cba\n"


def test_what_is_piped_or_redirected_to_the_command_is_the_programs_input(program: Path) -> None:
    assert sandbox("run", program, stdin="abc\n").stdout == "cba\n"
    given = program.with_name("input.txt")
    given.write_text("xyz\n")
    with given.open() as file:
        command = [sys.executable, "-m", "sandbox", "run", str(program)]
        assert subprocess.run(command, stdin=file, capture_output=True).stdout == b"zyx\n"


def test_a_pipe_that_stays_empty_is_told_and_waited_for(program: Path) -> None:
    command = [sys.executable, "-m", "sandbox", "run", str(program)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as running:
        assert running.stderr
        assert "--stdin /dev/null gives it none" in running.stderr.readline()
        assert running.communicate("abc\n")[0] == "cba\n"


def test_a_program_without_input_meets_the_end_of_file(program: Path) -> None:
    done = sandbox("run", program, "--stdin", "/dev/null", stdin="this is not for the program\n")
    assert done.returncode == EXIT_CODES[Status.ERROR]
    assert "EOFError" in done.stderr


@pytest.mark.parametrize("status", FAILING)
def test_the_exit_code_tells_the_status(status: Status, quick: Path) -> None:
    done = sandbox("run", "-", "--policy", quick, stdin=FAILING[status])
    assert done.returncode == EXIT_CODES[status]
    assert f"{status}: " in done.stderr
    assert "sandbox/" not in done.stderr, "a frame of the sandbox shows"


def test_what_was_printed_before_a_failure_is_shown_and_the_error_goes_to_stderr() -> None:
    done = sandbox("run", "-", stdin=FAILING[Status.ERROR])
    assert done.stdout == "before\n"
    assert "ERROR: ZeroDivisionError: division by zero (line 2)" in done.stderr


def test_every_status_and_every_fault_has_an_exit_code_of_its_own() -> None:
    assert set(EXIT_CODES) == set(Status)
    codes = [*EXIT_CODES.values(), *FAULT_CODES.values(), 2]
    assert len(codes) == len(set(codes))
    assert EXIT_CODES[Status.OK] == 0


def test_run_json_prints_the_result(quick: Path) -> None:
    done = sandbox("run", "-", "--json", "-p", quick, stdin="print(1)\nraise ValueError('no')")
    result = Result.from_json(done.stdout)
    assert result.status is Status.ERROR
    assert result.error == "ValueError: no (line 2)"
    assert (result.stdout, result.policy) == ("1\n", "quick")
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "/no/such/file.py"], "No such file or directory"),
        (["run", "/"], "Is a directory"),
        (["run", "-", "--stdin", "/no/such/input"], "--stdin"),
        (["run", "-", "--stdin", "-"], "the program itself comes from there"),
        (["run"], "FILE"),
        (["frobnicate"], "frobnicate"),
        (["run", "-", "--frobnicate"], "--frobnicate"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_one_message(arguments: list[str], says: str) -> None:
    done = sandbox(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "binary"
    path.write_bytes(b"print(1)\xff\n")
    done = sandbox("run", path)
    assert done.returncode == 2
    assert "not UTF-8 text" in done.stderr


@pytest.mark.parametrize("command", [["run", "-"], ["doctor"], ["policy", "show"]])
def test_a_wrong_policy_ends_with_its_code_and_says_what_is_wrong(
    command: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text('name = "wrong"\nextends = "strict"\n[limits]\ncpu_second = 1\n')
    option = [] if command[0] == "policy" else ["--policy"]
    done = sandbox(*command, *option, path)
    assert done.returncode == FAULT_CODES[PolicyError]
    assert "limits.cpu_second: unknown key" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_policy_is_told_with_those_that_exist() -> None:
    done = sandbox("run", "-", "--policy", "strickt")
    assert done.returncode == FAULT_CODES[PolicyError]
    assert all(name in done.stderr for name in shipped())


def test_doctor_shows_every_layer_with_its_probes() -> None:
    done = sandbox("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(layer in done.stdout for layer in LAYERS)
    assert "policy 'strict' opens" in done.stdout


def test_doctor_json_has_what_the_table_has() -> None:
    done = sandbox("doctor", "--policy", "kernel-only", "--json")
    report = json.loads(done.stdout)
    assert [layer["name"] for layer in report["layers"]] == list(LAYERS)
    states = {layer["name"]: layer["state"] for layer in report["layers"]}
    assert states["language"] == "off"
    assert states["seccomp"] == "active"
    assert all(layer["probes"] for layer in report["layers"] if layer["name"] == "seccomp")
    missing = [layer for layer in report["layers"] if layer["state"] == "missing"]
    assert all(layer["reason"] and layer["remedy"] for layer in missing)


def test_policy_list_names_every_shipped_policy() -> None:
    assert all(name in sandbox("policy", "list").stdout for name in shipped())
    rows = json.loads(sandbox("policy", "list", "--json").stdout)
    assert [row["name"] for row in rows] == list(shipped())


@pytest.mark.parametrize("name", shipped())
def test_policy_show_prints_a_policy_that_passes_the_check(name: str, tmp_path: Path) -> None:
    path = tmp_path / "shown.toml"
    path.write_text(sandbox("policy", "show", name).stdout)
    done = sandbox("policy", "check", name, path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": ok") == 2
    assert json.loads(sandbox("policy", "show", name, "--json").stdout)["name"] == name


def test_policy_show_and_check_tell_of_a_key_by_its_old_name(tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_text('extends = "strict"\nsession = true\n')
    shown, checked = sandbox("policy", "show", path), sandbox("policy", "check", path)
    assert (shown.returncode, checked.returncode) == (0, 0)
    assert "services = true" in shown.stdout
    assert "session" not in shown.stdout
    for done in (shown, checked):
        assert f"{path}: session: is called services now" in done.stderr.replace("\n", "")
    path.write_text('extends = "strict"\nservices = true\n')
    assert sandbox("policy", "show", path).stderr == ""


def test_policy_check_goes_on_after_a_wrong_policy(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text("limits = 3\n")
    done = sandbox("policy", "check", path, "strict")
    assert done.returncode == FAULT_CODES[PolicyError]
    assert "strict: ok" in done.stdout
    assert "limits" in done.stderr


def test_policy_schema_is_a_json_schema() -> None:
    schema = json.loads(sandbox("policy", "schema").stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert {"limits", "layers", "extends"} <= set(schema["properties"])


def test_the_version_is_told() -> None:
    assert sandbox("--version").stdout.startswith("restricted-execution 0.")
    for module in ("sandbox", "restricted_execution"):
        command = [sys.executable, "-m", module, "-V"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert told == sandbox("--version").stdout


def test_a_more_special_fault_is_told_from_a_more_general_one() -> None:
    kinds = list(FAULT_CODES)
    assert all(
        not issubclass(later, earlier)
        for place, earlier in enumerate(kinds)
        for later in kinds[place + 1 :]
    )
    assert {SandboxUnavailable, SandboxError} <= set(kinds)


def test_limits_are_tightened_on_the_command_line() -> None:
    done = sandbox("run", "-", "--limit", "cpu_seconds=0.1", stdin="while True: pass")
    assert done.returncode == EXIT_CODES[Status.CPU_LIMIT]
    done = sandbox("run", "-", "--limit", "timeout=1", stdin="")
    assert done.returncode == FAULT_CODES[PolicyError]
    assert "did you mean wall_seconds?" in done.stderr
    for wrong, told in (("cpu_seconds", "has no ="), ("cpu_seconds=x", "is not NAME=VALUE")):
        done = sandbox("run", "-", "--limit", wrong, stdin="")
        assert (done.returncode, told in done.stderr) == (2, True)


def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    pytest.importorskip("uvicorn")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = sandbox("serve", "--port", port)
    told = " ".join(done.stderr.replace("│", " ").split())
    assert done.returncode == 2
    assert f"port {port} of 127.0.0.1 is in use by another process" in told
    assert "--port 0 takes a free one" in told


def test_an_audit_shows_that_it_goes_on_where_there_is_a_terminal() -> None:
    ours, theirs = os.openpty()
    code = "from sandbox.audit.cli import _watched; print(list(_watched(['strict', 'contest'])))"
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert done.stdout == b"['strict', 'contest']\n"
    assert "contest (2 of 2, some 20 s each)" in shown
    quiet = subprocess.run(command, capture_output=True)
    assert quiet.stderr == b""
