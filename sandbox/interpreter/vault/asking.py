"""Functions by which our own code asks the vault for powers that a program must not find.

A native power that a child still needs when its program runs is held by the vault, an audit hook,
to which no object leads. Each function here raises one event with a box; the vault looks whose code
raised it and puts its answer into the box. Calling these functions is no power: what they can do is
what their arguments can say. In a process without a vault (a test, the policy audit) they do the
same with what the interpreter has, which in a disarmed process is nothing.
"""

import gc
import os
import resource
import sys
from types import CodeType, FrameType, FunctionType, MappingProxyType, TracebackType
from typing import Any, NamedTuple, NoReturn

from sandbox.interpreter.vault import vaultless
from sandbox.interpreter.vault.vaultless import Link

_audit, _enable = sys.audit, gc.enable
OWN_MODULES = "sandbox."


class Scope(NamedTuple):
    """The namespaces of a frame; the frame itself is never handed out."""

    f_globals: dict[str, Any]
    f_locals: Any


def _opened(box: list[Any]) -> Any:
    done, answer = box.pop()
    if done:
        return answer
    raise answer


ANSWERS = _opened.__code__  # of the frame where the interpreter's own errors in the vault come out


def compile_text(source: Any, filename: str, mode: str, flags: int = 0) -> Any:
    """Compile as the builtin `compile` does, without inheriting futures of ours."""
    box: list[Any] = []
    _audit("sandbox.compile_text", box, source, filename, mode, flags)
    if box:
        return _opened(box)
    return compile(source, filename, mode, flags, dont_inherit=True)


def evaluate(code: CodeType, names: dict[str, Any], local: Any = None) -> Any:
    """Run `code` in `names`, or in `local` within `names`; return what an expression gives."""
    box: list[Any] = []
    _audit("sandbox.evaluate", box)
    if box:
        ((_, run),) = box  # here, so that it is in no hands but this frame's
    else:
        run = eval
    return run(code, names) if local is None else run(code, names, local)


def give_defaults(function: FunctionType, defaults: tuple[Any, ...]) -> None:
    """Set the defaults of a `__new__` that `collections.namedtuple` has made."""
    box: list[Any] = []
    _audit("sandbox.give_defaults", box, function, defaults)
    if box:
        _opened(box)
    else:
        function.__defaults__ = defaults


def behind(proxy: MappingProxyType[Any, Any]) -> Any:
    """Return the mapping that `proxy` shows: a copy if it is a dict, which may be a class's own."""
    box: list[Any] = []
    _audit("sandbox.behind", box, proxy)
    return _opened(box) if box else vaultless.behind(proxy)


def clear_cache(cache: Any) -> Any:
    """Clear `cache`, which `functools.lru_cache` made, and leave its dict of the general kind.

    Returns what was in it, of which nothing may end before it is clear.
    """
    box: list[Any] = []
    _audit("sandbox.clear_cache", box, cache)
    return _opened(box) if box else vaultless.clear_cache(cache)


def table_bytes(proxy: MappingProxyType[Any, Any]) -> int:
    """Return the bytes that the table of the dict that `proxy` shows has now.

    A number, each time anew: what goes on counting would hold the dict, which may be a class's own.
    """
    box: list[Any] = []
    _audit("sandbox.table_bytes", box, proxy)
    return int(_opened(box)) if box else vaultless.table_bytes(proxy)


def collect(generation: int = 2) -> int:
    """Run the collector; return how many objects it found."""
    box: list[Any] = []
    _audit("sandbox.collect", box, generation)
    return int(_opened(box)) if box else gc.collect(generation)


def peak_bytes() -> int:
    """Return the most memory, in bytes, that this process has had."""
    box: list[Any] = []
    _audit("sandbox.peak_bytes", box)
    return _opened(box) if box else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def lay_by(name: str, view: memoryview, content: bytes) -> bool:
    """Have the vault keep a word of the interpreter's memory for `turn`; False without a vault.

    Only before a program begins.
    """
    box: list[Any] = []
    _audit("sandbox.lay_by", box, name, view, content)
    return bool(box) and bool(_opened(box))


def turn(name: str) -> None:
    """Write what was laid by under `name`, each word with the content that it came with."""
    box: list[Any] = []
    _audit("sandbox.turn", box, name)
    if box:
        _opened(box)


def writing_code() -> int:
    """Return the id of the code of the frame that called the caller: that stores an attribute."""
    box: list[Any] = []
    _audit("sandbox.writing_code", box)
    if box:
        return int(_opened(box))
    frame = _native_frame(2)
    return id(frame.f_code) if frame is not None else 0


