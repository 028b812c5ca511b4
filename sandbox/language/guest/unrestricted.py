"""Gives a program without the language layer what CPython gives a script: CPython's own `sys`."""

import builtins
import io
import linecache
import operator
import os
import resource
import sys
from typing import Any

from sandbox.language.compile.compiler import FILENAME
from sandbox.language.guest.collector import Collector, Complaints
from sandbox.language.guest.state import OWN_FRAMES
from sandbox.language.guest.stdio import NativeIn, TextOut
from sandbox.policy.plan import Plan

_STDIN = 0
_MOST_FRAMES = 2**31 - 1  # what C has room for
_F_ADD_SEALS, _F_GET_SEALS = 1033, 1034
_SEALED = 0x1 | 0x2 | 0x4 | 0x8  # no more seals, no shrinking, no growing, no writing


def furnish(
    namespace: dict[str, Any], plan: Plan, source: str, stdin: str, output: Collector
) -> None:
    """Give the program its streams, and in `namespace` what a script finds there.

    Tracebacks show the lines of `source`, and `inspect.getsource` finds them. Nobody looks for a
    file `<program>`.
    """
    files = plan.scratch.kib << 10 if plan.scratch is not None else 0
    sys.stdin = sys.__stdin__ = _input_of(stdin, files) if plan.opens else NativeIn(stdin)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = TextOut(output, "<stdout>", 1)  # type: ignore[misc, assignment]
    sys.stderr = sys.__stderr__ = TextOut(Complaints(output), "<stderr>", 2)  # type: ignore[misc, assignment]
    namespace["__builtins__"] = builtins
    namespace.update(__annotations__={}, __cached__=None, __file__=FILENAME)
    lines = [f"{line}\n" for line in source.split("\n")]
    linecache.cache[FILENAME] = (len(source), None, lines, FILENAME)


def _input_of(text: str, file_bytes: int) -> io.TextIOWrapper:
    """Return `sys.stdin` with `text`, as CPython has it when it is redirected from a file.

    A child is confined with a file in memory as descriptor 0 (see `confinement`). It is filled
    here, before any code of the guest's runs, and sealed: the guest can read and seek, so that
    `open(0)` and `os.read(0, n)` work, and write nowhere. RLIMIT_FSIZE, which bounds what could be
    written, goes down to `file_bytes`. Where descriptor 0 is anything else, the text is in the
    stream alone.
    """
    try:
        _fill(text.encode("utf-8", "surrogatepass"), file_bytes)
    except OSError:
        return NativeIn(text)
    raw = io.FileIO(_STDIN, "rb", closefd=False)
    raw.name = "<stdin>"
    stream = io.TextIOWrapper(io.BufferedReader(raw), "utf-8", "surrogatepass", "\n")
    stream.mode = "r"  # type: ignore[misc]
    return stream


def _fill(data: bytes, file_bytes: int) -> None:
    """Write `data` to the file in memory, and seal it. Raises OSError where there is none."""
    import fcntl

    fcntl.fcntl(_STDIN, _F_GET_SEALS)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(_STDIN, rest) :]
    os.lseek(_STDIN, 0, os.SEEK_SET)
    fcntl.fcntl(_STDIN, _F_ADD_SEALS, _SEALED)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    if hard != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))


_COUNT_ALL: dict[str, Any] = {}  # CPython's functions of `sys`, where a program has others


def count_from_program(depth: int) -> None:
    """Let `sys` tell and take the recursion limit as if the stack of `depth` frames were empty.

    Without the language layer a program gets the real `sys`. The frames below it are none of its
    own: with them it would fail before CPython does if it asks for just as many as it needs.
    """
    real_set, told = sys.setrecursionlimit, sys.getrecursionlimit() - depth
    _COUNT_ALL.update(setrecursionlimit=real_set, getrecursionlimit=sys.getrecursionlimit)
    depth += OWN_FRAMES - 1  # of the call that runs the program

    def setrecursionlimit(limit: Any, /) -> None:
        nonlocal told
        wanted = operator.index(limit)
        try:
            # What is no limit is refused as it is.
            real_set(min(wanted + depth, _MOST_FRAMES) if 0 < wanted <= _MOST_FRAMES else wanted)
        except RecursionError as refusal:
            found = int(str(refusal).partition(" depth ")[2].partition(":")[0]) - depth - 1
            text = f"cannot set the recursion limit to {wanted} at the recursion depth {found}: "
            raise RecursionError(f"{text}the limit is too low") from None
        told = wanted

    def getrecursionlimit() -> int:
        return told

    setrecursionlimit(told)
    vars(sys).update(setrecursionlimit=setrecursionlimit, getrecursionlimit=getrecursionlimit)


def count_all() -> None:
    """Undo `count_from_program`, which a warm-up may have done."""
    if _COUNT_ALL:
        vars(sys).update(_COUNT_ALL)
