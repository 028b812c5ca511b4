"""Frames, tracebacks and proxies looked into as the vault does it, in a process without one."""

import functools
import gc
from types import CodeType, FrameType, MappingProxyType, TracebackType
from typing import Any

from sandbox.interpreter.vault.variables import OPTIMIZED, open_variables

_variables_of = open_variables()
_basic_bytes: Any = type.__dict__["__basicsize__"].__get__
Link = tuple[CodeType, int, int]  # code, line, instruction offset


def behind(proxy: MappingProxyType[Any, Any]) -> Any:
    """See `asking.behind`."""
    (mapping,) = gc.get_referents(proxy)
    return mapping.copy() if type(mapping) is dict else mapping


def clear_cache(cache: Any) -> Any:
    """See `asking.clear_cache`."""
    table = next(held for held in gc.get_referents(cache) if type(held) is dict)
    was_in_it = list(table), list(table.values())
    _clear(cache)
    table[_MARK] = None
    del table[_MARK]
    return was_in_it


_clear: Any = type(functools.lru_cache(int)).__dict__["cache_clear"]
_MARK = object()


def table_bytes(proxy: MappingProxyType[Any, Any]) -> int:
    """See `asking.table_bytes`."""
    (mapping,) = gc.get_referents(proxy)
    basic: int = _basic_bytes(type(mapping))
    return dict.__sizeof__(mapping) - basic


def scope(
    frame: FrameType | None, files: tuple[str, ...]
) -> tuple[dict[str, Any], Any, bool] | None:
    """Return (globals, locals, whether it is a function's) of `frame`.

    Or of the next above whose code is of a file so named.
    """
    while frame is not None and not frame.f_code.co_filename.startswith(files):
        frame = frame.f_back
    if frame is None:
        return None
    is_function = bool(frame.f_code.co_flags & OPTIMIZED)
    return frame.f_globals, _variables_of(frame), is_function


def calling_module(frame: FrameType | None, depth: int, own: str) -> str | None:
    """Return `__name__` of the frame `depth` above `frame`.

    Frames of modules whose name begins with `own` do not count.
    """
    while frame is not None:
        name: str | None = frame.f_globals.get("__name__")
        depth -= not (type(name) is str and name.startswith(own))
        if depth < 0:
            return name
        frame = frame.f_back
    return None


def links(traceback: TracebackType | None) -> list[Link]:
    """See `asking.links`."""
    found = []
    while type(traceback) is TracebackType:
        found.append((traceback.tb_frame.f_code, traceback.tb_lineno, traceback.tb_lasti))
        traceback = traceback.tb_next
    return found


def variables(traceback: TracebackType | None) -> tuple[Any, Any, Any]:
    """See `asking.variables`."""
    if type(traceback) is not TracebackType:
        return {}, {}, {}
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    frame = traceback.tb_frame
    return _variables_of(frame), frame.f_globals, frame.f_builtins
