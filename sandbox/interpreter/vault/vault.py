"""The vault: an audit hook (PEP 578) that holds the native powers a child still needs.

The interpreter keeps its hooks in a C list: no object leads to one, and none can be taken away.
What the hook closes over is therefore the hook's alone:

* the powers, each served only to the one piece of code of ours that may ask (`asking`), which is
  told by the code object of the frame that raised the event;
* the job's key, which the caller gave, and without which it believes no verdict;
* the frame that runs the program: that all went well is said from there, with no frame of the
  program's in between;
* the tripwire: from the program's start every event that `events` does not list ends the process.

No frame of the vault can be had: whatever gives a frame raises an event itself, and there is no
time in which events pass unseen (`frames`). Its code asks no namespace for anything, a type's
neither, and changes no container, so that no guest can change what is done there (a test looks);
and while it runs the collector, which would run finalizers, is off.
"""

from __future__ import annotations  # evaluated, they would be looked up in a namespace

import gc
import marshal
import os
import sys
from types import CodeType
from typing import Any

from sandbox.interpreter.vault import asking, asking_cells, events, patterns
from sandbox.interpreter.vault.ends import Pipes
from sandbox.interpreter.vault.frames import codes_in, open_views
from sandbox.interpreter.vault.handler import Handler
from sandbox.interpreter.vault.keys import NO_SUCCESS, TOO_LITTLE, TRIPPED
from sandbox.interpreter.vault.pipes import open_ends
from sandbox.interpreter.vault.powers import open_powers
from sandbox.interpreter.vault.variables import open_variables
from sandbox.kernel import libc

_NEAR_BYTES = 2 << 20  # the guard gap below a stack is 1 MiB
_FAULT_ADDRESS, _WORD_BYTES = 2, 8  # si_addr in siginfo_t, in words


