"""The vault: an audit hook (PEP 578) that holds the native powers a child still needs.

The interpreter keeps its hooks in a C list: no object leads to one, and none can be taken away.
What the hook closes over is therefore nobody else's:

* the powers, each served only to the one piece of code of ours that may ask (`asking`), which is
  told by the code object of the frame that raised the event;
* the job's key, which the caller gave, and without which it believes no verdict;
* the frame that runs the program: only it may say that all went well;
* the tripwire: from the program's start every event that `events` does not list ends the process.

No frame of the vault can be had: whatever gives a frame raises an event itself. Its code asks no
namespace for anything, so that nobody can change what a name in it means (a test looks); and while
it runs the collector, which would run finalizers, is off.
"""

import _ast
import _json
import gc
import marshal
import os
import resource
import struct
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

from sandbox.interpreter import asking, events
from sandbox.interpreter.keys import KEY_BYTES

NOT_FED = 98  # exit status: the caller or the supervisor is gone, nobody waits for an answer
_TRIPPED = 96  # exit status of a process that could not say why it was ended
_ERROR_CHARS, _TRACEBACK_CHARS, _EVENT_CHARS = 8 << 10, 64 << 10, 100
_HEADER, _LENGTH = struct.Struct("<cI"), struct.Struct("<Q")
# What a program may say of itself from anywhere: none of it is to its good.
_NO_SUCCESS = frozenset(("ERROR", "RECURSION_LIMIT", "MEMORY_LIMIT", "OUTPUT_LIMIT"))


class Pipes(NamedTuple):
    """Descriptors, and the letter of a final frame."""

    job: int
    result: int
    final: bytes


class Last(NamedTuple):
    """What a handler of a signal may use, without an event: it may run at any instruction."""

    finish: Callable[[str, str], object]
    send: Callable[[bytes, bytes], object]
    is_writing: Callable[[], bool]


