"""/sessions: programs that clients run cell by cell."""

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

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


@pytest.fixture
def session(server: Any) -> Iterator[Client]:
    client = begin(server)
    yield client
    client.close()


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


def test_nobody_else_finds_a_session(run_server: Any) -> None:
    with run_server(tokens=TOKENS) as server:
        mine = begin(server, bearer(TOKENS[0]))
        mine.run("x = 1")
        assert len(mine.id) >= 32
        for headers, expected in ((bearer(TOKENS[1]), 404), (None, 401), (bearer("c" * 16), 401)):
            other = Client(server, mine.id, headers)
            assert other.ask()[0] == expected
            for what in ("run", "call", "fork", "checkpoint", "restore", "forget", "interrupt"):
                assert other.ask(what, {"code": "1"}, method="POST")[0] in (expected, 422), what
            assert other.ask("files")[0] == other.ask("files/x")[0] == expected
            assert other.write("x", b"1")[0] == expected
            assert other.close() == expected
        assert mine.run("x")["value"] == 1
        assert mine.close() == 200
        assert mine.ask()[0] == 410
        assert Client(server, mine.id, bearer(TOKENS[1])).ask()[0] == 404
        assert Client(server, mine.id[:-1], mine.headers).ask()[0] == 404


def test_a_client_has_so_many_sessions_and_all_have_so_many(run_server: Any) -> None:
    settings = {"tokens": TOKENS, "sessions": 5, "client_sessions": 3}
    with run_server(**settings) as server:
        ours, theirs = bearer(TOKENS[0]), bearer(TOKENS[1])
        first = begin(server, ours)
        assert first.ask("fork", {"count": 3})[0] == 429
        assert first.ask("fork", {"count": 2})[0] == 200
        status, answer = server.ask("/sessions", {}, headers=ours)
        assert (status, "may have 3 sessions" in answer["fault"]) == (429, True)
        others = [begin(server, theirs), begin(server, theirs)]
        status, answer = server.ask("/sessions", {}, headers=theirs)
        assert (status, "room for 5 sessions" in answer["fault"]) == (504, True)
        assert server.ask("/healthz")[1]["sessions"] == 5
        others[0].close()
        begin(server, theirs)
        first.close()
        assert server.ask("/healthz")[1]["sessions"] == 2
        begin(server, ours)


def test_an_idle_session_is_evicted_and_its_client_told(run_server: Any) -> None:
    with run_server(session_idle_seconds=1.0) as server:
        idle, used = begin(server), begin(server)
        (branch,) = used.ask("fork", {})[1]["sessions"]
        used.run("x = 1")
        before = descendants(server.process.pid)
        for _ in range(8):
            time.sleep(0.25)
            assert Client(server, branch["id"]).run("1")["value"] == 1
        status, answer = idle.ask("run", {"code": "1"})
        assert (status, answer["ended"]) == (410, "evicted")
        assert "nobody had used the session for 1 seconds" in answer["fault"]
        assert used.run("x")["value"] == 1, "it was evicted under a branch of its own"
        assert idle.ask()[0] == idle.close() == idle.write("a", b"1")[0] == 410
        until(lambda: server.ask("/healthz")[1]["sessions"] == 0)
        until(lambda: len(descendants(server.process.pid)) < len(before) - 2)


def test_a_session_whose_process_is_killed_is_lost_and_only_that(run_server: Any) -> None:
    with run_server() as server, ThreadPoolExecutor(1) as pool:
        begin(server).close()
        other = begin(server)
        other.run("x = 2")
        before = descendants(server.process.pid)
        lost = begin(server)
        lost.run("x = 1")
        running = pool.submit(lost.ask, "run", {"code": "while True: pass"})
        until(lambda: lost.ask()[1]["busy"])
        for pid in descendants(server.process.pid) - before:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        status, answer = running.result(30)
        assert (status, answer["ended"]) == (410, "lost"), answer
        assert lost.ask()[0] == 410
        assert other.run("x")["value"] == 2
        assert begin(server).run("1")["value"] == 1


def test_idle_sessions_cost_no_thread(run_server: Any) -> None:
    with run_server(workers=2) as server:
        begin(server).run("1")
        threads = len(os.listdir(f"/proc/{server.process.pid}/task"))
        clients = [begin(server) for _ in range(12)]
        for each in clients:
            each.run("1")
        assert len(os.listdir(f"/proc/{server.process.pid}/task")) <= threads + 2 + 4


def test_sessions_have_figures(run_server: Any) -> None:
    with run_server() as server:
        client = begin(server)
        client.run("1")
        client.ask("fork", {"count": 2})
        assert server.metric("sandbox_sessions") == 3
        client.close()
        assert server.metric("sandbox_sessions") == 0
        assert server.metric("sandbox_sessions_begun_total") == 3
        assert server.metric('sandbox_sessions_ended_total{how="closed"}') == 3
        assert server.metric('sandbox_sessions_ended_total{how="lost"}') == 0
        assert server.metric('sandbox_jobs_total{status="OK"}') == 1
        labels = '{code="200",endpoint="/sessions/{id}/run"}'
        assert server.metric(f"sandbox_answers_total{labels}") == 1
        assert client.id not in server.ask("/metrics")[1]


def test_no_process_outlives_its_session(run_server: Any) -> None:
    with run_server() as server:
        begin(server).close()
        time.sleep(0.5)
        before = len(descendants(server.process.pid))
        for _ in range(5):
            client = begin(server)
            client.run("x = 1")
            client.ask("fork", {"count": 3})
            client.close()
        until(lambda: len(descendants(server.process.pid)) <= before + 1)


def test_many_clients_at_once(server: Any) -> None:
    def one(number: int) -> int:
        client = begin(server)
        client.run(f"x = {number}")
        value = client.run("x * 2")["value"]
        client.close()
        return int(value)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(24))) == [2 * n for n in range(24)]
