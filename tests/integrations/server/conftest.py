"""A real server in a process of its own, and clients for it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
_PROGRAM = """
import sys
from sandbox.integrations.server.run import serve
from sandbox.integrations.server.settings import Settings
policy, workers, settings, rewards, pytest = eval(sys.argv[1])
serve(Settings(port=0, **settings), policy, workers, rewards, pytest=pytest)
"""


class Server:
    """One server process."""

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.process, self.port = process, port
        self.url = f"http://127.0.0.1:{port}"

    def ask(
        self,
        path: str,
        body: Any = None,
        *,
        method: str = "",
        headers: Any = None,
        raw: bytes = b"",
    ) -> tuple[int, Any]:
        """The status and the JSON of one answer, on a connection of its own."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = raw or (None if body is None else json.dumps(body).encode())
        with_type = {"content-type": "application/json"} if data else {}
        try:
            verb = method or ("POST" if data else "GET")
            connection.request(verb, path, data, {**with_type, **(headers or {})})
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        is_json = "json" in (response.getheader("content-type") or "")
        return response.status, json.loads(text) if is_json else text

    def run_code(self, code: str, stdin: str | None = None, **more: Any) -> Any:
        """The answer of /run_code, as verl's client asks."""
        asked = {"code": code, "stdin": stdin, "language": "python", "run_timeout": 10}
        asked |= {"compile_timeout": 10, "memory_limit_MB": 1024, "files": {}, "fetch_files": []}
        status, answer = self.ask("/run_code", asked | more)
        assert status == 200, answer
        return answer

    def metric(self, line: str) -> float:
        """The figure of one line of /metrics."""
        (found,) = re.findall(rf"^{re.escape(line)} (\S+)$", self.ask("/metrics")[1], re.MULTILINE)
        return float(found)

    def connect(self) -> socket.socket:
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)


@contextmanager
def running(
    policy: str = "contest",
    workers: int | None = None,
    rewards: Any = None,
    *,
    with_pytest: bool = False,
    **settings: Any,
) -> Iterator[Server]:
    """A server with these settings, and reward functions by name, ended with SIGTERM."""
    for name in ("fastapi", "uvicorn", "prometheus_client"):
        pytest.importorskip(name, reason=f"{name} is not installed (the extra 'server')")
    # Patient, unless a test is about it: what runs beside the tests must not decide.
    arguments = repr((policy, workers, {"wait_seconds": 120.0, **settings}, rewards, with_pytest))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        assert process.stderr is not None
        first = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", first)
        assert found, first + process.stderr.read()
        yield Server(process, int(found[1]))
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def raw_job(code: str, stdin: str = "", **more: object) -> bytes:
    body = json.dumps({"code": code, "stdin": stdin, **more}).encode()
    head = b"POST /run_code HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return head + b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body


def until(condition: Any, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def held(server: Any) -> int:
    return int(server.ask("/healthz")[1]["jobs"])


@pytest.fixture(name="server", scope="session")
def _server() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture(name="run_server")
def _run_server() -> Any:
    return running
