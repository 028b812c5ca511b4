"""/sessions: whose they are, how many there may be, and how they end."""

import contextlib
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.integrations.server.session_clients import Client, bearer, begin, descendants, until

LONG = "for each in range(10_000_000): pass\n"
TOKENS = ("a" * 16, "b" * 16)


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
