"""Many clients, clients that leave, and a server that has to stop or loses its supervisor."""

import contextlib
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import psutil

from .conftest import held, raw_job, until

_SECOND = (
    "import time\nend = time.process_time() + {seconds}\nwhile time.process_time() < end: pass\n"
)
BUSY = _SECOND.format(seconds=0.5) + "print(input())"


def answer_of(connection: socket.socket) -> tuple[int, Any]:
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    head, _, body = b"".join(parts).partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body) if body else None


@contextmanager
def endless(server: Any, count: int) -> Iterator[None]:
    """So many jobs that end with the block and not before."""
    with ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(server.connect())
            connection.sendall(raw_job("while True: pass"))
        until(lambda: held(server) == count)
        yield


def children(server: Any) -> list[psutil.Process]:
    return psutil.Process(server.process.pid).children(recursive=True)


def test_512_connections_at_once_are_all_held_and_answered_rightly(server: Any) -> None:
    connections = [server.connect() for _ in range(512)]
    for number, connection in enumerate(connections):
        connection.sendall(raw_job("print(int(input()) * 7)", str(number)))
    answers = [answer_of(connection) for connection in connections]
    for number, (status, answer) in enumerate(answers):
        assert status == 200, answer
        assert answer["run_result"]["stdout"] == f"{number * 7}\n"


def test_a_full_queue_answers_504_at_once(run_server: Any) -> None:
    with run_server(workers=1, jobs=4) as server:
        with endless(server, 3):
            status, answer = server.ask("/run_code", {"code": "print(1)"})
            assert (status, set(answer)) == (504, {"fault"})
            assert held(server) == 3, "it waited"
        until(lambda: held(server) == 0)
        assert server.run_code("print(1)")["status"] == "Success"


def test_a_batch_that_does_not_fit_is_turned_away_whole(run_server: Any) -> None:
    with run_server(workers=1, jobs=4) as server:
        job = {"code": "print(1)"}
        assert server.ask("/execute_batch", {"jobs": [job] * 4})[0] == 413  # it never will
        with endless(server, 1):
            assert server.ask("/execute_batch", {"jobs": [job] * 3})[0] == 504
        until(lambda: held(server) == 0)
        assert server.ask("/execute_batch", {"jobs": [job] * 3})[0] == 200
        assert server.metric('sandbox_jobs_total{status="OK"}') == 3


def test_a_job_that_waits_too_long_is_turned_away_without_being_run(run_server: Any) -> None:
    with run_server(workers=1, wait_seconds=0.3) as server:
        with endless(server, 1):
            status, answer = server.ask("/run_code", {"code": "print(1)"})
        assert status == 504
        assert "0.3 seconds" in answer["fault"]
        assert server.metric('sandbox_jobs_total{status="OK"}') == 0


def test_a_client_that_leaves_takes_its_job_with_it(run_server: Any) -> None:
    with run_server(workers=1) as server:
        connections = [server.connect() for _ in range(5)]
        for connection in connections:
            connection.sendall(raw_job("while True: pass"))
        until(lambda: held(server) == 5)
        for connection in connections:
            connection.close()
        begun = time.monotonic()
        until(lambda: held(server) == 0)
        assert server.run_code("print(1)")["status"] == "Success"
        assert time.monotonic() - begun < 5
        assert server.metric("sandbox_abandoned_total") == 5
        # A supervisor and its spare children stay; none of them is at work.
        before = [sum(child.cpu_times()[:2]) for child in children(server)]
        time.sleep(0.5)
        assert sum(sum(c.cpu_times()[:2]) for c in children(server)) - sum(before) < 0.3


def test_a_client_that_shuts_down_its_half_counts_as_gone(run_server: Any) -> None:
    with run_server(workers=1) as server, server.connect() as connection:
        connection.sendall(raw_job("while True: pass"))
        until(lambda: held(server) == 1)
        connection.shutdown(socket.SHUT_WR)
        until(lambda: held(server) == 0)
        assert server.metric("sandbox_abandoned_total") == 1


def test_sigterm_under_load_loses_no_job_that_was_accepted(run_server: Any) -> None:
    with run_server(workers=2) as server:
        connections = [server.connect() for _ in range(100)]
        for number, connection in enumerate(connections):
            connection.sendall(raw_job("x = sum(range(200000))\nprint(input())", str(number)))
        until(lambda: held(server) >= 20)
        server.process.send_signal(signal.SIGTERM)
        answers = [answer_of(connection) for connection in connections]
        assert [status for status, _ in answers] == [200] * 100
        outputs = [answer["run_result"]["stdout"] for _, answer in answers]
        assert outputs == [f"{number}\n" for number in range(100)]
        assert server.process.wait(timeout=20) == 0


def test_a_stopping_server_takes_no_new_client_and_leaves_no_process(run_server: Any) -> None:
    with run_server(workers=1) as server:
        server.run_code("print(1)")
        family = children(server)
        with ThreadPoolExecutor(1) as pool:
            busy = pool.submit(server.run_code, BUSY, "last")
            until(lambda: held(server) == 1)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.4)
            with socket.socket() as late:
                assert late.connect_ex(("127.0.0.1", server.port)) != 0
            assert busy.result()["run_result"]["stdout"] == "last\n"
        assert server.process.wait(timeout=20) == 0
        assert psutil.wait_procs(family, timeout=10)[1] == []