def guest_scope(files: tuple[str, ...]) -> Scope | None:
    """Return the scope of the innermost frame whose code's file name begins with one of `files`."""
    box: list[Any] = []
    _audit("sandbox.guest_scope", box)
    if box:
        found = _opened(box)
        return None if found is None else Scope(*found)
    found = vaultless.scope(_native_frame(1), files)
    return None if found is None else Scope(*found)


def calling_module(depth: int = 0) -> str | None:
    """Return the `__name__` of the frame `depth` above the caller, without frames of our own."""
    box: list[Any] = []
    _audit("sandbox.calling_module", box, depth)
    if box:
        told: str | None = _opened(box)
        return told
    return vaultless.calling_module(_native_frame(1), depth, OWN_MODULES)


def _native_frame(depth: int) -> FrameType | None:
    return sys._getframe(depth + 1)


def links(traceback: TracebackType | None) -> list[Link]:
    """Return the links of a traceback, outermost first, without their frames."""
    box: list[Any] = []
    _audit("sandbox.links", box, traceback)
    if box:
        found: list[Link] = _opened(box)
        return found
    return vaultless.links(traceback)


def variables(traceback: TracebackType | None) -> tuple[Any, Any, Any]:
    """Return (locals, globals, builtins) where the exception was raised; empty outside programs."""
    box: list[Any] = []
    _audit("sandbox.variables", box, traceback)
    if box:
        found: tuple[Any, Any, Any] = _opened(box)
        return found
    return vaultless.variables(traceback)


# -- the pipes; without a vault there are none


def take_job() -> Any:
    """Return the job, once; its key stays in the vault."""
    box: list[Any] = []
    _audit("sandbox.take_job", box)
    return _opened(box)


def ask(request: bytes) -> Any:
    """Write a frame with a request, of a job with services; return what the caller says to it.

    Where there is no memory or no stack for the answer the process ends, as what is left of it in
    the pipe would be taken for the next one.
    """
    box: list[Any] = []
    _audit("sandbox.ask", box, request)
    return _opened(box)


def begin(asks: bool, stack_bytes: int, printed: list[bytes], complained: list[bytes]) -> None:
    """Count CPU time and memory from here on, and put memory aside for the end.

    No more is read from the job pipe, unless the job `asks` services. The stack may grow by `stack_bytes`
    if that is less than in the supervisor. What is `printed`, and what is `complained` on standard
    error, waits in its list until it is sent: by `flush`, with the verdict, or before a death; the
    vault empties it then.

    What is there is no garbage, whatever becomes of it.
    """
    box: list[Any] = []
    _audit("sandbox.begin", box, asks, stack_bytes, printed, complained)
    _opened(box)


def flush() -> None:
    """Write a frame of what is printed on each of the two streams, if there is something."""
    box: list[Any] = []
    _audit("sandbox.flush", box)
    _opened(box)


def release() -> None:
    """Give the memory free that was put aside for the end."""
    box: list[Any] = []
    _audit("sandbox.release", box)
    _opened(box)


def send(kind: bytes, payload: bytes) -> None:
    """Write one frame that is no verdict."""
    box: list[Any] = []
    _audit("sandbox.send", box, kind, payload)
    _opened(box)


def send_codes(kind: bytes, codes: list[CodeType]) -> None:
    """Write compiled code, in a child that runs none."""
    box: list[Any] = []
    _audit("sandbox.send_codes", box, kind, codes)
    _opened(box)


def load_codes(data: bytes) -> list[CodeType]:
    """Load the codes that another child compiled; before the program begins."""
    box: list[Any] = []
    _audit("sandbox.load_codes", box, data)
    codes: list[CodeType] = _opened(box)
    return codes


def say(word: bytes) -> None:
    """Write to the supervisor, before there is a job."""
    box: list[Any] = []
    _audit("sandbox.say", box, word)
    _opened(box)


def arm(tripwire: bool = False) -> None:
    """Note that the program begins. Only the caller's frame may say later that it went well.

    The collector starts afresh: when it runs, and so the order of finalizers, depends on the
    program alone.
    """
    box: list[Any] = []
    _audit("sandbox.arm", box, tripwire)
    if box:
        _opened(box)
    else:
        gc.collect(0)
    _enable()


def finish(status: str, error: str, traceback: str, value: str) -> NoReturn:
    """Write a frame of output, if there is some left, and the final one; end the process."""
    box: list[Any] = []
    _audit("sandbox.finish", box, status, error, traceback, value)
    _opened(box)  # only if it could not be written: the vault ends the process
    raise OSError("no verdict was written")


def end(
    status: int, audit: Any = _audit, anything: type[BaseException] = BaseException
) -> NoReturn:
    """End the process without a verdict; never return to the caller, whatever there is no room for.

    There it is tried until the CPU limit. No caller gives the last two: a default is found
    where no program can put another.
    """
    while True:
        try:
            audit("sandbox.end", [], status)
            os._exit(status)
        except anything:
            continue
