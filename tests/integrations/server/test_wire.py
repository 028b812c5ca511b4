"""JSON is read strictly, and written so that every client can read it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.integrations.server.bodies.strict_json import NotJson, read_json, write_json


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "Expecting value"),
        (b"{", "character"),
        (b'{"code": "x"} trailing', "Extra data"),
        (b"NaN", "NaN"),
        (b'{"a": [-Infinity]}', "Infinity"),
        (b"1e999", "beyond"),
        (b'{"code": "a", "code": "b"}', "twice"),
        (b'{"a": {"b": 1, "b": 1}}', "twice"),
        (b"9" * 4301, "digits"),
        (b"-" + b"9" * 4301, "digits"),
        (b"[" * 100_000, "deep"),
        (b"[" * 300 + b"]" * 300, "deep"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "deep"),
        (lambda: b"[" + b"0," * 1_000_001 + b"0]", "values"),
        (lambda: b"[" + b"[]," * 1_000_001 + b"0]", "values"),
        (lambda: b"[" + b'{"a":0},' * 1_000_001 + b"0]", "values"),
        (lambda: b'["\\\\' + b'",",' * 1_000_001 + b"0]", "values"),
        (lambda: b'"' + b'\\"' * 4_000_000, "Unterminated"),
        (lambda: b'"' + b'\\"' * 4_000_000 + b"," * 2_000_000 + b"\\", "Unterminated|escape"),
        (b'"\xff"', "UTF-8"),
        (b'"\xed\xa0\x80"', "UTF-8"),
        ('"é"'.encode("utf-16"), "UTF-8"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b"'x'", "character"),
    ],
    ids=lambda value: "long" if callable(value) else repr(value[:20]),
)
def test_what_two_readers_could_take_differently_is_refused(
    body: bytes | Callable[[], bytes], reason: str
) -> None:
    data = body() if callable(body) else body  # long ones are not kept for the whole run
    with pytest.raises(NotJson, match=reason):
        read_json(data)


@pytest.mark.parametrize(
    "value",
    [None, {"a": [1, -2.5, True, "é \ud800 \0"]}, 10**4299, [[[[]]]], "\U0001f600", 1e308],
)
def test_what_is_written_reads_back(value: Any) -> None:
    text = write_json(value)
    assert text.isascii()
    assert read_json(text) == value == json.loads(text)


@pytest.mark.parametrize(("piece", "end"), [(",", ""), ('"[{,', ""), ("\\", ",[" * 10)])
def test_what_stands_in_strings_is_not_counted(piece: str, end: str) -> None:
    text = piece * 2_000_000 + end
    assert read_json(json.dumps({"stdin": text, "code": text}).encode()) == {
        "stdin": text,
        "code": text,
    }


def test_nesting_up_to_what_a_job_can_have_is_read() -> None:
    assert read_json(b"[" * 240 + b"]" * 240)


def test_nan_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_json(float("nan"))


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"code": NaN}', b"[]", b"null", b'"code"', b'{"code": 1, "code": 2}']
)
def test_the_server_answers_hostile_json_and_stays(server: Any, body: bytes) -> None:
    for path in ("/run_code", "/execute", "/execute_batch", "/get_reward"):
        status, answer = server.ask(path, raw=body)
        assert status in (400, 422), (path, answer)
        assert set(answer) == {"fault"}
        assert len(answer["fault"]) < 3000
    assert server.run_code("print(1)")["status"] == "Success"


def test_a_wrong_body_is_not_repeated_in_the_answer(server: Any) -> None:
    status, answer = server.ask("/execute", {"code": 1, "x" * 5000: "secret" * 1000})
    assert status == 422
    assert "secret" not in answer["fault"]
    assert len(answer["fault"]) < 1000
