"""/sessions: programs that clients run cell by cell."""

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any

import pytest

from tests.integrations.server.session_clients import Client, begin, until

LONG = "for each in range(10_000_000): pass\n"
TOKENS = ("a" * 16, "b" * 16)


@pytest.fixture
def session(server: Any) -> Iterator[Client]:
    client = begin(server)
    yield client
    client.close()


def test_a_state_lasts_from_one_cell_to_the_next(session: Client) -> None:
    first = session.run("x = int(input())\nprint('so')\nx + 1", stdin="20\n")
    assert (first["status"], first["value"], first["value_repr"]) == ("OK", 21, "21")
    assert (first["stdout"], first["execution_count"], first["undone"]) == ("so\n", 1, False)
    second = session.run("x * 2")
    assert (second["value"], second["execution_count"]) == (40, 2)
    assert session.run("def double(n):\n    return 2 * n")["value_repr"] is None
    status, answer = session.ask("call", {"entry": "double", "args": [4]})
    assert (status, answer["value"]) == (200, 8)


def test_a_cell_that_fails_is_undone_unless_the_client_wants_it_kept(server: Any) -> None:
    client = begin(server, on_error="keep")
    failed = client.run("x = 1\n1 / 0")
    assert (failed["status"], failed["undone"]) == ("ERROR", False)
    assert "ZeroDivisionError" in failed["traceback"]
    assert client.run("x")["value"] == 1
    assert client.run("x = 2\n1 / 0", on_error="undo")["undone"] is True
    assert client.run("x")["value"] == 1
    assert client.close() == 200


def test_a_last_value_that_json_has_not_is_its_repr(session: Client) -> None:
    answer = session.run("inf = float('inf')\ninf")
    assert (answer["status"], answer["value"], answer["value_repr"]) == ("OK", None, "inf")
    session.run("def f():\n    return inf")
    assert session.ask("call", {"entry": "f"})[1]["status"] == "ERROR"


def test_branches_and_checkpoints_are_states_of_their_own(session: Client) -> None:
    session.run("x = 1")
    status, answer = session.ask("fork", {"count": 2})
    assert status == 200
    one, two = (Client(session.server, each["id"]) for each in answer["sessions"])
    assert all(each["parent"] == session.id for each in answer["sessions"])
    one.run("x = 10")
    assert (one.run("x")["value"], two.run("x")["value"], session.run("x")["value"]) == (10, 1, 1)
    assert session.ask("checkpoint", {"name": "before"}) == (200, {"checkpoint": "before"})
    session.run("x = 5")
    assert session.ask()[1]["checkpoints"] == ["before"]
    assert session.ask("restore", {"checkpoint": "before"})[0] == 200
    assert session.run("x")["value"] == 1
    assert session.ask("forget", {"checkpoint": "before"})[0] == 200
    for verb in ("restore", "forget"):
        status, answer = session.ask(verb, {"checkpoint": "before"})
        assert (status, "no checkpoint 'before'" in answer["fault"]) == (404, True)
    assert one.close() == 200
    assert one.ask("run", {"code": "x"})[0] == 410
    assert two.run("x")["value"] == 1


def test_branches_end_with_the_session_that_they_were_made_of(server: Any) -> None:
    client = begin(server)
    (branch,) = client.ask("fork", {})[1]["sessions"]
    assert client.close() == 200
    status, answer = Client(server, branch["id"]).ask("run", {"code": "1"})
    assert (status, answer["ended"]) == (410, "closed")
    assert "a branch of it" in answer["fault"]


def test_files_cross_as_they_are(session: Client) -> None:
    assert session.ask("files") == (200, {"files": []})
    assert session.write("data/a.bin", b"one\ntwo\n")[0] == 200
    assert session.run("open('data/a.bin').read()")["value"] == "one\ntwo\n"
    session.run("with open('b.txt', 'w') as f:\n    f.write('<script>')")
    assert session.ask("files") == (200, {"files": ["b.txt", "data/a.bin"]})
    connection = HTTPConnection("127.0.0.1", session.server.port, timeout=60)
    connection.request("GET", f"/sessions/{session.id}/files/b.txt")
    response = connection.getresponse()
    assert (response.status, response.read()) == (200, b"<script>")
    assert response.getheader("content-type") == "application/octet-stream"
    assert response.getheader("x-content-type-options") == "nosniff"
    assert response.getheader("content-disposition") == "attachment"
    connection.close()
    assert session.ask("files/none")[0] == 404
    assert session.write("../a", b"")[0] in (404, 422)
    assert session.write("%2e%2e/a", b"")[0] in (404, 422)
    large = os.urandom(3 << 20)
    assert session.write("large", large)[1]["size"] == len(large)
    answer = session.run("data = open('large', 'rb').read()\nlen(data), sum(data)")
    assert answer["value"] == [len(large), sum(large)]
    assert session.write("larger", bytes((16 << 20) + 1))[0] == 413


def test_a_long_cell_and_long_arguments_are_read_in_a_helper(session: Client) -> None:
    text = "x" * 200_000
    assert session.run(f"text = '{text}'\nlen(text)")["value"] == 200_000
    status, answer = session.ask("call", {"entry": "len", "args": [text]})
    assert (status, answer["value"]) == (200, 200_000)


