"""The server lets in only the clients that may come in."""

import base64
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.integrations.server.settings import Settings, read_tokens

from .raw import JOB, everything, status_of

TOKEN = "correct-horse-battery-staple"


@pytest.fixture(name="guarded", scope="module")
def _guarded(request: Any) -> Iterator[Any]:
    from .conftest import running

    with running(workers=1, tokens=(TOKEN,)) as server:
        yield server


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


@pytest.mark.parametrize(
    "path", ["/metrics", "/execute", "/get_reward", "/score", "/nothing", "//run_code"]
)
def test_every_path_but_the_open_ones_asks_for_the_token(guarded: Any, path: str) -> None:
    assert guarded.ask(path)[0] == 401


@pytest.mark.parametrize("path", ["/v1/ping", "/healthz", "/docs", "/openapi.json"])
def test_the_open_paths_are_open(guarded: Any, path: str) -> None:
    assert guarded.ask(path)[0] == 200


def test_a_server_for_others_without_a_token_does_not_start() -> None:
    with pytest.raises(ValueError, match="SANDBOX_TOKEN"):
        Settings(host="0.0.0.0")
    assert Settings(host="0.0.0.0", tokens=(TOKEN,)).tokens == (TOKEN,)
    for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9"):
        assert Settings(host=host).tokens == ()


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
    assert read_tokens(file) == (TOKEN,)
    monkeypatch.setenv("SANDBOX_TOKEN", TOKEN)
    assert read_tokens(None) == (TOKEN,)
    file.write_text(f"{TOKEN}\n\n{TOKEN}-2\n")
    assert read_tokens(file) == (TOKEN, f"{TOKEN}-2")
    for wrong in ("", "two words are none", "umläute-and-so-on-and-so", f"{TOKEN}\n{TOKEN}"):
        file.write_text(wrong)
        with pytest.raises(ValueError, match="token"):
            read_tokens(file)
    with pytest.raises(ValueError, match="16"):
        Settings(tokens=("short",))


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
