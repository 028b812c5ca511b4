"""A process that forks itself when its socket tells it to. clone(2), recvmsg(2), dup(2).

The other end of the socket belongs to the keeper of a session. It sends one byte at a time: `JOB`,
behind which a job follows on the same socket, or `FORK` with a descriptor, the socket of the fork.
"""

import ctypes
import struct
from collections.abc import Callable

from sandbox.kernel.libc import buffer, leak, native
from sandbox.kernel.steps import Step, step

JOB, FORK, MADE = b"J", b"F", b"R"
_CLOEXEC = 0x40000000  # MSG_CMSG_CLOEXEC
# In words of 64 bits: struct msghdr, the struct iovec of the byte, a control message with one
# descriptor, the byte. The kernel writes over the length of what it may write to.
_WORD, _VECTOR, _CONTROL, _BYTE, _WORDS = 8, 7, 9, 12, 13
_ROOM, _LENGTH, _DESCRIPTOR = 5, 9, 11  # which words
_CONTROL_BYTES, _ONE_DESCRIPTOR = 24, 20  # with padding, and without
_INTERRUPTED = 1000  # calls that may fail in a row: a signal is handled amid one


def open_wait(
    ends: tuple[int, int],
    forking: Step,
    afterwards: tuple[Step, ...],
    around: tuple[Callable[[], object], Callable[[], object], Callable[[], object]],
) -> Callable[[], bool]:
    """Return what waits until a job follows on the socket, and forks as it is told meanwhile.

    `ends` are the numbers that the socket has: it is read by the first, written to by the second.
    `forking` makes a sibling of this process, which carries out `afterwards`. Of `around`, one
    function is called before it, one behind it here, and one in the fork.
    What is returned gives False once the keeper is gone. It returns in each fork, too, as it does
    here; nothing in it is asked of a namespace, and all of its memory is made now.

    Raises OSError if this machine lacks a call.
    """
    read_from, write_to = ends
    memory, said = buffer(b"", _WORDS * _WORD), buffer(MADE)
    at = ctypes.addressof(memory)
    vector, control, byte = (at + place * _WORD for place in (_VECTOR, _CONTROL, _BYTE))
    content = 0, 0, vector, 1, control, _CONTROL_BYTES, 0, byte, 1, 0, 0, 0, 0
    struct.pack_into(f"@{_WORDS}Q", memory, 0, *content)
    leak(memory, said)
    words = memoryview(memory).cast("B").cast("Q")
    call, (before, behind, in_fork) = native.step, around
    receive = step("recvmsg", read_from, at, _CLOEXEC).call
    fork = forking.call
    copy, close = step("dup3", 0, 0, 0).call[0], step("close", 0).call[0]
    tell = step("write", write_to, ctypes.addressof(said), 1).call
    mend = tuple(each.call for each in afterwards)
    room, length, descriptor, byte_at = _ROOM, _LENGTH, _DESCRIPTOR, _BYTE
    room_bytes, one, low = _CONTROL_BYTES, _ONE_DESCRIPTOR, 0xFFFFFFFF
    job, order, most = JOB[0], FORK[0], _INTERRUPTED

    def wait() -> bool:
        failed = 0
        while failed < most:
            words[room], words[length] = room_bytes, 0
            size = call(*receive)
            if size == 0:
                return False
            if size < 0:
                failed = failed + 1
                continue
            kind = words[byte_at] & 0xFF
            given = words[descriptor] & low if words[length] == one else -1
            if kind == job and given < 0:
                return True
            if kind != order or given < 0:
                return False
            failed = 0
            before()
            if call(*fork) == 0:
                call(copy, given, read_from, 0, 0, 0, 0)
                call(copy, given, write_to, 0, 0, 0, 0)
                call(close, given, 0, 0, 0, 0, 0)
                for one_more in mend:
                    call(*one_more)
                in_fork()
                call(*tell)
            else:  # a fork that the machine refused: its socket has no other end any more
                call(close, given, 0, 0, 0, 0, 0)
                behind()
        return False

    return wait
