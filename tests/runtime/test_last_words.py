"""A child whose CPU time is up may send what it has printed, however late the supervisor asks."""

import os
import signal
import struct
import sys
import time
from itertools import count
from types import SimpleNamespace

import pytest

from sandbox.interpreter.vault.ends import Pipes
from sandbox.interpreter.vault.pipes import open_ends
from sandbox.kernel import timers
from sandbox.runtime.supervisor.children import Child, ChildPool


@pytest.fixture
def spinning():
    """A process that says something when it is asked to end, after some work, and stays."""
    reading, writing = os.pipe()

    def say(*_):
        until = time.process_time() + 0.002
        while time.process_time() < until:
            pass
        os.write(writing, b"last words")

    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGXCPU, say)
        os.write(writing, b"ready")
        while True:
            pass
    os.close(writing)
    assert os.read(reading, 100) == b"ready"
    yield pid, reading
    os.close(reading)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@pytest.fixture
def children(spinning):
    made = ChildPool(None, None, SimpleNamespace(pid=0), slots=0)
    pid, _ = spinning
    made.by_pid[pid] = Child(pid, slot=0, job=-1, result=-1)
    return made


def test_a_timer_that_fires_again_at_once_kills_nobody_before_the_last_words(children, spinning):
    pid, reading = spinning
    children.out_of_time(pid)
    children.out_of_time(pid)
    assert os.read(reading, 100) == b"last words"


def test_who_goes_on_after_the_time_for_last_words_is_killed(children, spinning):
    pid, reading = spinning
    children.out_of_time(pid)
    asked = timers.cpu_seconds(pid)
    while timers.cpu_seconds(pid) < asked + 0.01:
        time.sleep(0.001)
    children.out_of_time(pid)
    assert os.read(reading, 100) == b"last words"
    assert os.read(reading, 100) == b""  # it has ended


def interrupted_at(number, pieces, path):
    """Flush `pieces`, with a flush of a handler's before instruction `number`; the file's bytes.

    None if it has fewer. As the vault's handler does it: not while another flush is at it.
    """
    ends, printed, left = None, list(pieces), [number]
    with path.open("wb") as file:
        ends = open_ends(Pipes(-1, file.fileno(), b"O", b"Q", b"Z", b"S"))
        ends.begin(True, printed, [])
        cells = [cell.cell_contents for cell in ends.flush.__closure__]
        codes = {f.__code__ for f in [ends.flush, *cells] if hasattr(f, "__code__")}
        assert len(codes) == 2

        def trace(frame, event, _argument):
            frame.f_trace_opcodes = frame.f_code in codes
            if event == "opcode":
                left[0] -= 1
                if left[0] == 0:
                    sys.settrace(None)
                    if not ends.is_writing():
                        ends.flush(None)
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            ends.flush(None)
        finally:
            sys.settrace(before)
    assert printed == []
    return None if left[0] > 0 else path.read_bytes()


@pytest.mark.parametrize("size", [1, 40_000])
def test_what_is_printed_is_said_once_wherever_a_signal_comes(size, tmp_path):
    """Between counting it and writing it, say: the frame's length would be another one's."""
    pieces = [b"a" * size, b"b", b"c" * size]
    interrupted_at(1, pieces, tmp_path / "said")  # 3.12 traces from a second call on
    for number in count(1):
        said = interrupted_at(number, pieces, tmp_path / "said")
        if said is None:
            break
        kind, length = struct.unpack_from("<cI", said)
        assert (kind, length, said[5:]) == (b"O", 2 * size + 1, b"".join(pieces)), number
    assert number > 50
