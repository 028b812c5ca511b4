"""Forking at a message's command: siblings of this process. clone(2), recvmsg(2), unix(7)."""

import ctypes
import struct

from sandbox.kernel.libc import buffer, leak, native
from sandbox.kernel.steps import Step, step

ORDER = struct.Struct("@2I")  # two numbers, for the child; two descriptors come with them
ANSWER = struct.Struct("@i")  # the child's pid, or the error's number below zero
_CLOEXEC, _TRUNCATED = 0x40000000, 0x20 | 0x08  # MSG_CMSG_CLOEXEC; MSG_TRUNC and MSG_CTRUNC
# In words of 64 bits: struct msghdr, the struct iovec of the order, a control message with two
# descriptors, the order. The kernel writes over the length of what it may write to.
_WORD, _VECTOR, _CONTROL, _ORDER, _WORDS = 8, 7, 9, 12, 13
_CONTROL_BYTES, _ROOM_AT = 24, 40
_ROOM = struct.Struct("@Q")
_RECEIVED = struct.Struct("@40xQI20xQ8x2i2I")


class Siblings:
    """Forks as the orders on a socket say. All calls and their memory are made beforehand.

    What a process writes to after a fork it has to copy, and that is all that this class is about.
    """

    def __init__(self, socket: int, ends: tuple[int, int], forking: Step) -> None:
        """Prepare. `ends` are what an order's descriptors become: the lowest numbers that are free.

        Raises OSError if this machine lacks a call.
        """
        self._ends = ends
        self._memory, self._told = buffer(b"", _WORDS * _WORD), buffer(b"", ANSWER.size)
        at, told_at = ctypes.addressof(self._memory), ctypes.addressof(self._told)
        vector, control, order = (at + place * _WORD for place in (_VECTOR, _CONTROL, _ORDER))
        words = 0, 0, vector, 1, control, _CONTROL_BYTES, 0, order, ORDER.size, 0, 0, 0, 0
        struct.pack_into(f"@{_WORDS}Q", self._memory, 0, *words)
        leak(self._memory, self._told)
        self._receive = step("recvmsg", socket, at, _CLOEXEC).call
        self._fork = forking.call
        self._close = [step("close", end).call for end in ends]
        self._tell = step("write", socket, told_at, ANSWER.size).call

    def fork(self) -> tuple[int, int] | None:
        """Fork for each order, and return in each child: the numbers of its order.

        In this process it returns None, when the other end of the socket is closed, says what is
        no order or takes no answer. The child alone keeps the descriptors. Nothing of this call is
        left in the child, whose stack could show it.
        """
        call, receive, fork, tell = native.step, self._receive, self._fork, self._tell
        memory, told, (close_first, close_second) = self._memory, self._told, self._close
        make_room, read, write = _ROOM.pack_into, _RECEIVED.unpack_from, ANSWER.pack_into
        lowest, next_lowest = self._ends
        while True:
            make_room(memory, _ROOM_AT, _CONTROL_BYTES)
            size = call(*receive)
            room, flags, length, first, second, one, two = read(memory)
            if size != ORDER.size or not room == length == _CONTROL_BYTES or flags & _TRUNCATED:
                return None
            if first != lowest or second != next_lowest:
                return None
            pid = call(*fork)
            if pid == 0:
                return one, two
            call(*close_first)
            call(*close_second)
            write(told, 0, pid if pid > 0 else -ctypes.get_errno())
            if call(*tell) != ANSWER.size:  # each later one would be taken for the one before it
                return None
