"""The child's end of the job pipe: trusted data, marshalled, length first."""

import marshal
import os
from typing import Any

from sandbox.kernel.syscall_sets import JOB_FD
from sandbox.runtime.protocol import JOB_LENGTH

NOT_FED = 98  # exit status: the caller or the supervisor is gone, nobody waits for an answer
_read, _exit = os.read, os._exit


def take() -> Any:
    """The next thing that the caller sent; ends the process if there will be none."""
    (length,) = JOB_LENGTH.unpack(_read_exactly(JOB_LENGTH.size))
    return marshal.loads(_read_exactly(length))


def _read_exactly(length: int) -> bytes:
    chunks, missing = [], length
    while missing:
        chunk = _read(JOB_FD, min(missing, 1 << 20))
        if not chunk:
            _exit(NOT_FED)
        chunks.append(chunk)
        missing -= len(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
