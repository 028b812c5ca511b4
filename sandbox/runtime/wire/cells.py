"""What crosses between a caller and the keeper of a session, and what of it is a state's.

    caller → keeper    job pipe      COMMAND and its payload
    keeper → caller    result pipe   EVENT and its payload
    keeper → state     its socket    JOB and a cell, as on a job pipe; FORK with a descriptor
    state  → keeper    its socket    MADE: one byte; then frames, which the keeper hands on unread

A keeper is trusted, as a supervisor is; a state is not. States are known by numbers of the
caller's.
"""

import marshal
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.runtime.wire.protocol import JOB_LENGTH

# What a state is to do.
RUN, CALL, GET, SET, WRITE, READ, LIST = "run", "call", "get", "set", "write", "read", "list"

# Commands: kind, state, another state, CPU seconds, bytes of the payload.
COMMAND: Final = struct.Struct("<cIIdQ")
FORK, CELL, SAY, REST, STOP, DROP = b"F", b"C", b"A", b"R", b"K", b"D"
# Events: kind, state, bytes of the payload.
EVENT: Final = struct.Struct("<cII")
DATA, FORKED, RESTED, GONE = b"D", b"F", b"R", b"G"
SECONDS: Final = struct.Struct("<d")  # of RESTED: CPU time of the cell
PID: Final = struct.Struct("<I")  # of FORKED, in the session's namespace
ENDED: Final = struct.Struct("<cidQ")  # of GONE: cause, wait status, CPU seconds, peak RSS
# Causes: the fork was refused; the state to fork is no more; it spoke when it was not to.
NO_ROOM, NO_STATE, NOISE = b"n", b"l", b"v"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTask:
    """One cell, as it crosses: see `Cell` of `runtime/child/cells.py`."""

    mode: str
    number: int = 0
    code: str = ""
    stdin: str = ""
    name: str = ""
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    fetch: Sequence[str] = ()
    services: Sequence[str] = ()
    output_bytes: int = 0

    def encode(self, key: bytes) -> bytes:
        """Return the bytes for the state. Raises ValueError for what is not plain data."""
        parts = [
            *(self.mode, self.number, self.code, self.stdin, self.name, tuple(self.args)),
            *(dict(self.kwargs), dict(self.files), tuple(self.fetch), tuple(self.services)),
            self.output_bytes,
        ]
        data = marshal.dumps(parts)
        return b"".join((JOB_LENGTH.pack(len(data)), key, data))


def command(
    kind: bytes, state: int, payload: bytes = b"", *, to: int = 0, cpu: float = 0.0
) -> bytes:
    """Return one command, ready to write."""
    return COMMAND.pack(kind, state, to, cpu, len(payload)) + payload
