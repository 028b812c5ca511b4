"""Requests of a guest that writes them itself: bounded, and no harm to caller or supervisor."""

import pytest

from sandbox import Policy, Sandbox, Status
from sandbox.runtime.wire import trusted_json

NATIVE = """
import ctypes, struct
write = ctypes.CDLL(None).write
def ask(payload):
    frame = struct.pack("<cI", b"Q", len(payload)) + payload
    while frame:
        frame = frame[max(write(4, frame, len(frame)), 0):]
{body}
"""


@pytest.mark.parametrize(
    "payload",
    [b"[", b"{}", b'["missing",[],{}]', b'[["f"],[],{}]', b"[" * 90, b'["f",{},[]]', b"\\xff"],
)
def test_a_forged_request_is_answered_with_an_error_and_harms_nobody(payload):
    policy = Policy.load("kernel-only").replaced(name="native-serving", services=True)
    body = f"ask({payload!r})\nprint('on')"
    with Sandbox(policy, workers=1) as sandbox:
        result = sandbox.run(NATIVE.format(body=body), services={"f": lambda: 1})
        assert result.output == "on\n"
        assert sandbox.run("print(1)").ok


def test_a_request_without_a_session_breaks_the_protocol(native):
    result = native.run(NATIVE.format(body="ask(b'[\"f\",[],{}]')"))
    assert result.status is Status.VIOLATION


UNREAD = """
import time
read, byte = ctypes.CDLL(None).read, ctypes.create_string_buffer(1)
while True:
    ask(b'["big",[],{}]')
    read(3, byte, 1)  # the answer has begun
    time.sleep(0.2)  # so that no two requests come at once
"""


def test_who_asks_again_before_it_has_read_the_answer_is_ended():
    """Else the caller would keep each answer, as many as the wall limit lets it ask for."""
    calls = []

    def big():
        calls.append(1)
        return "x" * (4 << 20)

    with Sandbox(native_serving(wall_seconds=10.0), workers=1) as sandbox:
        result = sandbox.run(NATIVE.format(body=UNREAD), services={"big": big})
    assert result.status is Status.VIOLATION
    assert "before the answer to the first" in result.error
    assert len(calls) == 1


def test_who_reads_each_answer_asks_as_often_as_it_likes(serving):
    code = "print([len(big()) for _ in range(8)])"
    result = serving.run(code, services={"big": lambda: "x" * (4 << 20)})
    assert result.output == f"{[4 << 20] * 8}\n"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (
            "ask(b'[\"f\",[' + b'[],' * 600 + b'1],{}]')",
            "value_items: the value has more than 1000",
        ),
        ("ask(b'[' * 30_000)", "value_items"),
        ("ask(b'[\"f\",' + b'[' * 20 + b']' * 20 + b',{}]')", "value_depth: the value is nested"),
    ],
)
def test_a_request_beyond_the_bounds_ends_the_guest_and_is_never_parsed(body, named, monkeypatch):
    read = []
    monkeypatch.setattr(trusted_json.json, "loads", lambda text, **_: read.append(text))
    with Sandbox(native_serving(value_items=1000, value_depth=20), workers=1) as sandbox:
        result = sandbox.run(NATIVE.format(body=body), services={"f": lambda *_: 1})
    assert result.status is Status.VIOLATION
    assert named in result.error
    assert read == []


def native_serving(**limits):
    policy = Policy.load("kernel-only").replaced(name="native-serving", services=True)
    return policy.tightened(**limits)


def test_a_guest_that_asks_without_end_meets_its_wall_limit(native):
    """Though each answer is there at once: what it asks is read in its own time."""
    body = "request = b'[\"f\",[' + b'1,' * 200_000 + b'1],{}]'\nwhile True:\n    ask(request)"
    body += "\n    while read(3, room, 4096) < 1: pass"
    code = NATIVE.format(body=body).replace(
        "def ask", "read, room = ctypes.CDLL(None).read, ctypes.create_string_buffer(4096)\ndef ask"
    )
    with Sandbox(native_serving(wall_seconds=1.0), workers=1) as sandbox:
        result = sandbox.run(code, services={"f": lambda *_: None})
    assert result.status is Status.WALL_LIMIT
