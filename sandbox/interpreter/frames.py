"""The part of the vault that looks at frames: it tells what is in them, and never gives one.

Its functions ask no namespace for anything, as those of the vault; see there.
"""

from __future__ import annotations  # evaluated, they would be looked up in a namespace

from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from sandbox.interpreter.variables import open_variables


class Views(NamedTuple):
    """The readers of frames and tracebacks; the last three answer one who asks from `frame`."""

    code_of: Callable[[Any], Any]
    scope: Callable[[Any], Any]
    links: Callable[[Any, Any], Any]
    variables: Callable[[Any, Any], Any]


def open_views(guest_files: frozenset[str], looking: list[bool]) -> Views:
    """Make the functions of `Views`. `looking` is set while one raises events of its own."""
    kind_of, traceback_type = type, TracebackType

    def unannounced(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def reader(o: Any) -> Any:
            looking[0] = True
            try:
                return read(o)
            finally:
                looking[0] = False

        return reader

    code_of = unannounced(FrameType.__dict__["f_code"].__get__)
    frame_of = unannounced(TracebackType.__dict__["tb_frame"].__get__)
    locals_of = unannounced(open_variables())

    def scope(frame: Any) -> Any:
        while frame is not None and code_of(frame).co_filename not in guest_files:
            frame = frame.f_back
        return None if frame is None else (frame.f_globals, locals_of(frame))

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
        return locals_of(frame), frame.f_globals, frame.f_builtins

    return Views(code_of, scope, links, variables)
