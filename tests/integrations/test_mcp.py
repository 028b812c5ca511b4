"""The server of the Model Context Protocol: the SDK's own client on `sandbox mcp` as a process."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox import Sandbox
from sandbox.integrations.mcp_server import MissingExtra, tool_server

try:
    import mcp
except ImportError:
    mcp = None
needs_sdk = pytest.mark.skipif(mcp is None, reason="mcp is not installed")
COMMAND = [sys.executable, "-m", "sandbox.cli", "mcp"]


def session(use, *options):
    """What `use(client)` gives, of a client whose server is a process of its own."""

    async def main():
        server = mcp.StdioServerParameters(
            command=COMMAND[0], args=[*COMMAND[1:], *options], env=dict(os.environ)
        )
        async with mcp.Client(server) as client:
            return await use(client)

    return asyncio.run(asyncio.wait_for(main(), 120))


def asked(client, code, **arguments):
    return client.call_tool("run_python_code", {"python_code": code, **arguments})


def text(answer):
    (content,) = answer.content
    return content.text


@needs_sdk
def test_a_client_finds_the_tool_and_what_it_takes():
    async def use(client):
        return await client.list_tools()

    (tool,) = (each for each in session(use).tools if each.name == "run_python_code")
    assert tool.input_schema["required"] == ["python_code"]
    assert set(tool.input_schema["properties"]) == {"python_code", "stdin"}
    assert set(tool.output_schema["required"]) == {"status", "output", "error"}
    assert "10 s of CPU time and 512 MiB" in tool.description


@needs_sdk
def test_a_program_runs_with_its_input_and_nothing_is_kept():
    async def use(client):
        first = await asked(client, "kept = int(input()) * 2\nprint(kept)", stdin="21\n")
        return first, await asked(client, "print(kept)")

    first, second = session(use)
    assert (text(first), first.is_error) == ("42\n", False)
    assert first.structured_content == {"status": "OK", "output": "42\n", "error": ""}
    assert second.is_error
    assert "NameError: name 'kept' is not defined" in text(second)


@needs_sdk
def test_a_program_that_fails_is_answered_with_how_and_what_it_had_printed():
    programs = {
        "print('so far')\nprint(1 / 0)": (
            "ERROR",
            'so far\nTraceback (most recent call last):\n  File "<program>", line 2',
        ),
        "print(": ("SYNTAX", "SYNTAX: SyntaxError: '(' was never closed"),
        "import socket": ("DENIED", "DENIED: import of module 'socket'"),
        "while True: pass": ("CPU_LIMIT", "CPU_LIMIT: "),
        "print('x' * 10**5)": ("OUTPUT_LIMIT", "x" * 65536 + "OUTPUT_LIMIT: "),
        "import sys\nsys.exit(3)": ("ERROR", ""),
    }

    async def use(client):
        return [await asked(client, code) for code in programs]

    answers = session(use, "--limit", "cpu_seconds=0.3")
    for answer, (status, start) in zip(answers, programs.values(), strict=True):
        assert answer.is_error
        assert answer.structured_content["status"] == status
        assert text(answer).startswith(start)
        assert len(text(answer)) < 70_000


@needs_sdk
def test_policy_workers_and_limits_are_options_of_the_command():
    async def use(client):
        tool, *_ = (await client.list_tools()).tools
        maths = await asked(client, "import math")
        return tool.description, maths, await asked(client, "x = [0] * 10**7")

    options = ("--policy", "strict", "--workers", "1", "--limit", "memory_mib=32")
    description, maths, large = session(use, *options, "--limit", "cpu_seconds=1.5")
    assert "1.5 s of CPU time and 32 MiB" in description
    assert maths.structured_content["status"] == "DENIED"
    assert large.structured_content["status"] == "MEMORY_LIMIT"


@needs_sdk
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"python_code": None},
        {"python_code": ["print(1)"]},
        {"python_code": "print(1)", "stdin": 5},
        {"python_code": lambda: "#" + "x" * 20_000_000},
        {"python_code": "print(1)", "stdin": lambda: "x" * 100_000_000},
        {"python_code": "print('\x00')\x00"},
        {"python_code": "(" * 100_000},
    ],
    ids=["none", "None", "a list", "a number", "long", "a long input", "a null byte", "nested"],
)
def test_what_no_program_can_be_made_of_is_an_error_and_the_server_goes_on(arguments):
    given = {key: value() if callable(value) else value for key, value in arguments.items()}

    async def use(client):
        wrong = await client.call_tool("run_python_code", given)
        return wrong, await asked(client, "print('alive')")

    wrong, right = session(use)
    assert wrong.is_error
    assert text(right) == "alive\n"


@needs_sdk
def test_calls_run_beside_each_other_and_each_gets_its_own_answer():
    async def use(client):
        calls = [asked(client, f"print({n} ** 2)") for n in range(30)]
        return await asyncio.gather(*calls)

    assert [text(answer) for answer in session(use)] == [f"{n * n}\n" for n in range(30)]


def lines(*messages):
    return "".join(f"{message}\n" for message in messages).encode()


def request(number, method, **params):
    told = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(told)


INITIALIZE = request(
    1,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "by hand", "version": "0"},
)
INITIALIZED = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})


def called(number, code):
    arguments = {"python_code": code}
    return request(number, "tools/call", name="run_python_code", arguments=arguments)


def read(line):
    """One message on standard output, which has no other lines."""
    answer = json.loads(line)
    assert answer["jsonrpc"] == "2.0"
    return {answer.get("id"): answer}


@needs_sdk
def test_standard_output_has_nothing_but_the_protocol_whatever_comes_in():
    """Lone surrogates, which JSON can spell, must not end the server either."""
    hostile = ["no JSON", "{}", "[]", "[" * 5000, "\x00", request(7, "tools/none")]
    codes = [
        'print(\'\\n{"jsonrpc": "2.0", "id": 9}\\n\')',
        "import sys\nsys.stderr.write('noise')\nsys.__stdout__.write('noise')",
        "raise ValueError('\\ud800')",
        "'\ud800'",
    ]
    told = [INITIALIZE, INITIALIZED, *hostile]
    told += [called(number, code) for number, code in enumerate([*codes, "print(6 * 7)"], 10)]
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        process.stdin.write(lines(*told))
        process.stdin.flush()
        answers = {}
        while not answers.keys() >= {1, 7, 10, 11, 12, 14}:
            answers |= read(process.stdout.readline())
    finally:
        rest, _ = process.communicate(timeout=60)
    for line in rest.splitlines():
        answers |= read(line)
    assert process.returncode == 0
    assert "error" in answers[7]
    assert answers[14]["result"]["structuredContent"]["output"] == "42\n"
    assert answers[10]["result"]["content"][0]["text"].count("jsonrpc") == 1


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@needs_sdk
@pytest.mark.parametrize("interrupted", [False, True])
def test_it_ends_with_its_input_or_an_interrupt_and_leaves_no_process(interrupted):
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(lines(INITIALIZE, INITIALIZED, called(2, "while True: pass")))
    process.stdin.flush()
    assert b"serverInfo" in process.stdout.readline()
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert children
    if interrupted:  # with its input open, as in a terminal
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == -signal.SIGINT
    process.communicate(timeout=30)
    assert process.returncode == (-signal.SIGINT if interrupted else 0)
    end = time.monotonic() + 10
    while any(map(alive, children)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(alive, children))


@needs_sdk
def test_a_fault_of_the_sandbox_is_no_answer_about_the_program():
    async def main():
        with Sandbox("strict", workers=1) as sandbox:
            server = tool_server(sandbox)
        async with mcp.Client(server) as client:
            return await asked(client, "print(1)")

    answer = asyncio.run(main())
    assert answer.is_error
    assert answer.structured_content is None
    assert text(answer).startswith("The sandbox failed, not the program: ")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--limit", "cpu_seconds"], 2, "'cpu_seconds' has no ="),
        (["--limit", "cpu_seconds=much"], 2, "is not NAME=VALUE with a number"),
        (["--workers", "0"], 2, "--workers"),
        (["--policy", "nowhere"], 78, "nowhere"),
    ],
)
def test_wrong_options_are_told_on_standard_error(options, code, message):
    done = subprocess.run([*COMMAND, *options], input="", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in " ".join(done.stderr.replace("│", "").split())


@needs_sdk
@pytest.mark.parametrize(
    ("limit", "message"),
    [("cpu_secods=1", "did you mean cpu_seconds"), ("cpu_seconds=1e9", "not widen")],
)
def test_a_limit_that_the_policy_does_not_have_or_exceeds_is_refused(limit, message):
    done = subprocess.run([*COMMAND, "--limit", limit], input="", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (78, "")
    assert message in done.stderr


def test_without_the_sdk_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    with (
        Sandbox("strict", workers=1) as sandbox,
        pytest.raises(MissingExtra, match=r"pip install 'restricted-execution\[mcp\]'"),
    ):
        tool_server(sandbox)
    code = "import sys; sys.modules['mcp.server'] = None; from sandbox.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "mcp"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "restricted-execution[mcp]" in "".join(done.stderr.split()).replace("│", "")