def install(
    pipes: Pipes,
    guest_files: frozenset[str],
    permits: dict[str, set[int]],
) -> Last:
    """Add the hook to this process, for good.

    `permits` says which code (by its id) may raise an event that is not for all.
    """
    job_fd, result_fd, final_kind = pipes
    read, write, close, leave = os.read, os.write, os.close, os._exit
    load, dump, pack, unpack = marshal.loads, marshal.dumps, _HEADER.pack, _LENGTH.unpack
    usage, myself, cpu_time = resource.getrusage, resource.RUSAGE_SELF, time.process_time
    frame_at, limit_depth = sys._getframe, sys.setrecursionlimit
    stop, start, is_on = gc.disable, gc.enable, gc.isenabled
    collect, freeze, run, parse = gc.collect, gc.freeze, eval, compile
    quote, join, least, most, size = _json.encode_basestring_ascii, b"".join, min, max, len
    address, kind_of, text, data, whole, listing = id, type, str, bytes, int, list
    trees = (_ast.Module, _ast.Expression, _ast.Interactive)
    base, traceback_type = BaseException, TracebackType
    forget_trace, put = BaseException.with_traceback, list.append
    error_chars, traceback_chars, event_chars = _ERROR_CHARS, _TRACEBACK_CHARS, _EVENT_CHARS
    not_fed, tripped, key_bytes, no_success = NOT_FED, _TRIPPED, KEY_BYTES, _NO_SUCCESS
    free = frozenset(events.FREE)
    attributes = {event: frozenset(names) for event, names in events.ATTRIBUTES.items()}.get
    permitted = permits.get
    own: dict[int, frozenset[str]] = {}
    own_events, nothing = own.get, frozenset[str]()
    serve: dict[str, tuple[int, Any]] = {}
    service_of = serve.get
    key = b""
    armed = tripwire = looking = writing = hushed = keyed = False
    runner: Any = None
    cpu_start, peak_start = cpu_time(), usage(myself).ru_maxrss

    # -- the pipes

    def write_all(content: bytes) -> None:
        nonlocal writing
        writing = True
        while content:
            content = content[write(result_fd, content) :]
        writing = False

    def send_final(status: str, error: str, traceback: str, value: str) -> None:
        cpu = cpu_time() - cpu_start
        peak = most(usage(myself).ru_maxrss - peak_start, 0) << 10
        said = (
            # The value is a text of the program's child: a key that it repeats is overruled.
            f'{{"value":{value or "null"},"status":{quote(status)},"cpu":{cpu:.6f},"peak":{peak}'
            f',"error":{quote(error[:error_chars])}'
            f',"traceback":{quote(traceback[-traceback_chars:])}}}'
        )
        payload = key + said.encode("ascii")
        write_all(pack(final_kind, size(payload)) + payload)
        leave(0)

    def violate(event: str) -> None:
        if writing:
            leave(tripped)
        named = event[:event_chars]
        send_final("VIOLATION", f"violation: the interpreter's event {named!a}", "", "")
        leave(tripped)

    def read_exactly(length: int) -> bytes:
        chunks: list[bytes] = []
        while length:
            chunk = read(job_fd, least(length, 1 << 20))
            if not chunk:
                leave(not_fed)
            chunks.append(chunk)
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

    def close_job(_frame: Any) -> None:
        close(job_fd)

    def send(_frame: Any, kind: Any, payload: Any) -> None:
        if kind_of(kind) is not data or kind_of(payload) is not data or kind == final_kind:
            violate("sandbox.send")
        write_all(pack(kind, size(payload)) + payload)

    def send_codes(frame: Any, kind: Any, codes: Any) -> None:
        if armed:
            violate("sandbox.send_codes")
        send(frame, kind, dump(codes))

    def load_codes(_frame: Any, packed: Any) -> Any:
        if armed:
            violate("sandbox.load_codes")
        return load(packed)

    def say(_frame: Any, word: Any) -> None:
        if armed:
            violate("sandbox.say")
        write(result_fd, word)

    # -- the program's beginning and end

    def start_clock(_frame: Any) -> None:
        nonlocal cpu_start, peak_start
        if armed:
            violate("sandbox.start_clock")
        cpu_start, peak_start = cpu_time(), usage(myself).ru_maxrss

    def arm(frame: Any, trip: Any) -> None:
        nonlocal armed, tripwire, runner
        if armed:
            violate("sandbox.arm")
        runner, armed, tripwire = frame.f_back, True, trip is True

    def finish(frame: Any, status: Any, error: Any, traceback: Any, value: Any) -> None:
        for word in (status, error, traceback, value):
            if kind_of(word) is not text:
                violate("sandbox.finish")
        # `asking.finish` was called by the reporter, and that by whoever says how it ended.
        if (status not in no_success or value) and armed and frame.f_back.f_back is not runner:
            violate("sandbox.finish")
        send_final(status, error, traceback, value)

    def end(_frame: Any, status: Any) -> None:
        leave(status if kind_of(status) is whole else tripped)

    # -- the interpreter

    def compile_(_frame: Any, source: Any, filename: Any, mode: Any, flags: Any) -> Any:
        # Of exact kinds: a method of another would run in here, as if it were the vault's own.
        if (
            kind_of(filename) is not text
            or kind_of(mode) is not text
            or kind_of(flags) is not whole
        ):
            violate("sandbox.compile_text")
        if kind_of(source) is not text and kind_of(source) not in trees:
            violate("sandbox.compile_text")
        return parse(source, filename, mode, flags, True)

    def evaluate(_frame: Any) -> Any:
        return run

    def recursion(_frame: Any, limit: Any) -> None:
        if kind_of(limit) is not whole:
            violate("sandbox.set_recursion_limit")
        limit_depth(limit)

    def stop_collecting(_frame: Any) -> bool:
        nonlocal hushed
        before, hushed = not hushed, True
        return before

    def start_collecting(_frame: Any) -> None:
        nonlocal hushed
        hushed = False

    def hand_collect(_frame: Any) -> Any:
        return collect

    def hand_freeze(_frame: Any) -> None:
        freeze()

    def peak(_frame: Any) -> int:
        return usage(myself).ru_maxrss << 10

    # -- frames: what is in them, never one itself

    def depth(frame: Any) -> int:
        count, frame = 0, frame.f_back.f_back
        while frame is not None:
            count, frame = count + 1, frame.f_back
        return count

    def code_of(frame: Any) -> Any:
        nonlocal looking
        looking = True
        try:
            return frame.f_code
        finally:
            looking = False

    def writing_code(frame: Any) -> int:
        return address(code_of(frame.f_back.f_back))

    def scope(frame: Any) -> Any:
        while frame is not None and code_of(frame).co_filename not in guest_files:
            frame = frame.f_back
        return None if frame is None else (frame.f_globals, frame.f_locals)

    def frame_of(link: Any) -> Any:
        nonlocal looking
        looking = True
        try:
            return link.tb_frame
        finally:
            looking = False

    def links(_frame: Any, link: Any) -> Any:
        found: list[Any] = []
        while kind_of(link) is traceback_type:
            found.append((code_of(frame_of(link)), link.tb_lineno, link.tb_lasti))
            link = link.tb_next
        return found

    def variables(_frame: Any, link: Any) -> Any:
        if kind_of(link) is not traceback_type:
            return {}, {}, {}
        while link.tb_next is not None:
            link = link.tb_next
        frame = frame_of(link)
        if code_of(frame).co_filename not in guest_files:
            return {}, {}, {}
        return frame.f_locals, frame.f_globals, frame.f_builtins

    # -- the hook

    def answer(asker: int, service: Any, event: str, arguments: Any) -> None:
        frame = caller_of_hook()
        if address(code_of(frame)) != asker:
            if tripwire:
                violate(event)
            return
        if size(arguments) < 1 or kind_of(arguments[0]) is not listing:
            violate(event)
        box, *rest = arguments
        try:
            put(box, (True, service(frame, *rest)))
        except base as error:
            put(box, (False, forget_trace(error, None)))

    def caller_of_hook() -> Any:
        nonlocal looking
        looking = True
        try:
            return frame_at(3)
        finally:
            looking = False

    def judge(event: str, arguments: Any) -> None:
        names = attributes(event)
        name = arguments[1] if size(arguments) > 1 else None
        if names is not None and kind_of(name) is text and name in names:
            return
        code = address(code_of(caller_of_hook()))
        if event not in own_events(code, nothing) and code not in permitted(event, ()):
            violate(event)

    def hook(event: str, arguments: Any) -> None:
        nonlocal hushed
        if looking or event in free:
            return
        known = service_of(event)
        if known is None and not tripwire:
            return
        collecting = is_on()
        stop()
        if known is None:
            judge(event, arguments)
            if collecting:
                start()
            return
        hushed = not collecting
        answer(*known, event, arguments)
        if not hushed:
            start()

    def last_words(status: str, error: str) -> None:
        if status in no_success:
            send_final(status, error, "", "")

    def last_output(kind: bytes, payload: Any) -> None:
        if kind_of(payload) is data and payload:
            write_all(pack(kind, size(payload)) + payload)

    def is_writing() -> bool:
        return writing

    for function, raised in (
        (compile_, ("compile",)),
        (take_job, ("marshal.loads", "code.__new__")),
        (take_answer, ("marshal.loads", "code.__new__")),
        (load_codes, ("marshal.loads", "code.__new__")),
        (send_codes, ("marshal.dumps",)),
    ):
        own[id(function.__code__)] = frozenset(raised)
    permits.setdefault("exec", set()).add(id(asking.evaluate.__code__))
    for ask, service in (
        (asking.arm, arm),
        (asking.close_job, close_job),
        (asking.collect, hand_collect),
        (asking.compile_text, compile_),
        (asking.depth, depth),
        (asking.end, end),
        (asking.evaluate, evaluate),
        (asking.finish, finish),
        (asking.freeze, hand_freeze),
        (asking.guest_scope, scope),
        (asking.links, links),
        (asking.load_codes, load_codes),
        (asking.peak_bytes, peak),
        (asking.say, say),
        (asking.send, send),
        (asking.send_codes, send_codes),
        (asking.set_recursion_limit, recursion),
        (asking.start_clock, start_clock),
        (asking.start_collecting, start_collecting),
        (asking.stop_collecting, stop_collecting),
        (asking.take_answer, take_answer),
        (asking.take_job, take_job),
        (asking.variables, variables),
        (asking.writing_code, writing_code),
    ):
        serve[f"sandbox.{ask.__name__}"] = id(ask.__code__), service
    sys.addaudithook(hook)
    return Last(last_words, last_output, is_writing)
