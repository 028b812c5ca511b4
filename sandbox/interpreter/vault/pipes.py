"""The part of the vault that reads the job and writes frames, with the job's key.

Its functions ask no namespace for anything, as those of the vault; see there.
"""

from __future__ import annotations  # evaluated, they would be looked up in a namespace

import _json
import marshal
import os
import resource
import sys
import time
from typing import Any, Literal

from sandbox.interpreter.vault.ends import Ends, Pipes
from sandbox.interpreter.vault.keys import HALFWAY, KEY_BYTES, TRIPPED

NOT_FED = 98  # exit status: the caller or the supervisor is gone, and reads no answer
_ERROR_CHARS, _TRACEBACK_CHARS, _EVENT_CHARS = 8 << 10, 64 << 10, 100
_LENGTH_BYTES, _JOB_LENGTH_BYTES = 4, 8  # of a frame of a child's, and of the caller's
_ORDER: Literal["little"] = "little"
_RESERVE_BYTES = 1 << 20  # for the last words of a process that has used up its memory
_MUCH_BYTES = 64 << 10  # of output: more is not copied
_RESERVE_DEPTH = 64  # calls: for a request and its answer, which must not stop halfway
_MOST_DEPTH = (1 << 31) - 1  # a C int


def open_ends(pipes: Pipes) -> Ends:
    """Make the functions of `Ends`, which close over all that they use."""
    job_fd, result_fd, output_kind, ask_kind, final_kind, errors_kind = pipes
    read, write, close, leave = os.read, os.write, os.close, os._exit
    load = marshal.loads
    # Methods of `int`: a guest that finds a Struct could give it another format.
    bytes_of, number_of, order = int.to_bytes, int.from_bytes, _ORDER
    length_bytes, job_length_bytes = _LENGTH_BYTES, _JOB_LENGTH_BYTES
    usage, myself, cpu_time = resource.getrusage, resource.RUSAGE_SELF, time.process_time
    quote, join, least, most, size = _json.encode_basestring_ascii, b"".join, min, max, len
    kind_of, data, put, encode, shown = type, bytes, list.append, str.encode, float.__format__
    text = str
    error_chars, traceback_chars, event_chars = _ERROR_CHARS, _TRACEBACK_CHARS, _EVENT_CHARS
    read_peak = resource.struct_rusage.__dict__["ru_maxrss"].__get__
    not_fed, halfway, tripped, key_bytes = NOT_FED, HALFWAY, TRIPPED, KEY_BYTES
    empty, base, too_deep = list.clear, BaseException, RecursionError
    depth, set_depth = sys.getrecursionlimit, sys.setrecursionlimit
    more_depth, most_depth = _RESERVE_DEPTH, _MOST_DEPTH
    reserve_bytes, much, view, memory_error = _RESERVE_BYTES, _MUCH_BYTES, memoryview, MemoryError
    no_stack = ("RECURSION_LIMIT", "recursion limit: no room for what a service answers")
    unsaid = "memory limit: no room for what was printed last"
    no_memory = ("MEMORY_LIMIT", "memory limit: no room for what a service answers")
    no_room = ("MEMORY_LIMIT", "memory limit: no room for the cell, or for what it says")
    key = b""
    wait: Any = None  # for the next cell, in a state of a session
    writing = keyed = False
    reserve: Any = None
    # What is printed and not sent: the program's own lists, of which only the bytes are believed.
    pending: Any = []
    complaints: Any = []  # of standard error
    cpu_start, peak_start = cpu_time(), read_peak(usage(myself))

    def put_out(pieces: Any) -> None:
        """Write `pieces`, which make a frame: all of it, or nothing goes on."""
        begun = False
        try:
            for piece in pieces:
                count = write(result_fd, piece)
                begun = True
                while count < size(piece):  # a signal came amid it
                    count += write(result_fd, view(piece)[count:])
        except too_deep:
            if begun:
                leave(halfway)
            raise  # the call itself had no room: nothing is out
        except base:  # no memory, maybe after it was written: a second try would say it twice
            leave(halfway)

    def write_all(content: bytes) -> None:
        nonlocal writing
        writing = True
        try:
            put_out((content,))
        finally:
            writing = False

    def flush(_frame: Any) -> None:
        put_printed(output_kind, pending)
        put_printed(errors_kind, complaints)

    def put_printed(kind: bytes, printed: Any, last: bytes = b"") -> None:
        """Put one frame; without a copy where it is much: there may be no room for one.

        With `last`, put that behind it and leave. By one write: it wakes the caller once.
        """
        nonlocal writing
        pieces: list[bytes] = []
        # True from the first look on, until all is out and forgotten: a signal handler that runs
        # meanwhile sends no output, else it would empty what is counted here, or say it twice.
        writing = True
        try:
            total = 0
            for piece in printed:
                if kind_of(piece) is not data:  # a program's: it could run its code
                    writing = False
                    violate("sandbox.flush")
                total += size(piece)
            if total:
                header = kind + bytes_of(total, length_bytes, order)
                pieces = [header + join(printed) + last] if total < much else [header, *printed]
            if last and not 0 < total < much:
                put(pieces, last)
            put_out(pieces)
            if last:
                leave(0)
        except base:  # nothing of it is out
            writing = False
            raise
        empty(printed)
        writing = False

    def release(_frame: Any) -> None:
        nonlocal reserve
        reserve = None

    def give_up() -> None:
        """Say what is printed, if there is room for it, and leave for want of memory."""
        release(None)
        try:
            flush(None)
        finally:
            leave(halfway)

    def read_exactly(length: int) -> bytes:
        chunks: list[bytes] = []
        while length:
            chunk = read(job_fd, least(length, 1 << 20))
            if not chunk:
                leave(not_fed)
            put(chunks, chunk)
            length = length - size(chunk)
        return join(chunks)

    def read_length() -> int:
        return number_of(read_exactly(job_length_bytes), order)

    def framed(kind: bytes, payload: bytes) -> bytes:
        return kind + bytes_of(size(payload), length_bytes, order) + payload

    def take_job(_frame: Any) -> Any:
        nonlocal keyed
        if keyed:
            violate("sandbox.take_job")
        keyed = True
        return next_job()

    def next_job() -> Any:
        nonlocal key, cpu_start, peak_start
        if wait is not None and not wait():
            leave(not_fed)
        # Anew where the program begins. Until now they were the supervisor's: a job that does not
        # fit into memory would end with less time than it started with.
        cpu_start, peak_start = cpu_time(), read_peak(usage(myself))
        length = read_length()
        key = read_exactly(key_bytes)
        return load(read_exactly(length))

    def lend(_frame: Any, waiting: Any) -> None:
        """Take what waits for each job: in the states of a session alone, before the first."""
        nonlocal wait
        if keyed:
            violate("sandbox.lend")
        wait = waiting

    def hand_in(status: str, error: str, traceback: str, value: str) -> Any:
        """Say how a cell ended, and return the next one: here, or in forks of this process."""
        nonlocal reserve
        for said in (status, error, traceback, value):
            if kind_of(said) is not text:
                violate("sandbox.next_cell")
        try:  # with what is put aside for the end kept: to take it anew would be to write to it
            if status != "OK":
                reserve = None
            last = final(status, error, traceback, value)
            put_printed(output_kind, pending)
            put_printed(errors_kind, complaints)
            write_all(last)
            job = next_job()
            if reserve is None:
                reserve = data(reserve_bytes)
        except memory_error:
            finish(*no_room, "", "")
        return job

    def ask(_frame: Any, request: Any) -> Any:
        if kind_of(request) is not data:
            violate("sandbox.ask")
        content = framed(ask_kind, request)
        before = depth()
        set_depth(least(before + more_depth, most_depth))
        try:  # whole: a rest would be taken for the next answer
            write_all(content)
            length = read_length()
            answer = read_exactly(length)
        except base as error:
            status, said = no_stack if kind_of(error) is too_deep else no_memory
            try:
                finish(status, said, "", "")
            finally:  # nor for that: it must not go on, whatever the status tells
                leave(tripped)
        try:
            set_depth(before)
        except too_deep:  # the program is that deep, and keeps the room
            before = 0
        return load(answer)

    def begin(asks: bool, printed: Any, complained: Any) -> None:
        nonlocal cpu_start, peak_start, reserve, pending, complaints
        if not asks:
            close(job_fd)
        pending, complaints = printed, complained
        reserve = data(reserve_bytes)  # comes zeroed from the kernel: address space, no pages
        cpu_start, peak_start = cpu_time(), read_peak(usage(myself))

    def send(_frame: Any, kind: Any, payload: Any) -> None:
        if kind_of(kind) is not data or kind_of(payload) is not data or kind == final_kind:
            violate("sandbox.send")
        if size(kind) != 1:
            violate("sandbox.send")
        write_all(framed(kind, payload))

    def final(status: str, error: str, traceback: str, value: str) -> bytes:
        used = shown(most(cpu_time() - cpu_start, 0.0), ".6f")
        peak = most(read_peak(usage(myself)) - peak_start, 0) << 10
        said = (
            # The value is a text of the program's child: a key that it repeats is overruled.
            f'{{"value":{value or "null"},"status":{quote(status)},"cpu":{used},"peak":{peak}'
            f',"error":{quote(error[:error_chars])}'
            f',"traceback":{quote(traceback[-traceback_chars:])}}}'
        )
        return framed(final_kind, key + encode(said, "ascii"))

    def finish(status: str, error: str, traceback: str, value: str) -> None:
        nonlocal reserve
        reserve = None
        last = final(status, error, traceback, value)
        try:
            if status != "VIOLATION":
                if complaints:
                    put_printed(output_kind, pending)
                    put_printed(errors_kind, complaints, last)
                else:
                    put_printed(output_kind, pending, last)
        except memory_error:  # a failure is more than what was printed last, a success is not
            if status == "OK":
                last = final("MEMORY_LIMIT", unsaid, "", "")
        write_all(last)
        leave(0)

    def violate(event: str) -> None:
        try:
            if not writing:
                said = f"violation: the interpreter's event {event[:event_chars]!a}"
                finish("VIOLATION", said, "", "")
        finally:  # whatever there is no memory or no stack for
            leave(tripped)

    def is_writing() -> bool:
        return writing

    return Ends(
        take_job=take_job,
        ask=ask,
        send=send,
        flush=flush,
        release=release,
        begin=begin,
        lend=lend,
        hand_in=hand_in,
        finish=finish,
        violate=violate,
        loads=next_job.__code__,
        is_writing=is_writing,
        give_up=give_up,
    )
