"""The vault: an audit hook (PEP 578) that holds the native powers a child still needs.

The interpreter keeps its hooks in a C list: no object leads to one, and none can be taken away.
What the hook closes over is therefore nobody else's:

* the powers, each served only to the one piece of code of ours that may ask (`asking`), which is
  told by the code object of the frame that raised the event;
* the job's key, which the caller gave, and without which it believes no verdict;
* the frame that runs the program: that all went well is said from there, with no frame of the
  program's in between;
* the tripwire: from the program's start every event that `events` does not list ends the process.

No frame of the vault can be had: whatever gives a frame raises an event itself, and there is no
time in which events pass unseen (`frames`). Its code asks no namespace for anything, a type's
neither, and changes no container, so that nobody can change what is done there (a test looks); and
while it runs the collector, which would run finalizers, is off.
"""

import _ast
import gc
import marshal
import os
import resource
import sys
from collections.abc import Callable
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple

from sandbox.interpreter import asking, events
from sandbox.interpreter.frames import codes_in, open_views
from sandbox.interpreter.keys import TRIPPED
from sandbox.interpreter.pipes import Pipes, open_ends
from sandbox.interpreter.variables import open_variables

# What a program may say of itself from anywhere: none of it is to its good.
_NO_SUCCESS = frozenset(("ERROR", "RECURSION_LIMIT", "MEMORY_LIMIT", "OUTPUT_LIMIT"))


class Last(NamedTuple):
    """What a handler of a signal may use, without an event: it may run at any instruction."""

    finish: Callable[[str, str], object]
    send: Callable[[bytes, bytes], object]
    is_writing: Callable[[], bool]
    pause: Callable[[], Any]  # no event is the vault's own until what it gives is given back
    resume: Callable[[Any], None]


