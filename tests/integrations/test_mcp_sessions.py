"""Sessions by the Model Context Protocol: the SDK's own client, on both transports."""

import asyncio
import base64
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from http.client import HTTPConnection

import pytest

from sandbox import Sandbox
from sandbox.integrations.mcp_server import tool_server

mcp = pytest.importorskip("mcp", reason="mcp is not installed")
handles = pytest.importorskip("sandbox.integrations.mcp.handles")
COMMAND = [sys.executable, "-m", "sandbox.cli", "mcp"]
TOKENS = ("a" * 16, "b" * 16)


@pytest.fixture(name="sandbox", scope="module")
def _sandbox():
    with Sandbox("contest", workers=2, sessions=64) as sandbox:
        yield sandbox


def within(sandbox, use, **options):
    """What `use(client)` gives, of a client of a server in this process."""

    async def main():
        async with mcp.Client(tool_server(sandbox, **options)) as client:
            return await use(client)

    return asyncio.run(asyncio.wait_for(main(), 120))


async def begin(client, **options):
    return (await client.call_tool("begin_session", options)).structured_content["session"]


async def cell(client, session, code, **more):
    return await client.call_tool("run_cell", {"session": session, "code": code, **more})


async def shown(client, session, code, **more):
    answer = await cell(client, session, code, **more)
    assert not answer.is_error, answer
    return answer.content[0].text


def test_a_cell_answers_its_value_and_finds_what_earlier_ones_made(sandbox):
    async def use(client):
        session = await begin(client)
        assert await shown(client, session, "1+1") == "2\n"
        assert await shown(client, session, "x = int(input())", stdin="20\n") == ""
        assert await shown(client, session, "print('so')\nx + 1") == "so\n21\n"
        answer = await cell(client, session, "print('so', end='')\nx")
        assert answer.content[0].text == "so\n20\n"
        assert answer.structured_content == {
            "status": "OK",
            "output": "so",
            "error": "",
            "value": "20",
            "execution_count": 4,
            "undone": False,
        }
        other = await begin(client)
        assert (await cell(client, other, "x")).is_error

    within(sandbox, use)


def test_every_tool_says_what_it_takes_gives_and_does(sandbox):
    async def use(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in within(sandbox, use)}
    of_sessions = {"begin_session", "run_cell", "fork_session", "close_session"}
    of_files = {"list_files", "read_file", "write_file"}
    assert set(tools) == of_sessions | of_files | {"run_python_code"}
    for name, tool in tools.items():
        properties = tool.input_schema["properties"]
        assert all(each["description"] for each in properties.values()), name
        assert tool.output_schema["required"], name
        assert tool.annotations.open_world_hint is False
        if name not in ("run_python_code", "begin_session"):
            assert "session" in tool.input_schema["required"]
    assert tools["list_files"].annotations.read_only_hint is True
    assert tools["run_cell"].annotations.read_only_hint is False
    assert tools["close_session"].annotations.destructive_hint is True
    assert "10 s of CPU time" in tools["run_cell"].description
    assert [tool.name for tool in within(sandbox, use, sessions=0)] == ["run_python_code"]


def test_a_cell_that_fails_keeps_what_it_did_or_is_undone(sandbox):
    async def use(client):
        kept, undone = await begin(client), await begin(client, on_error="undo")
        for session in (kept, undone):
            await cell(client, session, "x = 1")
            answer = await cell(client, session, "x = 2\n1 / 0")
            assert answer.is_error
            assert "ZeroDivisionError" in answer.content[0].text
            assert ("as it was before" in answer.content[0].text) == (session == undone)
        return await shown(client, kept, "x"), await shown(client, undone, "x")

    assert within(sandbox, use) == ("2\n", "1\n")


def test_branches_files_and_the_end_of_a_session(sandbox):
    async def use(client):
        session = await begin(client)
        await cell(client, session, "x = 1")
        made = await client.call_tool("fork_session", {"session": session, "count": 2})
        one, two = made.structured_content["sessions"]
        await cell(client, one, "x = 10")
        assert [await shown(client, each, "x") for each in (one, two)] == ["10\n", "1\n"]
        data = base64.b64encode(b"\xff\x00").decode()
        given = {"session": two, "name": "d/a.bin", "content": data, "encoding": "base64"}
        answer = await client.call_tool("write_file", given)
        assert answer.structured_content == {"name": "d/a.bin", "size": 2}
        await cell(client, two, "with open('b.txt', 'w') as f:\n    f.write('ä')")
        names = await client.call_tool("list_files", {"session": two})
        assert names.structured_content == {"files": ["b.txt", "d/a.bin"]}
        read = [
            (await client.call_tool("read_file", {"session": two, "name": n})).structured_content
            for n in ("b.txt", "d/a.bin")
        ]
        assert [each["content"] for each in read] == ["ä", data]
        missing = await client.call_tool("read_file", {"session": two, "name": "none"})
        assert missing.is_error
        await client.call_tool("close_session", {"session": session})
        gone = [await cell(client, each, "x") for each in (session, one, two, "none")]
        assert all(each.is_error for each in gone)
        assert "it was closed" in gone[1].content[0].text
        assert "none by this handle" in gone[3].content[0].text

    within(sandbox, use)


