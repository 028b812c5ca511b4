"""No descriptor is lost by an interrupt, which comes whenever a call has returned."""

import dis
import functools
import itertools
import os
import socket
import sys
from types import CodeType, FrameType
from typing import Any

import pytest

from sandbox import Policy
from sandbox.runtime.executions.execution import Execution
from sandbox.runtime.executions.inbox import Inbox
from sandbox.runtime.executions.record import Submission
from sandbox.runtime.wire import protocol
from sandbox.runtime.wire.protocol import Caps
from sandbox.runtime.wire.untrusted_json import Bounds

ORDER = Submission(
    name="job",
    data=b"",
    key=b"",
    caps=Caps(output=1, final=1, code=1, ask=1, frames=1),
    most=Bounds(1, 1, 1),
    limits=Policy.load("strict").plan().limits,
    less_memory_bytes=0,
    wait_for_exit=False,
)


@functools.cache
def after_calls(code: CodeType) -> frozenset[int]:
    """Where in `code` CPython looks for signals: what follows a call, and its beginning."""
    instructions = list(dis.get_instructions(code))
    return frozenset(
        after.offset
        for before, after in itertools.pairwise(instructions)
        if before.opname.startswith("CALL") or before.opname == "RESUME"
    )


class Interrupting:
    """While it is entered, raises KeyboardInterrupt at the `left`th place where a signal could."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __enter__(self) -> None:
        sys._getframe().f_trace_opcodes = True  # before: CPython 3.12 looks here whether any has it
        sys.settrace(self._trace)

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        frame.f_trace_opcodes = True
        if event == "opcode" and frame.f_lasti in after_calls(frame.f_code):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self._trace


def open_descriptors() -> set[tuple[str, str]]:
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
        except FileNotFoundError:  # of the folder itself
            continue
    return found


def send(channel: socket.socket, message: bytes) -> None:
    pipe = os.pipe()
    socket.send_fds(channel, [message], pipe)
    for end in pipe:
        os.close(end)


@pytest.mark.parametrize("message", [protocol.HANDED.pack(protocol.HANDOVER, 1, 0.0), b"?"])
def test_an_interrupt_at_any_moment_leaves_no_descriptor_open(message):
    before, places, interrupted = open_descriptors(), 0, True
    while interrupted:
        places += 1
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        execution = Execution(ours, ORDER, os.getpid(), os.getpid())
        send(theirs, message)
        interrupted = False
        try:
            with Interrupting(places):
                execution._read_channel()
        except KeyboardInterrupt:
            interrupted = True
        execution.close()
        theirs.close()
        assert open_descriptors() == before, places
    assert places > 10


def test_an_inbox_closes_what_nobody_took_and_keeps_what_came_last():
    before = open_descriptors()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    inbox = Inbox(ours)
    for _ in range(3):
        send(theirs, b"x")
        assert (inbox.read(), len(inbox.descriptors)) == (b"x", 2)
    theirs.close()
    assert (inbox.read(), inbox.descriptors) == (b"", [])
    ours.close()
    assert open_descriptors() == before
