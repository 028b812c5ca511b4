"""A process that is prepared once, with a fork for each job, and nothing that stays behind."""

import contextlib
import os
import select
import signal

import pytest

from fuzz.inner.template import Template, TemplateError


def counting():
    """Tells how many jobs it has seen, with the job's name."""
    seen = []

    def perform(job, writing):
        seen.append(job)
        os.write(writing, f"{job} {len(seen)}".encode())

    return perform


def descriptors():
    return sorted(os.listdir("/proc/self/fd"))


def test_each_job_starts_from_what_was_prepared_and_nothing_is_left():
    before = descriptors()
    template = Template(counting, 10)
    assert [template.run(job).data for job in ("a", "b")] == [b"a 1", b"b 1"]
    template.close()
    assert descriptors() == before
    with pytest.raises(ProcessLookupError):
        os.kill(template._pid, 0)


def test_a_job_that_crashes_or_takes_too_long_ends_alone():
    def prepare():
        return lambda job, writing: os.kill(os.getpid(), job) if job else signal.pause()

    template = Template(prepare, 0.2)
    assert template.run(int(signal.SIGSEGV)).signal == signal.SIGSEGV
    assert template.run(0).signal == signal.SIGKILL
    template.close()


def test_what_cannot_be_prepared_is_told():
    before = descriptors()
    with pytest.raises(TemplateError, match="ZeroDivisionError"):
        Template(lambda: 1 / 0, 10)
    assert descriptors() == before


def test_it_ends_with_the_process_that_made_it():
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        template = Template(counting, 10)
        os.write(writing, str(template._pid).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(writing)
    said = os.read(reading, 20)
    os.close(reading)
    with contextlib.suppress(ProcessLookupError):  # it has ended, and was reaped
        watched = os.pidfd_open(int(said))
        assert select.select([watched], [], [], 30)[0] == [watched]
        os.close(watched)