def test_one_session_too_many_evicts_the_one_that_was_idle_for_the_longest(sandbox, monkeypatch):
    async def use(client):
        first, second, third = [await begin(client) for _ in range(3)]
        await cell(client, first, "x = 1")
        fourth = await begin(client)
        lost = await cell(client, second, "1")
        assert lost.is_error
        assert "evicted: more than 3" in lost.content[0].text
        assert [await shown(client, each, "1+1") for each in (first, third, fourth)] == ["2\n"] * 3
        busy = [
            asyncio.ensure_future(cell(client, s, "while 1: 0")) for s in (first, third, fourth)
        ]
        while not all(each.waiting for each in seen[0]._held.values()):
            await asyncio.sleep(0.01)
        refused = await client.call_tool("begin_session", {})
        assert "are in use" in refused.content[0].text
        assert (await client.call_tool("fork_session", {"session": first, "count": 3})).is_error
        await asyncio.gather(*busy)

    class Seen(handles.Handles):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            seen.append(self)

    seen = []
    monkeypatch.setattr(handles, "Handles", Seen)
    within(sandbox, use, sessions=3, cpu_seconds=1.0)


def test_a_call_that_is_cancelled_interrupts_its_cell(sandbox):
    async def use(client):
        session = await begin(client)
        await cell(client, session, "x = 1")
        running = asyncio.ensure_future(cell(client, session, "x = 2\nwhile True: pass"))
        await asyncio.sleep(1.0)
        running.cancel()
        begun = time.monotonic()
        assert await shown(client, session, "x") == "1\n"
        assert time.monotonic() - begun < 5  # its limit is 10 s

    within(sandbox, use)


@contextmanager
def serving(*options, tokens=()):
    environment = {**os.environ, "SANDBOX_TOKEN": "\n".join(tokens)}
    process = subprocess.Popen(
        [*COMMAND, "--http", "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        line = process.stderr.readline()
        found = re.search(r"http://\S+/mcp", line)
        assert found, line + process.stderr.read()
        yield found[0], process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def over_http(url, use, token=None):
    async def main():
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        headers = {"authorization": f"Bearer {token}"} if token else {}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            mcp.Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await use(client)

    return asyncio.run(asyncio.wait_for(main(), 120))


def test_the_example_runs_cells_in_branches():
    command = [sys.executable, "examples/callers/mcp_client.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["cell: 2", "x = 21: 42", "x = 22: 44", "here: 20"], done


def test_the_tools_are_there_over_http_and_sessions_last_between_connections():
    async def first(client):
        assert len((await client.list_tools()).tools) == 8
        answer = await client.call_tool("run_python_code", {"python_code": "print(6 * 7)"})
        assert answer.content[0].text == "42\n"
        session = await begin(client)
        await cell(client, session, "x = 20")
        return session

    async def second(client):
        return await shown(client, session, "x + 1")

    with serving() as (url, process):
        session = over_http(url, first)
        assert over_http(url, second) == "21\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in (0, -signal.SIGTERM)


def test_a_session_is_found_by_its_token_alone():
    async def one(client):
        session = await begin(client)
        return session, await shown(client, session, "1+1")

    async def other(client):
        return await cell(client, session, "1+1")

    with serving(tokens=TOKENS) as (url, _):
        session, text = over_http(url, one, TOKENS[0])
        assert text == "2\n"
        answer = over_http(url, other, TOKENS[1])
        assert answer.is_error
        assert "none by this handle" in answer.content[0].text
        assert not over_http(url, other, TOKENS[0]).is_error
        for wrong in ({}, {"authorization": f"Bearer {'c' * 16}"}):
            assert status_of(url, **wrong) == 401
        assert status_of(url, authorization=f"Bearer {TOKENS[0]}") == 406


def status_of(url, **headers):
    """What a request that accepts no stream is answered, once it is let in: 406."""
    port = int(re.search(r":(\d+)/", url)[1])
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/mcp", b"{}", {"content-type": "application/json", **headers})
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--http", "--host", "0.0.0.0"], "no token is asked for"),
        (["--http", "--port", "80000"], "from 0 to 65535"),
        (["--sessions", "-1"], "--sessions"),
    ],
)
def test_wrong_options_of_http_are_told(options, message):
    done = subprocess.run([*COMMAND, *options], input="", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.replace("│", "").split())


def test_a_page_in_a_browser_cannot_ask_it_under_another_name():
    with serving() as (url, _):
        assert status_of(url, host="evil.example") == 421
        assert status_of(url) == 406
