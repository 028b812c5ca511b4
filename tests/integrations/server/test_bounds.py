"""How much of what a client sends is taken, and how long a client may take."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from .raw import HEAD, JOB, dribbled_seconds, everything, status_of


@pytest.fixture(name="small", scope="module")
def _small(request: Any) -> Iterator[Any]:
    from .conftest import running

    bounds = {"body_bytes": 10_000, "held_bytes": 40_000, "read_seconds": 1.0}
    with running(workers=1, **bounds) as server:
        yield server


# -- bodies


def test_a_body_over_the_cap_is_refused_by_its_length(small: Any) -> None:
    assert small.ask("/run_code", {"code": "#" * 9_000})[0] == 200
    status, answer = small.ask("/run_code", {"code": "#" * 10_000})
    assert status == 413
    assert "10000" in answer["fault"]


def test_it_is_refused_before_it_is_sent(small: Any) -> None:
    with small.connect() as connection:
        connection.sendall(HEAD + b"content-length: 10001\r\n\r\n")
        assert status_of(everything(connection)) == 413


def test_a_client_that_asks_first_is_told_first(small: Any) -> None:
    with small.connect() as connection:
        connection.sendall(HEAD + b"expect: 100-continue\r\ncontent-length: 20000\r\n\r\n")
        assert status_of(everything(connection)) in (100, 413)


@pytest.mark.parametrize("chunk", [10, 100, 5_000])
def test_a_body_without_a_length_is_held_to_the_cap(small: Any, chunk: int) -> None:
    piece = b"%x\r\n%s\r\n" % (chunk, b" " * chunk)
    with small.connect() as connection:
        connection.sendall(HEAD + b"transfer-encoding: chunked\r\n\r\n")
        connection.sendall(piece * (15_000 // chunk))
        assert status_of(everything(connection)) == 413


def test_a_body_in_chunks_is_a_body(small: Any) -> None:
    body = json.dumps(JOB).encode()
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    with small.connect() as connection:
        head = HEAD + b"transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        connection.sendall(head + chunks)
        answer = everything(connection)
    assert status_of(answer) == 200
    assert b"42" in answer


@pytest.mark.parametrize(
    "headers",
    [
        b"content-length: 5\r\ncontent-length: 6\r\n",
        b"content-length: -1\r\n",
        b"content-length: 5x\r\n",
        b"content-length: 99999999999999999999999999\r\n",
        b"transfer-encoding: gzip, chunked\r\n",
        b"transfer-encoding: xchunked\r\n",
        b"transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n",
        b"content-length : 5\r\n",
        b" folded: 1\r\n",
        b"x\r\n",
    ],
)
def test_a_body_whose_extent_is_in_doubt_is_refused(small: Any, headers: bytes) -> None:
    """Else a proxy in front could read another request out of it than this server does."""
    with small.connect() as connection:
        connection.sendall(HEAD + headers + b"\r\n12345")
        assert status_of(everything(connection)) in (400, 413, 415, 501)


def test_a_body_with_a_length_and_chunks_ends_the_connection(small: Any) -> None:
    body = json.dumps(JOB).encode()
    smuggled = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with small.connect() as connection:
        both = b"content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n"
        chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        connection.sendall(HEAD + both + chunk + smuggled)
        answer = everything(connection)
    assert status_of(answer) == 400
    assert answer.count(b"HTTP/1.1") == 1, "what followed was taken for a request"


def test_headers_without_end_are_refused(small: Any) -> None:
    with small.connect() as connection:
        try:
            for _ in range(1000):
                connection.sendall(b"GET / HTTP/1.1\r\nx: " + b"y" * 1000)
        except (BrokenPipeError, ConnectionResetError):
            return
        assert status_of(everything(connection)) == 400


def test_all_bodies_together_are_held_to_their_cap(small: Any) -> None:
    """Each is below its own; so many unfinished ones hold no more than `held_bytes`."""
    waiting = [small.connect() for _ in range(5)]
    for connection in waiting:
        connection.sendall(HEAD + b"content-length: 9500\r\n\r\n" + b" " * 9000)
    assert small.metric("sandbox_held_bytes") < 40_000
    answers = [everything(connection) for connection in waiting]
    assert {status_of(answer) for answer in answers} == {408, 504}
    assert small.ask("/run_code", JOB)[0] == 200


# -- slow clients


@pytest.mark.parametrize("sent", [b"", b"POST /run_code HT", HEAD], ids=["none", "line", "headers"])
def test_a_client_that_does_not_finish_its_headers_is_let_go(small: Any, sent: bytes) -> None:
    with small.connect() as connection:
        connection.sendall(sent)
        begun = time.monotonic()
        assert everything(connection) == b""
        assert 0.5 < time.monotonic() - begun < 5


def test_a_client_that_dribbles_its_headers_is_let_go(small: Any) -> None:
    with small.connect() as connection:
        assert dribbled_seconds(connection) < 5


def test_the_same_on_a_connection_that_had_an_answer(small: Any) -> None:
    with small.connect() as connection:
        connection.sendall(b"GET /v1/ping HTTP/1.1\r\nhost: localhost\r\n\r\n")
        answer = b""
        while b"pong" not in answer:
            answer += connection.recv(1 << 16)
        assert dribbled_seconds(connection) < 5


def test_a_client_that_dribbles_its_body_is_told_so(small: Any) -> None:
    with small.connect() as connection:
        connection.sendall(HEAD + b"content-length: 5000\r\n\r\n{")
        begun = time.monotonic()
        answer = everything(connection)
        assert status_of(answer) == 408
        assert time.monotonic() - begun < 5


def test_a_client_that_takes_no_answer_is_let_go_and_nothing_is_held_for_it(small: Any) -> None:
    body = json.dumps({"code": "print('x' * (15 << 20))"}).encode()
    with small.connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(HEAD + b"content-length: %d\r\n\r\n" % len(body) + body)
        deadline = time.monotonic() + 20
        taken = 8 << 20  # by the buffers of sockets, at most
        while small.metric("sandbox_held_bytes") < (15 << 20) - taken:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert small.ask("/run_code", JOB)[0] == 504  # it holds more than the cap
        while small.metric("sandbox_held_bytes") > 0 and time.monotonic() < deadline:
            time.sleep(0.05)
    assert small.metric("sandbox_held_bytes") == 0
    assert small.ask("/run_code", JOB)[0] == 200


def test_a_client_that_takes_its_answer_slowly_gets_all_of_it(small: Any) -> None:
    body = json.dumps({"code": "print('x' * (1 << 20))"}).encode()
    with small.connect() as connection:
        connection.sendall(HEAD + b"connection: close\r\n")
        connection.sendall(b"content-length: %d\r\n\r\n" % len(body) + body)
        count = 0
        while part := connection.recv(1 << 14):
            count += part.count(b"x")
            time.sleep(0.02)
    assert count >= 1 << 20
