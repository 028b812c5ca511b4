"""No client gets all of the server: not its memory, not its places, and not for ever."""

import json
import socket
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import pytest

from sandbox.integrations.server.admission.memory_budget import Budget
from sandbox.integrations.server.admission.visits import by_address

from .conftest import held, raw_job, until
from .raw import HEAD, JOB, everything, status_of

BUSY = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass"
OTHER = "127.0.0.2"  # this machine too, and another client


def connect(server: Any, address: str = OTHER) -> socket.socket:
    """A connection of a client with that address."""
    return socket.create_connection(("127.0.0.1", server.port), 60, (address, 0))


# -- memory and the queue


def test_a_client_alone_gets_four_fifths_and_leaves_as_much_to_others_as_it_can() -> None:
    budget, taken = Budget(1000), {"a": 0, "b": 0, "c": 0}
    while budget.has_room("a"):
        budget.add("a", 1)
        taken["a"] += 1
    assert taken["a"] == budget.largest_share == 800
    while budget.has_room("b"):
        budget.add("b", 1)
        taken["b"] += 1
    assert taken["b"] == 160  # of what was left
    assert budget.has_room("c")
    budget.add("a", -800)
    assert budget.has_room("b", 400)
    assert not budget.has_room("b", 650)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_even_the_smallest_ledger_takes_one(most: int) -> None:
    budget = Budget(most)
    assert budget.has_room("a")
    assert not budget.has_room("a", most + 1)


def test_bodies_of_one_client_leave_room_for_those_of_another(run_server: Any) -> None:
    with run_server(workers=1, body_bytes=10_000, held_bytes=40_000) as server, ExitStack() as all_:
        for _ in range(8):
            connection = all_.enter_context(connect(server))
            connection.sendall(HEAD + b"content-length: 9500\r\n\r\n" + b" " * 9000)
        until(lambda: server.metric("sandbox_held_bytes") >= 27_000)
        with connect(server) as more:
            more.sendall(HEAD + b"content-length: 9500\r\n\r\n" + b" " * 9500)
            assert status_of(everything(more)) == 504
        assert server.ask("/run_code", JOB)[0] == 200


def test_a_queue_that_one_client_has_filled_takes_a_job_of_another(run_server: Any) -> None:
    with run_server(workers=2, jobs=10) as server, ExitStack() as all_:
        for _ in range(8):
            all_.enter_context(connect(server)).sendall(raw_job("while True: pass", run_timeout=3))
        until(lambda: held(server) == 8)
        with connect(server) as more:
            more.sendall(raw_job("print(1)"))
            assert status_of(more.recv(1 << 16)) == 504
        assert server.run_code("print(1)")["status"] == "Success"


# -- turns


def test_a_job_of_another_client_runs_before_those_that_one_has_waiting(run_server: Any) -> None:
    with run_server(workers=1) as server, ExitStack() as all_:
        for _ in range(30):
            job = raw_job(BUSY)
            all_.enter_context(connect(server)).sendall(job)
        until(lambda: held(server) >= 25)
        assert server.run_code("print(1)")["status"] == "Success"
        assert held(server) > 10, "it waited for all of them"


def test_a_row_of_many_tests_lets_others_run_between_two_of_them(run_server: Any) -> None:
    label = {"inputs": ["1"] * 5000, "outputs": ["1"] * 5000}
    query = "p```python\nsum(range(200_000))\nprint(input())\n```"
    body = json.dumps({"query": [query], "prompts": ["p"], "labels": [label]}).encode()
    head = HEAD.replace(b"/run_code", b"/get_reward")
    with run_server(workers=1) as server, connect(server) as connection:
        connection.sendall(head + b"content-length: %d\r\n\r\n" % len(body) + body)
        until(lambda: server.metric("sandbox_jobs_running") == 1)
        for _ in range(3):
            assert server.run_code("print(1)")["status"] == "Success"
        assert held(server) == 1, "the row had ended"


# -- which client is which


def test_clients_are_told_apart_by_address_and_by_network_in_ipv6() -> None:
    assert by_address("10.0.0.1") != by_address("10.0.0.2")
    assert (
        by_address("2001:db8::1") == by_address("2001:db8::ffff:1") != by_address("2001:db8:0:1::1")
    )
    assert by_address("::ffff:10.0.0.1") != by_address("::ffff:10.0.0.2")


def test_with_several_tokens_clients_are_told_apart_by_them(run_server: Any) -> None:
    tokens = ("correct-horse-battery", "another-horse-battery")
    mine, theirs = ({"authorization": f"Bearer {token}"} for token in tokens)
    with run_server(workers=1, jobs=10, tokens=tokens) as server, ThreadPoolExecutor(8) as pool:

        def endless(seconds: float) -> Future[Any]:
            job = {"code": "while True: pass", "limits": {"cpu_seconds": seconds}}
            return pool.submit(server.ask, "/execute", job, headers=theirs)

        waiting = [endless(3)]  # which keeps the others waiting
        until(lambda: held(server) == 1)
        waiting += [endless(0.1) for _ in range(7)]
        until(lambda: held(server) == 8)
        assert server.ask("/execute", JOB, headers=theirs)[0] == 504
        assert server.ask("/execute", JOB, headers=mine)[0] == 200
        codes = [future.result()[0] for future in waiting]
        assert set(codes) == {200}


# -- slow readers


def test_a_client_that_takes_its_answer_too_slowly_is_cut_off_and_its_share_is_free(
    run_server: Any,
) -> None:
    """It takes a little of every piece in time, and would hold all of it for hours."""
    body = json.dumps({"code": "print('x' * (15 << 20))"}).encode()
    settings = {"read_seconds": 2.0, "least_rate": 4 << 20}
    with run_server(workers=1, **settings) as server, connect(server) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(HEAD + b"content-length: %d\r\n\r\n" % len(body) + body)
        taken = 0
        until(lambda: server.metric("sandbox_held_bytes") > 0)
        with suppress(ConnectionResetError):
            while server.metric("sandbox_held_bytes") > 0:
                taken += len(connection.recv(1 << 16))
                time.sleep(0.05)
        assert taken < 15 << 20
        until(lambda: server.metric("sandbox_held_bytes") == 0)


def test_all_that_is_sent_is_counted(run_server: Any) -> None:
    """The output is sent twice: as `output` and as `stdout`."""
    job = {"code": "print('x' * (8 << 20))"}
    in_buffers = 6 << 20
    for path, asked, count in (("/execute", job, 2), ("/execute_batch", {"jobs": [job, job]}, 4)):
        body = json.dumps(asked).encode()
        head = HEAD.replace(b"/run_code", path.encode())
        least = count * (8 << 20) - in_buffers
        with run_server(workers=1) as server, connect(server) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(head + b"content-length: %d\r\n\r\n" % len(body) + body)
            until(partial(holds, server, least))


def holds(server: Any, least: int) -> bool:
    return bool(server.metric("sandbox_held_bytes") > least)
