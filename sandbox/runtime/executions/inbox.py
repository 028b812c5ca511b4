"""The supervisor's messages on an execution's channel, and the descriptors that come along."""

import array
import os
import socket
from collections.abc import Iterable
from typing import Any

_MESSAGE_BYTES, _MOST_DESCRIPTORS = 2048, 2
_ROOM = socket.CMSG_LEN(_MOST_DESCRIPTORS * array.array("i").itemsize)


class Inbox:
    """Reads messages from `channel`. `descriptors` are the last one's, until they are taken.

    An interrupt may come whenever a call has returned. So what the kernel gives is put away by the
    same call of C's that asks for it, and is in this object or its taker's at any moment: it is
    closed with the one that has it.
    """

    __slots__ = ("_channel", "_received", "descriptors")

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._received: list[tuple[bytes, list[tuple[int, int, bytes]], int, Any]] = []
        self.descriptors: list[int] = []

    def read(self) -> bytes:
        """Read the next message, empty at the end. Raises OSError, BlockingIOError if none."""
        self.drop()
        self._received.extend(map(self._channel.recvmsg, (_MESSAGE_BYTES,), (_ROOM,)))
        message, ancillary, _, _ = self._received[0]
        numbers = _descriptors_in(ancillary)
        self.descriptors, self._received = numbers, []  # no call in between
        return message

    def drop(self) -> None:
        """Close the descriptors that no code has taken."""
        numbers = [*self.descriptors]
        for _, ancillary, _, _ in self._received:
            numbers += _descriptors_in(ancillary)
        closing = map(os.close, numbers)
        self.descriptors, self._received = [], []  # no call in between
        list(closing)


def _descriptors_in(ancillary: Iterable[tuple[int, int, bytes]]) -> list[int]:
    numbers = array.array("i")
    for _, _, data in ancillary:
        numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
    return list(numbers)
