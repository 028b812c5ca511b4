"""Clients of a server's sessions, and what its tests wait for."""

import contextlib
import os
import time
from pathlib import Path
from typing import Any

LONG = "for each in range(10_000_000): pass\n"
TOKENS = ("a" * 16, "b" * 16)


class Client:
    """One session of a server's."""

    def __init__(self, server: Any, id: str, headers: Any = None) -> None:
        self.server, self.id, self.headers = server, id, headers

    def ask(self, what: str = "", body: Any = None, **more: Any) -> tuple[int, Any]:
        path = f"/sessions/{self.id}{'/' * bool(what)}{what}"
        return self.server.ask(path, body, headers=self.headers, **more)

    def run(self, code: str, **more: Any) -> Any:
        status, answer = self.ask("run", {"code": code, **more})
        assert status == 200, answer
        return answer

    def write(self, name: str, content: bytes) -> tuple[int, Any]:
        headers = {"content-type": "application/octet-stream", **(self.headers or {})}
        path = f"/sessions/{self.id}/files/{name}"
        return self.server.ask(path, raw=content, method="PUT", headers=headers)

    def close(self) -> int:
        return self.ask(method="DELETE")[0]


def begin(server: Any, headers: Any = None, **options: Any) -> Client:
    status, answer = server.ask("/sessions", options, headers=headers)
    assert status == 200, answer
    return Client(server, answer["id"], headers)


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def descendants(pid: int) -> set[int]:
    """All processes below `pid`, which themselves may have a namespace of their own."""
    found = {int(each) for each in os.listdir("/proc") if each.isdigit()}
    parents = {}
    for each in found:
        with contextlib.suppress(OSError):
            parents[each] = int(
                Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[1]
            )
    below, level = set[int](), {pid}
    while level:
        level = {each for each, parent in parents.items() if parent in level}
        below |= level
    return below


def until(condition: Any, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)