def test_a_supervisor_that_is_killed_loses_no_job(run_server: Any) -> None:
    with run_server(workers=2) as server, ThreadPoolExecutor(8) as pool:
        server.run_code("print(1)")
        busy = [pool.submit(server.run_code, BUSY, str(n)) for n in range(8)]
        until(lambda: held(server) == 8)
        time.sleep(0.3)
        (supervisor,) = psutil.Process(server.process.pid).children()
        os.kill(supervisor.pid, signal.SIGKILL)
        answers = [future.result() for future in busy]
        assert [answer["status"] for answer in answers] == ["Success"] * 8
        outputs = [answer["run_result"]["stdout"] for answer in answers]
        assert outputs == [f"{n}\n" for n in range(8)]


def test_neither_memory_nor_descriptors_grow_with_the_number_of_jobs(run_server: Any) -> None:
    with run_server(workers=2) as server, ThreadPoolExecutor(8) as pool:
        process = psutil.Process(server.process.pid)

        def some(count: int) -> None:
            done = pool.map(lambda n: server.run_code("print(input())", str(n)), range(count))
            assert all(answer["status"] == "Success" for answer in done)

        some(300)  # arenas and caches are filled
        server.ask("/run_code", {"code": "print(1)", "run_timeout": "wrong"})
        before, open_before = process.memory_info().rss, process.num_fds()
        some(1200)
        assert process.memory_info().rss - before < 4 << 20
        assert process.num_fds() <= open_before + 2
        assert server.metric("sandbox_jobs_held") == 0
        assert server.metric("sandbox_held_bytes") == 0


def test_more_connections_than_allowed_are_turned_away_and_the_rest_is_served(
    run_server: Any,
) -> None:
    with run_server(workers=1, connections=50) as server:
        idle = [server.connect() for _ in range(49)]
        time.sleep(0.3)
        extra = [server.connect() for _ in range(20)]
        turned_away = []
        for connection in extra[1:]:
            connection.settimeout(5)
            turned_away.append(connection.recv(100).startswith(b"HTTP/1.1 504"))
        assert all(turned_away)
        extra[0].sendall(raw_job("print(1)"))
        assert answer_of(extra[0])[0] == 200
        for connection in idle:
            connection.close()
        assert server.run_code("print(2)")["status"] == "Success"


def test_answers_that_nobody_takes_do_not_fill_the_memory(run_server: Any) -> None:
    code = "print('x' * (15 << 20))"
    with run_server(workers=2, held_bytes=32 << 20) as server:
        process = psutil.Process(server.process.pid)
        server.run_code(code)
        before = process.memory_info().rss
        connections = []
        for _ in range(40):
            connections.append(server.connect())
            connections[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connections[-1].sendall(raw_job(code))
        until(lambda: held(server) == 0 or server.metric("sandbox_jobs_running") == 0)
        assert process.memory_info().rss - before < 200 << 20, "40 answers have 600 MiB"
        for connection in connections:
            connection.close()
        until(lambda: server.metric("sandbox_held_bytes") == 0)
        assert server.run_code("print(1)")["status"] == "Success"


def test_a_log_that_nobody_reads_does_not_stop_the_server(run_server: Any) -> None:
    """Its standard error is a pipe here, and holds no more than 64 KiB."""
    wrong = (b"NONSENSE\r\n\r\n", b"GET / HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\n")
    with run_server(workers=1) as server:
        for number in range(1500):
            with server.connect() as connection:
                connection.sendall(wrong[number % 2] + b"connection: upgrade\r\n\r\n")
                connection.recv(1 << 16)
        assert server.run_code("print(1)")["status"] == "Success"


def test_a_body_of_tiny_chunks_does_not_keep_others_waiting(run_server: Any) -> None:
    head = b"POST /run_code HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    with run_server(workers=1) as server, server.connect() as connection:
        connection.sendall(head + b"transfer-encoding: chunked\r\n\r\n")
        over = threading.Event()

        def flood() -> None:
            try:
                while not over.is_set():
                    connection.sendall(b"1\r\n \r\n" * 20_000)
            except OSError:
                pass  # it had enough

        thread = threading.Thread(target=flood)
        thread.start()
        waits = []
        for _ in range(9):
            begun = time.monotonic()
            assert server.ask("/v1/ping")[0] == 200
            waits.append(time.monotonic() - begun)
            time.sleep(0.1)
        over.set()
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert sorted(waits)[4] < 1, waits


def test_health_is_answered_while_every_worker_is_busy(run_server: Any) -> None:
    with run_server(workers=1) as server, endless(server, 3):
        assert server.ask("/v1/ping") == (200, "pong")
        assert server.ask("/healthz")[1]["jobs"] == 3


def test_the_figures_have_a_closed_list_of_labels(run_server: Any) -> None:
    with run_server(workers=1) as server:
        for number in range(100):
            server.ask(f"/nothing/{number}?x={number}")
            server.ask("/v1/ping", method=f"X{number}")
        server.ask("/run_code", {"code": "raise KeyError('a' * 100)"})
        text = server.ask("/metrics")[1]
        answers = [line for line in text.splitlines() if line.startswith("sandbox_answers_total")]
        assert len(answers) <= 5, answers
        assert server.metric('sandbox_answers_total{code="404",endpoint="other"}') == 100
        assert server.metric('sandbox_jobs_total{status="ERROR"}') == 1


def test_the_page_of_the_interface_loads_nothing_and_names_every_endpoint(server: Any) -> None:
    status, page = server.ask("/docs")
    assert status == 200
    assert "http://" not in page
    assert "https://" not in page
    assert "<script" not in page
    paths = server.ask("/openapi.json")[1]["paths"]
    assert {"/run_code", "/execute", "/execute_batch", "/get_reward"} <= set(paths)
    assert all(path in page for path in paths)
