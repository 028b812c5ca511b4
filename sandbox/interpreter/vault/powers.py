"""The part of the vault that compiles, evaluates, collects and looks into proxies and caches.

Its functions ask no namespace for anything, as those of the vault; see there.
"""

from __future__ import annotations  # evaluated, they would be looked up in a namespace

import _ast
import functools
import gc
import resource
import sys
from collections.abc import Callable
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple

from sandbox.kernel import libc

COUNT_BYTES = 4  # the half of an object's count that says that it is not counted (PEP 683)
_IMMORTAL = sys.version_info >= (3, 12)
# Memory that compiling takes: for any text, and for each character of one as people write it (the
# library's own takes 50 to 100 bytes), and of any.
_LEAST_BYTES, _USUAL_BYTES, _MOST_BYTES = 64 << 10, 300, 4096
_TREE_BYTES = 16 << 20  # and for a tree, of whose text no more is known


class Powers(NamedTuple):
    """Services, which are told the frame that asks."""

    compile: Callable[[Any, Any, Any, Any, Any], Any]
    evaluate: Callable[[Any], Any]
    behind: Callable[[Any, Any], Any]
    clear_cache: Callable[[Any, Any], Any]
    table_bytes: Callable[[Any, Any], Any]
    collect: Callable[[Any, Any], Any]
    peak: Callable[[Any], Any]
    keep_nested: Callable[[Any], None]


def open_powers(
    violate: Callable[[str], None],
    held_by: Callable[[Any], Any],
    has_begun: Callable[[], bool],
    give_up: Callable[[], None],
) -> Powers:
    """Make the functions of `Powers`. `held_by` lists what an object holds, as `gc` knows it.

    `has_begun` tells whether a program runs, and `give_up` ends it, as one without memory.
    """
    usage, myself = resource.getrusage, resource.RUSAGE_SELF
    read_peak = resource.struct_rusage.__dict__["ru_maxrss"].__get__
    collect_garbage, run, parse = gc.collect, eval, compile
    kind_of, text, whole, generations = type, str, int, (0, 1, 2)
    cache_type = kind_of(functools.lru_cache(whole))
    clear = cache_type.__dict__["cache_clear"]
    keys_of, values_of, listed, mark = dict.keys, dict.values, list, 0
    store, delete, clear_dict = dict.__setitem__, dict.__delitem__, dict.clear
    proxy_type, dict_type, copied = MappingProxyType, dict, dict.copy
    bytes_of, basic_bytes = dict.__sizeof__, type.__dict__["__basicsize__"].__get__
    module, expression, statement = _ast.Module, _ast.Expression, _ast.Interactive
    code_type, no_memory, address, count_bytes = CodeType, MemoryError, id, COUNT_BYTES
    failing, tree_bytes = (MemoryError, SystemError), _TREE_BYTES
    blank, size, least_bytes = bytes, len, _LEAST_BYTES
    usual_bytes, most_bytes = _USUAL_BYTES, _MOST_BYTES
    constants_of: Any = CodeType.__dict__["co_consts"].__get__
    counts: Any = libc.all_memory().cast("I") if _IMMORTAL else None
    uncounted = counts[id(None) // count_bytes] if _IMMORTAL else 0
    write_count = memoryview.__setitem__

    def compile_(_frame: Any, source: Any, filename: Any, mode: Any, flags: Any) -> Any:
        # Of exact kinds: a method of another would run in here, as if it were the vault's own.
        if (
            kind_of(filename) is not text
            or kind_of(mode) is not text
            or kind_of(flags) is not whole
        ):
            violate("sandbox.compile_text")
        kind = kind_of(source)  # compared by identity: a class of the program's may have an `==`
        if not (kind is text or kind is module or kind is expression or kind is statement):
            violate("sandbox.compile_text")
        # Where it runs out of memory, CPython's compiler may free twice, or write beyond, what it
        # found no room for. So it is not begun without room, and no program goes on after that.
        most = size(source) * most_bytes if kind is text else tree_bytes
        if kind is text and has_begun():
            blank(least_bytes + size(source) * usual_bytes)
        try:
            made = parse(source, filename, mode, flags, True)
        except failing:
            if has_begun() and not has_room(least_bytes + most):
                give_up()
            raise  # the parser's word for a text that nests too deeply, or a defect of the compiler
        if kind_of(made) is code_type:
            keep_nested(constants_of(made))
        return made

    def has_room(count: int) -> bool:
        try:
            blank(count)
        except no_memory:
            return False
        return True

    def keep_nested(constants: Any) -> None:
        """Have the code among `constants`, and what is in that, live for ever.

        CPython from 3.12 on gives up one reference to it too many where it finds no memory for the
        function (gh-122752).
        """
        if counts is not None:
            for constant in constants:
                if kind_of(constant) is code_type:
                    write_count(counts, address(constant) // count_bytes, uncounted)
                    keep_nested(constants_of(constant))

    def evaluate(_frame: Any) -> Any:
        return run

    def behind(_frame: Any, proxy: Any) -> Any:
        if kind_of(proxy) is not proxy_type:
            violate("sandbox.behind")
        (mapping,) = held_by(proxy)
        return copied(mapping) if kind_of(mapping) is dict_type else mapping

    def clear_cache(_frame: Any, cache: Any) -> Any:
        if kind_of(cache) is not cache_type:
            violate("sandbox.clear_cache")
        table: Any = None
        for held in held_by(cache):  # links of its list come before its dict, the rest behind
            if table is None and kind_of(held) is dict_type:
                table = held
        # Nothing may fail once it is cleared, so that room is taken before; and nothing ends in
        # here, with a finalizer: the caller lets go of what was in it.
        room: Any = {}
        was_in_it = listed(keys_of(table)), listed(values_of(table))
        store(room, mark, None)
        clear(cache)
        clear_dict(room)
        store(table, mark, None)
        delete(table, mark)
        return was_in_it

    def table_bytes(_frame: Any, proxy: Any) -> Any:
        if kind_of(proxy) is not proxy_type:
            violate("sandbox.table_bytes")
        (mapping,) = held_by(proxy)
        return bytes_of(mapping) - basic_bytes(kind_of(mapping))

    def collect(_frame: Any, generation: Any) -> Any:
        if kind_of(generation) is not whole or generation not in generations:
            violate("sandbox.collect")
        return collect_garbage(generation)

    def peak(_frame: Any) -> Any:
        return read_peak(usage(myself)) << 10

    return Powers(compile_, evaluate, behind, clear_cache, table_bytes, collect, peak, keep_nested)
