"""The frame protocol and plain data: what crosses, what is refused, and that nothing is trusted."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.runtime import plain, protocol
from sandbox.runtime.protocol import CODE, FINAL, OUTPUT, Caps, FrameReader, ProtocolError, frame

CAPS = Caps(output=100, final=50)
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
    assert got == sent
    assert reader.finished


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


@pytest.mark.parametrize(
    "data",
    [
        frame(FINAL, b"x" * 51),
        frame(OUTPUT, b"x" * 101),
        frame(OUTPUT, b"x" * 60) + frame(OUTPUT, b"x" * 41),
        frame(CODE, b""),
        frame(b"?", b""),
        protocol.HEADER.pack(FINAL, 0xFFFFFFFF),
    ],
)
def test_an_unknown_or_oversized_frame_is_refused_from_its_header(data):
    with pytest.raises(ProtocolError):
        FrameReader(CAPS).feed(data)


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
    assert _same(json.loads(plain.encode(value, 1 << 20)), json.loads(json.dumps(value)))


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
    assert json.loads(plain.encode(value, 1000)) == json.loads(json.dumps(value))


class Hostile(list):
    def __iter__(self):
        raise AssertionError("a method of the guest ran")


class HostileStr(str):
    def __str__(self):
        raise AssertionError("a method of the guest ran")


def test_no_method_of_a_guest_class_runs_while_a_value_is_encoded():
    assert plain.encode(Hostile([1, HostileStr("x")]), 1000) == '[1,"x"]'


def _cycle():
    cycle = []
    cycle.append(cycle)
    return cycle


@pytest.mark.parametrize("value", [{1, 2}, b"x", object(), len, 1j, _cycle(), ["x" * 2000]])
def test_what_is_not_plain_or_too_large_or_endless_is_named(value):
    with pytest.raises(plain.NotPlain):
        plain.encode(value, 1000)
