"""The supervisor's end of the command socket: orders to its forker, and the answers."""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import select
import struct

from sandbox.kernel.siblings import ANSWER, ORDER

_STEP_SECONDS, _STEPS = 0.25, 20  # a machine that stands still takes no more than one of them
_PAIR = struct.Struct("@2i")


class ForkerLost(Exception):
    """The forker has ended or does not answer: no more children can be had."""


class Link:
    """Says what to fork. Answers come in the order of the orders."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self.pid = pid
        self._socket = _socket.socket(fileno=descriptor)
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def order(self, act: int, slot: int, job: int, result: int) -> None:
        """Have a child forked that has these ends of its pipes. Raises OSError, ForkerLost."""
        ends = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, _PAIR.pack(job, result))]
        try:
            self._socket.sendmsg([ORDER.pack(act, slot)], ends)
        except (BrokenPipeError, ConnectionResetError):
            raise ForkerLost from None

    def answer(self) -> int:
        """Read the next answer, which is there or about to come: its child is known to have begun.

        Raises ForkerLost if it does not come.
        """
        data = self._received()
        if data is None and any(self._poll.poll(_STEP_SECONDS * 1000) for _ in range(_STEPS)):
            data = self._received()
        if not data:
            raise ForkerLost
        return int(ANSWER.unpack(data)[0])

    def _received(self) -> bytes | None:
        try:
            return self._socket.recv(ANSWER.size)
        except BlockingIOError:
            return None
        except ConnectionResetError:
            return b""
