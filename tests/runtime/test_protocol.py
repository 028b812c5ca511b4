"""The frame protocol and plain data: what crosses, what is refused, and that nothing is trusted."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import Policy, Status
from sandbox.runtime.executions.record import ExecutionRecord, Printed
from sandbox.runtime.executions.verdict import Setting, judge
from sandbox.runtime.wire import protocol, trusted_json, untrusted_json
from sandbox.runtime.wire.protocol import (
    ASK,
    CODE,
    ERRORS,
    FINAL,
    OUTPUT,
    Caps,
    FrameReader,
    ProtocolError,
    frame,
    most_frames,
)
from sandbox.runtime.wire.untrusted_json import Bounds

CAPS = Caps(output=100, final=50)
MOST, SMALL = Bounds(1 << 20, 10_000, 200), Bounds(1000, 1000, 200)
frames = st.lists(st.binary(max_size=20).map(lambda data: (OUTPUT, data)), max_size=5)


@given(frames, st.binary(max_size=50), st.lists(st.integers(1, 40), max_size=40))
def test_any_cutting_of_the_stream_gives_the_same_frames(sent, final, cuts):
    sent = [*sent, (FINAL, final)]
    stream = b"".join(frame(kind, data) for kind, data in sent)
    reader, got = FrameReader(CAPS), []
    for cut in cuts:
        got += reader.feed(stream[:cut])
        stream = stream[cut:]
    got += reader.feed(stream)
    printed = Printed()
    for kind, data in got[:-1]:
        assert kind == OUTPUT
        printed.add(data)
    whole = b"".join(data for _, data in sent[:-1])
    assert (printed.text(), printed.size) == (whole.decode("utf-8", "replace"), len(whole))
    assert got[-1] == (FINAL, final)
    assert reader.finished


def test_output_is_handed_on_as_it_comes():
    reader = FrameReader(CAPS)
    stream = frame(OUTPUT, b"x" * 90)
    assert reader.feed(stream[:20]) == [(OUTPUT, b"x" * 15)]
    assert reader.feed(stream[20:]) == [(OUTPUT, b"x" * 75)]
    with pytest.raises(ProtocolError):
        reader.feed(frame(OUTPUT, b"x" * 11))


@given(st.binary(max_size=300))
def test_garbage_is_refused_or_waited_for_and_never_held_beyond_the_caps(data):
    reader = FrameReader(CAPS)
    try:
        got = reader.feed(data)
    except ProtocolError:
        return
    assert sum(len(payload) for kind, payload in got if kind == OUTPUT) <= CAPS.output
    assert all(kind in (OUTPUT, FINAL) for kind, _ in got)


def test_nothing_after_the_first_final_frame_is_read():
    reader = FrameReader(CAPS)
    got = reader.feed(frame(FINAL, b"first") + frame(FINAL, b"second") + b"garbage")
    assert got == [(FINAL, b"first")]
    assert reader.feed(frame(FINAL, b"third")) == []


def test_frames_of_output_are_counted():
    """A program that flushes for a long time sends many; without end none is honest."""
    reader = FrameReader(Caps(output=100, final=50, frames=3))
    assert len(reader.feed(frame(OUTPUT, b"x") * 3)) == 3
    with pytest.raises(ProtocolError, match="more output frames"):
        reader.feed(frame(OUTPUT, b"x"))
    flushes = 2 * 1000 * 600  # each of both streams
    assert flushes < most_frames(1 << 20, 600.0) < flushes + 70_000 + (1 << 12)


@pytest.mark.parametrize(
    "data",
    [
        frame(FINAL, b"x" * 51),
        frame(OUTPUT, b"x" * 101),
        frame(OUTPUT, b"x" * 60) + frame(OUTPUT, b"x" * 41),
        frame(CODE, b""),
        frame(ERRORS, b""),
        frame(b"?", b""),
        protocol.HEADER.pack(FINAL, 0xFFFFFFFF),
    ],
)
def test_an_unknown_or_oversized_frame_is_refused_from_its_header(data):
    with pytest.raises(ProtocolError):
        FrameReader(CAPS).feed(data)


BOTH = Caps(output=100, final=50, errors=60, frames=3)


@pytest.mark.parametrize(
    "data",
    [
        frame(ERRORS, b"x" * 61),
        frame(ERRORS, b"x" * 30) + frame(ERRORS, b"x" * 31),
        frame(ERRORS, b"x" * 60) + frame(OUTPUT, b"x" * 101),
        frame(OUTPUT, b"x" * 100) + frame(ERRORS, b"x" * 60) + frame(OUTPUT, b"x"),
        frame(ERRORS, b"") * 2 + frame(OUTPUT, b"") * 2,
        protocol.HEADER.pack(ERRORS, 0xFFFFFFFF),
    ],
)
def test_standard_error_has_a_cap_of_its_own_within_that_of_all_output(data):
    with pytest.raises(ProtocolError):
        FrameReader(BOTH).feed(data)


def test_both_streams_are_handed_on_as_they_come_each_in_its_order():
    stream = frame(OUTPUT, b"o1") + frame(ERRORS, b"e" * 20) + frame(OUTPUT, b"o2")
    stream += frame(FINAL, b"")
    reader, got = FrameReader(BOTH), []
    for at in range(len(stream)):
        got += reader.feed(stream[at : at + 1])
    for kind, whole in ((OUTPUT, b"o1o2"), (ERRORS, b"e" * 20), (FINAL, b"")):
        assert b"".join(data for each, data in got if each == kind) == whole


def test_what_is_printed_between_requests_is_as_many_frames_as_there_are_requests():
    """An honest child sends what it has printed before it asks; the caller bounds requests."""
    reader = FrameReader(Caps(output=10**6, final=50, ask=10))
    pair = frame(OUTPUT, b"x") + frame(ASK, b"?")
    assert all(len(reader.feed(pair)) == 2 for _ in range(100_000))
    with pytest.raises(ProtocolError, match="more output frames"):
        reader.feed(frame(OUTPUT, b"x") * 300_000)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(values)
def test_plain_data_is_encoded_as_the_standard_library_encodes_it(value):
    assert _same(json.loads(untrusted_json.encode(value, MOST)), json.loads(json.dumps(value)))


def _same(left, right):
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    return left == right


def test_keys_become_strings_as_the_standard_library_makes_them():
    value = {1: "a", None: "b", False: "c", 2.5: "d"}
    assert json.loads(untrusted_json.encode(value, SMALL)) == json.loads(json.dumps(value))


class Hostile(list):
    def __iter__(self):
        raise AssertionError("a method of the guest ran")


class HostileStr(str):
    def __str__(self):
        raise AssertionError("a method of the guest ran")


def test_no_method_of_a_guest_class_runs_while_a_value_is_encoded():
    assert untrusted_json.encode(Hostile([1, HostileStr("x")]), SMALL) == '[1,"x"]'


def _cycle():
    cycle = []
    cycle.append(cycle)
    return cycle


@pytest.mark.parametrize("value", [{1, 2}, b"x", object(), len, 1j, _cycle(), ["x" * 2000]])
def test_what_is_not_plain_or_too_large_or_endless_is_named(value):
    with pytest.raises(untrusted_json.NotPlain):
        untrusted_json.encode(value, SMALL)


def measured(value):
    """Items and nesting of `value`, by their definition."""
    if not isinstance(value, (list, tuple, dict)):
        return 0, 0
    inner = [measured(each) for each in (value.values() if isinstance(value, dict) else value)]
    items = max(len(inner), 1) + sum(items for items, _ in inner)
    return items, 1 + max((depth for _, depth in inner), default=0)


confusing = st.text(alphabet='[]{},:"\\\\\u00e9', max_size=8)
nested = st.recursive(
    confusing | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(confusing, inner, max_size=4),
    max_leaves=25,
)


@given(nested)
def test_both_sides_count_items_and_nesting_alike_whatever_strings_hold(value):
    items, depth = measured(value)
    exact = Bounds(1 << 20, max(items, 1), max(depth, 1))
    text = untrusted_json.encode(value, exact).encode("ascii")
    assert trusted_json.read_plain(text, exact) == value
    for key, number in (("items", items), ("depth", depth)):
        if number < 2:
            continue
        less = exact._replace(**{key: number - 1})
        with pytest.raises(untrusted_json.NotPlain, match=f"value_{key}: .* {number - 1} "):
            untrusted_json.encode(value, less)
        with pytest.raises(trusted_json.TooLarge, match=f"value_{key}: .* {number - 1} "):
            trusted_json.read_plain(text, less)


FLOODS = [
    (b"[[[[[[]]]]]],", b""),
    (b"[", b""),
    (b'"",', b"["),
    (b'{"":', b""),
    (b"[],", b'["\\"",'),
    (b"[\x00", b""),
    ("[],".encode("utf-16-le"), b""),
]


@pytest.mark.parametrize(("unit", "before"), FLOODS)
def test_no_flood_of_items_is_parsed(unit, before, monkeypatch):
    parsed = []
    monkeypatch.setattr(trusted_json.json, "loads", lambda text, **_: parsed.append(text))
    with pytest.raises(ValueError, match=r"value_|codec"):
        trusted_json.read_plain(before + unit * 50_000, Bounds(1 << 20, 10_000, 20))
    assert parsed == []


def test_a_text_in_another_encoding_than_a_childs_is_refused():
    with pytest.raises(ValueError, match="codec"):
        trusted_json.read_plain("\u225b".encode("utf-16"), MOST)


def final(**changes):
    said = {"status": "OK", "cpu": 0, "peak": 0, "error": "", "traceback": "", "value": None}
    return ExecutionRecord(final=json.dumps({**said, **changes}).encode(), exit=None)


SETTING = Setting(policy="p", layers=(), resident_bytes=0)
LIMITS = Policy.load("strict").tightened(value_items=100, value_depth=10).plan().limits


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ([0] * 100, ""),
        ([0] * 120, "violation: value_items: the value has more than 100 items"),
        ([[]] * 60, "violation: value_items: the value has more than 100 items"),
        (json.loads("[" * 10 + "]" * 10), ""),
        (json.loads("[" * 12 + "]" * 12), "violation: value_depth: the value is nested more than"),
    ],
)
def test_a_value_beyond_the_bounds_is_no_value(value, error):
    result = judge(final(value=value), LIMITS, SETTING, "a job")
    assert (result.error.startswith(error), result.ok) == (True, not error)
    assert result.value == (None if error else value)


@pytest.mark.parametrize("figure", [{"peak": "9" * 5000}, {"cpu": "1"}, {"peak": 1.5}])
def test_figures_are_numbers(figure):
    result = judge(final(**figure), LIMITS, SETTING, "a job")
    assert result.status is Status.VIOLATION


def test_a_returned_value_is_held_to_the_policy(strict):
    code = "def f(n):\n    return [[[0] * 5] * 5] * n"
    assert strict.call(code, "f", (3,), value_items=1000).ok
    result = strict.call(code, "f", (40,), value_items=1000)
    told = "ValueError: what f() returned: value_items: the value has more than 1000 items"
    assert told in result.error
    result = strict.call(code, "f", (1,), value_depth=2)
    told = "ValueError: what f() returned: value_depth: the value is nested more than 2 deep"
    assert told in result.error
