"""The messages between caller, supervisor and child. Everything else is fatal.

    caller → supervisor   control socket   Request + the channel's other end   one per job
    supervisor → caller   control socket   HELLO or FATAL                      once, at the start
    supervisor → caller   channel          HANDOVER + job and result pipe ends; then EXIT, or FAULT
    caller → supervisor   channel          STOP; or the channel shut down: the job is over
    caller → child        job pipe         one length-prefixed marshalled job, trusted; with services
                                           also an answer of the same form to each ASK
    supervisor → forker   command socket   ORDER + a child's ends of its pipes         one per child
    forker → supervisor   command socket   ANSWER: a pid, or why there is none         one for each
    child → supervisor    result pipe      READY: one byte, before the hand-over
    child → caller        result pipe      frames; untrusted: text with caps, never unpickled

A frame is one byte of type, four of length, and that many of payload.
"""

import struct
from dataclasses import dataclass
from typing import Final

# Control and channel messages: first byte says which.
HELLO, FATAL, HANDOVER, EXIT, FAULT, STOP = b"H", b"!", b"C", b"X", b"F", b"K"
# CPU seconds, address-space bytes taken off the policy's, 1 for a session.
REQUEST: Final = struct.Struct("<dQB")
HANDED: Final = struct.Struct("<cId")  # the child's pid; the CPU seconds that it has used by then
EXITED: Final = struct.Struct("<cciddQ")  # cause, wait status, user and system seconds, peak RSS
CONTROL_BYTES: Final = 1 << 16

KILLED: Final = "killed"  # in the place of a layer in FATAL: as by the kernel, out of memory
BY_KILL: Final = "signal 9"  # an attempt's answer; no layer of ours ends a child that way

# Why the supervisor ended a child.
BY_ITSELF, BY_CPU, BY_STOP, BY_HANGUP, BY_TRACE = b"-", b"c", b"k", b"h", b"t"

RUN, REHEARSE, SESSION, FIRST_PROBE = 0, 1, 2, 3  # acts: what the forked child is to do

READY: Final = b"R"
NOT_READY: Final = b"E"  # followed by the failed step, as text

OUTPUT, FINAL, CODE, ASK = b"O", b"Z", b"B", b"Q"  # ASK: only of services
ERRORS: Final = b"S"  # what was written to standard error
FILE: Final = b"D"  # one that the job fetches: its name and its content
PRINTED: Final = (OUTPUT, ERRORS)  # handed on as they come
HEADER: Final = struct.Struct("<cI")
FINAL_BYTES: Final = 1 << 20  # error, traceback and figures; a value comes on top, within its cap
JOB_LENGTH: Final = struct.Struct("<Q")
FEW_FRAMES: Final = 1 << 16
_SMALL_FRAME, _FRAMES_PER_SECOND = 256, 2000


class ProtocolError(Exception):
    """Bytes that no honest child sends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """The most bytes that each frame type may carry."""

    output: int  # all OUTPUT frames of one job together
    final: int
    errors: int = 0  # all ERRORS frames of one job together
    code: int = 0  # 0: such a frame is not legal in this job
    ask: int = 0
    files: int = 0  # all FILE frames of one job together
    frames: int = FEW_FRAMES  # of output; what is printed between requests comes on top


def most_frames(output_bytes: int, wall_seconds: float) -> int:
    """Return the most frames of output that an honest child sends, which batches its prints.

    It sends one of each stream for each flush of the program's, up to one a millisecond. Small or
    empty frames without end would cost the caller far more than the guest.
    """
    by_time = int(wall_seconds * _FRAMES_PER_SECOND)
    return FEW_FRAMES + output_bytes // _SMALL_FRAME + by_time


class FrameReader:
    """Cuts a child's byte stream into frames, never holding more than the caps allow.

    After the first complete FINAL frame nothing more is read: what follows cannot change a verdict.
    """

    __slots__ = (
        *("_buffer", "_caps", "_frames_left", "_kind", "_legal", "_rest"),
        "finished",
    )

    def __init__(self, caps: Caps) -> None:
        self._buffer = bytearray()
        self._caps = {FINAL: caps.final, CODE: caps.code, ASK: caps.ask, FILE: caps.files}
        self._caps |= {OUTPUT: caps.output, ERRORS: caps.errors}  # of these, what is left
        self._legal = {kind for kind, cap in self._caps.items() if cap}
        self._kind, self._rest = OUTPUT, 0  # the one that has begun, and what is to come of it
        self._frames_left = caps.frames
        self.finished = False

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """Return the frames that `data` completes, in order. Raises ProtocolError.

        Of output there is as much as has come: no step of the caller's has to do with all of it.
        """
        self._buffer += data
        frames: list[tuple[bytes, bytes]] = []
        while not self.finished:
            if self._rest and self._buffer:
                frames.append((self._kind, part := self._cut(self._rest)))
                self._rest -= len(part)
            if self._rest or len(self._buffer) < HEADER.size:
                break
            kind, length = HEADER.unpack_from(self._buffer)
            self._check(kind, length)
            if kind not in PRINTED and len(self._buffer) < HEADER.size + length:
                break
            del self._buffer[: HEADER.size]
            if kind in PRINTED:
                self._caps[kind] -= length
                self._frames_left -= 1
                self._kind, self._rest = kind, length
                continue
            frames.append((kind, self._cut(length)))
            if kind == FILE:
                self._caps[kind] -= length
            self.finished = kind == FINAL
            if kind == ASK:  # what was printed before is sent first; the caller bounds requests
                self._frames_left += len(PRINTED)
        return frames

    def _cut(self, size: int) -> bytes:
        """Take no more than `size` bytes off what has come."""
        part = bytes(self._buffer[:size])
        del self._buffer[:size]
        return part

    def _check(self, kind: bytes, length: int) -> None:
        if kind not in self._legal:
            raise ProtocolError(f"unexpected frame type {kind!r}")
        cap = self._caps[kind]
        if length > cap:
            raise ProtocolError(f"frame {kind!r} of {length} bytes exceeds its cap")
        if kind in PRINTED and not self._frames_left:
            raise ProtocolError("more output frames than an honest child sends")


def frame(kind: bytes, payload: bytes) -> bytes:
    """Return one frame, ready to write."""
    return HEADER.pack(kind, len(payload)) + payload
