"""A child whose CPU time is up may send what it has printed, however late the supervisor asks."""

import os
import signal
import time

import pytest

from sandbox.kernel import timers
from sandbox.runtime.nursery import Child, Nursery, OwnFiles


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
def nursery(spinning):
    made = Nursery(None, None, OwnFiles(-1, None), lambda *_: None, lambda: None)
    pid, _ = spinning
    made.by_pid[pid] = Child(pid, slot=0, job=-1, result=-1)
    return made


def test_a_timer_that_fires_again_at_once_kills_nobody_before_the_last_words(nursery, spinning):
    pid, reading = spinning
    nursery.out_of_time(pid)
    nursery.out_of_time(pid)
    assert os.read(reading, 100) == b"last words"


def test_who_goes_on_after_the_time_for_last_words_is_killed(nursery, spinning):
    pid, reading = spinning
    nursery.out_of_time(pid)
    asked = timers.cpu_seconds(pid)
    while timers.cpu_seconds(pid) < asked + 0.01:
        time.sleep(0.001)
    nursery.out_of_time(pid)
    assert os.read(reading, 100) == b"last words"
    assert os.read(reading, 100) == b""  # it has ended
