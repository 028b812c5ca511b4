"""verifiers: its own server of our tool, asked by the protocol, and its own scoring of our task."""

import asyncio
import os
import subprocess
import sys
import time

import pytest

pytest.importorskip("verifiers", reason="verifiers is not installed")

import verifiers.v1 as vf
from mcp.client.client import Client

from sandbox import PolicyError
from sandbox.integrations.sessions.verifiers import (
    CodeData,
    CodeTask,
    CodeTaskConfig,
    PythonToolset,
    PythonToolsetConfig,
)

TESTS = {"inputs": ["1\n", "7\n"], "outputs": ["2\n", "8\n"]}
RIGHT, HALF = "print(int(input()) + 1)", "print(2)"


@pytest.fixture(name="url")
def _url(tmp_path):
    """The toolset's server, started as verifiers starts it."""
    port = tmp_path / "port"
    config = PythonToolsetConfig(cpu_seconds=2).model_dump_json()
    env = {**os.environ, "VF_CONFIG": config, "MCP_PORT_FILE": str(port)}
    command = [sys.executable, "-m", PythonToolset.__module__]
    with subprocess.Popen(command, env=env) as server:
        deadline = time.monotonic() + 90
        while not port.exists() or not port.read_text():
            assert time.monotonic() < deadline
            assert server.poll() is None
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port.read_text()}/mcp"
        server.kill()


async def asked(url, *cells):
    for attempt in range(100):  # the port is told before it is served
        try:
            async with Client(url) as client:
                names = [tool.name for tool in (await client.list_tools()).tools]
                told = [await client.call_tool("run_python", {"code": cell}) for cell in cells]
                return names, ["".join(part.text for part in each.content) for each in told]
        except Exception:
            if attempt == 99:
                raise
            await asyncio.sleep(0.2)
    raise AssertionError


def test_variables_last_in_the_server_of_a_rollout(url):
    names, told = asyncio.run(asked(url, "x = 20\nx + 1", "print(x)", "1 / 0"))
    assert names == ["run_python"]
    assert told[:2] == ["21\n", "20\n"]
    assert "ZeroDivisionError" in told[2]


def scored(reply, config=None, tests=TESTS):
    task = CodeTask(CodeData(prompt="Add one.", tests=tests), config)
    trace = vf.Trace.model_construct(
        nodes=[], rewards={}, metrics={}, root_reply=f"```python\n{reply}\n```"
    )
    asyncio.run(task.score(trace))
    return trace.rewards["passed"]


def test_a_reply_is_graded_by_the_tests_of_its_task():
    assert scored(RIGHT).score == 1.0
    assert scored(HALF).score == 0.0
    assert scored(HALF, CodeTaskConfig(partial=True)).score == 0.5


def test_without_a_verdict_the_rollout_is_an_error():
    with pytest.raises(vf.TaskError, match="no tests"):
        scored(RIGHT, tests={"inputs": [], "outputs": []})


def test_a_task_brings_its_interpreter():
    (toolset,) = CodeTask.toolsets(CodeTaskConfig())
    assert isinstance(toolset, PythonToolset)
    assert CodeTask.toolsets(CodeTaskConfig(interpreter=None)) == []
    wrong = PythonToolset(PythonToolsetConfig(cpu_seconds=1000))
    with pytest.raises(PolicyError):
        asyncio.run(wrong.setup())