def install(
    pipes: Pipes,
    guest_files: frozenset[str],
    reporting: CodeType,
) -> Last:
    """Add the hook to this process, for good.

    `reporting` is the code that asks for the last word, when the frame that runs the program calls
    it.
    """
    builds = (install, open_ends, open_views, open_variables)
    hidden = frozenset(id(code) for code in codes_in(*(build.__code__ for build in builds)))
    ends = open_ends(pipes)
    send_frame, send_final, violate = ends.send, ends.finish, ends.violate
    begin_job, take_job, take_answer = ends.begin, ends.take_job, ends.take_answer
    views = open_views(guest_files, hidden, asking.OWN_MODULES)
    is_own, pause, asker_of_hook = views.is_own, views.pause, views.asker
    code_of, back_of, behind_proxy = views.code_of, views.back_of, views.behind
    write, leave, result_fd = os.write, os._exit, pipes.result
    load, dump = marshal.loads, marshal.dumps
    usage, myself = resource.getrusage, resource.RUSAGE_SELF
    read_peak = resource.struct_rusage.__dict__["ru_maxrss"].__get__
    stop, start, is_on = gc.disable, gc.enable, gc.isenabled
    collect, freeze, run, parse = gc.collect, gc.freeze, eval, compile
    generations = (0, 1, 2)
    proxy_type, dict_type, copied = MappingProxyType, dict, dict.copy
    address, size, kind_of, text, data, whole, listing = id, len, type, str, bytes, int, list
    trees = (_ast.Module, _ast.Expression, _ast.Interactive)
    base, forget_trace, put = BaseException, BaseException.with_traceback, list.append
    tripped, no_success = TRIPPED, _NO_SUCCESS
    free = frozenset(events.FREE)
    attributes = {event: frozenset(names) for event, names in events.ATTRIBUTES.items()}.get
    serve: dict[str, tuple[CodeType, Any]] = {}
    service_of = serve.get
    armed = tripwire = False
    runner: Any = None

    # -- the job

    def begin(_frame: Any, session: Any) -> None:
        if armed:
            violate("sandbox.begin")
        freeze()
        begin_job(session is True)

    def send_codes(_frame: Any, kind: Any, codes: Any) -> None:
        if armed:
            violate("sandbox.send_codes")
        send_frame(None, kind, dump(codes))

    def load_codes(_frame: Any, packed: Any) -> Any:
        if armed:
            violate("sandbox.load_codes")
        return load(packed)

    def say(_frame: Any, word: Any) -> None:
        if armed:
            violate("sandbox.say")
        write(result_fd, word)

    # -- the program's beginning and end

    def arm(frame: Any, trip: Any) -> None:
        nonlocal armed, tripwire, runner
        if armed:
            violate("sandbox.arm")
        collect(0)
        runner, armed, tripwire = back_of(frame), True, trip is True

    def finish(
        frame: Any, status: Any, error: Any, traceback: Any, value: Any, output: Any
    ) -> None:
        for word in (status, error, traceback, value):
            if kind_of(word) is not text:
                violate("sandbox.finish")
        if kind_of(output) is not data:
            violate("sandbox.finish")
        if (status not in no_success or value) and armed:
            caller = back_of(frame)
            if code_of(caller) is not reporting or back_of(caller) is not runner:
                violate("sandbox.finish")
        send_final(status, error, traceback, value, output)

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

    def behind(_frame: Any, proxy: Any) -> Any:
        if kind_of(proxy) is not proxy_type:
            violate("sandbox.behind")
        mapping = behind_proxy(proxy)
        return copied(mapping) if kind_of(mapping) is dict_type else mapping

    def collect_(_frame: Any, generation: Any) -> Any:
        if kind_of(generation) is not whole or generation not in generations:
            violate("sandbox.collect")
        return collect(generation)

    def peak(_frame: Any) -> Any:
        return read_peak(usage(myself)) << 10

    # -- frames: what is in them, never one itself

    def writing_code(frame: Any) -> int:
        return address(code_of(back_of(back_of(frame))))

    # -- the hook

    def answer(asker: CodeType, service: Any, event: str, arguments: Any) -> None:
        frame = asker_of_hook()
        if code_of(frame) is not asker:
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

    def judge(event: str, arguments: Any) -> None:
        names = attributes(event)
        name = arguments[1] if size(arguments) > 1 else None
        if names is not None and kind_of(name) is text and name in names:
            return
        code = code_of(asker_of_hook())
        for permitted in permitted_for(event, ()):
            if code is permitted:
                return
        violate(event)

    def hook(event: str, arguments: Any) -> None:
        if is_own(event, arguments) or event in free:
            return
        known = service_of(event)
        if known is None and not tripwire:
            return
        collecting = is_on()
        stop()
        try:
            if known is None:
                judge(event, arguments)
            else:
                answer(*known, event, arguments)
        finally:
            if collecting:
                start()

    def pause_all() -> Any:
        return pause(None), is_on()

    def resume(paused: Any) -> None:
        awaited, collecting = paused
        if not collecting:  # else code of a program's could go on amid the vault, as a finalizer
            stop()
        pause(awaited)

    def last_words(status: str, error: str) -> None:
        if status in no_success:
            send_final(status, error, "", "", b"")

    def last_output(kind: bytes, payload: Any) -> None:
        if kind_of(payload) is data and payload:
            send_frame(None, kind, payload)

    made = [take_job.__code__, take_answer.__code__, load_codes.__code__]
    allowed: dict[str, list[CodeType]] = {
        "compile": [compile_.__code__],
        "marshal.loads": made,
        "code.__new__": made,
        "marshal.dumps": [send_codes.__code__],
        "exec": [asking.evaluate.__code__],
    }
    permitted_for = allowed.get
    for ask, service in (
        (asking.arm, arm),
        (asking.begin, begin),
        (asking.behind, behind),
        (asking.calling_module, views.calling_module),
        (asking.collect, collect_),
        (asking.compile_text, compile_),
        (asking.end, end),
        (asking.evaluate, evaluate),
        (asking.finish, finish),
        (asking.give_defaults, views.give_defaults),
        (asking.guest_scope, views.scope),
        (asking.links, views.links),
        (asking.load_codes, load_codes),
        (asking.peak_bytes, peak),
        (asking.say, say),
        (asking.send, send_frame),
        (asking.send_codes, send_codes),
        (asking.take_answer, take_answer),
        (asking.take_job, take_job),
        (asking.variables, views.variables),
        (asking.writing_code, writing_code),
    ):
        serve[f"sandbox.{ask.__name__}"] = ask.__code__, service
    sys.addaudithook(hook)
    return Last(last_words, last_output, ends.is_writing, pause_all, resume)
