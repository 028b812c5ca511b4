"""The part of the vault that reads the job and writes frames, with the job's key.

Its functions ask no namespace for anything, as those of the vault; see there.
"""

import _json
import marshal
import os
import resource
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from sandbox.interpreter.keys import KEY_BYTES, TRIPPED

NOT_FED = 98  # exit status: the caller or the supervisor is gone, nobody waits for an answer
_ERROR_CHARS, _TRACEBACK_CHARS, _EVENT_CHARS = 8 << 10, 64 << 10, 100
_HEADER, _LENGTH = struct.Struct("<cI"), struct.Struct("<Q")


class Pipes(NamedTuple):
    """Descriptors, and the letters of a frame of output and of a final one."""

    job: int
    result: int
    output: bytes
    final: bytes


class Ends(NamedTuple):
    """The functions that use the two pipes: whoever has them has the job's key to sign with.

    The first ones are services of the vault, which are told the frame that asks.
    """

    take_job: Callable[[Any], Any]
    take_answer: Callable[[Any], Any]
    send: Callable[[Any, bytes, Any], None]
    begin: Callable[[bool], None]
    finish: Callable[[str, str, str, str, Any], None]
    violate: Callable[[str], None]
    is_writing: Callable[[], bool]


def open_ends(pipes: Pipes) -> Ends:
    """Make the functions of `Ends`, which close over all that they use."""
    job_fd, result_fd, output_kind, final_kind = pipes
    read, write, close, leave = os.read, os.write, os.close, os._exit
    load, pack, unpack = marshal.loads, _HEADER.pack, _LENGTH.unpack
    usage, myself, cpu_time = resource.getrusage, resource.RUSAGE_SELF, time.process_time
    quote, join, least, most, size = _json.encode_basestring_ascii, b"".join, min, max, len
    kind_of, data, put, encode, shown = type, bytes, list.append, str.encode, float.__format__
    error_chars, traceback_chars, event_chars = _ERROR_CHARS, _TRACEBACK_CHARS, _EVENT_CHARS
    read_peak = resource.struct_rusage.__dict__["ru_maxrss"].__get__
    not_fed, tripped, key_bytes = NOT_FED, TRIPPED, KEY_BYTES
    key = b""
    writing = keyed = False
    cpu_start, peak_start = cpu_time(), read_peak(usage(myself))

    def write_all(content: bytes) -> None:
        nonlocal writing
        writing = True
        while content:
            content = content[write(result_fd, content) :]
        writing = False

    def read_exactly(length: int) -> bytes:
        chunks: list[bytes] = []
        while length:
            chunk = read(job_fd, least(length, 1 << 20))
            if not chunk:
                leave(not_fed)
            put(chunks, chunk)
            length -= size(chunk)
        return join(chunks)

    def take_job(_frame: Any) -> Any:
        nonlocal key, keyed
        if keyed:
            violate("sandbox.take_job")
        keyed = True
        (length,) = unpack(read_exactly(8))
        key = read_exactly(key_bytes)
        return load(read_exactly(length))

    def take_answer(_frame: Any) -> Any:
        (length,) = unpack(read_exactly(8))
        return load(read_exactly(length))

    def begin(session: bool) -> None:
        nonlocal cpu_start, peak_start
        if not session:
            close(job_fd)
        cpu_start, peak_start = cpu_time(), read_peak(usage(myself))

    def send(_frame: Any, kind: Any, payload: Any) -> None:
        if kind_of(kind) is not data or kind_of(payload) is not data or kind == final_kind:
            violate("sandbox.send")
        write_all(pack(kind, size(payload)) + payload)

    def finish(status: str, error: str, traceback: str, value: str, output: Any) -> None:
        used = shown(cpu_time() - cpu_start, ".6f")
        peak = most(read_peak(usage(myself)) - peak_start, 0) << 10
        said = (
            # The value is a text of the program's child: a key that it repeats is overruled.
            f'{{"value":{value or "null"},"status":{quote(status)},"cpu":{used},"peak":{peak}'
            f',"error":{quote(error[:error_chars])}'
            f',"traceback":{quote(traceback[-traceback_chars:])}}}'
        )
        payload = key + encode(said, "ascii")
        before = pack(output_kind, size(output)) + output if output else b""
        write_all(before + pack(final_kind, size(payload)) + payload)
        leave(0)

    def violate(event: str) -> None:
        try:
            if not writing:
                said = f"violation: the interpreter's event {event[:event_chars]!a}"
                finish("VIOLATION", said, "", "", b"")
        finally:  # whatever there is no memory or no stack for
            leave(tripped)

    def is_writing() -> bool:
        return writing

    return Ends(take_job, take_answer, send, begin, finish, violate, is_writing)
