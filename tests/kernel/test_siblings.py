"""A process that forks its siblings, as orders on a socket say."""

import errno
import os
import select
import socket
import struct
from collections.abc import Iterator

import pytest

from sandbox.kernel import namespaces, siblings
from sandbox.kernel.steps import Step, step

ORDER = siblings.ORDER.pack(3, 7)


class Forker:
    """A forker of this test's, whose children write their numbers to the second descriptor."""

    def __init__(self, forking: Step, *, mute: bool = False) -> None:
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if mute:  # no answer can be sent
            theirs.shutdown(socket.SHUT_WR)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.socket.close()
                first, second = os.dup(0), os.dup(0)
                os.close(first)
                os.close(second)
                order = siblings.Siblings(theirs.fileno(), (first, second), forking).fork()
                if order is not None:
                    os.write(second, struct.pack("3i", *order, os.getppid()))
            finally:
                os._exit(5)
        theirs.close()

    def order(self, message: bytes = ORDER, descriptors: int = 2) -> int:
        """Send an order with the writing end of a pipe, some times; the end to read from."""
        reading, writing = os.pipe()
        socket.send_fds(self.socket, [message], [writing] * descriptors)
        os.close(writing)
        return reading

    def answer(self) -> int:
        return int(siblings.ANSWER.unpack(self.socket.recv(16))[0])

    def status(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def usual() -> Step:
    return namespaces.forking_sibling(pid_namespace=False, ipc_namespace=False)


@pytest.fixture
def forker() -> Iterator[Forker]:
    made = Forker(usual())
    yield made
    made.socket.close()


def test_each_order_makes_a_child_of_the_parents_that_alone_has_the_descriptors(
    forker: Forker,
) -> None:
    for _ in range(3):
        reading = forker.order()
        pid = forker.answer()
        assert os.waitpid(pid, 0) == (pid, 5 << 8)  # this process's to reap
        with open(reading, "rb") as pipe:
            assert struct.unpack("3i", pipe.read()) == (3, 7, os.getpid())  # and the end came
    forker.socket.close()
    assert forker.status() == 5


@pytest.mark.parametrize(
    ("message", "descriptors"),
    [(ORDER, 0), (ORDER, 1), (ORDER, 3), (ORDER[:-1], 2), (ORDER + b"x", 2), (b"x", 0)],
)
def test_what_is_no_order_ends_the_forker_and_leaves_nothing(
    forker: Forker, message: bytes, descriptors: int
) -> None:
    os.close(forker.order())  # one that was understood changes nothing
    os.waitpid(forker.answer(), 0)
    with open(forker.order(message, descriptors), "rb") as pipe:
        assert forker.status() == 5
        assert forker.socket.recv(16) == b""
        assert pipe.read() == b""


def test_a_refused_fork_is_told_and_its_descriptors_are_let_go_of() -> None:
    thread_without_memory = 0x00010000
    forker = Forker(step("clone", thread_without_memory, 0, 0, 0, 0))
    for _ in range(2):
        with open(forker.order(), "rb") as pipe:
            assert pipe.read() == b""
        assert forker.answer() == -errno.EINVAL
    forker.socket.close()
    assert forker.status() == 5


def test_a_forker_that_cannot_answer_ends() -> None:
    """Answers are known by their order: behind one that is missing, all would be another's."""
    thread_without_memory = 0x00010000
    forker = Forker(step("clone", thread_without_memory, 0, 0, 0, 0), mute=True)
    with open(forker.order(), "rb") as pipe:
        assert pipe.read() == b""
    watch = select.poll()
    watch.register(os.pidfd_open(forker.pid), select.POLLIN)
    ended = watch.poll(10_000)
    forker.socket.close()
    assert forker.status() == 5
    assert ended


def test_a_sibling_in_a_pid_namespace_is_its_first_process() -> None:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            namespaces.enter()
            forker = Forker(namespaces.forking_sibling(pid_namespace=True, ipc_namespace=True))
            reading = forker.order()
            os.waitpid(forker.answer(), 0)
            code = 0 if struct.unpack("3i", os.read(reading, 64)) == (3, 7, 0) else 2
        except OSError:
            code = 3
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == 3:
        pytest.skip("this host refuses user namespaces")
    assert code == 0
