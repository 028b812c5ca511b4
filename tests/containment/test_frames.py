"""A native guest forges, floods, truncates, closes and holds its only channel to the caller."""

import resource
import time
from collections.abc import Callable, Iterator

import pytest

from sandbox import Policy, Result, Sandbox, Status

Native = Callable[..., Result]

# What it does to the pipe: (code, status, words in the message).
BROKEN = {
    "garbage": ("os.write(4, b'\\xff' * 4096)", Status.VIOLATION, "unexpected frame type"),
    "a frame of the supervisor": (
        "os.write(4, frame(b'H', b'x'))", Status.VIOLATION, "unexpected frame type",
    ),
    "code where none was asked for": (
        "os.write(4, frame(b'B', b'x'))", Status.VIOLATION, "unexpected frame type",
    ),
    "a request outside of a session": (
        "os.write(4, frame(b'Q', b'[]'))", Status.VIOLATION, "unexpected frame type",
    ),
    "an output frame over the cap": (
        "os.write(4, frame(b'O', b'', 0x7FFFFFFF))", Status.VIOLATION, "exceeds its cap",
    ),
    "a final frame over the cap": (
        "os.write(4, frame(b'Z', b'', 0xFFFFFFFF))", Status.VIOLATION, "exceeds its cap",
    ),
    "a final frame that is not JSON": (
        "os.write(4, frame(b'Z', b'OK'))\nos._exit(0)", Status.VIOLATION, "final frame",
    ),
    "a final frame nested without end": (
        "os.write(4, frame(b'Z', b'[' * 900000))\nos._exit(0)", Status.VIOLATION, "value_depth",
    ),
    "a final frame without the key": (
        "whole = final()\nos.write(4, whole[:5] + bytes(16) + whole[21:])\nos._exit(0)",
        Status.VIOLATION, "without the key",
    ),
    "an unknown status": (
        "os.write(4, final(status='PERFECT'))\nos._exit(0)", Status.VIOLATION, "final frame",
    ),
    "a status that is no text": (
        "os.write(4, final(status=[]))\nos._exit(0)", Status.VIOLATION, "final frame",
    ),
    "figures that are not finite": (
        "os.write(4, final(cpu=float('nan')))\nos._exit(0)", Status.VIOLATION, "final frame",
    ),
    "figures without end": (
        "os.write(4, frame(b'Z', b'{\"peak\":' + b'9' * 9999))\nos._exit(0)",
        Status.VIOLATION, "final frame",
    ),
    "one key too many": (
        "os.write(4, final(reward=1))\nos._exit(0)", Status.VIOLATION, "final frame",
    ),
    "half a header, then the end": ("os.write(4, b'Z\\0')\nos._exit(0)", Status.ERROR, "exit:"),
    "half a final frame, then the end": (
        "os.write(4, final()[:-1])\nos._exit(0)", Status.ERROR, "exit:",
    ),
    "nothing, then the end": ("os._exit(0)", Status.ERROR, "exit:"),
    "an exit status of the child's own": ("os._exit(97)", Status.ERROR, "status 97"),
    "another one of its own": ("os._exit(98)", Status.ERROR, "status 98"),
    "a final frame, then a forbidden call": (
        "os.write(4, final())\ncall(62, 1, 9)", Status.VIOLATION, "system call",
    ),
    "a final frame, then a crash": (
        "os.write(4, final())\nctypes.string_at(8)", Status.CRASHED, "SIGSEGV",
    ),
    "the pipe closed, then the end": ("os.close(4)\nos._exit(0)", Status.ERROR, "exit:"),
    "the pipe closed, then a long rest": (
        "import time\nos.close(4)\ntime.sleep(50)", Status.VIOLATION, "closed its result pipe",
    ),
    "the pipe closed, then work without end": (
        "os.close(4)\nwhile True: pass", Status.VIOLATION, "closed its result pipe",
    ),
    "empty frames without end": (
        "many = frame(b'O', b'') * 8000\nwhile True: os.write(4, many)",
        Status.VIOLATION, "more output frames",
    ),
    "tiny frames without end": (
        "many = frame(b'O', b'x') * 8000\nwhile True: os.write(4, many)",
        Status.VIOLATION, "more output frames",
    ),
    "a flood of output": (
        "many = frame(b'O', b'x' * 65536)\nwhile True: os.write(4, many)",
        Status.VIOLATION, "exceeds its cap",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_stream_has_the_right_verdict_and_does_not_raise(
    native: Native, what: str
) -> None:
    code, status, words = BROKEN[what]
    started = time.monotonic()
    result = native(code)
    assert (result.status, result.output) == (status, "")
    assert words in result.error
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("then", ["os._exit(0)", "import time\ntime.sleep(50)", "while True: pass"])
def test_the_first_final_frame_wins_and_ends_the_job(native: Native, then: str) -> None:
    code = f"""
os.write(4, final(status="ERROR", error="the first") + final(value="the second"))
os.write(4, final(value="the third"))
{then}
"""
    started = time.monotonic()
    result = native(code)
    assert (result.status, result.error, result.value) == (Status.ERROR, "the first", None)
    assert time.monotonic() - started < 5


def test_figures_that_a_guest_forges_are_not_believed(native: Native) -> None:
    code = "sum(range(3_000_000))\nos.write(4, final(cpu=0.0, peak=0))\nos._exit(0)"
    result = native(code)
    assert result.measured == "kernel"
    assert result.cpu_seconds > 0.02


def test_a_forged_message_can_be_written_to_a_file(native: Native) -> None:
    code = "os.write(4, final(status='ERROR', error='\\ud800', traceback='\\udfff'))\nos._exit(0)"
    result = native(code)
    assert result.status is Status.ERROR
    (result.error + result.traceback).encode("utf-8")


def test_a_flood_costs_the_caller_no_memory(native: Native) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    native("many = frame(b'O', b'') * 12000\nwhile True: os.write(4, many)")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 64 << 10  # KiB


def test_a_guest_that_never_stops_writing_does_not_hold_the_caller(native: Native) -> None:
    """The deadline is looked at while bytes pour in: a frame of 1 MiB, byte by byte, for ever."""
    code = "os.write(4, frame(b'O', b'', 1 << 20))\nimport time\n" + (
        "while True:\n    os.write(4, b'x')\n    time.sleep(0.001)"
    )
    started = time.monotonic()
    result = native(code, wall_seconds=0.5)
    assert result.status is Status.WALL_LIMIT
    assert time.monotonic() - started < 5


def test_what_was_printed_before_is_kept_and_a_stream_of_its_own_follows(native: Native) -> None:
    result = native("print('before', flush=True)\nos.write(4, frame(b'?', b''))")
    assert result.status is Status.VIOLATION
    assert native("print('honest')").output == "honest\n"


@pytest.fixture
def session() -> Iterator[Sandbox]:
    with Sandbox(Policy.load("kernel-only").replaced(services=True), workers=1) as sandbox:
        yield sandbox


def test_a_session_takes_one_request_at_a_time(native: Native, session: Sandbox) -> None:
    asked: list[int] = []
    services = {"ask": asked.append}
    honest = session.run("ask(1); ask(2)", services=services)
    assert (honest.status, asked) == (Status.OK, [1, 2])
    request = """frame(b'Q', b'["ask", [3], {}]')"""
    flood = f"many = {request} * 3000\nwhile True: os.write(4, many)"
    started = time.monotonic()
    result = native(flood, sandbox=session, services=services)
    assert (result.status, result.error) == (
        Status.VIOLATION,
        "violation: a second request before the answer to the first",
    )
    assert len(asked) <= 3
    assert time.monotonic() - started < 5


def test_the_sandbox_goes_on_after_every_broken_stream(kernel_only: Sandbox) -> None:
    codes = [f"import os\nos._exit({n})" for n in (0, 1, 97, 98, 99, 255)]
    results = [kernel_only.run(code) for code in codes]
    assert {result.status for result in results} == {Status.ERROR}
    assert kernel_only.run("print('well')").output == "well\n"