@pytest.mark.parametrize(
    ("what", "body", "status", "told"),
    [
        ("run", {}, 422, "code"),
        ("run", {"code": 1}, 422, "must be a string"),
        ("run", {"code": "1", "what": 1}, 422, "what"),
        ("run", {"code": "1", "on_error": "stop"}, 422, "on_error"),
        ("run", {"code": "1", "limits": {"cpu": 1}}, 422, "no limit 'cpu'"),
        ("run", {"code": "1", "limits": {"cpu_seconds": 1e6}}, 422, "widen"),
        ("run", {"code": "1", "limits": {"memory_mib": 10}}, 422, "memory_mib"),
        ("call", {"entry": "len", "args": 5}, 422, "args"),
        ("fork", {"count": 0}, 422, "count"),
        ("fork", {"count": 17}, 422, "branches"),
        ("checkpoint", {"name": "x" * 101}, 422, "name"),
        ("restore", {}, 422, "checkpoint"),
    ],
)
def test_what_is_wrong_is_told(
    session: Client, what: str, body: Any, status: int, told: str
) -> None:
    answer = session.ask(what, body)
    assert answer[0] == status, answer
    assert told in answer[1]["fault"]
    assert session.run("1")["value"] == 1


def test_limits_of_a_session_and_of_a_cell(server: Any) -> None:
    client = begin(server, limits={"cpu_seconds": 2}, cpu_seconds_total=1.0)
    assert client.ask()[1]["limits"]["cpu_seconds"] == 2
    answer = client.run("while True: pass", limits={"cpu_seconds": 0.2})
    assert (answer["status"], answer["undone"]) == ("CPU_LIMIT", True)
    for _ in range(10):
        answer = client.run("while True: pass", limits={"cpu_seconds": 0.3})
    assert "cpu_seconds_total" in answer["error"]
    client.close()
    assert server.ask("/sessions", {"limits": {"cpu_seconds": 1e9}})[0] == 422
    assert server.ask("/sessions", {"limits": {"value_items": 1_000_000}})[0] == 422
    assert server.ask("/sessions", {"undo": "no"})[0] == 422
    assert server.ask("/sessions", {"cpu_seconds_total": 0})[0] == 422


def test_the_body_is_json_and_strict(session: Client) -> None:
    path = f"/sessions/{session.id}/run"
    ask = session.server.ask
    assert ask(path, raw=b"{", headers={"content-type": "application/json"})[0] == 400
    assert ask(path, raw=b"{}", headers={"content-type": "text/plain"})[0] == 415
    assert ask(path, raw=b'{"code": NaN}')[0] == 400
    assert ask("/sessions", raw=b"[]")[0] == 422


def test_a_cell_is_interrupted_and_undone(session: Client) -> None:
    session.run("x = 1")
    assert session.ask("interrupt", method="POST") == (200, {"interrupted": False})
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(session.run, "x = 2\nwhile True: pass")
        until(lambda: session.ask()[1]["busy"])
        assert session.ask("interrupt", method="POST") == (200, {"interrupted": True})
        answer = running.result(20)
    assert (answer["status"], answer["undone"]) == ("ERROR", True)
    assert answer["error"].startswith("KeyboardInterrupt")
    assert session.run("x")["value"] == 1


def test_a_client_that_leaves_has_its_cell_interrupted(session: Client) -> None:
    session.run("x = 1")
    body = json.dumps({"code": "x = 2\nwhile True: pass"}).encode()
    connection = HTTPConnection("127.0.0.1", session.server.port, timeout=60)
    headers = {"content-type": "application/json"}
    connection.request("POST", f"/sessions/{session.id}/run", body, headers)
    until(lambda: session.ask()[1]["busy"])
    begun = time.monotonic()
    connection.close()
    until(lambda: not session.ask()[1]["busy"])
    assert time.monotonic() - begun < 5  # its limit is 10 s
    assert session.run("x")["value"] == 1


def test_cells_of_one_session_follow_each_other_and_those_of_two_do_not(run_server: Any) -> None:
    with run_server(workers=2, wait_seconds=30.0) as server, ThreadPoolExecutor(3) as pool:
        one, two = begin(server), begin(server)
        one.run("x = 0")
        slow = pool.submit(one.run, f"{LONG}x = x + 1")
        until(lambda: one.ask()[1]["busy"])
        later = pool.submit(one.run, "x = x + 1\nx")
        assert two.run("1")["value"] == 1
        assert not slow.done()
        assert later.result(20)["value"] == 2


def test_a_session_that_is_busy_for_long_is_a_504(run_server: Any) -> None:
    with run_server(workers=2, wait_seconds=0.3) as server, ThreadPoolExecutor(1) as pool:
        one = begin(server)
        running = pool.submit(one.run, "while True: pass")
        until(lambda: one.ask()[1]["busy"])
        status, answer = one.ask("run", {"code": "1"})
        assert (status, "busy for 0.3 seconds" in answer["fault"]) == (504, True)
        assert one.close() == 200  # while its cell runs
        assert running.result(20)["error"].startswith("KeyboardInterrupt")
        assert one.ask()[1]["ended"] == "closed"
