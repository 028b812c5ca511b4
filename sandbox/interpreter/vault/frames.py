"""The part of the vault that looks at frames and functions, whose attributes raise events.

It tells what is in a frame, and never gives one.

Its functions ask no namespace for anything, as those of the vault; see there. Not even a type's:
what an attribute is was decided before a guest could put something else into the type's dict.
"""

from __future__ import annotations  # evaluated, they would be looked up in a namespace

import gc
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, NamedTuple

from sandbox.interpreter.vault.variables import OPTIMIZED, open_variables


class Views(NamedTuple):
    """The hook's ways to look around, and services, which are told the frame that asks."""

    is_own: Callable[[str, Any], bool]
    pause: Callable[[Any], Any]
    asker: Callable[[], Any]
    code_of: Callable[[Any], Any]
    back_of: Callable[[Any], Any]
    held_by: Callable[[Any], Any]
    scope: Callable[[Any], Any]
    links: Callable[[Any, Any], Any]
    variables: Callable[[Any, Any], Any]
    give_defaults: Callable[[Any, Any, Any], None]
    calling_module: Callable[[Any, Any], Any]


def open_views(guest_files: tuple[str, ...], hidden: frozenset[int], own: str) -> Views:
    """Make the functions of `Views`. `hidden` are the ids of code that no traceback shows.

    `guest_files` is how file names of programs' code begin, and `own` how names of our own modules
    do, which are not there for a library.

    Some reads raise an event, which the vault must not judge: each says first what its event will
    be about, and only the very next event, and only if it is about that, is taken for its own. So
    there is no state in which events pass unseen; what is left over when a read fails halfway is
    taken back by a store that cannot fail.
    """
    kind_of, traceback_type, size, address, put = type, TracebackType, len, id, list.append
    frame_at, referents = sys._getframe, gc.get_referents
    read_back = FrameType.__dict__["f_back"].__get__
    read_globals = FrameType.__dict__["f_globals"].__get__
    read_builtins = FrameType.__dict__["f_builtins"].__get__
    read_next = TracebackType.__dict__["tb_next"].__get__
    read_line = TracebackType.__dict__["tb_lineno"].__get__
    read_place = TracebackType.__dict__["tb_lasti"].__get__
    read_file = CodeType.__dict__["co_filename"].__get__
    read_name = CodeType.__dict__["co_name"].__get__
    read_flags, optimized = CodeType.__dict__["co_flags"].__get__, OPTIMIZED
    read_function = FunctionType.__dict__["__code__"].__get__
    write_defaults = FunctionType.__dict__["__defaults__"].__set__
    begins: Any = str.startswith
    entry, whole, text = dict.get, int, str
    function_type, tuple_type, wrong = FunctionType, tuple, TypeError
    awaited: Any = None

    def is_own(event: str, arguments: Any) -> bool:
        nonlocal awaited
        expected, awaited = awaited, None
        if expected is None:
            return False
        if event == "sys._getframe":
            return expected is frame_at
        if event == "gc.get_referents":
            return expected is referents
        if event == "object.__getattr__" or event == "object.__setattr__":
            return size(arguments) > 1 and arguments[0] is expected
        return False

    def pause(expected: Any) -> Any:
        nonlocal awaited
        before, awaited = awaited, expected
        return before

    def asker() -> Any:
        nonlocal awaited
        try:
            awaited = frame_at
            return frame_at(3)
        finally:
            awaited = None

    def announcing(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def reader(o: Any) -> Any:
            nonlocal awaited
            try:
                awaited = o
                return read(o)
            finally:
                awaited = None

        return reader

    code_of = announcing(FrameType.__dict__["f_code"].__get__)
    frame_of = announcing(TracebackType.__dict__["tb_frame"].__get__)
    variables_of = open_variables(code_of)

    def held_by(o: Any) -> Any:
        nonlocal awaited
        try:
            awaited = referents
            return referents(o)
        finally:
            awaited = None

    def scope(frame: Any) -> Any:
        while frame is not None and not begins(read_file(code_of(frame)), guest_files):
            frame = read_back(frame)
        if frame is None:
            return None
        is_function = read_flags(code_of(frame)) & optimized != 0
        return read_globals(frame), variables_of(frame), is_function

    def links(_frame: Any, link: Any) -> Any:
        found: list[Any] = []
        while kind_of(link) is traceback_type:
            code = code_of(frame_of(link))
            if address(code) not in hidden:
                put(found, (code, read_line(link), read_place(link)))
            link = read_next(link)
        return found

    def variables(_frame: Any, link: Any) -> Any:
        if kind_of(link) is not traceback_type:
            return {}, {}, {}
        while read_next(link) is not None:
            link = read_next(link)
        frame = frame_of(link)
        if not begins(read_file(code_of(frame)), guest_files):
            return {}, {}, {}
        return variables_of(frame), read_globals(frame), read_builtins(frame)

    def give_defaults(_frame: Any, function: Any, defaults: Any) -> None:
        nonlocal awaited
        if kind_of(function) is not function_type or kind_of(defaults) is not tuple_type:
            raise wrong("defaults of a function are a tuple")
        code = read_function(function)
        if read_file(code) != "<string>" or read_name(code) != "<lambda>":
            raise wrong("only what namedtuple makes is given defaults")
        try:
            awaited = function
            write_defaults(function, defaults)
        finally:
            awaited = None

    def calling_module(frame: Any, depth: Any) -> Any:
        if kind_of(depth) is not whole:
            raise wrong("how far above is an int")
        while frame is not None:
            name = entry(read_globals(frame), "__name__")
            if kind_of(name) is not text or not begins(name, own):
                depth = depth - 1
                if depth < 0:
                    return name if kind_of(name) is text else None
            frame = read_back(frame)
        return None

    return Views(
        is_own=is_own,
        pause=pause,
        asker=asker,
        code_of=code_of,
        back_of=read_back,
        held_by=held_by,
        scope=scope,
        links=links,
        variables=variables,
        give_defaults=give_defaults,
        calling_module=calling_module,
    )


def codes_in(*codes: CodeType) -> Iterator[CodeType]:
    """Yield `codes` and the code of every function that is defined inside of them, however deep."""
    for code in codes:
        yield code
        yield from codes_in(*(c for c in code.co_consts if type(c) is CodeType))
