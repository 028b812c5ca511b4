"""The frame of a file: capped, named by rules, asked for, and never more than the limits."""

import itertools
import signal

import pytest

from sandbox import Policy, Status
from sandbox.job import Job
from sandbox.runtime.caller.submission import Terms, submit
from sandbox.runtime.executions.record import ExecutionRecord, Exit
from sandbox.runtime.executions.verdict import Setting, judge
from sandbox.runtime.wire import files, protocol
from sandbox.runtime.wire.protocol import FILE, HEADER, Caps, FrameReader, ProtocolError

TERMS = Terms(
    Policy.load("contest").plan(),
    Setting(policy="contest", layers=(), resident_bytes=0),
    wait_for_exit=False,
)


def submission(*fetch, **limits):
    return submit(Job("", fetch=list(fetch), limits=limits), TERMS)


def frame(payload, kind=FILE):
    return HEADER.pack(kind, len(payload)) + payload


def test_a_file_crosses_as_it_is():
    record = ExecutionRecord()
    record.take_file(files.packed("d/é.bin", b"\x00\xff"), submission("d/*"))
    assert record.files == {"d/é.bin": b"\x00\xff"}


@pytest.mark.parametrize(
    "payload",
    [
        *(b"", b"\x01", b"\xff\xff", b"\x05\x00ab", b"\x00\x00content"),
        *(files.packed(name, b"x") for name in ("../x", "/etc/x", "a\nb", "a//b", "a" * 300, ".")),
        *(b"\x01\x00\xffx", b"\x02\x00\xc3(x"),
    ],
)
def test_a_payload_that_no_honest_child_sends_breaks_the_protocol(payload):
    with pytest.raises(ProtocolError):
        ExecutionRecord().take_file(payload, submission("**"))


def test_a_file_that_was_not_asked_for_breaks_the_protocol():
    record = ExecutionRecord()
    asked = submission("out/*")
    for name in ("in/a", "out", "out/a/b", "out/.hidden"):
        with pytest.raises(ProtocolError, match="not asked for"):
            record.take_file(files.packed(name, b""), asked)
    record.take_file(files.packed("out/a", b"1"), asked)
    with pytest.raises(ProtocolError, match="not asked for"):  # twice
        record.take_file(files.packed("out/a", b"2"), asked)
    assert record.files == {"out/a": b"1"}


def test_more_files_or_bytes_than_the_limits_break_the_protocol():
    record, asked = ExecutionRecord(), submission("*", files_count=2)
    for name in ("a", "b"):
        record.take_file(files.packed(name, b""), asked)
    with pytest.raises(ProtocolError, match="more files than"):
        record.take_file(files.packed("c", b""), asked)
    record, asked = ExecutionRecord(), submission("*", files_kib=1)
    record.take_file(files.packed("a", bytes(1024)), asked)
    with pytest.raises(ProtocolError, match="more files than"):
        record.take_file(files.packed("b", b"x"), asked)


def test_a_frame_is_illegal_in_a_job_that_fetches_nothing():
    caps = submit(Job(""), TERMS).caps
    assert caps.files == 0
    with pytest.raises(ProtocolError, match="unexpected frame type"):
        FrameReader(caps).feed(frame(files.packed("a", b"")))


def test_the_cap_holds_for_all_frames_together_and_before_a_payload_is_held():
    reader = FrameReader(Caps(output=10, final=10, files=100))
    assert len(reader.feed(frame(bytes(60)))) == 1
    with pytest.raises(ProtocolError, match="exceeds its cap"):
        reader.feed(HEADER.pack(FILE, 41))
    with pytest.raises(ProtocolError, match="exceeds its cap"):
        FrameReader(Caps(output=10, final=10, files=100)).feed(HEADER.pack(FILE, 1 << 31))


def test_all_that_the_limits_allow_fits_into_the_cap():
    asked = submission("**", files_kib=1, files_count=2)
    name = "/".join(["x" * 127] * 8)
    content = bytes(512)
    reader = FrameReader(asked.caps)
    record = ExecutionRecord()
    for first in "ab":
        payload = files.packed(first + name[1:], content)
        for _, got in reader.feed(frame(payload)):
            record.take_file(got, asked)
    assert len(record.files) == 2


def test_a_violation_has_no_files():
    record = ExecutionRecord()
    asked = submission("*")
    record.take_file(files.packed("a", b"x"), asked)
    record.broke_protocol = "told"
    assert judge(record, asked.limits, TERMS.setting, "job").files == {}


def test_matching_takes_the_product_of_both_lengths_at_most():
    name = "/".join(["a" * 60] * 8)
    assert not files.is_named(name, ["/".join(["**"] * 60) + "/b"])
    assert not files.is_named("a" * 250, ["*a" * 100 + "b"])
    assert files.is_named(name, ["/".join(["**", "a*"] * 8)])


def test_any_parts_are_none_or_some_and_none_that_is_hidden():
    """Against the rule as it is said, for all short names and patterns."""

    def said(pattern, parts):
        if not pattern:
            return not parts
        if pattern[0] != "**":
            here = parts and (pattern[0] == parts[0] or (pattern[0] == "*" and parts[0] != ".h"))
            return bool(here) and said(pattern[1:], parts[1:])
        rest = said(pattern[1:], parts)
        return rest or (bool(parts) and parts[0] != ".h" and said(pattern, parts[1:]))

    for pattern in itertools.chain(
        *(itertools.product(("**", "*", "a"), repeat=n) for n in range(1, 5))
    ):
        for parts in itertools.chain(
            *(itertools.product(("a", "b", ".h"), repeat=n) for n in range(1, 5))
        ):
            wanted = said(list(pattern), list(parts))
            assert files.is_named("/".join(parts), ["/".join(pattern)]) == wanted, (pattern, parts)


@pytest.mark.parametrize(
    ("said", "cpu", "status"),
    [
        ("OK", 0.1, Status.OK),
        ("ERROR", 0.1, Status.ERROR),
        ("MEMORY_LIMIT", 0.1, Status.MEMORY_LIMIT),  # said behind a part of them, maybe
        ("OK", 99.0, Status.CPU_LIMIT),
        (None, 99.0, Status.CPU_LIMIT),
    ],
)
def test_files_come_back_with_the_programs_own_word_alone(said, cpu, status):
    """A process that is ended as it sends them has sent a part of them."""
    final = f'{{"status":"{said}","cpu":{cpu},"peak":0,"error":"","traceback":"","value":null}}'
    record = ExecutionRecord(final=final.encode() if said else None, fed=True)
    if said is None:
        record.exit = Exit(protocol.BY_CPU, signal.SIGKILL, cpu, 0)
    asked = submission("*")
    record.take_file(files.packed("a", b"1"), asked)
    result = judge(record, asked.limits, TERMS.setting, "job")
    kept = {"a": b"1"} if status in (Status.OK, Status.ERROR) else {}
    assert (result.status, result.files) == (status, kept)
