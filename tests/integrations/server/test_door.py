"""Who may come in, and how much of what a client sends is taken."""

import base64
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.integrations.server.settings import Settings, read_token

TOKEN = "correct-horse-battery-staple"
JOB = {"code": "print(6 * 7)"}
HEAD = b"POST /run_code HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"


@pytest.fixture(name="guarded", scope="module")
def _guarded(request: Any) -> Iterator[Any]:
    from .conftest import running

    with running(workers=1, token=TOKEN) as server:
        yield server


@pytest.fixture(name="small", scope="module")
def _small(request: Any) -> Iterator[Any]:
    from .conftest import running

    bounds = {"body_bytes": 10_000, "held_bytes": 40_000, "read_seconds": 1.0}
    with running(workers=1, **bounds) as server:
        yield server


def everything(connection: socket.socket) -> bytes:
    """What comes until the other side closes."""
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def dribbled_seconds(connection: socket.socket) -> float:
    """How long the server lets a client send one letter after the other."""
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 10:
            connection.sendall(b"G")
            time.sleep(0.05)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return time.monotonic() - begun


def status_of(answer: bytes) -> int:
    found = re.match(rb"HTTP/1\.1 (\d+) ", answer)
    assert found, answer[:200]
    return int(found[1])


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


# -- tokens


@pytest.mark.parametrize(
    "header",
    [f"Bearer {TOKEN}", f"bearer  {TOKEN} ", basic(f"any:{TOKEN}"), basic(f":{TOKEN}")],
)
def test_the_token_lets_in(guarded: Any, header: str) -> None:
    status, answer = guarded.ask("/run_code", JOB, headers={"authorization": header})
    assert (status, answer["run_result"]["stdout"]) == (200, "42\n")


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN} {TOKEN}",
        TOKEN,
        f"Token {TOKEN}",
        basic(TOKEN),
        basic(f"{TOKEN}:"),
        "Basic not-base64!",
        "Basic",
        "Bearer \xff\xfe",
    ],
)
def test_anything_else_does_not(guarded: Any, header: str | None) -> None:
    headers = {} if header is None else {"authorization": header.encode("latin-1")}
    status, answer = guarded.ask("/run_code", JOB, headers=headers)
    assert (status, set(answer)) == (401, {"fault"})
    assert TOKEN not in answer["fault"]


def test_two_tokens_are_none(guarded: Any) -> None:
    with guarded.connect() as connection:
        both = f"authorization: Bearer {TOKEN}\r\n".encode() * 2
        connection.sendall(b"GET /metrics HTTP/1.1\r\nhost: x\r\n" + both + b"\r\n")
        assert status_of(everything(connection)) == 401


@pytest.mark.parametrize("path", ["/metrics", "/execute", "/get_reward", "/nothing", "//run_code"])
def test_every_path_but_the_open_ones_asks_for_the_token(guarded: Any, path: str) -> None:
    assert guarded.ask(path)[0] == 401


@pytest.mark.parametrize("path", ["/v1/ping", "/healthz", "/docs", "/openapi.json"])
def test_the_open_paths_are_open(guarded: Any, path: str) -> None:
    assert guarded.ask(path)[0] == 200


def test_a_server_for_others_without_a_token_does_not_start() -> None:
    with pytest.raises(ValueError, match="SANDBOX_TOKEN"):
        Settings(host="0.0.0.0")
    assert Settings(host="0.0.0.0", token=TOKEN).token == TOKEN
    for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9"):
        assert Settings(host=host).token == ""


def test_the_command_refuses_it_with_what_to_do() -> None:
    arguments = ["-m", "sandbox.cli", "serve", "--host", "0.0.0.0"]
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "--token-file" in done.stderr


def test_a_token_is_read_from_a_file_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    assert read_token(file) == TOKEN
    monkeypatch.setenv("SANDBOX_TOKEN", TOKEN)
    assert read_token(None) == TOKEN
    for wrong in ("", "two words are none", "umläute-and-so-on-and-so"):
        file.write_text(wrong)
        with pytest.raises(ValueError, match="token"):
            read_token(file)
    with pytest.raises(ValueError, match="16"):
        Settings(token="short")


# -- without a token


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:80", "[::1]:9", "10.1.2.3"])
def test_a_host_asked_for_by_its_address_answers(server: Any, host: str) -> None:
    assert server.ask("/run_code", JOB, headers={"host": host})[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:80", "127.0.0.1.x", ""])
def test_a_page_cannot_reach_it_under_another_name(server: Any, host: str) -> None:
    assert server.ask("/run_code", JOB, headers={"host": host})[0] == 421


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "json"])
def test_a_body_that_a_page_could_send_unasked_is_refused(server: Any, kind: str) -> None:
    assert server.ask("/run_code", JOB, headers={"content-type": kind})[0] == 415


def test_a_charset_beside_the_content_type_is_fine_and_an_encoding_is_not(server: Any) -> None:
    kind = {"content-type": "Application/JSON; charset=utf-8"}
    assert server.ask("/run_code", JOB, headers=kind)[0] == 200
    assert server.ask("/run_code", JOB, headers={"content-encoding": "gzip"})[0] == 415


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/run_code", 405),
        ("PUT", "/execute", 405),
        ("GET", "/", 404),
        ("POST", "/run_code/", 404),
        ("GET", "/docs/../../etc/passwd", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", "/docs%00", 404),
    ],
)
def test_what_is_not_there_is_not_there(server: Any, method: str, path: str, status: int) -> None:
    body = JOB if method in ("POST", "PUT") else None
    assert server.ask(path, body, method=method)[0] == status


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
    deadline = time.monotonic() + 5
    codes: set[int] = set()
    while 504 not in codes and time.monotonic() < deadline:
        codes.add(small.ask("/run_code", JOB)[0])
    for connection in waiting:
        connection.close()
    assert 504 in codes
    time.sleep(0.2)
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
        while small.metric("sandbox_held_bytes") < 15 << 20 and time.monotonic() < deadline:
            time.sleep(0.05)
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