def install(
    pipes: Pipes,
    guest_files: tuple[str, ...],
    reporting: CodeType,
    handler: Handler,
    free: frozenset[str],
) -> frozenset[int]:
    """Add the hook to this process, for good. `free` are the events that the policy has a use for.

    `reporting` is the code that asks for the last word, when the frame that runs the program calls
    it. Returns the ids of the code to which nothing else may lead; `builders.forget` comes next.
    """
    builds = (install, open_ends, open_powers, open_views, open_variables, patterns.open_patterns)
    hidden = frozenset(id(code) for code in codes_in(*(build.__code__ for build in builds)))
    ends = open_ends(pipes)
    send_frame, send_final, violate = ends.send, ends.finish, ends.violate
    begin_job, take_job, ask_caller, hand_in = ends.begin, ends.take_job, ends.ask, ends.hand_in
    flush, release, is_writing, result_fd = ends.flush, ends.release, ends.is_writing, pipes.result
    signalled, (low, high), going_on, out_of_time = handler
    near, address_at, word = _NEAR_BYTES, _FAULT_ADDRESS, _WORD_BYTES
    memory = libc.all_memory().cast("Q").toreadonly()  # to read a word in a handler is no event
    views = open_views(guest_files, hidden, asking.OWN_MODULES)
    is_own, pause, asker_of_hook = views.is_own, views.pause, views.asker
    code_of, back_of = views.code_of, views.back_of
    write, leave, load, dump = os.write, os._exit, marshal.loads, marshal.dumps
    stop, start, is_on, collect, freeze = gc.disable, gc.enable, gc.isenabled, gc.collect, gc.freeze
    powers = open_powers(violate, views.held_by, lambda: armed, ends.give_up)
    keep_nested = powers.keep_nested
    address, size, kind_of, text, whole, listing = id, len, type, str, int, list
    base, forget_trace, put = BaseException, BaseException.with_traceback, list.append
    tripped, no_success, too_little, most = TRIPPED, NO_SUCCESS, TOO_LITTLE, max
    attributes = {event: frozenset(names) for event, names in events.ATTRIBUTES.items()}.get
    serve: dict[str, tuple[CodeType, Any]] = {}
    service_of = serve.get
    armed = tripwire = dying = False
    runner: Any = None
    laid: tuple[tuple[str, Any, bytes], ...] = ()
    write_word, whole_word = memoryview.__setitem__, slice(None)
    ours, missing, begins, clearing = "<", FileNotFoundError, str.startswith, events.CLEARING

    # -- the job

    def begin(_frame: Any, asks: Any, stack_bytes: Any, printed: Any, errors: Any) -> None:
        nonlocal low
        lists = kind_of(printed) is listing and kind_of(errors) is listing
        if armed or kind_of(stack_bytes) is not whole or not lists:
            violate("sandbox.begin")
        low = most(low, high - stack_bytes)
        freeze()
        begin_job(asks is True, printed, errors)

    def send_codes(_frame: Any, kind: Any, codes: Any) -> None:
        if armed:
            violate("sandbox.send_codes")
        send_frame(None, kind, dump(codes))

    def load_codes(_frame: Any, packed: Any) -> Any:
        if armed:
            violate("sandbox.load_codes")
        codes = load(packed)
        keep_nested(codes)
        return codes

    def say(_frame: Any, said: Any) -> None:
        if armed:
            violate("sandbox.say")
        write(result_fd, said)

    # -- words of the interpreter's memory, which a class of the program's may make us write

    def lay_by(_frame: Any, name: Any, view: Any, content: Any) -> bool:
        nonlocal laid
        if armed or kind_of(name) is not text:
            violate("sandbox.lay_by")
        laid = (*laid, (name, view, content))
        return True

    def turn(_frame: Any, name: Any) -> None:
        if kind_of(name) is not text:
            violate("sandbox.turn")
        for known, view, content in laid:
            if known == name:
                write_word(view, whole_word, content)

    # -- the program's beginning and end

    def arm(frame: Any, trip: Any) -> None:
        nonlocal armed, tripwire, runner
        if armed:
            violate("sandbox.arm")
        collect(0)
        runner, armed, tripwire = back_of(frame), True, trip is True

    def finish(frame: Any, status: Any, error: Any, traceback: Any, value: Any) -> None:
        for said in (status, error, traceback, value):
            if kind_of(said) is not text:
                violate("sandbox.finish")
        if (status not in no_success or value) and armed:
            caller = back_of(frame)
            if code_of(caller) is not reporting or back_of(caller) is not runner:
                violate("sandbox.finish")
        send_final(status, error, traceback, value)

    def next_cell(frame: Any, status: Any, error: Any, traceback: Any, value: Any) -> Any:
        if not armed or back_of(frame) is not runner:
            violate("sandbox.next_cell")
        return hand_in(status, error, traceback, value)

    def end(_frame: Any, status: Any) -> None:
        leave(status if kind_of(status) is whole else tripped)

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
        permitted = permitted_for(event, ())
        code = code_of(asker_of_hook()) if permitted else None
        for one in permitted:
            if code is one:
                return
        violate(event)

    def is_programs(arguments: Any) -> bool:  # opened, to show a line with a syntax error
        return size(arguments) > 0 and kind_of(arguments[0]) is text and begins(arguments[0], ours)

    def hook(event: str, arguments: Any) -> None:
        if not armed and event != "open" and not begins(event, "sandbox."):  # our own code's
            return
        # At the interpreter's end hooks are cleared: at once, as there may be no room for a call.
        if tripwire and event in clearing:
            leave(tripped)
        if event == "sandbox.last_words":
            say_last_words(arguments)
            return
        if is_own(event, arguments) or event in free:
            return
        if event == "open" and is_programs(arguments):
            raise missing(arguments[0])
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
        except too_little:  # a refusal, which C does not hear when the interpreter ends
            if begins(event, "cpython."):
                leave(tripped)
            raise
        except base:
            if tripwire:
                leave(tripped)  # C raised it with no frame on the stack, say
            raise
        finally:
            if collecting:
                start()

    # -- the last words: at any instruction, with the vault itself at work

    def say_last_words(arguments: Any) -> None:
        nonlocal dying
        awaited, collecting = pause(None), is_on()
        stop()
        try:
            if code_of(asker_of_hook()) is not signalled:
                if tripwire:
                    violate("sandbox.last_words")
                return
            number, info = arguments
            if kind_of(number) is not whole or kind_of(info) is not whole:
                violate("sandbox.last_words")
            if not is_writing() and (not dying or number == out_of_time):
                dying = True
                release(None)
                flush(None)
                if number not in going_on:
                    say_where(memory[info // word + address_at])
        except base:  # the worst is that the last output is lost
            return
        finally:
            if collecting:
                start()
            pause(awaited)

    def say_where(fault: int) -> None:
        if -near < fault - low < near:
            send_final("RECURSION_LIMIT", "recursion limit: the stack is full", "", "")
        if low < fault < high:  # it could not grow: address space is out
            send_final("MEMORY_LIMIT", "memory limit: no room for the stack to grow", "", "")

    allowed: dict[str, tuple[CodeType, ...]] = {
        "compile": (powers.compile.__code__,),
        "marshal.loads": (ends.loads, ask_caller.__code__, load_codes.__code__),
        "code.__new__": (load_codes.__code__,),
        "marshal.dumps": (send_codes.__code__,),
        "exec": (asking.evaluate.__code__,),
    }
    permitted_for = allowed.get
    for ask, service in (
        (asking.arm, arm),
        (asking.ask, ask_caller),
        (asking.begin, begin),
        (asking.behind, powers.behind),
        (asking.clear_cache, powers.clear_cache),
        (asking.calling_module, views.calling_module),
        (asking.collect, powers.collect),
        (asking.compile_text, powers.compile),
        (asking.end, end),
        (asking.evaluate, powers.evaluate),
        (asking.finish, finish),
        (asking.flush, flush),
        (asking.give_defaults, views.give_defaults),
        (asking.guest_scope, views.scope),
        (asking.lay_by, lay_by),
        (asking.links, views.links),
        (asking.load_codes, load_codes),
        (asking.peak_bytes, powers.peak),
        (asking.release, release),
        (asking.say, say),
        (asking.send, send_frame),
        (asking.send_codes, send_codes),
        (asking.table_bytes, powers.table_bytes),
        (asking.take_job, take_job),
        (asking.turn, turn),
        (asking.variables, views.variables),
        (asking.writing_code, writing_code),
        (asking_cells.lend, ends.lend),
        (asking_cells.next_cell, next_cell),
        (patterns.compile_pattern, patterns.open_patterns()),
    ):
        serve[f"sandbox.{ask.__name__}"] = ask.__code__, service
    sys.addaudithook(hook)
    anybodys = {asking.evaluate.__code__}
    return frozenset(map(address, {signalled}.union(*allowed.values()) - anybodys))
